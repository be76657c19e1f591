import Driver from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReadCosts } from '../../src/databases/sqlite/slow-reads/read-costs.ts';
import type { Statement } from '../../src/sql/statement.ts';

/** More than a large table has. */
const rows = 30_000;

let driver: Driver.Database;
beforeAll(() => {
  driver = new Driver(':memory:');
  driver.exec(`
    CREATE TABLE "items" ("id" INTEGER PRIMARY KEY, "size" INTEGER, "colour" INTEGER);
    CREATE INDEX "by_colour" ON "items" ("colour");
    CREATE TABLE "tags" ("id" INTEGER PRIMARY KEY, "item" INTEGER, "name" TEXT);
    CREATE INDEX "by_item" ON "tags" ("item");
    INSERT INTO "items" WITH RECURSIVE rows(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM rows WHERE i < ${rows})
      SELECT i, i, i % 10 FROM rows;
    CREATE TABLE "parts" AS SELECT * FROM "items" LIMIT 5000;
    INSERT INTO "tags" SELECT "id", "id", 'a' FROM "items" LIMIT 1000;
    CREATE VIEW "pairs" AS SELECT one."id", other."size" FROM "items" AS one JOIN "items" AS other ON one."size" < other."size";
    CREATE VIEW "endless" AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n;
  `);
});
afterAll(() => void driver.close());

const groups = (parts: string): string =>
  `WITH p AS (${parts}), q AS MATERIALIZED (SELECT p.v AS v FROM p) SELECT g.v, count(*) OVER () FROM q AS g LIMIT ?`;
const grouped = (table: string, column: string): string =>
  groups(`SELECT t."${column}" AS v FROM "${table}" AS t GROUP BY 1`);
const totalled = (table: string, column: string): string =>
  groups(`SELECT sum(t."${column}") AS v FROM "${table}" AS t`);

const values = { bound: [7], limit: 20 };
const place = (mayBeSlow: boolean): string => (mayBeSlow ? 'process' : 'main thread');

describe('a statement that has not run is judged by its plan', () => {
  test.each<readonly [string, string, Statement['parameters'], string]>([
    ['a row by its key', 'SELECT * FROM "items" WHERE "id" = ?', [0], 'main thread'],
    ['the first rows of a large table', 'SELECT * FROM "items" LIMIT ?', ['limit'], 'main thread'],
    ['the number of its rows', 'SELECT count(*) FROM "items" AS t', [], 'main thread'],
    ['an index', 'SELECT * FROM "items" WHERE "colour" = ?', [0], 'main thread'],
    [
      'an index and a filter',
      'SELECT * FROM "items" WHERE "colour" = 1 AND "size" = ? LIMIT ?',
      [0, 'limit'],
      'main thread',
    ],
    ['a scan of a small table', `SELECT * FROM "tags" WHERE "name" = ?`, [0], 'main thread'],
    ['a scan of a large table', 'SELECT * FROM "items" WHERE "size" = ?', [0], 'process'],
    [
      'such a scan up to a limit',
      'SELECT * FROM "items" WHERE "size" = ? LIMIT ?',
      [0, 'limit'],
      'process',
    ],
    ['a view', 'SELECT * FROM "pairs" AS t LIMIT ?', ['limit'], 'process'],
    ['a recursive view', 'SELECT * FROM "endless" AS t LIMIT ?', ['limit'], 'process'],
    [
      'a sort of a large table',
      'SELECT * FROM "items" ORDER BY "size" LIMIT ?',
      ['limit'],
      'process',
    ],
    ['groups of a large table', grouped('items', 'size'), ['limit'], 'process'],
    ['a sum of a large table', totalled('items', 'size'), ['limit'], 'process'],
    ['groups of a table of some thousand rows', grouped('parts', 'size'), ['limit'], 'main thread'],
    ['a sum of one', totalled('parts', 'size'), ['limit'], 'main thread'],
    [
      'searches nested in searches',
      'SELECT * FROM "items" AS a WHERE a."colour" = ? AND EXISTS (SELECT 1 FROM "tags" AS b WHERE b."item" = a."size")',
      [0],
      'process',
    ],
  ])('%s', (_, sql, parameters, expected) => {
    const costs = new ReadCosts(driver);
    expect(place(costs.mayBeSlow({ sql, parameters }, values, 0, 1))).toBe(expected);
  });

  test('a long offset', () => {
    const costs = new ReadCosts(driver);
    const statement: Statement = {
      sql: 'SELECT * FROM "items" LIMIT ? OFFSET ?',
      parameters: ['limit', 'offset'],
    };
    const at = (offset: number): string =>
      place(costs.mayBeSlow(statement, { ...values, offset }, 0, 1));
    expect([at(100), at(25_000), at(100)]).toEqual(['main thread', 'process', 'main thread']);
  });
});

describe('a statement that has run', () => {
  const scan: Statement = {
    sql: 'SELECT * FROM "items" WHERE "size" = ? LIMIT ?',
    parameters: [0, 'limit'],
  };
  const search: Statement = { sql: 'SELECT * FROM "items" WHERE "colour" = ?', parameters: [0] };
  const whole: Statement = { sql: 'SELECT * FROM "items" WHERE "size" = ?', parameters: [0] };
  const [view, endless] = ['pairs', 'endless'].map((name): Statement => ({
    sql: `SELECT * FROM "${name}" AS t LIMIT ?`,
    parameters: ['limit'],
  })) as [Statement, Statement];

  type Run = readonly [took: number, timedBy: 'clock' | 'cpu' | 'process'];

  test.each<readonly [string, Statement, readonly Run[], string]>([
    ['a search, quick', search, [[5, 'clock']], 'main thread'],
    ['a search, slow by the clock', search, [[30, 'clock']], 'main thread'],
    [
      'a search, slow by the clock and by the CPU',
      search,
      [
        [30, 'clock'],
        [30, 'cpu'],
      ],
      'process',
    ],
    ['a search, far slower by the clock', search, [[300, 'clock']], 'process'],
    [
      'a search, quick in a process then',
      search,
      [
        [300, 'clock'],
        [5, 'process'],
      ],
      'main thread',
    ],
    [
      'a search, long by the CPU, then quick',
      search,
      [
        [300, 'cpu'],
        [5, 'process'],
      ],
      'process',
    ],
    ['a scan up to a limit, quick', scan, [[5, 'process']], 'main thread'],
    ['a scan up to a limit, slow', scan, [[30, 'process']], 'process'],
    ['a scan to the end, quick', whole, [[5, 'process']], 'process'],
    ['a view, quick', view, [[5, 'process']], 'main thread'],
    ['a view, slow', view, [[30, 'process']], 'process'],
    ['a recursive view, quick', endless, [[5, 'process']], 'process'],
  ])('%s', (_, statement, runs, expected) => {
    const costs = new ReadCosts(driver);
    costs.mayBeSlow(statement, values, 0, 1);
    for (const [took, timedBy] of runs) costs.ran(statement, values, 1, { took, timedBy });
    expect(place(costs.mayBeSlow(statement, values, 2, 1))).toBe(expected);
  });

  test('a statement that was slow on the main thread is timed by the CPU there, also after a process', () => {
    const costs = new ReadCosts(driver);
    costs.mayBeSlow(search, values, 0, 1);
    const after = (took: number, timedBy: 'clock' | 'cpu' | 'process'): boolean => {
      costs.ran(search, values, 1, { took, timedBy });
      return costs.isSuspected(search);
    };
    expect([after(300, 'clock'), after(5, 'process'), after(5, 'cpu')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('a long run counts for 1,000 times its length', () => {
    const costs = new ReadCosts(driver);
    costs.mayBeSlow(search, values, 0, 1);
    for (const took of [300, 5]) costs.ran(search, values, 1_000, { took, timedBy: 'process' });
    const at = (now: number): string => place(costs.mayBeSlow(search, values, now, 1));
    expect([at(300_000), at(302_000)]).toEqual(['process', 'main thread']);
  });
});
