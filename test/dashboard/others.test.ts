import { expect, test } from 'vitest';
import type { RequestDetail } from '../../src/http/dashboard/wire.ts';
import { ask, boss, hand, keys, look, rowsOf, serving, stopAfterEach } from './dashboard.ts';

stopAfterEach();

test.each([
  ['debug: { roles: [admin] }', boss, hand],
  ['dashboard: { roles: [user] }', hand, boss],
  ['debug: { roles: [admin] }\ndashboard: { roles: [user] }', hand, boss],
] as readonly (readonly [string, Record<string, string>, Record<string, string>])[])(
  'with %s, who may open it sees the requests of all callers, and others none',
  async (head, opens, other) => {
    const api = await serving(`${keys}\n${head}`);
    await look(api, opens);
    for (const [name, headers] of [
      ['by boss', boss],
      ['by hand', hand],
      ['by nobody', {}],
    ] as const)
      expect((await api.send('POST', '/v1/things', { name }, headers)).status).toBe(201);
    const rows = await rowsOf(api, opens);
    expect(rows.map(({ caller }) => caller)).toEqual(['boss', 'hand', null]);
    for (const { id } of rows) {
      const seen = (await ask(api, `requests/${id}`, opens)).body as RequestDetail;
      expect(seen.requestBody).toMatchObject({ text: expect.stringContaining('by ') });
      expect(seen.statementList?.map(({ sql }) => sql).join()).toContain('INSERT');
      expect((await ask(api, `requests/${id}`, other)).status).toBe(403);
    }
  },
);

test('without auth everyone sees all', async () => {
  const api = await serving();
  await api.get('/v1/things');
  expect(await rowsOf(api)).toHaveLength(1);
});
