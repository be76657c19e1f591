import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  ConstraintError,
  DatabaseFailure,
  type Transaction,
} from '../../src/databases/database.ts';
import { openSqlite, type SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import type { Statement } from '../../src/sql/statement.ts';
import { serveApi, type Answer, type TestApi } from '../support/api.ts';
import { ask, expectError } from '../server/exchanges.ts';

const statement = (sql: string, ...parameters: number[]): Statement => ({ sql, parameters });
const insert = statement('INSERT INTO items (name) VALUES (?)', 0);
const insertOrEnd = statement('INSERT OR ROLLBACK INTO items (name) VALUES (?)', 0);
const insertChild = statement('INSERT INTO children (itemId) VALUES (?)', 0);
const later = statement('PRAGMA defer_foreign_keys = ON');
const all = statement('SELECT name FROM items ORDER BY name');

describe('writes that share a transaction', () => {
  let folder: string;
  let database: SqliteDatabase;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-queue-'));
    database = openSqlite(join(folder, 'queue.db'), 'temporary');
    database.schemaConnection.exec(
      `CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
       CREATE TABLE children (itemId INTEGER REFERENCES items (id));`,
    );
  });
  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  type Work = (transaction: Transaction) => Promise<unknown>;
  const add =
    (...names: string[]): Work =>
    async (transaction) => {
      for (const name of names) await transaction.run(insert, { bound: [name] });
      return names.join('+');
    };
  const failing: Work = async (transaction) => {
    await add('half')(transaction);
    throw new RangeError('its own');
  };
  const ending: Work = async (transaction) => {
    await add('half')(transaction);
    await transaction.run(insertOrEnd, { bound: ['half'] });
  };
  /** Breaks a constraint that is looked at when the transaction commits. */
  const spoilingCommit: Work = async (transaction) => {
    await add('half')(transaction);
    await transaction.run(later, { bound: [] });
    await transaction.run(insertChild, { bound: [99] });
  };

  interface Batch {
    readonly name: string;
    readonly works: readonly Work[];
    /** What each gives: a value, or the class of its error. */
    readonly outcomes: readonly unknown[];
    readonly kept: readonly string[];
  }

  const batches: readonly Batch[] = [
    {
      name: 'all succeed',
      works: [add('a'), add('b', 'c')],
      outcomes: ['a', 'b+c'],
      kept: ['a', 'b', 'c'],
    },
    {
      name: 'one fails',
      works: [add('a'), failing, add('b')],
      outcomes: ['a', RangeError, 'b'],
      kept: ['a', 'b'],
    },
    {
      name: 'one is refused after a part of it was written',
      works: [add('a'), add('b', 'a'), add('c')],
      outcomes: ['a', ConstraintError, 'c'],
      kept: ['a', 'c'],
    },
    {
      name: 'a failed one leaves its values to the next',
      works: [failing, add('half'), add('half')],
      outcomes: [RangeError, 'half', ConstraintError],
      kept: ['half'],
    },
    {
      name: 'one ends the transaction of all',
      works: [add('a'), ending, add('b'), failing, add('c')],
      outcomes: ['a', ConstraintError, 'b', RangeError, 'c'],
      kept: ['a', 'b', 'c'],
    },
    {
      name: 'one makes the commit fail',
      works: [add('a'), spoilingCommit, add('b')],
      outcomes: ['a', ConstraintError, 'b'],
      kept: ['a', 'b'],
    },
    {
      name: 'all of them end it',
      works: [ending, spoilingCommit, ending],
      outcomes: [ConstraintError, ConstraintError, ConstraintError],
      kept: [],
    },
    {
      name: 'a single one that ends it',
      works: [ending],
      outcomes: [ConstraintError],
      kept: [],
    },
    {
      name: 'a single one that fails at the commit',
      works: [spoilingCommit],
      outcomes: [ConstraintError],
      kept: [],
    },
  ];

  test.each(batches)('$name', async ({ works, outcomes, kept }) => {
    const results = await Promise.allSettled(works.map((work) => database.write(work)));
    const seen = results.map((result) =>
      result.status === 'fulfilled' ? result.value : (result.reason as Error).constructor,
    );
    expect(seen).toEqual(outcomes);
    expect((await database.all(all, { bound: [] })).flat()).toEqual(kept);
    // The queue goes on.
    await database.write(add('z'));
    expect((await database.all(all, { bound: [] })).flat()).toEqual([...kept, 'z']);
  });

  test('a full disk fails what does not fit, and nothing else', async () => {
    const { schemaConnection } = database;
    schemaConnection.pragma(
      `max_page_count = ${Number(schemaConnection.pragma('page_count', { simple: true })) + 4}`,
    );
    const names = ['a', 'x'.repeat(100_000), 'b', 'y'.repeat(100_000), 'c'];
    const results = await Promise.allSettled(names.map((name) => database.write(add(name))));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(DatabaseFailure);
    expect((await database.all(all, { bound: [] })).flat()).toEqual(['a', 'b', 'c']);
  });

  test('more than one transaction holds are all kept, in order', async () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `n${String(index).padStart(4, '0')}`);
    const order: string[] = [];
    await Promise.all(
      names.map(async (name) => {
        await database.write(add(name));
        order.push(name);
      }),
    );
    expect(order).toEqual(names);
    expect((await database.all(all, { bound: [] })).flat()).toEqual(names);
  });

  test('slow writes let others have their turn', async () => {
    const spin: Work = async (transaction) => {
      const end = performance.now() + 20;
      while (performance.now() < end);
      return add(`s${end}`)(transaction);
    };
    const events: string[] = [];
    const writes = Array.from({ length: 30 }, () =>
      database.write(spin).then(() => events.push('write')),
    );
    setImmediate(() => setImmediate(() => setImmediate(() => events.push('turn'))));
    await Promise.all(writes);
    expect(events.indexOf('turn')).toBeGreaterThan(-1);
    expect(events.at(-1)).toBe('write');
  });

  test('closing waits for what was accepted', async () => {
    const written = Promise.all([database.write(add('a')), database.write(add('b'))]);
    const { name } = database.schemaConnection;
    await database.close();
    expect(await written).toEqual(['a', 'b']);
    const again = new Driver(name, { readonly: true });
    expect(again.prepare('SELECT count(*) FROM items').pluck().get()).toBe(2);
    again.close();
    database = openSqlite(name, 'temporary');
  });
});

describe('many writes at once', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await serveApi(`
      resources:
        owners: { fields: { name: { type: string, unique: true }, count: { type: integer, default: 0 } } }
        things: { fields: { name: { type: string, required: true }, ownerId: { type: integer, reference: owners.id, onDelete: cascade } } }
    `);
  });
  afterAll(() => api.stop());

  const statuses = (answers: readonly Answer[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };

  test('50 creates of one unique value: one 201', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ask(api, 'POST /v1/owners', { name: 'one' })),
    );
    expect(statuses(answers)).toEqual({ 201: 1, 422: 49 });
    expect((await api.get('/v1/owners?name=one')).body).toHaveLength(1);
  });

  test('50 deletes of one record: one 204', async () => {
    const { headers } = await ask(api, 'POST /v1/owners', { name: 'gone' });
    const path = headers.get('location') ?? '';
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(api, `DELETE ${path}`)));
    expect(statuses(answers)).toEqual({ 204: 1, 404: 49 });
  });

  test('good and bad writes side by side: each gets its own answer, and exactly the good ones are there', async () => {
    const { body: owner } = await ask(api, 'POST /v1/owners', { name: 'mixed' });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        index % 4 === 0
          ? ask(api, 'POST /v1/things', { name: `t${index}`, ownerId: 999_999 })
          : index % 4 === 1
            ? ask(api, 'POST /v1/things', [
                { name: `t${index}`, ownerId: owner.id },
                { name: 'x', ownerId: 999_999 },
              ])
            : ask(api, 'POST /v1/things', { name: `t${index}`, ownerId: owner.id }),
      ),
    );
    expect(statuses(answers)).toEqual({ 201: 100, 422: 100 });
    for (const [index, { status, body }] of answers.entries())
      if (status === 201) expect(body).toMatchObject({ name: `t${index}`, ownerId: owner.id });
    const { body, headers } = await api.get(`/v1/things?limit=500&sort=id`);
    expect(headers.get('x-total-count')).toBe('100');
    const names = body.map(({ name }: { name: string }) => name);
    expect(new Set(names)).toEqual(
      new Set(
        Array.from({ length: 200 }, (_, index) => `t${index}`).filter((_, index) => index % 4 > 1),
      ),
    );
    expect(api.failures).toEqual([]);
  });

  test('an owner is deleted while things are made for it: none is left without one', async () => {
    const { body: owner } = await ask(api, 'POST /v1/owners', { name: 'leaving' });
    const make = (): Promise<Answer> =>
      ask(api, 'POST /v1/things', { name: 'l', ownerId: owner.id });
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, make),
      ask(api, `DELETE /v1/owners/${owner.id}`),
      ...Array.from({ length: 20 }, make),
    ]);
    for (const { status } of answers) expect([201, 204, 422]).toContain(status);
    expect((await api.get(`/v1/things?ownerId=${owner.id}`)).body).toEqual([]);
  });

  test('a read after an answered write sees it', async () => {
    for (let round = 0; round < 50; round += 1) {
      const { headers } = await ask(api, 'POST /v1/owners', { name: `read ${round}` });
      const path = headers.get('location') ?? '';
      expect((await api.get(path)).body.name).toBe(`read ${round}`);
      await ask(api, `PATCH ${path}`, { count: round });
      expect((await api.get(path)).body.count).toBe(round);
      await ask(api, `DELETE ${path}`);
      expect((await api.get(path)).status).toBe(404);
    }
  });
});

describe('totals that are remembered', () => {
  let api: TestApi;
  let other: Driver.Database;
  beforeEach(async () => {
    const items = Array.from({ length: 5 }, (_, index) => ({ name: `n${index}`, text: 'x' }));
    api = await serveApi(
      `
      resources:
        items: { fields: { name: { type: string }, text: { type: string } } }
        notes: { fields: { itemId: { type: integer, reference: items.id, onDelete: cascade } } }
      `,
      { items, notes: [{ itemId: 1 }, { itemId: 1 }, { itemId: 2 }] },
    );
    other = new Driver((api.servedApi.database as SqliteDatabase).schemaConnection.name);
    other.pragma('foreign_keys = ON');
  });
  afterEach(async () => {
    other.close();
    await api.stop();
  });

  const total = async (path = '/v1/items?limit=1'): Promise<number> =>
    Number((await api.get(path)).headers.get('x-total-count'));

  test.each<[string, number, () => unknown]>([
    ['a create', 6, () => ask(api, 'POST /v1/items', { name: 'new' })],
    ['an array', 7, () => ask(api, 'POST /v1/items', [{}, {}])],
    ['a delete', 4, () => ask(api, 'DELETE /v1/items/5')],
    ['a write that fails', 5, () => ask(api, 'POST /v1/notes', { itemId: 99 })],
    ['a row of another connection', 6, () => other.exec(`INSERT INTO items (name) VALUES ('o')`)],
    ['another connection deletes', 4, () => other.exec('DELETE FROM items WHERE id = 5')],
    [
      'another connection takes back what it did',
      5,
      () => other.exec('BEGIN; DELETE FROM items; ROLLBACK'),
    ],
  ])('are right after %s', async (_, expected, change) => {
    expect([await total(), await total()]).toEqual([5, 5]);
    await change();
    expect([await total(), await total()]).toEqual([expected, expected]);
  });

  test('do not show what another connection has not committed', async () => {
    other.exec(`BEGIN; INSERT INTO items (name) VALUES ('o')`);
    expect(await total()).toBe(5);
    other.exec('COMMIT');
    expect(await total()).toBe(6);
  });

  test('follow a filter after an update, and a cascade', async () => {
    const filtered = '/v1/items?limit=1&text=x';
    expect(await total(filtered)).toBe(5);
    await ask(api, 'PATCH /v1/items/1', { text: 'y' });
    expect(await total(filtered)).toBe(4);
    expect(await total('/v1/notes?limit=1')).toBe(3);
    await ask(api, 'DELETE /v1/items/1');
    expect(await total('/v1/notes?limit=1')).toBe(1);
  });

  test('are told apart by their values, whatever stands in those', async () => {
    // Two requests whose values would make one text, if they were just put together.
    const [first, second] = [
      { name: 'a\nstringb', text: 'c' },
      { name: 'a', text: 'b\nstringc' },
    ];
    await ask(api, 'POST /v1/items', [first, first, second]);
    const query = ({ name, text }: typeof first): string =>
      `/v1/items?limit=1&name=${encodeURIComponent(name)}&text=${encodeURIComponent(text)}`;
    expect([await total(query(first)), await total(query(second))]).toEqual([2, 1]);
  });
});

describe('a file that another process has locked', () => {
  let api: TestApi;
  let other: Driver.Database;
  beforeAll(async () => {
    api = await serveApi('resources: { items: { fields: { name: { type: string } } } }', {
      items: [{}],
    });
    other = new Driver((api.servedApi.database as SqliteDatabase).schemaConnection.name);
  });
  afterAll(async () => {
    other.close();
    await api.stop();
  });

  test('writes wait, reads and the rest are answered meanwhile', async () => {
    other.exec('BEGIN IMMEDIATE');
    let answered = false;
    const write = ask(api, 'POST /v1/items', { name: 'waits' }).then((answer) => {
      answered = true;
      return answer;
    });
    for (let round = 0; round < 20; round += 1) {
      expect((await api.get('/_health')).status).toBe(200);
      expect((await api.get('/v1/items')).body).toHaveLength(1);
    }
    expect(answered).toBe(false);
    other.exec('COMMIT');
    expect((await write).status).toBe(201);
  });

  test('in the end all that wait are 503; once it is unlocked, writes go on', async () => {
    other.exec('BEGIN IMMEDIATE');
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ask(api, 'POST /v1/items', { name: 'locked' })),
    );
    other.exec('COMMIT');
    for (const answer of answers) {
      expectError(answer, 'DATABASE_BUSY', '/v1/items');
      expect(answer.body).toMatchObject({
        message: 'The database stayed busy or locked for too long; try again',
      });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect((await ask(api, 'POST /v1/items', { name: 'free' })).status).toBe(201);
    expect((await api.get('/v1/items?name=locked')).body).toEqual([]);
  });
});
