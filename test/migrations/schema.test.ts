import Driver from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { migrate, planMigration } from '../../src/migrations/sqlite/schema.ts';
import { openSqlite, type SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import { buildValid } from '../support/api.ts';
import { makeFolder } from '../support/command.ts';
import { changes, indexes } from './schema-cases.ts';

const folder = makeFolder();
let count = 0;

/** A database file of its own, with what `sql` makes in it, closed after the work. */
async function inDatabase<Value>(
  work: (database: SqliteDatabase) => Promise<Value>,
  sql = '',
): Promise<Value> {
  count += 1;
  const file = folder.at(`${count}.db`);
  const driver = new Driver(file);
  driver.exec(sql);
  driver.close();
  const database = openSqlite(file);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

const apply = async (database: SqliteDatabase, text: string): Promise<readonly string[]> => {
  const steps = await migrate(database.schemaConnection, buildValid(text));
  return steps
    .map(({ summary, obstacle }) => (obstacle === undefined ? summary : `! ${summary}`))
    .filter((summary) => !summary.includes('_plinth_'));
};
const sqlOf = ({ schemaConnection }: SqliteDatabase): readonly unknown[] =>
  schemaConnection
    .prepare(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND tbl_name NOT LIKE '_plinth_%'",
    )
    .pluck()
    .all();
const fields = (text: string, more = ''): string =>
  `resources:\n  things:\n    fields:\n${text
    .split('\n')
    .map((line) => `      ${line.trim()}\n`)
    .join('')}${more}`;

test('every type has its column in a strict table', async () => {
  const text = fields(
    `s: { type: string }
    t: { type: text, required: true }
    i: { type: integer }
    n: { type: number }
    d: { type: decimal }
    b: { type: boolean, nullable: false }
    day: { type: date }
    clock: { type: time }
    at: { type: datetime }
    u: { type: uuid }
    mail: { type: email }
    link: { type: url }
    e: { type: enum, values: [a, b] }
    o: { type: object }
    a: { type: array, items: { type: integer } }
    j: { type: json }
    named: { type: string, column: other name }`,
    '    timestamps: true\n',
  );
  await inDatabase(async (database) => {
    await apply(database, text);
    expect(sqlOf(database)).toEqual([
      'CREATE TABLE "things" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "s" TEXT, "t" TEXT NOT NULL,' +
        ' "i" INTEGER, "n" REAL, "d" INTEGER, "b" INTEGER NOT NULL, "day" TEXT, "clock" TEXT, "at" TEXT,' +
        ' "u" TEXT, "mail" TEXT, "link" TEXT, "e" TEXT, "o" TEXT CHECK ("o" IS NULL OR json_valid("o")),' +
        ' "a" TEXT CHECK ("a" IS NULL OR json_valid("a")), "j" TEXT CHECK ("j" IS NULL OR json_valid("j")),' +
        ' "other name" TEXT, "createdAt" TEXT NOT NULL, "updatedAt" TEXT NOT NULL) STRICT',
    ]);
  });
});

test.each(['uuid', 'string'])('an id of format %s is text', (format) =>
  inDatabase(async (database) => {
    await apply(database, fields(`id: { type: id, format: ${format} }`));
    expect(sqlOf(database)).toEqual([
      'CREATE TABLE "things" ("id" TEXT NOT NULL PRIMARY KEY) STRICT',
    ]);
  }),
);

test('keys have a constraint with on delete, and an index', async () => {
  const text = `resources:
  users: { fields: { name: { type: string } } }
  posts:
    fields:
      a: { type: integer, reference: users.id, required: true }
      b: { type: integer, reference: users.id }
      c: { type: integer, reference: users.id, onDelete: cascade }
      d: { type: integer, reference: posts.id, onDelete: restrict }
`;
  await inDatabase(async (database) => {
    await apply(database, text);
    expect(sqlOf(database).slice(1)).toEqual([
      'CREATE TABLE "posts" ("id" INTEGER PRIMARY KEY AUTOINCREMENT,' +
        ' "a" INTEGER NOT NULL REFERENCES "users" ("id") ON DELETE RESTRICT,' +
        ' "b" INTEGER REFERENCES "users" ("id") ON DELETE SET NULL,' +
        ' "c" INTEGER REFERENCES "users" ("id") ON DELETE CASCADE,' +
        ' "d" INTEGER REFERENCES "posts" ("id") ON DELETE RESTRICT) STRICT',
      ...['a', 'b', 'c', 'd'].map(
        (key) => `CREATE INDEX "posts_${key}_index" ON "posts" ("${key}")`,
      ),
    ]);
  });
});

test.each(indexes.map(([name, text, more, ...sql]) => ({ name, text, more, sql })))(
  'indexes: $name',
  ({ text, more, sql }) =>
    inDatabase(async (database) => {
      await apply(database, fields(text, more));
      expect(sqlOf(database).slice(1)).toEqual(sql);
      expect(await apply(database, fields(text, more))).toEqual([]);
    }),
);

test('the connection keeps data safe', () =>
  inDatabase(async ({ schemaConnection }) => {
    const pragma = (name: string): unknown => schemaConnection.pragma(name, { simple: true });
    expect({
      journal: pragma('journal_mode'),
      synchronous: pragma('synchronous'),
      keys: pragma('foreign_keys'),
      trusted: pragma('trusted_schema'),
    }).toEqual({ journal: 'wal', synchronous: 2, keys: 1, trusted: 0 });
  }));

test('an id is never given out twice', () =>
  inDatabase(async (database) => {
    await apply(database, fields('a: { type: string }'));
    const { schemaConnection } = database;
    schemaConnection.exec(
      'INSERT INTO things (id) VALUES (7); DELETE FROM things; INSERT INTO things DEFAULT VALUES',
    );
    expect(schemaConnection.prepare('SELECT id FROM things').pluck().all()).toEqual([8]);
  }));

describe('changes to a table that has a row', () => {
  test.each(changes.map(([name, before, after, ...steps]) => ({ name, before, after, steps })))(
    '$name',
    ({ before, after, steps }) =>
      inDatabase(async (database) => {
        const { schemaConnection } = database;
        await apply(database, fields(before));
        const row = before.includes('required') ? "(a, b) VALUES ('x', 'y')" : 'DEFAULT VALUES';
        schemaConnection.exec(
          `INSERT INTO things ${before.includes('required') && !before.includes('b:') ? "(a) VALUES ('x')" : row}`,
        );
        const sql = sqlOf(database);
        expect(await apply(database, fields(after))).toEqual(steps);
        if (steps.some((step) => step.startsWith('!'))) expect(sqlOf(database)).toEqual(sql);
        else
          expect(await apply(database, fields(after))).toEqual(
            steps.filter((step) => step.startsWith('drop column')),
          );
        expect(schemaConnection.prepare('SELECT count(*) FROM things').pluck().get()).toBe(1);
      }),
  );
});

test('one step that cannot be done holds back the others', () =>
  inDatabase(async (database) => {
    await apply(database, fields('a: { type: string }'));
    const sql = sqlOf(database);
    database.schemaConnection.exec('INSERT INTO things DEFAULT VALUES');
    const after = fields('a: { type: string, required: true }\nb: { type: string }');
    expect(
      await apply(database, `${after}  more: { fields: { a: { type: string } } }\n`),
    ).toHaveLength(3);
    expect(sqlOf(database)).toEqual(sql);
  }));

test('a step that the rows refuse takes all back', () =>
  inDatabase(async (database) => {
    await apply(database, fields('a: { type: string }'));
    const { schemaConnection } = database;
    schemaConnection.exec('CREATE VIEW seen AS SELECT a FROM things');
    const sql = sqlOf(database);
    const after = buildValid(fields('b: { type: integer }'));
    await expect(migrate(schemaConnection, after, { allowDataLoss: true })).rejects.toThrow(
      'The migration was taken back: the view seen would not work (no such column: a). Change that by hand first.',
    );
    expect(sqlOf(database)).toEqual(sql);
    expect(schemaConnection.inTransaction).toBe(false);
  }));

test('tables, views and indexes of others are left alone', () => {
  const others =
    'CREATE TABLE notes (x UNIQUE); CREATE VIEW seen AS SELECT x FROM notes;' +
    'CREATE TRIGGER t AFTER INSERT ON notes BEGIN SELECT 1; END;';
  return inDatabase(async (database) => {
    const before = sqlOf(database);
    await apply(database, fields('a: { type: string, unique: true }'));
    expect(sqlOf(database).slice(0, before.length)).toEqual(before);
  }, others);
});

test('a table that fits is taken as it is, with its own indexes', () => {
  const existing =
    'CREATE TABLE Things (ID integer primary key, A text not null, extra text default 7 not null);' +
    // As another tool names and writes it.
    'create unique index "things_a_unique" on "Things" ("A"); CREATE INDEX mine ON things (extra) WHERE extra > 1';
  return inDatabase(async (database) => {
    expect(await apply(database, fields('a: { type: string, required: true }'))).toEqual([]);
    expect(
      await apply(database, fields('a: { type: string, required: true, unique: true }')),
    ).toEqual([]);
    expect(sqlOf(database)).toHaveLength(3);
  }, existing);
});

test('a key that is none and a partial index do not serve', () => {
  const existing =
    'CREATE TABLE things (id INTEGER, a TEXT); CREATE UNIQUE INDEX part ON things (a) WHERE a > 1';
  return inDatabase(async (database) => {
    expect(await apply(database, fields('a: { type: string, unique: true }'))).toEqual([
      'change things.id to be the primary key',
      'create unique index on things (a)',
    ]);
  }, existing);
});

test('a view in the place of a table keeps it from being made', () =>
  inDatabase(
    async (database) =>
      expect(await apply(database, fields('a: { type: string }'))).toEqual([
        '! create table things',
      ]),
    'CREATE VIEW things AS SELECT 1 AS id',
  ));

test.each([
  ['of keys, where something can be created', 'access: public\n', 1],
  ['of no keys, where nobody may create anything', 'access: { read: public, write: none }\n', 0],
])('a table %s', (_, access, count) =>
  inDatabase(async (database) => {
    const { schemaConnection } = database;
    const api = buildValid(`${access}${fields('a: { type: string }')}`);
    await migrate(schemaConnection, api);
    const tables = schemaConnection
      .prepare('SELECT name FROM sqlite_schema WHERE name = ?')
      .all('_plinth_idempotency');
    expect(tables).toHaveLength(count);
    expect(await migrate(schemaConnection, api)).toEqual([]);
  }),
);

test('looking changes nothing', () =>
  inDatabase(async (database) => {
    const api = buildValid(fields('a: { type: string, index: true }'));
    expect(planMigration(database.schemaConnection, api)).toHaveLength(4);
    expect(sqlOf(database)).toEqual([]);
  }));
