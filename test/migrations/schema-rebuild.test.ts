import Driver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { migrate, planMigration } from '../../src/migrations/sqlite/schema.ts';
import { openSqlite, type SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import { buildValid } from '../support/api.ts';
import { makeFolder } from '../support/command.ts';
import { linesOf } from '../support/migrations.ts';

const folder = makeFolder();
let count = 0;

const file = (fields: string, more = ''): string =>
  `resources:\n  things:\n    fields: { ${fields} }\n${more}`;

async function inDatabase(
  sql: string,
  work: (driver: Driver.Database, database: SqliteDatabase) => Promise<void>,
): Promise<void> {
  count += 1;
  const path = folder.at(`${count}.db`);
  const driver = new Driver(path);
  driver.exec(sql);
  driver.close();
  const database = openSqlite(path);
  try {
    await work(database.schemaConnection, database);
  } finally {
    await database.close();
  }
}

const schema = (driver: Driver.Database): unknown =>
  driver
    .prepare(
      `SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE '_plinth_%' AND sql IS NOT NULL`,
    )
    .pluck()
    .all();
const apply = async (
  driver: Driver.Database,
  text: string,
  allowDataLoss = false,
): Promise<readonly string[]> =>
  linesOf(await migrate(driver, buildValid(text), { allowDataLoss }));

test('a table that is made anew keeps what others have put to it, and the ids that were given out', () =>
  inDatabase('', async (driver) => {
    const notes =
      '  notes: { fields: { thingId: { type: integer, reference: things.id, onDelete: cascade } } }\n';
    await apply(driver, file('a: { type: string }, b: { type: integer }', notes));
    driver.exec(`INSERT INTO things (a, b) VALUES ('1', 1), ('2', 2), ('3', 3);
      INSERT INTO notes ("thingId") VALUES (1), (2); DELETE FROM things WHERE id = 3;
      CREATE INDEX mine ON things (b) WHERE b > 1; CREATE TABLE log (id INTEGER, thing INTEGER REFERENCES things (id));
      INSERT INTO log VALUES (1, 2); CREATE VIEW seen AS SELECT a, b FROM things;
      CREATE TRIGGER told AFTER UPDATE ON things BEGIN INSERT INTO log VALUES (new.b, new.id); END;
      CREATE TRIGGER heard AFTER INSERT ON log BEGIN UPDATE things SET b = b + 1 WHERE id = 1 AND new.id > 99; END;`);
    const after = file('a: { type: integer, column: number }, b: { type: integer }', notes);
    expect(await apply(driver, after)).toEqual([
      'rename column things.a to number',
      'change things.number from string to integer',
    ]);
    expect(schema(driver)).toEqual([
      'CREATE TABLE "notes" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "thingId" INTEGER REFERENCES "things" ("id") ON DELETE CASCADE) STRICT',
      'CREATE INDEX "notes_thingId_index" ON "notes" ("thingId")',
      'CREATE TABLE log (id INTEGER, thing INTEGER REFERENCES things (id))',
      'CREATE VIEW seen AS SELECT "number", b FROM things',
      'CREATE TRIGGER heard AFTER INSERT ON log BEGIN UPDATE things SET b = b + 1 WHERE id = 1 AND new.id > 99; END',
      'CREATE TABLE "things" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "number" INTEGER, "b" INTEGER) STRICT',
      'CREATE INDEX mine ON things (b) WHERE b > 1',
      'CREATE TRIGGER told AFTER UPDATE ON things BEGIN INSERT INTO log VALUES (new.b, new.id); END',
    ]);
    driver.exec('INSERT INTO things (number) VALUES (9); UPDATE things SET b = 7 WHERE id = 1');
    expect(driver.prepare('SELECT id, number, b FROM things').raw().all()).toEqual([
      [1, 1, 7],
      [2, 2, 2],
      [4, 9, null],
    ]);
    expect(driver.prepare('SELECT count(*) FROM notes').pluck().get()).toBe(2);
    expect(driver.prepare('SELECT id, thing FROM log').raw().all()).toEqual([
      [1, 2],
      [7, 1],
    ]);
    expect(driver.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(driver.pragma('foreign_key_check')).toEqual([]);
    expect(() => driver.exec('DELETE FROM things WHERE id = 2')).toThrow(/FOREIGN KEY/u);
  }));

test.each([
  ['a CHECK', 'CREATE TABLE things (id INTEGER PRIMARY KEY, a TEXT CHECK (a > 0))'],
  ['a COLLATE', 'CREATE TABLE things (id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE)'],
  ['a generated column', 'CREATE TABLE things (id INTEGER PRIMARY KEY, a TEXT, b AS (a))'],
  ['no rowid', 'CREATE TABLE things (id INTEGER PRIMARY KEY, a TEXT) WITHOUT ROWID'],
  [
    'an ON UPDATE',
    'CREATE TABLE things (id INTEGER PRIMARY KEY, a TEXT, b REFERENCES things ON UPDATE CASCADE)',
  ],
  [
    'a deferrable key',
    'CREATE TABLE things (id INTEGER PRIMARY KEY, a TEXT, b REFERENCES things DEFERRABLE INITIALLY DEFERRED)',
  ],
  [
    'a foreign key of several columns',
    'CREATE TABLE o (x, y, UNIQUE (x, y)); CREATE TABLE things (id INTEGER PRIMARY KEY, a TEXT, b, FOREIGN KEY (a, b) REFERENCES o (x, y))',
  ],
])('a table with %s is not made anew', (what, sql) =>
  inDatabase(sql, async (driver) => {
    const before = schema(driver);
    expect(await apply(driver, file('a: { type: string, required: true }'))).toEqual([
      'change things.a to refuse null',
      `make table things anew ! it has ${what}, which would be lost; let the file say what the table has, or change it by hand`,
    ]);
    expect(schema(driver)).toEqual(before);
    expect(
      await apply(driver, file('a: { type: string, index: true }, c: { type: date }')),
    ).toEqual(['add column things.c', 'create index on things (a)']);
    driver.exec(`INSERT INTO things (id, a) VALUES (1, '9')`);
    // The same value for all rows needs no table made anew either, other than one that each row draws.
    const kept = 'a: { type: string, index: true }, c: { type: date }';
    const added = `${kept}, d: { type: string, required: true, default: "it's" }, e: { type: json, default: { f: [1] } }, g: { type: decimal, default: "-1.5" }, h: { type: boolean, nullable: false, default: true }`;
    expect(await apply(driver, file(added))).toEqual([
      'add column things.d ("it\'s" where a row is there)',
      'add column things.e ({"f":[1]} where a row is there)',
      'add column things.g ("-1.50" where a row is there)',
      'add column things.h (true where a row is there)',
    ]);
    expect(planMigration(driver, buildValid(file(added)))).toEqual([]);
    const rows = (): unknown => driver.prepare('SELECT d, e, g, h FROM things').raw().all();
    const row = ["it's", '{"f":[1]}', -150, 1];
    expect(rows()).toEqual([row]);
    driver.exec(`INSERT INTO things (id, a) VALUES (2, '9')`);
    expect(rows()).toEqual([row, row]);
    expect(await apply(driver, file(`${added}, i: { type: date, default: now }`))).toContain(
      `make table things anew ! it has ${what}, which would be lost; let the file say what the table has, or change it by hand`,
    );
  }),
);

test('words in names, texts and comments are no such thing', () =>
  inDatabase(
    `CREATE TABLE things (id INTEGER PRIMARY KEY, a VARCHAR(9) DEFAULT 'it''s a CHECK', "on update" INT UNIQUE, [as] /* COLLATE */ REAL NOT NULL DEFAULT 1.5); -- MATCH
     INSERT INTO things ("on update") VALUES (7)`,
    async (driver) => {
      expect(await apply(driver, file('a: { type: string, required: true }'))).toEqual([
        'change things.a to refuse null',
      ]);
      driver.exec('INSERT INTO things ("on update") VALUES (8)');
      expect(driver.prepare('SELECT * FROM things').raw().all()).toEqual([
        [1, "it's a CHECK", 7, 1.5],
        [2, "it's a CHECK", 8, 1.5],
      ]);
      expect(() => driver.exec('INSERT INTO things ("on update") VALUES (8)')).toThrow(/UNIQUE/u);
    },
  ));

test('values that nobody has declared are of the type that they look like', () =>
  inDatabase(
    `CREATE TABLE things (id INTEGER PRIMARY KEY, at DATETIME, price DECIMAL(9, 2), flag BOOLEAN, any);
     INSERT INTO things VALUES (1, '2026-03-01 10:11:12', 19.9, 1, 7), (2, '2026-03-01T10:11:12.5Z', 3, 0, 'x')`,
    async (driver) => {
      const after = file(
        'at: { type: datetime }, price: { type: decimal }, flag: { type: boolean }, any: { type: string }',
      );
      expect(await apply(driver, after)).toEqual([
        'change things.at from DATETIME to TEXT',
        'change things.price from DECIMAL(9, 2) to INTEGER',
        'change things.any from no type to TEXT',
      ]);
      expect(driver.prepare('SELECT * FROM things').raw().all()).toEqual([
        [1, '2026-03-01T10:11:12.000Z', 1990, 1, '7'],
        [2, '2026-03-01T10:11:12.500Z', 300, 0, 'x'],
      ]);
      expect(planMigration(driver, buildValid(after))).toEqual([]);
    },
  ));

test.each([
  ['a view', 'CREATE VIEW seen AS SELECT a FROM things'],
  ['a trigger', 'CREATE TRIGGER told AFTER INSERT ON things BEGIN SELECT new.a; END'],
  ['an index', 'CREATE INDEX mine ON things (a) WHERE a > 1'],
])('a column that %s of others needs is not dropped', (_, sql) =>
  inDatabase('', async (driver) => {
    await apply(driver, file('a: { type: string }, b: { type: string }'));
    driver.exec(`INSERT INTO things (a) VALUES ('x'); ${sql}`);
    const before = schema(driver);
    await expect(apply(driver, file('b: { type: string }'), true)).rejects.toThrow(
      /^The (?:migration was taken back|database refused the migration): /u,
    );
    expect(schema(driver)).toEqual(before);
    expect(driver.pragma('foreign_keys', { simple: true })).toBe(1);
  }),
);

test('keys that lead nowhere already are no reason to stop', () =>
  inDatabase(
    'PRAGMA foreign_keys = OFF; CREATE TABLE old (id INTEGER REFERENCES gone (id)); INSERT INTO old VALUES (7)',
    async (driver) => {
      await apply(driver, file('a: { type: string }'));
      expect(await apply(driver, file('a: { type: integer }'))).toHaveLength(1);
      expect(planMigration(driver, buildValid(file('a: { type: integer }')))).toEqual([]);
    },
  ));

test('the tables of another API in the same file are its own', () =>
  inDatabase('', async (driver) => {
    const other = 'name: Other\nresources:\n  notes: { fields: { a: { type: string } } }\n';
    await apply(driver, other);
    expect(await apply(driver, file('a: { type: string }'), true)).toEqual([
      'create table things (id, a)',
    ]);
    expect(await apply(driver, other, true)).toEqual([]);
    expect(await apply(driver, file('a: { type: string }'), true)).toEqual([]);
  }));

// By these names SQLite knows the key of each row, and adds no such column to a table that is there.
test.each(['oid', 'rowid', '_rowid_'])('a new column may be called %s', (name) =>
  inDatabase('', async (driver) => {
    const before = 'a: { type: string, index: true }';
    await apply(driver, file(before));
    driver.exec(`INSERT INTO things (a) VALUES ('x')`);
    const after = file(`${before}, b: { type: integer, column: ${name} }`);
    expect(await apply(driver, after)).toEqual([`add column things.${name}`]);
    expect(await apply(driver, after)).toEqual([]);
    expect(driver.prepare(`SELECT id, a, "${name}" AS b FROM things`).all()).toEqual([
      { id: 1, a: 'x', b: null },
    ]);
  }),
);
