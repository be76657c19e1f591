import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FairQueue } from '../../src/lib/fair-queue.ts';
import { ClientGone, type Database } from '../../src/databases/database.ts';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import type { Requester } from '../../src/sql/statement.ts';
import { createDatabase } from '../support/postgres.ts';

/** Connections and reader processes are shared between callers. See docs/contract/6-operation.md#shares. */
class TestRequester implements Requester {
  readonly caller: string;
  private readonly leaving = new Set<() => void>();

  constructor(caller: string) {
    this.caller = caller;
  }

  readonly onGone = (leave: () => void): (() => void) => {
    this.leaving.add(leave);
    return () => this.leaving.delete(leave);
  };

  leave(): void {
    for (const leave of this.leaving) leave();
  }
}

describe('a queue', () => {
  test('serves callers in turns, the items of each in their order', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item.slice(0, 1), item);
    queue.unshift('c', 'c0');
    const served = Array.from({ length: 8 }, () => queue.shift());
    expect(served).toEqual(['c0', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined]);
    expect(queue.size).toBe(0);
  });

  test('passes over callers that may not take an item, and removes items', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'b1']) queue.push(item.slice(0, 1), item);
    expect(queue.shift((caller) => caller === 'b')).toBe('b1');
    expect(queue.shift((caller) => caller === 'b')).toBe(undefined);
    expect([queue.remove('a', 'a2'), queue.remove('a', 'a2')]).toEqual([true, false]);
    expect(queue.removeAll()).toEqual(['a1']);
  });
});

const forever = (name: string): string =>
  name === 'PostgreSQL'
    ? 'SELECT pg_sleep(3600)'
    : 'SELECT count(*) FROM "big" AS a, "big" AS b, "big" AS c WHERE a.i + b.i + c.i = -1';

describe.each(['SQLite', 'PostgreSQL'])('on %s', (name) => {
  let database: Database;
  let release: () => Promise<void>;
  beforeAll(async () => {
    if (name === 'PostgreSQL') {
      const made = await createDatabase();
      database = await openPostgres(made.url, { poolSize: 4, statementTimeout: 60_000 });
      release = made.drop;
    } else {
      const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
      const sqlite = openSqlite(join(folder, 'test.db'), 'temporary', { statementTimeout: 60_000 });
      // Statements that scan a large table run in processes.
      sqlite.schemaConnection.exec(
        `CREATE TABLE big (i); INSERT INTO big WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 30000) SELECT i FROM n`,
      );
      database = sqlite;
      release = async () => rmSync(folder, { recursive: true, force: true });
    }
  });
  afterAll(async () => {
    await database?.close();
    await release?.();
  });

  const ask = (sql: string, requester: Requester): Promise<unknown> =>
    Promise.resolve(database.all({ sql, parameters: [] }, { bound: [], requester }));

  test('a caller with slow statements leaves others their share, and ends what it has left', async () => {
    const [greedy, other] = [new TestRequester('greedy'), new TestRequester('other')];
    const slow = Array.from({ length: 6 }, () => ask(forever(name), greedy));
    const ended = Promise.allSettled(slow);
    const short = name === 'SQLite' ? 'SELECT count(*) FROM "big" WHERE i > 7' : 'SELECT 1';
    expect(await ask(short, other)).toHaveLength(1);
    if (name === 'PostgreSQL') expect(database.connections?.().waiting).toBe(4);
    greedy.leave();
    const results = await ended;
    expect(
      results.map((result) => result.status === 'rejected' && result.reason instanceof ClientGone),
    ).toEqual(Array.from({ length: 6 }, () => true));
    // What ran was cancelled, so the caller has its share again.
    expect(await ask(short, new TestRequester('greedy'))).toHaveLength(1);
  });
});

test('a transaction of a request has the deadline of a statement as a whole', async () => {
  const made = await createDatabase();
  const database = await openPostgres(made.url, { poolSize: 2, statementTimeout: 1_000 });
  const slow = { sql: 'SELECT pg_sleep(0.4)', parameters: [] };
  const work = async ({ all }: { readonly all: Database['all'] }): Promise<string> => {
    for (let turn = 0; turn < 8; turn += 1) await all(slow, { bound: [] });
    return 'done';
  };
  await expect(database.write(work, new TestRequester('one'))).rejects.toMatchObject({
    kind: 'timeout',
  });
  expect(await database.write(work)).toBe('done');
  await database.close();
  await made.drop();
});
