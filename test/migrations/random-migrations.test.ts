import Driver from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTables as tablesOfPostgres } from '../../src/databases/postgres/catalog.ts';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import type { ActualTable } from '../../src/databases/existing/actual-schema.ts';
import { arePossible, neededSteps } from '../../src/migrations/steps.ts';
import { readTables as tablesOfSqlite } from '../../src/databases/sqlite/catalog.ts';
import { build } from '../support/api.ts';
import { makeFolder } from '../support/command.ts';
import { linesOf, postgresSide, sqliteSide, type Side } from '../support/migrations.ts';
import type { Document } from '../support/oracle-model.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { seed as firstSeed } from '../support/seed.ts';
import { patience } from '../oracle/world.ts';
import { Recorder } from '../oracle/random-records.ts';
import { randomSpecification } from '../oracle/random-specifications.ts';
import { changed, readable } from './random-migrations.ts';
import { type Draw, drawOf } from '../oracle/draw.ts';

/**
 * A random specification with random records becomes another one: on both databases or on neither, at once, with every
 * record as it was, and with the same tables that an empty database gets. `PLINTH_TEST_RUNS=500 SEED=…` looks longer.
 */
const runs = Number(process.env['PLINTH_TEST_RUNS'] ?? 3);
const folder = makeFolder();
let databases: readonly TestDatabase[] = [];

beforeAll(async () => {
  databases = [await createDatabase(), await createDatabase()];
});
afterAll(async () => {
  for (const { drop } of databases) await drop();
});

interface Tables extends Side {
  readonly tables: () => Promise<unknown>;
}

function fileAt(path: string): Tables {
  const tables = async (): Promise<unknown> => {
    const file = new Driver(path, { readonly: true });
    try {
      expect(file.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(file.pragma('foreign_key_check')).toEqual([]);
      return comparable([...tablesOfSqlite(file).values()].map((read) => read()));
    } finally {
      file.close();
    }
  };
  return { ...sqliteSide(path), tables };
}

async function emptied(url: string): Promise<Tables> {
  const database = await openPostgres(url, { poolSize: 1 });
  await database.changeSchema(async (ask) => {
    await ask('DROP SCHEMA public CASCADE');
    await ask('CREATE SCHEMA public');
  });
  await database.close();
  const tables = async (): Promise<unknown> => {
    const reading = await openPostgres(url, { poolSize: 1 });
    try {
      return comparable([...(await reading.inspect((ask) => tablesOfPostgres(ask))).values()]);
    } finally {
      await reading.close();
    }
  };
  return { ...postgresSide(url), tables };
}

const inOrder = <Item>(items: Iterable<Item>): Item[] =>
  [...items].toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** The tables that are not the database's own, without the order of their parts, and without the names that the database gives by itself. */
function comparable(tables: readonly ActualTable[]): unknown {
  const own = tables.filter(({ name }) => !name.startsWith('sqlite_'));
  return inOrder(own).map(({ columns, references, indexes, ...table }) => ({
    ...table,
    columns: inOrder(columns.values()),
    references: inOrder(references.map((reference) => ({ ...reference, name: undefined }))),
    indexes: inOrder(indexes.map((one) => (one.isPrimary ? { ...one, name: '' } : one))),
  }));
}

const textOf = (document: Document): string => JSON.stringify(document, undefined, 1);

/** All records, a line each, by the texts of their ids. */
function recordsOf(side: Side, document: Document, isOld: boolean): Promise<readonly string[]> {
  return side.served(textOf(document), async (api) => {
    const lines: string[] = [];
    for (const name of Object.keys(document.resources)) {
      const { status, body, text } = await api.get(`/v1/${name}?limit=100`);
      expect(status, text).toBe(200);
      for (const record of body as object[]) lines.push(`${name} ${JSON.stringify(record)}`);
    }
    return isOld ? lines : lines.toSorted();
  });
}

/** What of records stays however their ids and keys are written. */
const bare = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replaceAll(/"(\d+)"/gu, '$1')).toSorted();

/** Migrates one side. Gives whether it could be done without loss, and the records after that. */
async function migrated(side: Tables, fresh: Tables, documents: readonly [Document, Document]) {
  const [before, after] = documents;
  const [old, next] = documents.map(textOf) as [string, string];
  const records = await recordsOf(side, before, true);
  const planned = await side.plan(next);
  expect(await side.apply(next)).toEqual(planned);
  if (!arePossible(planned)) {
    for (const { obstacle, summary } of planned.filter((one) => one.obstacle !== undefined))
      // What to do about it.
      expect(obstacle, summary).toMatch(/; \w+/u);
    expect(neededSteps(await side.plan(old))).toEqual([]);
    expect(await recordsOf(side, before, true)).toEqual(records);
    return undefined;
  }
  expect(linesOf(await side.plan(next, { allowDataLoss: true }))).toEqual([]);
  const now = await recordsOf(side, after, false);
  expect(bare(now)).toEqual(bare(records));
  await fresh.apply(next);
  expect(await side.tables()).toEqual(await fresh.tables());
  return now;
}

async function tryOne(draw: Draw, number: number): Promise<boolean> {
  const before = readable(randomSpecification(draw));
  const after = changed(draw, before);
  const hasErrors = [before, after].some((one) =>
    build(textOf(one)).problems.some(({ severity }) => severity === 'error'),
  );
  if (hasErrors) return false;
  const recorder = new Recorder(before, draw);
  const bodies = Object.entries(recorder.records()).map(
    ([name, items]) => [name, items.map((item) => recorder.body(name, item))] as const,
  );
  const [first, second] = databases;
  const sides = [
    [fileAt(folder.at(`${number}.db`)), fileAt(folder.at(`${number}-fresh.db`))],
    [await emptied(first?.url ?? ''), await emptied(second?.url ?? '')],
  ] as const;
  const ends: unknown[] = [];
  for (const [side, fresh] of sides) {
    await side.apply(textOf(before));
    await side.served(textOf(before), async (api) => {
      for (const [name, list] of bodies)
        if (list.length > 0) {
          const { status, text } = await api.send('POST', `/v1/${name}`, list);
          expect(status, text).toBe(201);
        }
    });
    ends.push(await migrated(side, fresh, [before, after]));
  }
  expect(ends[1], 'what comes of it on PostgreSQL').toEqual(ends[0]);
  return true;
}

test(
  `${runs} random migrations lose nothing, and end where an empty database begins (seed ${firstSeed})`,
  async () => {
    let done = 0;
    for (let seed = firstSeed; done < runs; seed += 1)
      done += Number(
        await tryOne(drawOf(seed), seed).catch((cause: unknown) => {
          throw new Error(`seed ${seed}: ${String(cause)}`, { cause });
        }),
      );
  },
  patience,
);
