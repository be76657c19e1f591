import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';

// Tables of others hold what no client could send, and lists of them have an end all the same.
const specification = `
resources:
  folk:
    table: Folk
    fields:
      id: { type: id, format: string, column: Code }
      mail: { type: email }
      home: { type: url }
      born: { type: date }
      wake: { type: time }
      token: { type: uuid }
      kind: { type: enum, values: [a, b] }
      level: { type: integer, enum: [1, 2] }
      number: { type: integer }
      tags: { type: array, items: { type: email } }
      part: { type: object, properties: { day: { type: date }, mail: { type: email } } }
      bossId: { type: string, nullable: true, reference: folk.id, column: boss }
      boss: { type: relation, relation: belongsTo, resource: folk }
`;

const long = 'L'.repeat(400);
const rows: readonly (readonly (string | number | bigint | null)[])[] = [
  [
    'a',
    'n/a',
    'www',
    '2020-01-01',
    '06:00:00',
    '0190aaaa-0000-7000-8000-00000000000a',
    'a',
    1,
    1,
    '["x@y.org"]',
    '{"day":"2020-01-01"}',
    null,
  ],
  [
    long,
    'x@y.org',
    'https://e.org',
    '2020-02-31',
    '6:00',
    '0190AAAA-0000-7000-8000-00000000000B',
    'zzz',
    7,
    'many',
    '["nope"]',
    '{"day":"x","mail":""}',
    'a',
  ],
  ['', '', '', '', '', '', '', 0, 1.5, '[""]', '{}', long],
  ['.', 'a\0b', '-', '0000-00-00', '25:00:00', 'none', 'A', 9, -1, '[]', '{"mail":"?"}', ''],
  ['b/ü?#', null, null, null, null, null, null, null, null, null, null, '.'],
  [
    'c',
    'n/a',
    'www',
    '2020-02-31',
    '6:00',
    'NONE',
    'zzz',
    7,
    'many',
    '["nope"]',
    '{"day":"x"}',
    'a',
  ],
];

/** Serves a file as it is: nothing of it is looked at or changed before. */
function serveFile(specification: string, file: string): Promise<TestApi> {
  const draw = { now: () => new Date(), uuid: uuidv7 };
  return serve(buildValid(specification), openSqlite(file, 'temporary'), draw, []);
}

const folder = mkdtempSync(join(tmpdir(), 'plinth-values-'));
const file = join(folder, 'others.db');
let api: TestApi;
beforeAll(async () => {
  const others = new Driver(file).exec(
    `CREATE TABLE Folk (
      Code TEXT PRIMARY KEY NOT NULL, mail TEXT, home TEXT, born TEXT, wake TEXT, token TEXT, kind TEXT, level INTEGER,
      number INTEGER, tags TEXT, part TEXT, boss TEXT REFERENCES Folk (Code)
    )`,
  );
  const insert = others.prepare(`INSERT INTO Folk VALUES (${rows[0]?.map(() => '?').join(', ')})`);
  for (const row of rows) insert.run(...row);
  others.close();
  api = await serveFile(specification, file);
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
}

async function walk(query: string): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null && ids.length <= rows.length) {
    const { status, text, body } = await api.get(`/v1/folk?${query}&limit=1&cursor=${cursor}`);
    expect(status, text).toBe(200);
    const page = body as Page;
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  return ids;
}

describe('a walk by cursor meets every record once', () => {
  const keys = [
    'id mail home born wake token kind level number tags part.day part.mail bossId',
    'boss.mail boss.born boss.token boss.id born,mail token,-born',
  ].flatMap((names) => names.split(' '));
  test.each(keys)('by %s', async (key) => {
    for (const sort of [key, `-${key}`])
      for (const nulls of ['', '&nulls=first', '&nulls=last']) {
        const query = `fields=id&sort=${sort}${nulls}`;
        const { body } = await api.get(`/v1/folk?${query}`);
        const all = (body as Page['data']).map(({ id }) => id);
        expect(all).toHaveLength(rows.length);
        expect(await walk(query), query).toEqual(all);
      }
  });
});

test('behind a value that no cursor carries, a record of its page has to be as it was', async () => {
  const { body } = await api.get('/v1/folk?fields=id&sort=token&limit=3&cursor=');
  const ids = (page: unknown): string[] => (page as Page).data.map(({ id }) => id);
  expect(ids(body)).toEqual(['b/ü?#', '', long]);
  const next = `/v1/folk?fields=id&cursor=${body.next_cursor}`;
  const others = new Driver(file);
  const rewrite = others.prepare('UPDATE Folk SET token = ? WHERE Code = ?');
  rewrite.run('zz', long);
  expect(ids((await api.get(next)).body)).toEqual(['a', 'c', '.', long]);
  rewrite.run('zzz', '');
  const { status, body: refusal } = await api.get(next);
  expect([status, refusal.code]).toEqual([400, 'INVALID_CURSOR']);
  others.close();
});

test('moments of PostgreSQL that no RFC 3339 names are shown as they are, and walked through', async () => {
  const served = await serveBoth(
    'resources: { terms: { fields: { until: { type: datetime } } } }',
    {
      terms: Array.from({ length: 6 }, () => ({ until: '2026-03-01T14:05:00.000Z' })),
    },
  );
  const [, api] = served.sides;
  const moments = ['-infinity', '0044-03-15 12:00+00 BC', '9999-12-31 23:59:59+00'];
  moments.push('12020-01-01 00:00:00.5+00', 'infinity');
  for (const [index, moment] of moments.entries())
    await served.postgres.all(
      { sql: `UPDATE terms SET until = '${moment}' WHERE id = ${index + 1}`, parameters: [] },
      { bound: [] },
    );
  const read = async (query: string): Promise<unknown> => (await api?.get(query))?.body;
  const shown = (await read('/v1/terms?sort=until')) as { id: number; until: string }[];
  expect(shown.map(({ id, until }) => [id, until])).toEqual([
    [1, '-infinity'],
    [2, '0044-03-15 12:00:00+00 BC'],
    [6, '2026-03-01T14:05:00.000Z'],
    [3, '9999-12-31T23:59:59.000Z'],
    [4, '12020-01-01 00:00:00.5+00'],
    [5, 'infinity'],
  ]);
  for (const sort of ['until', '-until']) {
    const ids: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null && ids.length < 9) {
      const page = (await read(`/v1/terms?sort=${sort}&limit=1&cursor=${cursor}`)) as {
        data: { id: number }[];
        next_cursor: string | null;
      };
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(ids).toEqual(sort === 'until' ? [1, 2, 6, 3, 4, 5] : [5, 4, 3, 6, 2, 1]);
  }
  await served.stop();
});

test('numbers of PostgreSQL that are none are null in JSON and empty in CSV', async () => {
  const specification = 'resources: { items: { fields: { n: { type: number } } } }';
  const served = await serveBoth(specification, { items: [{ n: 1 }, { n: 2 }] });
  await served.postgres.all(
    { sql: "UPDATE items SET n = 'NaN' WHERE id = 1", parameters: [] },
    { bound: [] },
  );
  const [, api] = served.sides;
  expect((await api?.get('/v1/items'))?.text).toBe('[{"id":1,"n":null},{"id":2,"n":2}]');
  expect((await api?.get('/v1/items', { accept: 'text/csv' }))?.text).toBe('id,n\r\n1,\r\n2,2\r\n');
  await served.stop();
});

test('a whole number that was rounded is said to lead nowhere, rather than in circles', async () => {
  const another = join(folder, 'large.db');
  new Driver(another)
    .exec(
      `CREATE TABLE items (id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER);
      INSERT INTO items (n) VALUES (-9007199254740995), (9007199254740991), (9007199254740993)`,
    )
    .close();
  const large = await serve(
    buildValid('resources: { items: { fields: { n: { type: integer } } } }'),
    openSqlite(another, 'temporary'),
    { now: () => new Date(), uuid: uuidv7 },
    [],
  );
  const { body } = await large.get('/v1/items?sort=n&limit=1&cursor=');
  const next = await large.get(`/v1/items?limit=1&cursor=${body.next_cursor}`);
  expect([next.status, next.body.code]).toEqual([400, 'INVALID_CURSOR']);
  expect(next.body.message).toContain('2^53');
  const { headers } = await large.get('/v1/items?sort=n&limit=2');
  const rest = await large.get(`/v1/items?cursor=${headers.get('x-next-cursor')}`);
  expect((rest.body as { data: { id: number }[] }).data.map(({ id }) => id)).toEqual([3]);
  await large.stop();
});

test('a key that is no number leads nowhere, where keys are decimals', async () => {
  const file = join(folder, 'decimals.db');
  new Driver(file)
    .exec(
      `CREATE TABLE rates (id INTEGER PRIMARY KEY, level UNIQUE);
      CREATE TABLE goods (id INTEGER PRIMARY KEY, rate REFERENCES rates (level));
      INSERT INTO rates VALUES (1, 1000), (2, 'much');
      INSERT INTO goods VALUES (1, 1000), (2, 'much');`,
    )
    .close();
  const specification = `
resources:
  rates:
    fields:
      level: { type: decimal, unique: true }
      goods: { type: relation, relation: hasMany, resource: goods, foreignKey: rate }
  goods:
    fields:
      rate: { type: decimal, reference: rates.level }
      of: { type: relation, relation: belongsTo, resource: rates, foreignKey: rate }
`;
  const rates = await serveFile(specification, file);
  const idsOf = async (path: string, member: string): Promise<unknown> => {
    const { status, text, body } = await rates.get(path);
    expect(status, text).toBe(200);
    return (body as Readonly<Record<string, unknown>>[]).map((record) => record[member]);
  };
  expect(await idsOf('/v1/goods?fields=id&expand=of', 'of')).toEqual([
    { id: 1, level: '10.00' },
    null,
  ]);
  const [first, second] = (await idsOf('/v1/rates?fields=id&expand=goods', 'goods')) as unknown[][];
  expect([first, second]).toEqual([[{ id: 1, rate: '10.00' }], []]);
  await rates.stop();
});
