import type driver from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openPostgres, type PostgresDatabase } from '../../src/databases/postgres/database.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { makeThings, none, statement, type Things } from '../support/things.ts';

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

test('transactions go on in statements that were prepared before a table changed', async () => {
  const everything = statement('SELECT * FROM things');
  const read = async (): Promise<number | undefined> =>
    (await database.write(({ all }) => all(everything, none)))[0]?.length;
  await other`INSERT INTO things (name) VALUES ('a')`;
  for (let index = 0; index < 20; index += 1) await read();
  await other`ALTER TABLE things ADD COLUMN extra text`;
  expect(await Promise.all([read(), read(), read()])).toEqual([3, 3, 3]);
  await other`ALTER TABLE things DROP COLUMN extra`;
  expect(await Promise.all([read(), read(), read()])).toEqual([2, 2, 2]);
});

test('statements that share a connection keep their own answers while a table changes', async () => {
  const single = await openPostgres(server.url, { poolSize: 1 });
  const everything = statement('SELECT * FROM things WHERE id < $1');
  const echo = statement('SELECT $1::int, $2::int, $3::int');
  await other`INSERT INTO things (name) VALUES ('a')`;
  const ask = (): Promise<unknown[]> =>
    Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        // They come while others are answered.
        await new Promise((done) => setTimeout(done, index / 10));
        const bound = [index, -index, 9];
        if (index % 5 > 0) return (await single.all(echo, { bound })).flat().map(Number);
        return (await single.all(everything, { bound: [1_000_000] }))[0]?.length;
      }),
    );
  const answers = (columns: number): unknown[] =>
    Array.from({ length: 60 }, (_, index) => (index % 5 > 0 ? [index, -index, 9] : columns));
  try {
    await ask();
    for (let round = 0; round < 5; round += 1) {
      await other`ALTER TABLE things ADD COLUMN extra text`;
      expect(await ask()).toEqual(answers(3));
      await other`ALTER TABLE things DROP COLUMN extra`;
      expect(await ask()).toEqual(answers(2));
    }
  } finally {
    await single.close();
  }
});
