import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { quote } from '../../src/sql/dialect.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { expectError } from '../server/exchanges.ts';

/** What deleting an owner reaches, each in another way. */
const specification = `
access: public
resources:
  owners:
    fields:
      code: { type: string, unique: true }
      marks: { type: relation, relation: morphMany, resource: marks, onDelete: cascade }
      stamps: { type: relation, relation: morphMany, resource: stamps, onDelete: setNull }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: owner-tags }
  cascaded: { fields: { ownerId: { type: integer, reference: owners.id, onDelete: cascade }, alsoId: { type: integer, reference: owners.id, onDelete: cascade } } }
  deeper: { fields: { cascadedId: { type: integer, reference: cascaded.id, onDelete: cascade } } }
  coded: { fields: { ownerCode: { type: string, reference: owners.code, onDelete: cascade } } }
  released: { fields: { ownerId: { type: integer, reference: owners.id, onDelete: setNull } } }
  kept: { fields: { releasedId: { type: integer, reference: released.id, onDelete: cascade } } }
  restricted: { fields: { ownerId: { type: integer, reference: owners.id, onDelete: restrict } } }
  marks: { fields: { markable: { type: relation, relation: morphTo } } }
  marked: { fields: { markId: { type: integer, reference: marks.id, onDelete: cascade } } }
  stamps: { fields: { stampable: { type: relation, relation: morphTo } } }
  # Its owners' ids are of different types, so the key to them is text.
  parcels: { fields: { id: { type: id, format: uuid }, stamps: { type: relation, relation: morphMany, resource: stamps } } }
  tags: { fields: { name: { type: string } } }
  owner-tags: { fields: { ownerId: { type: integer, required: true, reference: owners.id }, tagId: { type: integer, required: true, reference: tags.id } } }
  vines: { fields: { parentId: { type: integer, reference: vines.id, onDelete: cascade } } }
`;

const tables = ['deeper', 'cascaded', 'coded', 'kept', 'released', 'restricted', 'marked'];
const others = ['marks', 'stamps', 'owner-tags', 'tags', 'vines', 'owners'];

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification);
});
afterAll(() => both?.stop());

/** Runs a statement in both databases. */
const inBoth = async (sql: string): Promise<void> => {
  await both.servedApi.database.writeOne(
    { sql: `${sql} RETURNING 1`, parameters: [] },
    { bound: [] },
  );
  await both.postgres.writeOne({ sql: `${sql} RETURNING 1`, parameters: [] }, { bound: [] });
};
/** `count` rows whose columns are given by expressions in `i`, from 1. */
const fill = (
  table: string,
  count: number,
  columns: Readonly<Record<string, string>>,
): Promise<void> =>
  inBoth(
    `INSERT INTO ${quote(table)} (${Object.keys(columns).map(quote).join(', ')})` +
      ` WITH RECURSIVE rows(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM rows WHERE i < ${count})` +
      ` SELECT ${Object.values(columns).join(', ')} FROM rows`,
  );

beforeEach(async () => {
  for (const table of [...tables, ...others]) await inBoth(`DELETE FROM ${quote(table)}`);
  await fill('owners', 2, { id: 'i', code: `'code ' || i` });
});

const markable = { markableType: `'owners'`, markableId: '1' };

describe('a delete of more than 10,000 rows is 409, of 10,000 it is done', () => {
  test.each<readonly [string, (count: number) => Promise<unknown>]>([
    ['cascade', (count) => fill('cascaded', count, { ownerId: '1' })],
    [
      'rows that are reached twice count once',
      (count) => fill('cascaded', count, { ownerId: '1', alsoId: '1' }),
    ],
    ['cascade by another field than the id', (n) => fill('coded', n, { ownerCode: `'code 1'` })],
    [
      'cascades below each other',
      async (count) => {
        await fill('cascaded', 4_000, { id: 'i', ownerId: '1' });
        await fill('deeper', count - 4_000, { cascadedId: '1 + i % 4000' });
      },
    ],
    ['setNull', (count) => fill('released', count, { ownerId: '1' })],
    [
      'links',
      async (count) => {
        await fill('tags', 1, { id: 'i' });
        await fill('owner-tags', count, { ownerId: '1', tagId: '1' });
      },
    ],
    ['morph children', (count) => fill('marks', count, markable)],
    [
      'what goes with morph children',
      async (count) => {
        await fill('marks', 1, { id: 'i', ...markable });
        await fill('marked', count - 1, { markId: '1' });
      },
    ],
    [
      'morph children that are released',
      (count) => fill('stamps', count, { stampableType: `'owners'`, stampableId: `'1'` }),
    ],
    [
      'all of them together',
      async (count) => {
        await fill('cascaded', 3_000, { id: 'i', ownerId: '1' });
        await fill('released', 3_000, { id: 'i', ownerId: '1' });
        await fill('marks', count - 6_000, markable);
      },
    ],
  ])('%s', async (_, make) => {
    await make(10_000);
    const answer = await both.send('DELETE', '/v1/owners/1');
    expectError(answer, 'DELETE_TOO_LARGE', '/v1/owners/1');
    expect((await both.get('/v1/owners/1')).status).toBe(200);
    for (const table of tables)
      await inBoth(`DELETE FROM ${quote(table)} WHERE id = (SELECT max(id) FROM ${quote(table)})`);
    for (const table of ['marks', 'stamps', 'owner-tags'])
      await inBoth(
        `DELETE FROM ${quote(table)} WHERE id = (SELECT max(id) FROM ${quote(table)} HAVING count(*) > 1)`,
      );
    expect((await both.send('DELETE', '/v1/owners/1')).status).toBe(204);
    expect((await both.get('/v1/owners')).body).toEqual([{ id: 2, code: 'code 2' }]);
  });
});

describe('what a delete does not reach does not count', () => {
  test('what belongs to others', async () => {
    await fill('cascaded', 10_001, { ownerId: '2' });
    await fill('marks', 10_001, { ...markable, markableId: '2' });
    expect((await both.send('DELETE', '/v1/owners/1')).status).toBe(204);
  });

  test('what belongs to those that are only released', async () => {
    await fill('released', 1, { id: 'i', ownerId: '1' });
    await fill('kept', 10_001, { releasedId: '1' });
    expect((await both.send('DELETE', '/v1/owners/1')).status).toBe(204);
    expect((await both.get('/v1/kept')).headers.get('x-total-count')).toBe('10001');
  });

  test('what keeps the record: that is HAS_DEPENDENTS', async () => {
    await fill('restricted', 10_001, { ownerId: '1' });
    const answer = await both.send('DELETE', '/v1/owners/1');
    expectError(answer, 'HAS_DEPENDENTS', '/v1/owners/1');
  });
});

describe('records below each other', () => {
  const chain = (count: number): Promise<void> =>
    fill('vines', count, { id: 'i', parentId: 'CASE WHEN i > 1 THEN i - 1 END' });

  test('go as long as the chain is not too deep', async () => {
    await chain(900);
    expect((await both.send('DELETE', '/v1/vines/1')).status).toBe(204);
    expect((await both.get('/v1/vines')).body).toEqual([]);
  });

  test('too deep is 409', async () => {
    await chain(2_000);
    expectError(await both.send('DELETE', '/v1/vines/1'), 'DELETE_TOO_LARGE', '/v1/vines/1');
    for (const id of [1_500, 700])
      expect((await both.send('DELETE', `/v1/vines/${id}`)).status).toBe(204);
  });

  test('in a circle each counts once', async () => {
    await chain(3);
    await inBoth(`UPDATE vines SET "parentId" = 3 WHERE id = 1`);
    expect((await both.send('DELETE', '/v1/vines/2')).status).toBe(204);
    expect((await both.get('/v1/vines')).body).toEqual([]);
  });
});

describe('links', () => {
  const change = (tags: unknown): ReturnType<Both['send']> =>
    both.send('PATCH', '/v1/owners/1', { tags });
  const linked = async (): Promise<string | null> =>
    (await both.get('/v1/owner-tags?limit=1')).headers.get('x-total-count');
  const ids = (count: number): readonly number[] =>
    Array.from({ length: count }, (_, at) => at + 1);
  const many = async (count: number): Promise<void> => {
    await fill('tags', count, { id: 'i' });
    await fill('owner-tags', count, { ownerId: '1', tagId: 'i' });
  };

  test('10,000 are replaced at once, more are 409 and stay', async () => {
    await many(10_001);
    const answer = await change([1]);
    expectError(answer, 'DELETE_TOO_LARGE', '/v1/owners/1');
    expect(await linked()).toBe('10001');
    expect((await change({ remove: [7] })).status).toBe(200);
    expect((await change([1])).status).toBe(200);
    expect((await both.get('/v1/owners/1?expand=tags')).body).toMatchObject({ tags: [{ id: 1 }] });
  });

  test('however many there are, a change in part finds those that it names', async () => {
    await many(10_001);
    await fill('tags', 1, { id: '20000' });
    expect((await change({ add: [5, 20_000], remove: [6, 7, 20_001] })).status).toBe(200);
    expect(await linked()).toBe('10000');
    expect((await change({ add: [5, 20_000], remove: [6, 7] })).status).toBe(200);
    expect(await linked()).toBe('10000');
  });

  test('of one request are at most 10,000', async () => {
    const some = ids(5_001);
    for (const body of [{ tags: { add: some, remove: some } }, { tags: [...some, ...some] }])
      expectError(await both.send('PATCH', '/v1/owners/1', body), 'LIMIT_EXCEEDED', '/v1/owners/1');
    const two = [{ tags: some }, { tags: some }];
    expectError(await both.send('POST', '/v1/owners', two), 'LIMIT_EXCEEDED', '/v1/owners');
    await fill('tags', 1, { id: 'i' });
    const same = Array.from({ length: 10_000 }, () => 1);
    expect((await change(same)).status).toBe(200);
    expect(await linked()).toBe('1');
  });
});
