import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownTurn } from '../../src/lib/event-loop.ts';
import { MemoryBudget } from '../../src/http/load/memory-budget.ts';
import { openReader, serveSides, sideNames, wholeEnd, type Sides } from './content.ts';

const specification = `
resources:
  posts:
    fields:
      title: { type: string, required: true }
`;
/** Far more than the system's buffers of a connection hold, in long records. */
const count = 3_000;
const length = 10_000;
const all = `/v1/posts?limit=${count}`;
const ndjson = 'application/x-ndjson';
const mebibyte = 1024 * 1024;

const capacity = 24 * mebibyte;
const exportBudget = new MemoryBudget(capacity);
let sides: Sides;
beforeAll(async () => {
  sides = await serveSides(specification, { unsentBytes: mebibyte, exportBudget });
  await sides.sqlite.sql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO posts (id, title) SELECT i, hex(zeroblob(${length / 2})) FROM n`,
  );
  await sides.postgres.sql(
    `INSERT INTO posts (title) SELECT repeat('0', ${length}) FROM generate_series(1, ${count})`,
  );
});
afterAll(() => sides.stop());

describe.each(sideNames)('%s', (name) => {
  test('slow readers get the whole list, and reserve a part of the budget until then', async () => {
    const readers = await Promise.all(
      Array.from({ length: 5 }, () => openReader(sides[name].url, all, ndjson)),
    );
    for (const reader of readers) await reader.read(1);
    // Five portions of a quarter of a mebibyte, four bytes for each character.
    expect(exportBudget.tryReserve(capacity - 4 * mebibyte)).toBe(false);
    for (const reader of readers) {
      await reader.read(Number.MAX_SAFE_INTEGER);
      expect(reader.text().endsWith(wholeEnd)).toBe(true);
    }
    await delay(300);
    expect(exportBudget.tryReserve(capacity)).toBe(true);
    expect(exportBudget.tryReserve(1)).toBe(false);
    exportBudget.release(capacity);
    expect(sides[name].failures).toEqual([]);
  });

  test('a short list reserves no more than it is long', async () => {
    const held: number[] = [];
    const tryReserve = exportBudget.tryReserve.bind(exportBudget);
    Object.assign(exportBudget, {
      tryReserve: (bytes: number) => {
        held.push(bytes);
        return tryReserve(bytes);
      },
    });
    for (const limit of [1, count])
      await sides[name].ask(`/v1/posts?limit=${limit}`, { headers: { accept: ndjson } });
    Object.assign(exportBudget, { tryReserve });
    const [short = 0, long = 0] = held;
    expect(short).toBeGreaterThan(4 * length);
    expect(short).toBeLessThan(5 * length);
    expect(long).toBeGreaterThan(mebibyte);
    expect(long).toBeLessThan(1.1 * mebibyte);
  });

  test('of long records a few are read at a time', async () => {
    const { database, ask } = sides[name];
    const lengths: number[] = [];
    const run = database.all.bind(database);
    Object.assign(database, {
      all: async (...asked: Parameters<typeof run>) => {
        const rows = await run(...asked);
        if (asked[0].parameters.includes('keys')) lengths.push(rows.length);
        return rows;
      },
    });
    await ask(all, { headers: { accept: ndjson } });
    Object.assign(database, { all: run });
    expect(lengths.slice(0, 3)).toEqual([10, 26, 26]);
    expect(lengths.reduce((sum, one) => sum + one)).toBe(count);
  });

  test('if other lists have reserved the budget, it is 503 before the first byte', async () => {
    const { ask } = sides[name];
    const headers = { accept: 'text/csv' };
    expect(exportBudget.tryReserve(capacity)).toBe(true);
    const refused = await ask(all, { headers });
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'OVERLOADED' });
    exportBudget.release(capacity);
    for (const method of ['GET', 'HEAD'])
      expect((await ask(all, { method, headers })).status).toBe(200);
    const reader = await openReader(sides[name].url, all, ndjson);
    await reader.read(1);
    reader.leave();
    await delay(300);
    // All of them have given back what they held: further ones share the budget.
    expect(exportBudget.tryReserve(capacity)).toBe(true);
    expect(exportBudget.tryReserve(1)).toBe(false);
    exportBudget.release(capacity);
  });
});

test('on SQLite the ids of four lists are read at once', async () => {
  const { database } = sides.sqlite;
  const statement = {
    sql: 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) SELECT i FROM n',
    parameters: [],
  };
  const { signal } = new AbortController();
  const gone = AbortSignal.abort();
  /** The most lists that are read at once of twelve, of which one has no reader any more. */
  const mostAtOnce = async (): Promise<number> => {
    const [begun, atOnce] = [new Set<number>(), [0]];
    const streams = Array.from({ length: 12 }, async (_, index) => {
      const hasGone = index === 7;
      await database
        .stream(statement, { bound: [] }, hasGone ? gone : signal, (rows) => {
          begun.add(index);
          atOnce.push(begun.size);
          if (rows.at(-1)?.[0] === 9_000) begun.delete(index);
          return true;
        })
        .catch((error: unknown) => {
          if (!hasGone) throw error;
        });
      return hasGone ? 0 : 1;
    });
    const ended = await Promise.all(streams);
    expect(ended.reduce((sum: number, one) => sum + one, 0)).toBe(11);
    return Math.max(...atOnce);
  };
  // On a busy machine the fourth process may still start when the first list has ended.
  let most = 0;
  for (let round = 0; round < 50 && most < 4; round += 1) most = await mostAtOnce();
  expect(most).toBe(4);
});

test('of all that go through long lists one goes on in each turn of the event loop', async () => {
  const ended: number[] = [];
  const work = async (own: number): Promise<void> => {
    for (let portion = 0; portion < 2; portion += 1) {
      await ownTurn();
      ended.push(own);
    }
  };
  const works = Promise.all([work(1), work(2), work(3)]);
  const seen: number[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    await nextTurn();
    seen.push(ended.length);
  }
  await works;
  expect(ended).toEqual([1, 2, 3, 1, 2, 3]);
  expect(seen.filter((portions) => portions > 0)).toEqual([1, 2, 3, 4, 5, 6, 6, 6, 6, 6]);
});
