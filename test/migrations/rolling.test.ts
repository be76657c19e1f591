import Driver from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { makeFolder } from '../support/command.ts';
import { stepsBeforeServing } from '../../src/migrations/steps.ts';
import { linesOf, postgresSide, sqliteSide, type Side } from '../support/migrations.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

/** Servers are changed one after the other: while the database is that of the new file some go by the former one. */
const former = 'resources: { things: { fields: { name: { type: string, required: true } } } }';

const added = {
  text: 'type: string, default: x, required: true',
  flag: 'type: boolean, default: true, required: true',
  amount: 'type: integer, default: 0, required: true',
  price: 'type: decimal, default: "1.50", required: true',
  ratio: 'type: number, default: 0.5, required: true',
  kind: 'type: enum, values: [a, b], default: b, required: true',
  tags: 'type: array, items: { type: string }, default: [q], required: true',
  meta: `type: json, default: { "it's": [1] }, required: true`,
  at: 'type: datetime, default: now, required: true',
  on: 'type: date, default: now, required: true',
  token: 'type: uuid, default: uuid, required: true',
  note: 'type: string, default: none',
  plain: 'type: string',
};

const withFields = (fields: Readonly<Record<string, string>>): string => {
  const lines = Object.entries(fields).map(([name, field]) => `      ${name}: { ${field} }\n`);
  return `resources:\n  things:\n    fields:\n      name: { type: string, required: true }\n${lines.join('')}`;
};

const next = withFields(added);

const create = (api: TestApi, name: string) => api.send('POST', '/v1/things', { name });

const folder = makeFolder();
let server: TestDatabase;

beforeAll(async () => {
  server = await createDatabase();
});

afterAll(() => server?.drop());

const sides: readonly [string, () => Side][] = [
  ['sqlite', () => sqliteSide(folder.at('things.db'))],
  ['postgres', () => postgresSide(server.url)],
];

describe.each(sides)('on %s', (_name, open) => {
  test('who goes by the former file goes on writing, and what it does not know has its default', async () => {
    const side = open();
    await side.apply(former);
    await side.served(former, async (api) => {
      expect((await create(api, 'before')).status).toBe(201);
      await side.apply(next);
      const { status, text } = await create(api, 'meanwhile');
      expect(status, text).toBe(201);
      expect((await api.send('PATCH', '/v1/things/1', { name: 'changed' })).status).toBe(200);
    });
    const { body } = await side.served(next, (api) => api.get('/v1/things?sort=id'));
    const expected = {
      text: 'x',
      flag: true,
      amount: 0,
      price: '1.50',
      ratio: 0.5,
      kind: 'b',
      tags: ['q'],
      meta: { "it's": [1] },
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
      on: expect.stringMatching(/^\d{4}-\d\d-\d\d$/u),
      token: expect.stringMatching(/^[\da-f-]{36}$/u),
      note: 'none',
      plain: null,
    };
    expect(body).toEqual([
      { id: 1, name: 'changed', ...expected },
      { id: 2, name: 'meanwhile', ...expected },
    ]);

    // Such a default is in the way of nothing afterwards.
    const changed = withFields({ ...added, text: 'type: integer', price: 'type: string' });
    expect(linesOf(await side.plan(next))).toEqual([]);
    // Nobody is asked about a default that nobody but a migration has given.
    expect(linesOf(await side.plan(changed))).toEqual([
      'change things.text from string to integer - 2 values',
      'change things.text to allow null',
      'change things.price from decimal(18,2) to string',
      'change things.price to allow null',
    ]);
    await side.apply(changed, { allowDataLoss: true });
    const without = await side.served(former, (api) => create(api, 'knows none'));
    expect(without.status, without.text).toBe(201);
    const third = await side.served(changed, (api) => api.get('/v1/things/3'));
    expect(third.body).toMatchObject({ text: null, price: null, amount: 0, kind: 'b' });
    // What the file no longer names is left in the table, and keeps no record from being made.
    await side.apply(former);
    const last = await side.served(former, (api) => create(api, 'last'));
    expect(last.status, last.text).toBe(201);
  });
});

/** What a newer file adds, and what keeps a server of the former one from being started again. */
const additions: readonly (readonly [string, string, readonly string[]])[] = [
  ['a field with an index', 'fields: { x: { type: integer, index: true }', []],
  ['a field whose values are distinct', 'fields: { x: { type: integer, unique: true }', []],
  ['a default', 'fields: { x: { type: integer, default: 7, required: true }', []],
  ['timestamps', 'timestamps: true, fields: {', []],
  ['an index over what is there', 'indexes: [[name]], fields: {', []],
  ['a key', 'fields: { parentId: { type: integer, reference: items.id }', []],
  [
    'a rule for values that the former file lets repeat',
    'unique: [[name]], fields: {',
    ['drop index items_name_unique'],
  ],
  [
    'a field that nobody can leave out',
    'fields: { x: { type: integer, required: true }',
    ['change items.x to allow null, since the file no longer names it'],
  ],
];

describe.each(sides)('on %s, a server of the former file', (_name, open) => {
  test.each(additions)('is started again after %s', async (_what, added, left) => {
    const side = open();
    // Each begins without what the one before has added, and without records.
    const before = former.replace('things', 'items');
    await side.apply(before, { allowDataLoss: true });
    const name = 'name: { type: string, required: true }';
    const resource = `${added}${added.endsWith('{') ? '' : ','} ${name} } }`;
    await side.apply(`resources: { items: { ${resource} }`);
    expect(linesOf(stepsBeforeServing(await side.plan(before)))).toEqual(left);
  });

  test('is started again after a resource that refers to its own, and deletes those that nobody refers to', async () => {
    const side = open();
    await side.apply(former, { allowDataLoss: true });
    const notes =
      'notes: { fields: { thingId: { type: integer, required: true, reference: things.id } } }';
    const next = former.replace('{ things', `{ ${notes}, things`);
    await side.apply(next);
    await side.write(next, { things: [{ name: 'a' }, { name: 'b' }] });
    const [a, b] = await side.served(next, async (api) => {
      const { body } = await api.get('/v1/things?sort=-id&limit=2&fields=id');
      const ids = (body as { id: number }[]).map(({ id }) => id);
      expect((await api.send('POST', '/v1/notes', { thingId: ids[0] })).status).toBe(201);
      return ids;
    });
    expect(linesOf(stepsBeforeServing(await side.plan(former)))).toEqual([]);
    await side.served(former, async (api) => {
      expect((await api.send('DELETE', `/v1/things/${a}`)).status).toBe(409);
      expect((await api.send('DELETE', `/v1/things/${b}`)).status).toBe(204);
    });
  });
});

/** As the name of a field, its type in the former file and in the next one. */
const kinds = (n: string, total: string, at: string): string =>
  `resources: { things: { fields: { n: { type: ${n} }, total: { type: decimal, ${total} }, on_day: { type: ${at} } } } }`;

describe('on a SQLite file, where any column would take the values of any type', () => {
  const side = sqliteSide(folder.at('kinds.db'));
  const before = kinds('integer', 'precision: 10, scale: 2', 'string');
  const record = { n: 7, total: '1.50', on_day: '2026-01-01' };

  test('who goes by the former file neither writes nor reads what has come to hold another kind', async () => {
    await side.apply(before);
    await side.served(before, async (api) => {
      expect((await api.send('POST', '/v1/things', record)).status).toBe(201);
      const isServed = async (): Promise<readonly number[]> => [
        (await api.get('/v1/things?total=1.50')).status,
        (await api.get('/v1/things/1', { prefer: 'count=none' })).status,
        (await api.get('/v1/things', { accept: 'text/csv' })).status,
        (await api.send('PATCH', '/v1/things/1', { total: '2.50' })).status,
        (await api.send('POST', '/v1/things', [record, record])).status,
        (await api.get('/_ready')).status,
      ];
      for (const next of [
        kinds('integer', 'precision: 12, scale: 3', 'string'),
        kinds('string', 'precision: 10, scale: 2', 'string'),
        kinds('integer', 'precision: 10, scale: 2', 'date'),
      ]) {
        await side.apply(next);
        expect(await isServed(), next).toEqual([503, 503, 503, 503, 503, 503]);
        expect(String(api.failures.splice(0)[0])).toMatch(/things\.\w+ holds .* by now, and not /u);
        const { body } = await side.served(next, (other) => other.get('/v1/things?fields=id'));
        expect(body).toEqual([{ id: 1 }]);
        // So does one that begins after the migration, as a worker does that takes the place of another.
        await side.served(before, async (late) => {
          expect((await late.send('POST', '/v1/things', record)).status, next).toBe(503);
          expect(late.failures.splice(0)).toHaveLength(1);
        });
        await side.apply(before);
        expect((await api.get('/v1/things/1')).body, next).toEqual({ id: 1, ...record });
      }
      // More digits before the point change nothing that is there, and neither does what is added.
      await side.apply(
        kinds('integer', 'precision: 12, scale: 2', 'string, index: true }, more: { type: string'),
      );
      expect(await isServed()).toEqual([200, 200, 200, 200, 201, 200]);
    });
  });

  test('what was changed by hand before it began is served as it is', async () => {
    await side.apply(before);
    const other = new Driver(folder.at('kinds.db'));
    other.exec(
      'DROP TABLE things; CREATE TABLE things (id INTEGER PRIMARY KEY AUTOINCREMENT, n TEXT, total INTEGER, on_day TEXT, more TEXT)',
    );
    other.close();
    const changed = kinds('string', 'precision: 10, scale: 2', 'string');
    expect(linesOf(stepsBeforeServing(await side.plan(changed)))).toEqual([]);
    const { status } = await side.served(changed, (api) => api.get('/v1/things'));
    expect(status).toBe(200);
    await side.apply(changed);
  });

  test('where nobody can read any more what the columns hold, nothing is written or read', async () => {
    await side.apply(before);
    await side.served(before, async (api) => {
      const other = new Driver(folder.at('kinds.db'));
      other.exec('ALTER TABLE _plinth_schema RENAME COLUMN kind TO sort');
      const statuses = [
        (await api.send('POST', '/v1/things', record)).status,
        (await api.get('/v1/things')).status,
      ];
      expect(statuses).toEqual([503, 503]);
      expect(api.failures.splice(0)).toHaveLength(2);
      other.exec('ALTER TABLE _plinth_schema RENAME COLUMN sort TO kind');
      other.close();
      expect((await api.get('/v1/things')).status).toBe(200);
    });
  });
});
