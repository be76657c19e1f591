import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import driver from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPostgres, type PostgresDatabase } from '../../src/databases/postgres/database.ts';
import { endSessions, type TestDatabase } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { insert, makeThings, names, none, statement, type Things } from '../support/things.ts';

const slow = statement('SELECT pg_sleep(0.1)');

let things: Things;
let server: TestDatabase;
let database: PostgresDatabase;
let other: driver.Sql;

beforeAll(async () => {
  things = await makeThings();
  ({ server, database, other } = things);
});

beforeEach(() => things.empty());

afterAll(() => things?.end());

/** So many reads at once that all sessions are open that there may be. */
const openAll = (): Promise<unknown> => Promise.all([1, 2, 3].map(() => database.all(slow, none)));

describe('a server that takes no writes any more, as after a failover', () => {
  const setReadOnly = (value: 'on' | 'off'): Promise<unknown> =>
    other.unsafe(
      `DO $$ BEGIN EXECUTE format(
        'ALTER DATABASE %I SET default_transaction_read_only = ${value}', current_database()); END $$`,
    );
  const ways: readonly (readonly [how: string, write: () => Promise<unknown>])[] = [
    ['one statement', () => database.writeOne(insert, { bound: ['a'] })],
    ['a transaction', () => database.write(({ run }) => run(insert, { bound: ['a'] }))],
  ];

  test.each(ways)(
    'its sessions are left: %s is refused there, and made where writes are taken',
    async (_, write) => {
      await setReadOnly('on');
      try {
        await endSessions(other);
        await openAll();
        await expect(write()).rejects.toMatchObject({ kind: 'unavailable' });
        await openAll();
        await delay(1_100);
      } finally {
        await other`SET default_transaction_read_only = off`;
        await setReadOnly('off');
      }
      await write();
      expect(await database.all(names, none)).toEqual([['a']]);
    },
  );
});

test('a server without a further session for all of a pool: those wait that find none, and nobody is refused', async () => {
  // A superuser has sessions past every limit, so this one is none.
  const name = `crowd_${process.pid}`;
  await other.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD 'x' CONNECTION LIMIT 2`);
  const url = new URL(server.url);
  [url.username, url.password] = [name, 'x'];
  const crowded = await openPostgres(url.href, { poolSize: 10, statementTimeout: 5_000 });
  try {
    await other.unsafe(`GRANT ALL ON things TO ${name}`);
    const all = Array.from({ length: 30 }, (_, index) => {
      const bound = [`name ${index}`];
      if (index % 3 === 0) return crowded.writeOne(insert, { bound });
      return index % 3 === 1
        ? crowded.write(({ run }) => run(insert, { bound }))
        : crowded.all(slow, none);
    });
    await Promise.all(all);
    expect(await database.all(names, none)).toHaveLength(20);
    expect(crowded.connections().waiting).toBe(0);
  } finally {
    await crowded.close();
    await other.unsafe(`DROP OWNED BY ${name}`);
    await other.unsafe(`DROP ROLE ${name}`);
  }
});

/** Gives all sessions that come to the database a setting, where the server knows it. */
const give = async (setting: string, value: string): Promise<() => Promise<unknown>> => {
  const set = (what: string): Promise<unknown> =>
    other.unsafe(
      `DO $$ BEGIN IF current_setting('${setting}', true) IS NOT NULL THEN
        EXECUTE format('ALTER DATABASE %I ${what}', current_database()); END IF; END $$`,
    );
  await set(`SET ${setting} = ${value}`);
  return () => set(`RESET ${setting}`);
};

test('a server that ends idle sessions does not end those of a pool, under a write of which nobody would know', async () => {
  const takeBack = await give('idle_session_timeout', '100');
  const own = await openPostgres(server.url, { poolSize: 1 });
  try {
    const session = statement('SELECT pg_backend_pid()');
    const before = await own.all(session, none);
    await delay(1_000);
    expect(await own.all(session, none)).toEqual(before);
  } finally {
    await takeBack();
    await own.close();
  }
});

describe('a server that ends what takes long', () => {
  const long = statement('SELECT pg_sleep(1)');
  let takeBack: () => Promise<unknown>;
  beforeAll(async () => {
    // From PostgreSQL 17 on.
    takeBack = await give('transaction_timeout', '400');
  });
  afterAll(() => takeBack());

  test('ends nothing that the service has a deadline for', async () => {
    const own = await openPostgres(server.url, { poolSize: 1 });
    try {
      expect(await own.all(long, none)).toHaveLength(1);
      await own.writeOne(long, none);
      await own.write(({ all }) => all(long, none));
    } finally {
      await own.close();
    }
  });

  test('nor a migration behind a pooler', async () => {
    const own = await openPostgres(server.url, { poolSize: 1, pooler: 'transaction' });
    try {
      expect(await own.changeSchema((ask) => ask('SELECT pg_sleep(1)'))).toHaveLength(1);
    } finally {
      await own.close();
    }
  });
});

test('a server whose standby does not answer: nobody is told that a write is there which would be gone with the server', async () => {
  const postgres = await startPostgres({ durable: true });
  const own = await openPostgres(postgres.url, {
    poolSize: 1,
    // The checks at the start have to be done in it on a slow machine, too.
    statementTimeout: 3_000,
    pooler: 'transaction',
  });
  const standing = driver(postgres.url, { max: 1, onnotice: () => undefined });
  try {
    await standing`CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY, name text UNIQUE)`;
    await standing`ALTER SYSTEM SET synchronous_standby_names = '*'`;
    await standing`SELECT pg_reload_conf()`;
    // Until the server has come to read the setting, writes are there at once: while it is busy, for many seconds.
    let [count, failure]: [number, unknown] = [0, undefined];
    while (failure === undefined) {
      count += 1;
      failure = await own.writeOne(insert, { bound: [`${count}`] }).then(
        () => undefined,
        (error: unknown) => error,
      );
    }
    expect(failure).toMatchObject({ kind: 'outcomeUnknown' });
    expect(await own.all(names, none)).toHaveLength(count);
  } finally {
    await own.close();
    await standing.end();
    await postgres.stop();
  }
}, 120_000);

test('a server that takes null in a list for a text', async () => {
  const takeBack = await give('array_nulls', 'off');
  const own = await openPostgres(server.url, { poolSize: 1 });
  try {
    const asked = statement('SELECT value IS NULL FROM unnest($1::text[]) AS value');
    expect(await own.all(asked, { bound: ['{a,NULL}'] })).toEqual([[false], [true]]);
  } finally {
    await takeBack();
    await own.close();
  }
});

test('while the socket file of a server is gone, all who share a connection are refused at once, and served when it is back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  const { port, hostname, pathname, username, password } = new URL(server.url);
  const open = new Set<Socket>();
  /** Passes on to the server what comes through the file. */
  const listen = async (): Promise<() => Promise<unknown>> => {
    const passage = createServer((client) => {
      const upstream = connect(Number(port), hostname);
      for (const [one, two] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        open.add(one);
        one.on('error', () => two.destroy()).on('close', () => two.destroy());
        one.pipe(two);
      }
    });
    await once(passage.listen(join(folder, '.s.PGSQL.5432')), 'listening');
    return async () => {
      for (const socket of open) socket.destroy();
      await once(passage.close(), 'close');
    };
  };
  let gone = await listen();
  const through = await openPostgres(
    `postgres://${username}:${password}@${pathname}?host=${folder}`,
    { poolSize: 1, statementTimeout: 2_000 },
  );
  const askAll = (): Promise<unknown[]> =>
    Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        (index % 2 === 0
          ? through.all(names, none)
          : through.writeOne(insert, { bound: [`name ${index} ${performance.now()}`] })
        ).then(
          () => 'done',
          ({ kind }: { kind: unknown }) => kind,
        ),
      ),
    );
  try {
    // What was brief once shares a connection.
    for (let round = 0; round < 2; round += 1)
      expect(new Set(await askAll())).toEqual(new Set(['done']));
    await gone();
    for (let round = 0; round < 2; round += 1)
      expect(new Set(await askAll())).toEqual(new Set(['unavailable']));
    gone = await listen();
    expect(new Set(await askAll())).toEqual(new Set(['done']));
  } finally {
    await through.close();
    await gone();
    rmSync(folder, { recursive: true });
  }
});
