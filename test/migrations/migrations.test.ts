import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import Driver from 'better-sqlite3';
import driver from 'postgres';
import { arePossible } from '../../src/migrations/steps.ts';
import type { Records } from '../support/api.ts';
import { makeFolder } from '../support/command.ts';
import { linesOf, postgresSide, sqliteSide, type Side } from '../support/migrations.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { cases } from './cases.ts';
import { conversions } from './values.ts';

const folder = makeFolder();
let count = 0;

let server: TestDatabase;
let other: driver.Sql;

beforeAll(async () => {
  server = await createDatabase();
  other = driver(server.url, { max: 1, onnotice: () => undefined });
});

afterAll(async () => {
  await other?.end();
  await server?.drop();
});

/** Both databases, with nothing in them. */
async function sidesOf(): Promise<readonly (Side & { readonly file?: string })[]> {
  count += 1;
  const file = folder.at(`${count}.db`);
  await other`DROP SCHEMA public CASCADE`;
  await other`CREATE SCHEMA public`;
  return [{ ...sqliteSide(file), file }, postgresSide(server.url)];
}

function whole(text: string): string {
  if (text.startsWith('resources:')) return text;
  const lines = text.split('\n').map((line) => `      ${line.trim()}\n`);
  return `resources:\n  things:\n    fields:\n${lines.join('')}`;
}

const list = (text: string, side: Side): Promise<readonly object[]> =>
  side.served(whole(text), async (api) => {
    const { status, body, text: sent } = await api.get('/v1/things?sort=id&limit=100');
    expect(status, sent).toBe(200);
    return body as object[];
  });

/** Keys that lead nowhere and pages that are broken. */
function faults(file: string): readonly unknown[] {
  const database = new Driver(file, { readonly: true });
  try {
    const integrity = database.pragma('integrity_check', { simple: true });
    return [...(database.pragma('foreign_key_check') as unknown[]), integrity];
  } finally {
    database.close();
  }
}

describe('a change of the file', () => {
  test.each(cases)('$name', async (one) => {
    const { before, rows, after, steps, answer, allowDataLoss = false } = one;
    const options = { allowDataLoss };
    const records = (Array.isArray(rows) ? { things: rows } : rows) as Records;
    for (const side of await sidesOf()) {
      const expected = steps
        .filter((step) => !/^(?:postgres|sqlite): /u.test(step) || step.startsWith(side.name))
        .map((step) => step.replace(`${side.name}: `, ''));
      await side.apply(whole(before));
      await side.write(whole(before), records);
      const old = await list(before, side);
      const planned = await side.plan(whole(after), options);
      expect(linesOf(planned), side.name).toEqual(expected);
      const isPossible = arePossible(planned, options);
      expect(await side.apply(whole(after), options)).toEqual(planned);
      if (isPossible) {
        const now = await list(after, side);
        const shown = now.map((record) => ({
          ...record,
          ...Object.fromEntries(
            Object.entries(record)
              .filter(([name]) => name.endsWith('At'))
              .map(([name, at]) => [
                name,
                Math.abs(Date.parse(String(at)) - Date.now()) < 60_000 ? 'a moment' : at,
              ]),
          ),
        }));
        const wanted = answer?.map((record, index) => ({
          id: now[index]?.['id' as never],
          ...record,
        }));
        expect(shown, side.name).toEqual(wanted ?? old);
        const left = await side.plan(whole(after));
        expect(
          left.filter(({ isOptional }) => !isOptional),
          side.name,
        ).toEqual([]);
      } else {
        // Nothing has happened: the file from before still fits, and reads the same.
        expect(await side.plan(whole(before)), side.name).toEqual([]);
        expect(await list(before, side), side.name).toEqual(old);
      }
      if (side.file !== undefined) expect(faults(side.file)).toEqual(['ok']);
    }
  });
});

describe('values of one type as those of another', () => {
  let sides: readonly (Side & { readonly file?: string })[];
  beforeAll(async () => {
    sides = await sidesOf();
  });

  test.each(
    conversions.map(([from, to, values, become, lost]) => ({ from, to, values, become, lost })),
  )('$from to $to', async ({ from, to, values, become, lost }) => {
    count += 1;
    const name = `values${count}`;
    const text = (type: string): string =>
      whole(`a: { type: ${type} }`).replace('things:', `${name}:`);
    for (const side of sides) {
      await side.apply(text(from));
      await side.write(text(from), { [name]: values.map((a) => ({ a })) });
      const [step, ...more] = (await side.plan(text(to))).filter(({ isOptional }) => !isOptional);
      expect(more).toEqual([]);
      const isSame = ['string to text', 'integer to integer, format: bigint'].includes(
        `${from} to ${to}`,
      );
      // Those that are lost, and those that keep a part of their meaning.
      const told = (step?.loses ?? '').matchAll(/(\d+) values?\b/gu);
      expect(
        Array.from(told, ([, count]) => Number(count)).reduce((a, b) => a + b, 0),
        side.name,
      ).toBe(lost);
      expect(step === undefined).toBe(isSame);
      await side.apply(text(to), { allowDataLoss: true });
      const after = await side.served(text(to), (api) => api.get(`/v1/${name}?sort=id`));
      expect(
        (after.body as { a: unknown }[]).map(({ a }) => a),
        side.name,
      ).toEqual(become);
    }
  });
});

test('a role that may not see what was written down serves a database that is up to date', async () => {
  const [, side] = await sidesOf();
  const text = whole('a: { type: string, required: true }');
  await side?.apply(text);
  await other`DROP ROLE IF EXISTS plinth_serving`;
  await other`CREATE ROLE plinth_serving LOGIN PASSWORD 'secret'`;
  await other`GRANT USAGE ON SCHEMA public TO plinth_serving`;
  await other`GRANT SELECT ON things TO plinth_serving`;
  const url = new URL(server.url);
  [url.username, url.password] = ['plinth_serving', 'secret'];
  expect(await postgresSide(url.href).plan(text)).toEqual([]);
  await other`DROP OWNED BY plinth_serving`;
  await other`DROP ROLE plinth_serving`;
});

test('a key of others that counts on what changes is named, with what to do about it', async () => {
  const [, side] = await sidesOf();
  await side?.apply(whole('a: { type: string, unique: true }'));
  await other`CREATE TABLE others (a text REFERENCES things (a))`;
  await expect(side?.apply(whole('a: { type: string }'))).rejects.toThrow(
    /constraint others_a_fkey on table others depends on .*\)\. Drop what depends on it before, and make it again afterwards\.$/u,
  );
  await other`DROP TABLE others`;
});

test('two at once, of which one does it', async () => {
  for (const side of await sidesOf()) {
    await side.apply(whole('a: { type: string }'));
    await side.write(whole('a: { type: string }'), { things: [{ a: '1' }, { a: 'x' }] });
    const after = whole('a: { type: integer, column: b }');
    const both = await Promise.all([1, 2].map(() => side.apply(after, { allowDataLoss: true })));
    expect(both.map((steps) => steps.length).toSorted((a, b) => a - b)).toEqual([0, 2]);
    expect(await list(after, side)).toMatchObject([{ a: 1 }, { a: null }]);
  }
});
