import Driver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { ReadCosts } from '../../src/databases/sqlite/slow-reads/costs.ts';

const rows = 30_000;

/** How long a run took, in ms, and whether that is its own time. */
type Run = readonly [took: number, isOwn: boolean];

test.each<readonly [string, readonly Run[], 'apart' | 'in the server']>([
  ['has never run', [], 'apart'],
  ['was quick', [[5, true]], 'in the server'],
  [
    'was quick by the clock',
    [
      [5, true],
      [5, false],
    ],
    'in the server',
  ],
  [
    'was long once by the clock',
    [
      [5, true],
      [5_000, false],
    ],
    'in the server',
  ],
  [
    'was long by the clock, then quick',
    [
      [5, true],
      [500, false],
      [5, true],
      [30, true],
    ],
    'in the server',
  ],
  [
    'was long by the clock, then itself',
    [
      [5, true],
      [500, false],
      [30, true],
    ],
    'apart',
  ],
  [
    'was long itself once',
    [
      [5, true],
      [30, true],
    ],
    'in the server',
  ],
  [
    'was long itself twice',
    [
      [5, true],
      [30, true],
      [30, true],
    ],
    'apart',
  ],
  [
    'was far longer itself',
    [
      [5, true],
      [150, true],
    ],
    'apart',
  ],
])('a search through a large table that %s', (_, runs, where) => {
  const driver = new Driver(':memory:');
  driver.exec('CREATE TABLE "items" ("id" INTEGER PRIMARY KEY, "size" INTEGER)');
  driver.exec(
    `INSERT INTO "items" WITH RECURSIVE rows(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM rows WHERE i < ${rows}) SELECT i, i FROM rows`,
  );
  const costs = new ReadCosts(driver);
  const statement = { sql: 'SELECT * FROM "items" WHERE "size" = ?', parameters: [0] };
  const values = { bound: [7] };
  costs.mayBeSlow(statement, values, 0, 1);
  for (const [took, isOwn] of runs) costs.ran(statement, 1, took, isOwn);
  expect(costs.mayBeSlow(statement, values, 2, 1)).toBe(where === 'apart');
  driver.close();
});
