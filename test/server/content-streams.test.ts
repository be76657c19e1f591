import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import driver from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Statement } from '../../src/sql/statement.ts';
import { until } from '../support/command.ts';
import { openReader, serveSides, sideNames, wholeEnd, type Sides } from './content.ts';

const specification = `
resources:
  posts:
    fields:
      title: { type: string, required: true }
  words:
    fields:
      id: { type: id, format: string }
`;

/** Far more than the system's buffers of a connection hold. */
const count = 200_000;
const length = 512;
const stallTimeout = 3_000;
const megabyte = 1024 * 1024;
const all = `/v1/posts?limit=${count}`;
const ndjson = 'application/x-ndjson';

let sides: Sides;
beforeAll(async () => {
  sides = await serveSides(specification, { stallTimeout });
  // What no compressor gets into those buffers either.
  const hashes = Array.from({ length: length / 32 }, () => 'md5(random()::text)').join(' || ');
  await sides.sqlite.sql(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO posts (id, title) SELECT i, hex(randomblob(${length / 2})) FROM n;
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO words (id) SELECT 'wörd-' || (i * 7919 % ${count}) FROM n`,
  );
  await sides.postgres.sql(
    `INSERT INTO posts (title) SELECT ${hashes} FROM generate_series(1, ${count})`,
  );
  await sides.postgres.sql(
    `INSERT INTO words (id) SELECT 'wörd-' || (i::bigint * 7919 % ${count}) FROM generate_series(1, ${count}) i`,
  );
});
afterAll(() => sides.stop());

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What the process holds once what nobody uses is gone. */
function held(): { heap: number; resident: number } {
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, resident: rss };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function idsOf(text: string): readonly number[] {
  return [...text.matchAll(/\{"id":(\d+),/gu)].map(([, id]) => Number(id));
}

// Both at once, as they wait most of the time.
test('a reader that stalls is cut off', async () => {
  const both = [sides.sqlite, sides.postgres];
  const encoded = `${ndjson}\r\nAccept-Encoding: gzip`;
  const readers = await Promise.all(
    both.flatMap(({ url }) =>
      [ndjson, 'text/csv', encoded].map((accept) => openReader(url, all, accept)),
    ),
  );
  for (const reader of readers) await reader.read(1);
  await pause(2.5 * stallTimeout);
  for (const reader of readers) {
    await reader.read(Number.MAX_SAFE_INTEGER);
    expect(reader.text()).toContain('200 OK');
    expect(reader.text().endsWith(wholeEnd)).toBe(false);
  }
  for (const { failures } of both) expect(failures).toEqual([]);
});

describe.each(sideNames)('%s', (name) => {
  test('a slow reader gets all, and costs no memory', async () => {
    const read = async (betweenReads: () => Promise<void>): Promise<string> => {
      const reader = await openReader(sides[name].url, all, ndjson, 2 * megabyte);
      for (let wanted = 12 * megabyte; !reader.isOver(); wanted += 12 * megabyte) {
        await reader.read(wanted);
        await betweenReads();
      }
      return reader.text();
    };
    // Once before, so that caches which are there to stay are filled.
    await read(async () => undefined);
    const before = held();
    let [heap, resident] = [0, 0];
    const text = await read(async () => {
      await pause(300);
      const now = held();
      heap = Math.max(heap, now.heap - before.heap);
      resident = Math.max(resident, now.resident - before.resident);
    });
    expect(text.endsWith(wholeEnd)).toBe(true);
    expect(idsOf(text).at(-1)).toBe(count);
    expect(heap).toBeLessThan(64 * megabyte);
    expect(resident).toBeLessThan(64 * megabyte);
  });

  test('many ids of texts come in their order', async () => {
    const { text } = await sides[name].ask(`/v1/words?limit=${count}&sort=-id`, {
      headers: { accept: 'text/csv', 'accept-encoding': 'gzip' },
    });
    const ids = text.split('\r\n').slice(1, -1);
    const expected = Array.from({ length: count }, (_, index) => `wörd-${index}`);
    expect(ids).toEqual(expected.sort().reverse());
  });

  test('a long page in the middle of many', async () => {
    const page = `limit=20000&offset=150000`;
    const { text, headers } = await sides[name].ask(`/v1/posts?${page}&sort=-id`, {
      headers: { accept: ndjson },
    });
    const ids = idsOf(text);
    expect([ids.length, ids.at(0), ids.at(-1)]).toEqual([20_000, count - 150_000, count - 169_999]);
    expect(headers).toMatchObject({ 'x-total-count': String(count), 'x-page': '8' });
    expect(headers.link).toContain('offset=170000&sort=-id>; rel="next"');
  });

  test('the rows are those of the beginning, less what is deleted meanwhile', async () => {
    const reader = await openReader(sides[name].url, all, ndjson);
    await reader.read(1);
    const body = { title: 'added' };
    const added = await sides[name].ask('/v1/posts', { method: 'POST', body });
    const { id } = JSON.parse(added.text) as { id: number };
    expect(id).toBe(count + 1);
    await sides[name].ask(`/v1/posts/${count - 1}`, { method: 'DELETE' });
    await sides[name].ask(`/v1/posts/${count}`, { method: 'PATCH', body: { title: 'changed' } });
    await reader.read(Number.MAX_SAFE_INTEGER);
    const text = reader.text();
    expect(text.slice(-40)).toContain(`{"id":${count},"title":"changed"}\n${wholeEnd}`);
    const ids = idsOf(text);
    expect(ids).toHaveLength(count - 1);
    expect(ids.at(-2)).toBe(count - 2);
    await sides[name].ask(`/v1/posts/${id}`, { method: 'DELETE' });
  });

  test('the next answer on the same connection waits for its turn', async () => {
    const first = `${ndjson}\r\n\r\nGET /v1/words?limit=2 HTTP/1.1\r\nHost: x\r\nAccept: text/csv`;
    const reader = await openReader(sides[name].url, all, first, megabyte);
    await reader.read(megabyte);
    // The first has more to send than anything between the two ends holds.
    await pause(500);
    await reader.read(Number.MAX_SAFE_INTEGER);
    const [before = '', after = ''] = reader.text().split('HTTP/1.1 200 OK');
    expect(before.endsWith(wholeEnd)).toBe(true);
    expect(idsOf(before).at(-1)).toBe(count);
    expect(after).toContain('id\r\nwörd-0\r\nwörd-1\r\n');
    expect(after.endsWith(wholeEnd)).toBe(true);
  });

  test('readers that go away end the work and leave nothing open', async () => {
    const portions = watchPortions(name);
    const open = (): number => readdirSync('/proc/self/fd').length;
    await sides[name].ask('/v1/posts?limit=1', { headers: { accept: 'text/csv' } });
    const before = open();
    portions.length = 0;
    for (let round = 0; round < 12; round += 1) {
      const accept = round % 2 === 0 ? ndjson : `${ndjson}\r\nAccept-Encoding: gzip`;
      const reader = await openReader(sides[name].url, `${all}&sort=-id`, accept);
      // Some while the ids are read, some in the middle of the records.
      if (round % 3 !== 0) await reader.read(round * 1_000);
      reader.leave();
    }
    await until(() => open() <= before);
    const { status } = await sides[name].ask('/v1/posts?limit=1');
    expect(status).toBe(200);
    const seen = portions.length;
    await pause(300);
    expect(portions.length).toBe(seen);
    expect(seen).toBeLessThan((12 * count) / 500 / 4);
    expect(sides[name].failures).toEqual([]);
  });

  test.each(['identity', 'gzip', 'br'])(
    'when the database fails in the middle, the connection is cut: %s',
    async (coding) => {
      const { url, sql, failures } = sides[name];
      const accept = `${ndjson}\r\nAccept-Encoding: ${coding}`;
      const reader = await openReader(url, all, accept);
      await reader.read(1);
      await sql('ALTER TABLE posts RENAME TO gone');
      await reader.read(Number.MAX_SAFE_INTEGER);
      await sql('ALTER TABLE gone RENAME TO posts');
      expect(reader.text()).toContain('200 OK');
      expect(reader.text().endsWith(wholeEnd)).toBe(false);
      expect(failures.splice(0)).toHaveLength(1);
    },
  );

  test.each([
    ['the ids', '/v1/words', 'TABLE words RENAME TO gone', 'TABLE gone RENAME TO words'],
    [
      'the first records',
      '/v1/posts?limit=10',
      'TABLE posts RENAME title TO gone',
      'TABLE posts RENAME gone TO title',
    ],
  ])('before the first byte, a failure is an answer: %s', async (_, path, change, back) => {
    const { sql, ask, failures } = sides[name];
    await sql(`ALTER ${change}`);
    const { status, text } = await ask(path, { headers: { accept: 'text/csv' } });
    await sql(`ALTER ${back}`);
    expect([status, JSON.parse(text)]).toMatchObject([503, { code: 'DATABASE_UNAVAILABLE' }]);
    expect(failures.splice(0)).toHaveLength(1);
  });
});

/** The statements that read records for streams, as they are run. */
function watchPortions(name: 'sqlite' | 'postgres'): string[] {
  const { database } = sides[name];
  const seen: string[] = [];
  const run = database.all.bind(database);
  Object.assign(database, {
    all: (...asked: Parameters<typeof run>) => {
      if (asked[0].parameters.includes('keys')) seen.push(asked[0].sql);
      return run(...asked);
    },
  });
  return seen;
}

test('the total may be a guess where the database makes one', async () => {
  await sides.postgres.sql('ANALYZE posts');
  const { headers } = await sides.postgres.ask('/v1/posts?limit=10', {
    headers: { accept: 'text/csv', prefer: 'count=estimated' },
  });
  expect(headers['preference-applied']).toBe('count=estimated');
  expect(Number(headers['x-total-count'])).toBeGreaterThan(count / 2);
});

describe('a cursor on PostgreSQL', () => {
  const statement = (sql: string): Statement => ({ sql, parameters: [] });
  const never = new AbortController().signal;
  let other: driver.Sql;
  beforeAll(() => {
    other = driver(sides.postgresUrl, { max: 1, onnotice: () => undefined });
  });
  afterAll(() => other.end());

  const numbers = statement(
    `SELECT i, CASE WHEN i % 5000 = 0 THEN pg_sleep(0.05) END FROM generate_series(1, 30000) i`,
  );

  test('gives all rows in portions', async () => {
    const seen: unknown[] = [];
    await sides.postgres.database.stream(numbers, { bound: [] }, never, (rows) => {
      for (const [number] of rows) seen.push(number);
      return true;
    });
    expect(seen).toEqual(Array.from({ length: 30_000 }, (_, index) => index + 1));
  });

  test('ends when no more rows are wanted, each of which came once', async () => {
    const seen: number[] = [];
    await sides.postgres.database.stream(numbers, { bound: [] }, never, (rows) => {
      seen.push(rows.length);
      return seen.length < 2;
    });
    expect(seen).toEqual([5_000, 5_000]);
    expect(await sides.postgres.database.ping()).toBe(true);
  });

  test('fails when its session is lost, and is not begun again', async () => {
    let rows = 0;
    // Before they are all there, anybody has ended it.
    const many = statement(numbers.sql.replace('30000', '600000'));
    const reading = sides.postgres.database.stream(many, { bound: [] }, never, (portion) => {
      if (rows === 0)
        void other`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'plinth' AND query LIKE '%generate_series(1, 600000)%'`.execute();
      rows += portion.length;
      return true;
    });
    await expect(reading).rejects.toMatchObject({ kind: 'unavailable' });
    expect(rows).toBeLessThan(600_000);
    expect(await sides.postgres.database.ping()).toBe(true);
  });

  test('fails with what its reader throws', async () => {
    const reading = sides.postgres.database.stream(numbers, { bound: [] }, never, () => {
      throw new TypeError('enough');
    });
    await expect(reading).rejects.toThrow('enough');
    expect(await sides.postgres.database.ping()).toBe(true);
  });

  test('ends on the server when it is stopped', async () => {
    const stop = new AbortController();
    const slow = statement('SELECT pg_sleep(60)');
    const reading = sides.postgres.database.stream(slow, { bound: [] }, stop.signal, () => true);
    const running = async (): Promise<number> => {
      const rows = await other`SELECT 1 FROM pg_stat_activity
        WHERE query = 'SELECT pg_sleep(60)' AND state = 'active'`;
      return rows.length;
    };
    await until(async () => (await running()) === 1);
    stop.abort();
    await expect(reading).rejects.toThrow();
    await until(async () => (await running()) === 0);
    expect(await sides.postgres.database.ping()).toBe(true);
  });
});
