import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres, type PostgresDatabase } from '../../src/databases/postgres/database.ts';
import type { Requester } from '../../src/sql/statement.ts';
import { createDatabase } from '../support/postgres.ts';

const size = 4;
const lanes = 40;

let server: Awaited<ReturnType<typeof createDatabase>>;
let database: PostgresDatabase;

beforeAll(async () => {
  server = await createDatabase();
});
afterAll(() => server.drop());

const requester = (caller: string): Requester => ({ caller, onGone: () => () => undefined });

async function withPool(work: () => Promise<void>, url = server.url): Promise<void> {
  database = await openPostgres(url, { poolSize: size });
  try {
    await work();
  } finally {
    await database.close();
  }
}

const brief = { sql: 'SELECT $1::integer', parameters: [0] };
const ask = (value: number, caller = 'anna'): Promise<unknown> =>
  database.all(brief, { bound: [value], requester: requester(caller) });

test('who waited before a statement was known to be short shares a connection once it is', () =>
  withPool(async () => {
    let fewest = Infinity;
    let areAllThere = true;
    await Promise.all(
      Array.from({ length: lanes }, async (_, lane) => {
        for (let round = 0; round < 20; round += 1) {
          expect(await ask(lane)).toEqual([[lane]]);
          if (areAllThere) fewest = Math.min(fewest, database.connections().waiting);
        }
        areAllThere = false;
      }),
    );
    // Each of the four connections takes eight at a time, so that eight of the forty wait.
    expect(fewest).toBeLessThanOrEqual(lanes - 8 * size);
  }));

test('who needs a connection alone gets one while others share, and they go on behind it', () =>
  withPool(async () => {
    await ask(0);
    const order: string[] = [];
    const told = async (name: string, asked: Promise<unknown>): Promise<void> => {
      await asked;
      order.push(name);
    };
    const lock = { sql: 'SELECT pg_sleep($1::float8)', parameters: [0] };
    const naps = Array.from({ length: size }, () =>
      database.all(lock, { bound: [0.3], requester: requester('boris') }),
    );
    const endless = (async () => {
      while (!order.includes('write')) await Promise.all(Array.from({ length: 60 }, () => ask(1)));
    })();
    await told(
      'write',
      database.write(({ all }) => all(brief, { bound: [1] })),
    );
    await told('read', ask(2));
    await Promise.all([endless, ...naps]);
    expect(order).toEqual(['write', 'read']);
    expect(database.connections()).toMatchObject({ busy: 0, waiting: 0 });
  }));

test('who leaves does not end the statements of others on the same connection', () =>
  withPool(async () => {
    const cold = Array.from({ length: lanes }, (_, lane) => {
      const leaving = new Set<() => void>();
      const onGone = (leave: () => void): (() => void) => {
        leaving.add(leave);
        return () => leaving.delete(leave);
      };
      const asked = database.all(brief, { bound: [lane], requester: { caller: 'clara', onGone } });
      const answer = asked.catch((error: unknown) => error);
      return { answer, leave: () => leaving.forEach((act) => act()) };
    });
    // By the time of the first answer the statement is known to be short, and others share connections.
    await cold[0]?.answer;
    for (const [lane, { leave }] of cold.entries()) if (lane % 2 === 1) leave();
    for (const [lane, { answer }] of cold.entries())
      if (lane % 2 === 0) expect(await answer).toEqual([[lane]]);
  }));

test('statements share the connections that there are if the server gives no further one', async () => {
  const role = `plinth_sharing_${process.pid}`;
  const administer = (sql: string): Promise<unknown> =>
    withPool(() => database.writeOne({ sql, parameters: [] }, { bound: [] }).then(() => undefined));
  await administer(`CREATE ROLE ${role} LOGIN PASSWORD 'one' CONNECTION LIMIT 1`);
  const url = new URL(server.url);
  [url.username, url.password] = [role, 'one'];
  try {
    await withPool(async () => {
      // Once the statement is known to be short, which a busy machine may not show at first, and the server to be full.
      let isShared = false;
      for (let round = 0; round < 100 && !isShared; round += 1) {
        const asked = Array.from({ length: 8 }, (_, lane) => ask(lane));
        const { busy, waiting } = database.connections();
        isShared = round > 1 && busy === 1 && waiting === 0;
        expect(await Promise.all(asked)).toEqual(Array.from({ length: 8 }, (_, lane) => [[lane]]));
      }
      expect(isShared).toBe(true);
    }, url.href);
  } finally {
    await administer(`DROP ROLE ${role}`);
  }
});
