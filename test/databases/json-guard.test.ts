import Driver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrate } from '../../src/migrations/sqlite/schema.ts';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import { buildValid, serve } from '../support/api.ts';
import { makeFolder } from '../support/command.ts';
import { linesOf } from '../support/migrations.ts';

// A column of JSON that a migration has made takes nothing but JSON, whoever writes, as on PostgreSQL: SQLite fails with
// the whole statement that looks into anything else.
const folder = makeFolder();
let count = 0;

/** What brings a file from one set of fields to the next, and the file itself. */
async function migrated(
  versions: readonly string[],
  between: (driver: Driver.Database, version: number) => void = () => undefined,
): Promise<{ readonly path: string; readonly driver: Driver.Database; readonly lines: string[] }> {
  count += 1;
  const path = folder.at(`guard-${count}.db`);
  const driver = new Driver(path);
  const lines: string[] = [];
  for (const [version, fields] of versions.entries()) {
    const api = buildValid(`resources:\n  things:\n    fields: { ${fields} }\n`);
    lines.push(...linesOf(await migrate(driver, api)));
    between(driver, version);
  }
  return { path, driver, lines };
}

const definition = (driver: Driver.Database): string =>
  String(driver.prepare(`SELECT sql FROM sqlite_schema WHERE name = 'things'`).pluck().get());

const refused = /CHECK constraint failed/u;
const types = ['json', 'object', 'array, items: { type: string }'];

test.each(types)('a column of %s takes nothing but JSON from anybody', async (type) => {
  const { driver } = await migrated([
    `thing: { type: ${type}, nullable: true, column: 'a "b" c' }`,
  ]);
  const insert = driver.prepare(`INSERT INTO things ("a ""b"" c") VALUES (?)`);
  for (const rubbish of ['n/a', '', '{a:1}', '[1', 'NaN', "'x'", '[1,]', 'CHECK (json_valid("x"))'])
    expect(() => insert.run(rubbish), rubbish).toThrow(refused);
  for (const json of [null, '1', '"x"', '[1, 2]', ' {"a" : null} '])
    expect(insert.run(json).changes).toBe(1);
  expect(() => driver.exec(`UPDATE things SET "a ""b"" c" = 'n/a'`)).toThrow(refused);
  driver.close();
});

test('null is taken by a SQLite to which it is not JSON, as the one of many systems', async () => {
  const { driver } = await migrated(['a: { type: json, nullable: true }']);
  const older = (value: unknown): number => Number(value !== null);
  driver.function('json_valid', { deterministic: true }, older);
  driver.exec('INSERT INTO things (a) VALUES (null)');
  expect(driver.pragma('integrity_check', { simple: true })).toBe('ok');
  driver.close();
});

test('the form that tables had before gives way to it where they are made anew', async () => {
  const driver = new Driver(folder.at('guard-before.db'));
  driver.exec(
    'CREATE TABLE things (id INTEGER PRIMARY KEY, a TEXT CHECK (json_valid("a")), c INTEGER)',
  );
  const fields = '{ a: { type: json, nullable: true }, c: { type: string, nullable: true } }';
  await migrate(driver, buildValid(`resources: { things: { fields: ${fields} } }`));
  expect(definition(driver)).toContain('"a" TEXT CHECK ("a" IS NULL OR json_valid("a"))');
  driver.close();
});

test('it goes with the column through all that migrations do', async () => {
  const guarded: boolean[] = [];
  const versions = [
    'a: { type: json, nullable: true }, b: { type: string, nullable: true }, c: { type: integer }',
    // The column has another name.
    'a: { type: json, nullable: true, column: x }, b: { type: string, nullable: true }, c: { type: integer }',
    // The table is made anew for another one.
    'a: { type: json, nullable: true, column: x }, b: { type: string, nullable: true }, c: { type: string }',
    // The file no longer names it, and the table is made anew.
    'b: { type: string, nullable: true }, c: { type: integer }',
    // It is added.
    'b: { type: string, nullable: true }, c: { type: integer }, d: { type: object, nullable: true, column: x }',
    // What is in it is not JSON any more.
    'b: { type: string, nullable: true }, c: { type: integer }, d: { type: string, nullable: true, column: x }',
    // It is JSON again.
    'b: { type: string, nullable: true }, c: { type: integer }, d: { type: json, nullable: true, column: x }',
  ];
  const { driver } = await migrated(versions, (file, version) => {
    const column = version === 0 ? 'a' : 'x';
    const hasIt = file.prepare(
      `SELECT 1 FROM pragma_table_info('things') WHERE name = '${column}'`,
    );
    if (hasIt.get() === undefined) return;
    try {
      file.exec(`INSERT INTO things (c, ${column}) VALUES (1, 'n/a')`);
      guarded.push(false);
      file.exec(`DELETE FROM things WHERE ${column} = 'n/a'`);
    } catch (error) {
      expect(String(error)).toMatch(refused);
      guarded.push(true);
    }
  });
  expect(guarded).toEqual([true, true, true, true, true, false, true]);
  driver.close();
});

test('a CHECK of others still keeps a table from being made anew', async () => {
  count += 1;
  const driver = new Driver(folder.at(`guard-${count}.db`));
  driver.exec(
    `CREATE TABLE things (id INTEGER PRIMARY KEY, a TEXT CHECK (json_valid("a")), b TEXT CHECK (b <> ''))`,
  );
  const api = buildValid(
    'resources: { things: { fields: { a: { type: json, nullable: true }, b: { type: integer } } } }',
  );
  expect(linesOf(await migrate(driver, api))).toContain(
    'make table things anew ! it has a CHECK, which would be lost; let the file say what the table has, or change it by hand',
  );
  driver.close();
});

test('what stands in a column without it is read, filtered and sorted as the string that it is', async () => {
  const fields = 'a: { type: json, nullable: true }, l: { type: array, items: { type: string } }';
  const { path, driver } = await migrated([fields]);
  // As a former version has made it.
  driver.unsafeMode();
  driver.pragma('writable_schema = ON');
  driver
    .prepare(`UPDATE sqlite_schema SET sql = ? WHERE name = 'things'`)
    .run(definition(driver).replaceAll(/ CHECK \("\w" IS NULL OR json_valid\("\w"\)\)/gu, ''));
  driver.pragma('writable_schema = RESET');
  driver.exec(`INSERT INTO things (a, l) VALUES ('n/a', '[1'), ('{"m":1}', '["x"]')`);
  expect(definition(driver)).not.toContain('CHECK');
  driver.close();
  const now = (): Date => new Date('2026-01-02T03:04:05.678Z');
  const api = buildValid(`resources:\n  things:\n    fields: { ${fields} }\n`);
  const served = await serve(api, openSqlite(path), { now, uuid: () => '' }, []);
  const ids = async (query: string): Promise<unknown> => {
    const answer = await fetch(`${served.url}/v1/things?fields=id&${query}`);
    expect(answer.status, query).toBe(200);
    return ((await answer.json()) as { id: number }[]).map(({ id }) => id);
  };
  expect(await ids('a.m=1')).toEqual([2]);
  expect(await ids('l_contains=x')).toEqual([2]);
  expect(await ids('l_contains=[1')).toEqual([1]);
  expect(await ids('sort=l')).toEqual([1, 2]);
  expect(await (await fetch(`${served.url}/v1/things/1`)).json()).toEqual({
    id: 1,
    a: 'n/a',
    l: '[1',
  });
  await served.stop();
});
