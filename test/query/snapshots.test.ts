import { mkdtempSync, rmSync, stat, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqlite, type SqliteDatabase } from '../../src/databases/sqlite/database.ts';

let folder: string;
let database: SqliteDatabase;
let other: Driver.Database;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-snapshots-'));
  const file = join(folder, 'one.db');
  database = openSqlite(file, 'temporary');
  other = new Driver(file);
  other.exec('CREATE TABLE counters (value INTEGER); INSERT INTO counters VALUES (0)');
});
afterAll(async () => {
  other.close();
  await database.close();
  rmSync(folder, { recursive: true });
});

/** What is read at once, in the same callback of the event loop. */
function read(): unknown {
  const rows = database.all({ sql: 'SELECT value FROM counters', parameters: [] }, { bound: [] });
  if (rows instanceof Promise) throw new Error('This is not read at once');
  return rows[0]?.[0];
}

const change = (): unknown => other.exec('UPDATE counters SET value = value + 1');
/** Comes with what the event loop has asked of the system. */
const come = (then: () => void): void => stat(folder, then);
const whens: readonly (readonly [name: string, when: (work: () => void) => void])[] = [
  ['in a timer', (work) => void setTimeout(work, 1)],
  ['behind the end of a turn', (work) => void setImmediate(work)],
  ['before anything came', (work) => process.nextTick(work)],
  ['as something came', come],
];

test.each(whens)(
  'what another process commits after a read %s, who asks then sees',
  async (_, when) => {
    const [before, after] = await new Promise<readonly unknown[]>((resolve) => {
      when(() => {
        const first = read();
        change();
        come(() => resolve([first, read()]));
      });
    });
    expect(after).toBe(Number(before) + 1);
  },
);

test('what was asked together sees one state', async () => {
  const seen = await new Promise<readonly unknown[]>((resolve) => {
    come(() => {
      const first = read();
      change();
      resolve([first, read()]);
    });
  });
  expect(seen[1]).toBe(seen[0]);
  expect(await new Promise((resolve) => come(() => resolve(read())))).toBe(Number(seen[0]) + 1);
});

test('what the log has grown to while something was read for long is given back', async () => {
  const long = new Driver(join(folder, 'one.db'), { readonly: true });
  long.exec('BEGIN');
  long.prepare('SELECT * FROM counters').get();
  const add = (bytes: number): Promise<unknown> =>
    database.writeOne(
      { sql: `INSERT INTO counters VALUES (zeroblob(${bytes})) RETURNING 1`, parameters: [] },
      { bound: [] },
    );
  const size = (): number => statSync(join(folder, 'one.db-wal')).size;
  for (let times = 0; times < 5; times += 1) await add(4_000_000);
  expect(size()).toBeGreaterThan(20_000_000);
  long.close();
  // One takes all of it over into the file, the next begins anew.
  for (let times = 0; times < 3; times += 1) await add(1);
  expect(size()).toBeLessThan(17_000_000);
});
