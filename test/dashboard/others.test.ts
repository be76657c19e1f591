import { describe, expect, test } from 'vitest';
import type { RequestDetail, RequestRow } from '../../src/http/dashboard/wire.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { hashOf } from '../support/tokens.ts';
import { ask, boss, hand, keys, look, open, rowsOf, serving, stopAfterEach } from './dashboard.ts';

stopAfterEach();

const other = { 'x-api-key': 'other-key' };
const more = `${keys}
    - { name: other, hash: "${hashOf('other-key')}", roles: [user] }
    - { name: same, hash: "${hashOf('same-key')}", sub: hand }`;

/** Requests of three callers and of nobody, each with a body of its own. */
async function used(head: string): Promise<TestApi> {
  const api = await serving(head);
  await look(api, boss);
  for (const [name, headers] of [
    ['by boss', boss],
    ['by hand', hand],
    ['by other', other],
    ['by nobody', {}],
  ] as const)
    expect((await api.send('POST', '/v1/things', { name }, { ...headers })).status).toBe(201);
  return api;
}

const detailOf = async (
  api: TestApi,
  { id }: Pick<RequestRow, 'id'>,
  headers: Record<string, string>,
): Promise<RequestDetail | number> => {
  const { status, body } = await ask(api, `requests/${id}`, headers);
  return status === 200 ? (body as RequestDetail) : status;
};

describe('with auth, in dev', () => {
  test('a credential shows the requests of its caller alone', async () => {
    const api = await used(`${more}\ndebug: { roles: [admin] }`);
    const all = await rowsOf(api, boss);
    expect(all.map(({ caller }) => caller)).toEqual(['boss', 'hand', 'other', null]);
    for (const row of all) {
      const seen = await detailOf(api, row, boss);
      expect(seen).toMatchObject({ requestBody: { text: expect.stringContaining('by ') } });
    }
    const own = await rowsOf(api, hand);
    expect(own.map(({ caller }) => caller)).toEqual(['hand']);
    for (const row of all) {
      const seen = await detailOf(api, row, hand);
      if (row.caller === 'hand')
        expect(seen).toMatchObject({ requestBody: { text: '{"name":"by hand"}' } });
      else expect(seen).toBe(404);
    }
    // A key of another name, whose subject is the name of the first.
    expect(await detailOf(api, own[0] ?? { id: '' }, { 'x-api-key': 'same-key' })).toBe(404);
  });

  test('without debug.roles nobody sees those of others', async () => {
    const api = await used(more);
    for (const [headers, name] of [
      [boss, 'boss'],
      [other, 'other'],
    ] as const)
      expect((await rowsOf(api, headers)).map(({ caller }) => caller)).toEqual([name]);
  });

  test('a role of dashboard.roles shows those of all', async () => {
    const api = await used(`${more}\ndashboard: { roles: [admin] }`);
    expect(await rowsOf(api, boss)).toHaveLength(4);
    expect((await ask(api, 'model', hand)).status).toBe(403);
  });

  test('the SQL of what is hidden is null', async () => {
    const api = await serveApi(
      `${more}
debug: { roles: [admin] }
resources:
  notes:
    access: { read: [{ where: "box.label=red" }], write: authenticated }
    fields:
      text: { type: string }
      box: { type: relation, relation: belongsTo, resource: boxes }
  boxes:
    fields: { label: { type: string, access: { read: admin, write: admin } } }`,
      {},
      undefined,
      { mode: 'dev' },
    );
    open.push(api);
    await look(api, boss);
    await api.get('/v1/notes', hand);
    const [row] = await rowsOf(api, hand);
    const [mine, full] = [
      await detailOf(api, row ?? { id: '' }, hand),
      await detailOf(api, row ?? { id: '' }, boss),
    ] as [RequestDetail, RequestDetail];
    expect(new Set(mine.statementList?.map(({ sql }) => sql))).toEqual(new Set([null]));
    expect(full.statementList?.[0]?.sql).toContain('"boxes"');
  });
});

test('without auth everyone sees all', async () => {
  const api = await serving();
  await api.get('/v1/things');
  expect(await rowsOf(api)).toHaveLength(1);
});
