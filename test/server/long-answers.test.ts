import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RowBudget } from '../../src/records/row-budget.ts';
import type { Statement } from '../../src/sql/statement.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { watchStatements, type Watched } from '../support/statements.ts';

const relations = Array.from({ length: 20 }, (_, index) => `children${index}`);
const specification = `
access: public
resources:
  nodes:
    fields:
      text: { type: text }
      parentId: { type: integer, reference: nodes.id }
      parent: { type: relation, relation: belongsTo, resource: nodes, foreignKey: parentId }
${relations.map((name) => `      ${name}: { type: relation, relation: hasMany, resource: nodes, foreignKey: parentId }`).join('\n')}
`;

/** One parent of ten with texts of 1.4 million characters each, and a hundred others. */
const length = 1_400_000;
const longTexts: Readonly<Record<'sqlite' | 'postgresql', string>> = {
  sqlite: `hex(zeroblob(${length / 2}))`,
  postgresql: `repeat('0', ${length})`,
};
const nodes = Array.from({ length: 110 }, (_, index) => (index < 10 ? { parentId: 1 } : {}));
const all = 1 + nodes.length;

let api: Both;
let watched: Watched;
beforeAll(async () => {
  api = await serveBoth(specification, { nodes: [{}] }, undefined, { answerLength: 13_500_000 });
  await api.send('POST', '/v1/nodes', nodes);
  for (const { servedApi } of api.sides) {
    const { database } = servedApi;
    const text = longTexts[database.dialect.name];
    const sql = `UPDATE nodes SET text = ${text} WHERE "parentId" = 1 RETURNING id`;
    await database.writeOne({ sql, parameters: [] }, { bound: [] });
  }
  watched = watchStatements(api);
});
afterAll(() => api.stop());

test('what is expanded side by side is bounded together: too much is refused, and no more asked for it', async () => {
  const path = `/v1/nodes/1?expand=${relations.join(',')}`;
  const texts = relations.map((name) => `${name}.text`);
  const little = await watched.during(async () => {
    expect((await api.get(`${path}&exclude=text,${texts.join(',')}`)).status).toBe(200);
  });
  const much = await watched.during(async () => {
    const answer = await api.get(path);
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'LIMIT_EXCEEDED' }]);
  });
  expect(much.length).toBeLessThan(little.length);
});

describe('a list', () => {
  test.each([100, all])(
    'of %i records with more text than an answer has room for is refused',
    async (limit) => {
      const answer = await api.get(`/v1/nodes?limit=${limit}`);
      expect([answer.status, answer.body]).toMatchObject([400, { code: 'LIMIT_EXCEEDED' }]);
      expect((await api.get(`/v1/nodes?limit=${limit}&exclude=text`)).status).toBe(200);
    },
  );

  test('of fewer of them is answered', async () => {
    const { status, body } = await api.get(`/v1/nodes?limit=${all}&sort=-id&id_gt=9`);
    expect(status).toBe(200);
    expect(body).toHaveLength(102);
  });

  test.each(['application/x-ndjson', 'text/csv'])(
    'is sent whole as %s, a little at a time',
    async (accept) => {
      const answer = await api.raw('/v1/nodes?limit=11', { headers: { accept } });
      expect(answer.status).toBe(200);
      const texts = answer.text.split(/[",]/u).filter((text) => text.length > 1_000);
      expect(texts.map((text) => text.length)).toEqual(Array.from({ length: 10 }, () => length));
    },
  );
});

test('a write whose records are too long for a response has happened, and is answered with their ids', async () => {
  const write = async (method: string, path: string, body: unknown): Promise<unknown[]> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await api.raw(path, { method, headers, body: JSON.stringify(body) });
    const applied = answer.headers['preference-applied'];
    return [answer.status, JSON.parse(answer.text), applied];
  };
  const path = '/v1/nodes?expand=parent.children0&exclude=text';
  const applied = 'return=minimal';
  const one = await write('PATCH', '/v1/nodes/1?expand=children0', { parentId: null });
  expect(one).toEqual([200, { id: 1 }, applied]);
  const ids = [all + 1, all + 2];
  const made = await write('POST', path, [{ parentId: 1 }, {}]);
  expect(made).toEqual([201, ids.map((id) => ({ id })), applied]);
  for (const id of ids) await api.send('DELETE', `/v1/nodes/${id}`);
});

test.each(['sqlite', 'postgres'] as const)(
  '%s: rows without room are not kept, and reading goes on',
  async (name) => {
    const { database } = api.sides[name === 'sqlite' ? 0 : 1]?.servedApi ?? api.servedApi;
    const statement: Statement = { sql: 'SELECT id FROM nodes ORDER BY id', parameters: [] };
    const full = new Error('full');
    let taken = 0;
    const take = (): boolean => {
      taken += 1;
      if (taken === 3) throw full;
      return true;
    };
    const nothing = (): void => undefined;
    const room = { check: nothing, take, release: nothing, holds: () => false };
    const ask = async (): Promise<unknown> => database.all(statement, { bound: [], budget: room });
    await expect(ask()).rejects.toBe(full);
    expect(taken).toBe(3);
    expect(await ask()).toHaveLength(all);
  },
);

test('postgres: rows that are read once more after a session was lost count once', async () => {
  const { database } = api.sides[1]?.servedApi ?? api.servedApi;
  const made = { sql: 'CREATE SEQUENCE interruptions', parameters: [] };
  await database.writeOne(made, { bound: [] });
  const lost = `CASE WHEN n = 3 AND nextval('interruptions') = 1 THEN pg_terminate_backend(pg_backend_pid()) END`;
  const sql = `SELECT repeat('0', 20000), ${lost} FROM generate_series(1, 3) AS n`;
  const budget = new RowBudget({ most: 80_000 });
  const rows = await database.all({ sql, parameters: [] }, { bound: [], budget });
  expect(rows).toHaveLength(3);
  expect([budget.holds(200, 100), budget.holds(200, 50)]).toEqual([false, true]);
});
