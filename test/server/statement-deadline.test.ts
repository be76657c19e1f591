import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/databases/database.ts';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { migrate as migratePostgres } from '../../src/migrations/postgres/schema.ts';
import { migrate as migrateSqlite } from '../../src/migrations/sqlite/schema.ts';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { createDatabase } from '../support/postgres.ts';
import { processes } from '../support/processes.ts';
import { expectError } from './exchanges.ts';

/** Everything is in one group, so that each way to it and back multiplies the rows that have to be looked at. */
const specification = `
access: public
resources:
  groups:
    fields:
      name: { type: string }
      items: { type: relation, relation: hasMany, resource: items }
  items:
    fields:
      name: { type: string }
      size: { type: integer }
      text: { type: text }
      groupId: { type: integer, reference: groups.id }
      group: { type: relation, relation: belongsTo, resource: groups }
`;
const rows = 30_000;
const runaway = '/v1/items?group.items.group.items.name=none&limit=1';
/** In ms; far more than what is not endless takes, also on a machine that is slow and busy. */
const deadline = 1_500;

let sqlite: TestApi;
let postgres: TestApi;
/** Where its rows are. */
let url = '';
let release: (() => Promise<void>) | undefined;

/** Runs statements that change rows. */
async function run(database: Database, ...statements: readonly string[]): Promise<void> {
  for (const sql of statements)
    await database.writeOne({ sql: `${sql} RETURNING 1`, parameters: [] }, { bound: [] });
}

const filling = [
  `INSERT INTO "groups" ("name") VALUES ('all')`,
  `INSERT INTO "items" ("name", "size", "text", "groupId")` +
    ` WITH RECURSIVE rows(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM rows WHERE i < ${rows})` +
    ` SELECT 'item ' || i, i % 100, 'a text', 1 FROM rows`,
];

beforeAll(async () => {
  const model = buildValid(specification);
  const draw = { now: () => new Date(), uuid: uuidv7 };
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  const file = openSqlite(join(folder, 'test.db'), 'temporary', { statementTimeout: deadline });
  await migrateSqlite(file.schemaConnection, model);
  const made = await createDatabase();
  url = made.url;
  // Filling it is not what the deadline is for.
  const filler = await openPostgres(made.url, { poolSize: 1 });
  await migratePostgres(filler, model);
  await run(filler, ...filling);
  await filler.close();
  await run(file, ...filling);
  const server = await openPostgres(made.url, { poolSize: 6, statementTimeout: deadline });
  sqlite = await serve(model, file, draw, []);
  postgres = await serve(model, server, draw, []);
  release = async () => {
    await made.drop();
    rmSync(folder, { recursive: true, force: true });
  };
});
afterAll(async () => {
  await sqlite?.stop();
  await postgres?.stop();
  await release?.();
});

/** The processes that this one has started to read a file, or any. */
function readers(file = 'test.db'): readonly number[] {
  return processes().flatMap(({ pid, parent, args }) => {
    const isOurs = parent === process.pid && args.includes('slow-reads/reader-process');
    return isOurs && args.endsWith(`${file} ${process.pid}`) ? [pid] : [];
  });
}

const sides = [
  ['SQLite', () => sqlite],
  ['PostgreSQL', () => postgres],
] as const;

describe.each(sides)('on %s', (_, api) => {
  test.each([
    ['a list through chained collections', runaway, {}],
    ['the count of such a list', `${runaway}&page=2`, {}],
    ['such a list as lines', runaway, { accept: 'application/x-ndjson' }],
    [
      'an expansion of such a list',
      '/v1/groups/1?expand=items&items.limit=1&items.group.items.group.items.name=none',
      {},
    ],
  ])(
    '%s that takes longer than statementTimeout is QUERY_TIMEOUT',
    async (_title, path, headers) => {
      const answer = await api().get(path, headers);
      expectError(answer, 'QUERY_TIMEOUT', path.split('?', 1)[0] ?? path);
      expect(answer.headers.get('retry-after')).toBe('1');
    },
  );

  test('others are answered meanwhile, and afterwards', async () => {
    const state = { isRunning: true };
    // As many as leave something of the caller's share.
    const slow = Array.from({ length: 2 }, async () => {
      const answer = await api().get(runaway);
      state.isRunning = false;
      return answer;
    });
    let answered = 0;
    for (; state.isRunning; answered += 1) {
      expect((await api().get(`/v1/items/${1 + (answered % rows)}`)).status).toBe(200);
    }
    expect(answered, 'held up, there would be one').toBeGreaterThan(1);
    for (const answer of await Promise.all(slow)) expectError(answer, 'QUERY_TIMEOUT', '/v1/items');
    expect((await api().get('/v1/items?name_ilike=ITEM 29999&limit=1')).body).toMatchObject([
      { name: 'item 29999' },
    ]);
  });
});

describe.each(sides)('where all that read stay busy on %s', (_, api) => {
  test('others are 503 in the end, and told that it is no lock', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => api().get(runaway)));
    const waiting = answers.find(({ status }) => status === 503);
    if (waiting === undefined) throw new Error('All have found a connection.');
    expectError(waiting, 'DATABASE_BUSY', '/v1/items');
    expect(waiting.body).toMatchObject({
      message: 'Other requests kept all connections to the database in use for too long; try again',
    });
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503, 504]));
  });
});

describe('where a read of a large table runs', () => {
  /** Both with time for whatever they are asked, however busy the machine is. */
  let large: TestApi;
  let other: TestApi;
  let folder = '';
  beforeAll(async () => {
    const model = buildValid(specification);
    folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
    const database = openSqlite(join(folder, 'large.db'), 'temporary');
    await migrateSqlite(database.schemaConnection, model);
    await run(database, ...filling);
    const draw = { now: () => new Date(), uuid: uuidv7 };
    large = await serve(model, database, draw, []);
    other = await serve(model, await openPostgres(url, { poolSize: 2 }), draw, []);
  });
  afterAll(async () => {
    await large?.stop();
    await other?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ['a record by its id', '/v1/items/7', {}],
    ['a record that is not there', '/v1/items/700000', {}],
    ['a page, and the number of all', '/v1/items?limit=20&page=3', {}],
    ['the last page', '/v1/items?limit=20&sort=-id', {}],
    ['a page by cursor', '/v1/items?limit=20&cursor=', {}],
    ['a page through an index', '/v1/items?groupId=1&limit=20', { prefer: 'count=none' }],
    ['a page that is expanded to one', '/v1/items?limit=20&expand=group', {}],
    ['all of a small table', '/v1/groups?name_like=a&sort=-name', {}],
    ['the metrics', '/_metrics', {}],
  ])('%s: in the server itself', async (_, path, headers) => {
    const before = readers('large.db');
    expect([200, 404]).toContain((await large.get(path, headers)).status);
    expect(readers('large.db')).toEqual(before);
    expect(before).toEqual([]);
  });

  test('what goes through all of it: in a process of its own the first time, then in the server', async () => {
    const path = '/v1/items?size=7&limit=3';
    const first = await large.get(path, { prefer: 'count=none' });
    const [reader = 0, ...others] = readers('large.db');
    expect(others).toEqual([]);
    expect(reader).toBeGreaterThan(0);
    process.kill(reader, 'SIGKILL');
    await expect.poll(() => readers('large.db')).toEqual([]);
    // On a busy machine a run may have been slow by the clock; then the next one is in a process again.
    await expect
      .poll(async () => {
        readers('large.db').forEach((pid) => process.kill(pid, 'SIGKILL'));
        const again = await large.get(path, { prefer: 'count=none' });
        expect(again.text).toBe(first.text);
        return readers('large.db');
      })
      .toEqual([]);
  });

  describe('reads that run apart give the same answer', () => {
    test.each([
      ['a filter that no index serves', '/v1/items?size=99&limit=3&sort=-id'],
      ['a list sorted by what has no index', '/v1/items?sort=name,-id&limit=3&page=3'],
      ['more rows than a message has', '/v1/items?size_gte=50&limit=1000&sort=-size,id'],
      ['a long offset', '/v1/items?offset=29990&limit=5&size_lt=100'],
      ['a question about related records', '/v1/groups?items.name_ilike=ITEM 3000'],
      ['texts with other signs', '/v1/items?name_ilike=%C3%84%F0%9F%98%80&limit=2'],
    ])('%s: the same answer the first time, the second, and on PostgreSQL', async (_, path) => {
      const first = await large.get(path);
      const again = await large.get(path);
      const third = await other.get(path);
      expect(first.status).toBe(200);
      expect(again.text).toBe(first.text);
      expect(third.text).toBe(first.text);
      expect(third.headers.get('x-total-count')).toBe(first.headers.get('x-total-count'));
    });

    test('a process that is killed costs nobody an answer, whether it rests or reads', async () => {
      const kill = (): void => readers('large.db').forEach((pid) => process.kill(pid, 'SIGKILL'));
      // What was read once and is short is read in the server.
      const orders = ['text,name', 'size,text', 'text,size', '-text,name', '-size,text'];
      for (const [round, order] of orders.entries()) {
        if (round < 2) kill();
        const answer = large.get(`/v1/items?name_ilike=nothing&sort=${order}`);
        if (round > 1) {
          await expect.poll(() => readers('large.db'), { interval: 1 }).not.toEqual([]);
          kill();
        }
        expect((await answer).status).toBe(200);
      }
    });

    test('a count that was read apart is remembered, until a write', async () => {
      const path = '/v1/items?name_ilike=item 2999&limit=1';
      const count = async () => Number((await large.get(path)).headers.get('x-total-count'));
      const before = await count();
      expect(await count()).toBe(before);
      const made = await large.send('POST', '/v1/items', { name: 'item 2999 B', groupId: 1 });
      expect(made.status).toBe(201);
      expect(await count()).toBe(before + 1);
      const { id } = made.body as { id: number };
      expect((await large.send('DELETE', `/v1/items/${id}`)).status).toBe(204);
      expect(await count()).toBe(before);
    });
  });
});

// PostgreSQL groups these records at once.
test('groups that take longer than statementTimeout are QUERY_TIMEOUT on SQLite', async () => {
  const answer = await sqlite.get(`${runaway}&group=size&aggregate=count`);
  expectError(answer, 'QUERY_TIMEOUT', '/v1/items');
});

test('a table that has grown since a statement ran is looked at anew, and nobody waits', async () => {
  const model = buildValid(specification);
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  const file = openSqlite(join(folder, 'grows.db'), 'temporary', { statementTimeout: deadline });
  await migrateSqlite(file.schemaConnection, model);
  const api = await serve(model, file, { now: () => new Date(), uuid: uuidv7 }, []);
  expect((await api.send('POST', '/v1/groups', { name: 'all' })).status).toBe(201);
  const items = Array.from({ length: 1_000 }, (_, index) => ({ name: `i${index}`, groupId: 1 }));
  for (const count of [1, 1_000]) {
    expect((await api.send('POST', '/v1/items', items.slice(0, count))).status).toBe(201);
    if (count === 1) expect((await api.get(runaway)).status).toBe(200);
  }
  const late = api.get(runaway);
  expect((await api.get('/v1/items/1')).status).toBe(200);
  expectError(await late, 'QUERY_TIMEOUT', '/v1/items');
  await api.stop();
  await file.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a view that never ends is QUERY_TIMEOUT on SQLite, and keeps nobody waiting', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  const path = join(folder, 'views.db');
  const driver = new Driver(path);
  driver.exec(`
    CREATE TABLE names (id INTEGER PRIMARY KEY);
    CREATE VIEW endless AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'a' AS name FROM n WHERE id > 0;
  `);
  driver.close();
  const model = buildValid(`access: public
resources:
  names: { managed: false, fields: { id: { type: id } } }
  endless: { managed: false, access: { read: public, write: none }, fields: { id: { type: id }, name: { type: string, nullable: true } } }
`);
  const file = openSqlite(path, 'temporary', { statementTimeout: deadline });
  const api = await serve(model, file, { now: () => new Date(), uuid: uuidv7 }, []);
  const late = api.get('/v1/endless?sort=name');
  expect((await api.get('/v1/names')).body).toEqual([]);
  expectError(await late, 'QUERY_TIMEOUT', '/v1/endless');
  await api.stop();
  await file.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a long text sought in long texts is QUERY_TIMEOUT, whatever shorter ones have cost before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  const file = join(folder, 'texts.db');
  const model = buildValid(specification);
  // Enough for the shorter ones on a slow and busy machine; the long one takes several times as long on a quick one.
  const database = openSqlite(file, 'temporary', { statementTimeout: 4_000 });
  await migrateSqlite(database.schemaConnection, model);
  const text = 'a'.repeat(400_000);
  const insert = database.schemaConnection.prepare('INSERT INTO items ("text") VALUES (?)');
  for (let index = 0; index < 20; index += 1) insert.run(text);
  const api = await serve(model, database, { now: () => new Date(), uuid: uuidv7 }, []);
  const search = (sought: string): ReturnType<TestApi['get']> =>
    api.get(`/v1/items?text_ilike=${sought}&fields=id&limit=1`);
  expect((await search('zz')).body).toEqual([]);
  expect((await search('aa')).body).toEqual([{ id: 1 }]);
  expectError(await search(`${'a'.repeat(200)}b`), 'QUERY_TIMEOUT', '/v1/items');
  expect((await search('aa')).status).toBe(200);
  await api.stop();
  expect(readers('texts.db')).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

describe('reads that run apart', () => {
  test('there are a few processes at most, however many reads run away, and reads go on when one is killed', async () => {
    const answers = Promise.all(Array.from({ length: 12 }, () => sqlite.get(runaway)));
    let most = 0;
    const look = setInterval(() => {
      most = Math.max(most, readers().length);
    }, 20);
    await answers;
    clearInterval(look);
    // Whoever has waited for a process for too long is told to come again.
    const told = (await answers).map(({ status }) => status);
    expect(told).toContain(504);
    expect(told.filter((status) => status !== 504 && status !== 503)).toEqual([]);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(4);
    for (const pid of readers()) process.kill(pid, 'SIGKILL');
    const path = '/v1/items?sort=text,size,-name&limit=1';
    await expect.poll(async () => (await sqlite.get(path)).status).toBe(200);
  });

  test('closing the database ends them, also those in the middle of a statement', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
    const database = openSqlite(join(folder, 'other.db'), 'temporary');
    database.schemaConnection.exec(
      `CREATE TABLE n (a INTEGER); INSERT INTO n WITH RECURSIVE i(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM i WHERE v < 5000) SELECT v FROM i`,
    );
    const endless = {
      sql: `SELECT count(*) FROM "n" AS a, "n" AS b, "n" AS c WHERE a.a + b.a + c.a = 0`,
      parameters: [],
    };
    const outcome = Promise.resolve(database.all(endless, { bound: [] })).then(
      () => 'rows',
      (error: unknown) => (error as { kind?: string }).kind,
    );
    await expect.poll(() => readers('other.db').length).toBe(1);
    await database.close();
    expect(await outcome).toBe('unavailable');
    expect(readers('other.db')).toEqual([]);
    rmSync(folder, { recursive: true, force: true });
  });
});
