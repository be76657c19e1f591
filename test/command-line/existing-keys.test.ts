import { readFileSync, writeFileSync } from 'node:fs';
import Driver from 'better-sqlite3';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { good, makeFolder, plinth, servePlinth } from '../support/command.ts';
import { fromSql } from '../support/introspect.ts';
import { createDatabase } from '../support/postgres.ts';

// Existing tables whose keys are not as the file has them. See docs/contract/1-specification-file.md#foreign-keys and
// docs/contract/1-specification-file.md#field-types.
const tables = (id: string): string => `
  CREATE TABLE firms (id ${id}, name text);
  CREATE TABLE tags (id ${id}, word text);
  CREATE TABLE badges (id ${id}, "firmId" integer REFERENCES firms (id) ON DELETE SET NULL);
  CREATE TABLE "firm-tags" ("firmId" integer REFERENCES firms (id) ON DELETE CASCADE,
    "tagId" integer REFERENCES tags (id) ON DELETE CASCADE, PRIMARY KEY ("firmId", "tagId"));
  INSERT INTO firms (name) VALUES ('a'), ('b');
  INSERT INTO tags (word) VALUES ('t');
  INSERT INTO badges ("firmId") VALUES (1), (1);
  INSERT INTO "firm-tags" VALUES (1, 1);`;

const specification = (kind: string, junctionId = ''): string => `access: public
resources:
  firms:
    fields:
      name: { type: string }
      badge: { type: relation, relation: ${kind}, resource: badges }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: firm-tags }
  tags: { fields: { word: { type: string } } }
  badges: { fields: { firmId: { type: integer, reference: firms.id } } }
  firm-tags: { fields: { ${junctionId}firmId: { type: integer, reference: firms.id }, tagId: { type: integer, reference: tags.id } } }
`;
const folder = makeFolder({
  'one.yaml': specification('hasOne'),
  'many.yaml': specification('hasMany'),
  'rowid.yaml': specification('hasMany', 'id: { type: id, column: rowid }, '),
});
const run = (...args: readonly string[]) => plinth(args, { cwd: folder.path });
const repeats =
  'create unique index on badges (firmId) (not possible: 1 value would be there more than once; change all but one of each first, or make firms.badge a hasMany)';

describe('SQLite', () => {
  new Driver(folder.at('old.db')).exec(tables('INTEGER PRIMARY KEY')).close();
  const database = ['--database', 'sqlite:old.db'];

  test('a hasOne whose keys repeat is a start-up error that names hasMany', async () => {
    const { code, err } = await run('start', 'one.yaml', ...database);
    expect(code).toBe(1);
    expect(err).toContain(repeats);
  });

  test('a junction with a key of two columns is told what its id is', async () => {
    const { code, out } = await run('migrate', 'many.yaml', ...database, '--apply');
    expect(code).toBe(1);
    expect(out).toContain(
      'add column firm-tags.id (not null) (not possible: 1 row would have no id; say which column it is: { type: id, column: rowid })',
    );
    expect((await run('migrate', 'rowid.yaml', ...database, '--apply')).code).toBe(0);
  });
});

test('PostgreSQL: columns of a primary key stay not null, and a hasOne names hasMany', async () => {
  const { url, drop } = await createDatabase();
  const sql = postgres(url, { max: 1 });
  try {
    await sql.unsafe(tables('serial PRIMARY KEY'));
    const refused = await run('start', 'one.yaml', '--database', url);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(repeats);
    expect(await run('migrate', 'many.yaml', '--database', url, '--apply')).toMatchObject({
      code: 0,
    });
    expect((await run('migrate', 'many.yaml', '--database', url)).out).toMatch(/is up to date/u);
    const [row] = await sql`SELECT * FROM "firm-tags"`;
    expect(row).toEqual({ firmId: '1', tagId: '1', id: '1' });
  } finally {
    await sql.end();
    await drop();
  }
});

test('a key is introspected in the form of what it points to', async () => {
  const { specification } = await fromSql(`
    CREATE TABLE prices (id INTEGER PRIMARY KEY, code DECIMAL(10, 2) UNIQUE NOT NULL, at TIMESTAMP UNIQUE NOT NULL);
    CREATE TABLE uses (id INTEGER PRIMARY KEY, code DECIMAL(12, 2) REFERENCES prices (code), at TIMESTAMP REFERENCES prices (at));
    INSERT INTO prices VALUES (1, 1.5, 1700000000), (2, 2.25, 1700000001);
    INSERT INTO uses VALUES (1, 2.25, 1700000000);`);
  const { prices, uses } = specification.resources;
  const code = { type: 'decimal', precision: 10, scale: 2, storedAs: 'real' };
  const at = { type: 'datetime', storedAs: 'unixSeconds' };
  expect(prices?.fields).toMatchObject({ code, at });
  expect(uses?.fields).toMatchObject({
    codeId: { ...code, reference: 'prices.code' },
    atId: { ...at, reference: 'prices.at' },
  });
});

test('a key without a value has the type of what it points to, and so do those of a junction', async () => {
  const { specification, left, cwd } = await fromSql(`
    CREATE TABLE users (id TEXT PRIMARY KEY);
    CREATE TABLE days (id INTEGER PRIMARY KEY, day TEXT UNIQUE, at INTEGER UNIQUE);
    CREATE TABLE posts (id INTEGER PRIMARY KEY, user_id VARCHAR(36) REFERENCES users (id), day TEXT UNIQUE REFERENCES days (day),
      at INTEGER REFERENCES days (at), other INTEGER REFERENCES users (id), strange TEXT REFERENCES users (id));
    CREATE TABLE likes (post_id INTEGER REFERENCES posts (id), user_id TEXT REFERENCES users, PRIMARY KEY (post_id, user_id));
    CREATE TABLE notes (id INTEGER PRIMARY KEY, day TEXT REFERENCES posts (day));
    INSERT INTO users VALUES ('0198c5f0-7e2a-7b3c-8d4e-5f6a7b8c9d0e');
    INSERT INTO days VALUES (1, '2026-01-01', 1700000000);
    PRAGMA foreign_keys = OFF;
    INSERT INTO posts (strange) VALUES ('nobody');`);
  const { posts, likes, notes } = specification.resources;
  const userId = { type: 'uuid', reference: 'users.id' };
  expect(posts?.fields).toMatchObject({
    userId,
    day: { type: 'date', reference: 'days.day' },
    atId: { type: 'datetime', storedAs: 'unixSeconds', reference: 'days.at' },
  });
  // What is stored in another way is no key, and what has a value is what that is.
  expect(posts?.fields['otherId']).toEqual({ type: 'integer', column: 'other' });
  expect(posts?.fields['strange']).toEqual({ type: 'string' });
  expect(likes?.fields).toMatchObject({ userId });
  expect(notes?.fields).toMatchObject({ day: { type: 'date' } });
  expect(left).toEqual([]);
  const { out } = await good(['migrate', '--database', 'sqlite:old.db'], cwd);
  expect(out).not.toContain('change posts.user_id');
  expect(out).not.toContain('likes to');
});

describe('a key without a value is stored in the form of what it points to', () => {
  const { path, at } = makeFolder({
    'plinth.yaml': `resources:
  days: { fields: { at: { type: datetime, unique: true }, flag: { type: boolean, unique: true } } }
  weeks: { fields: { at: { type: datetime, unique: true, reference: days.at }, flag: { type: boolean, reference: days.flag } } }
  months: { fields: { at: { type: datetime, reference: weeks.at } } }
`,
  });
  const sql = `
    CREATE TABLE days (id bigint PRIMARY KEY, at bigint UNIQUE, flag varchar(1) UNIQUE);
    CREATE TABLE weeks (id bigint PRIMARY KEY, at bigint UNIQUE REFERENCES days (at), flag varchar(1) REFERENCES days (flag));
    CREATE TABLE months (id bigint PRIMARY KEY, at bigint REFERENCES weeks (at));
    INSERT INTO days VALUES (1, 1700000000123, 'Y'), (2, 1700000000456, 'N');`;

  test('on SQLite', async () => {
    const driver = new Driver(at('old.db'));
    driver.exec(sql.replaceAll('id bigint', 'id INTEGER')).close();
    const { out } = await good(['migrate', '--database', 'sqlite:old.db'], path);
    expect(out).not.toContain(' read ');
  });

  test('on PostgreSQL', async () => {
    const { url, drop } = await createDatabase();
    const client = postgres(url, { max: 1 });
    try {
      await client.unsafe(sql);
      const { out } = await good(['migrate', '--database', url], path);
      expect(out).not.toContain(' read ');
    } finally {
      await client.end();
      await drop();
    }
  });
});

describe('a junction without a primary key, as Prisma makes it, has pairs that are unique', () => {
  const sql = (text: string): string => `
    CREATE TABLE posts (id ${text} PRIMARY KEY);
    CREATE TABLE tags (id ${text} PRIMARY KEY);
    CREATE TABLE "_PostToTag" ("A" ${text} NOT NULL REFERENCES posts (id) ON DELETE CASCADE, "B" ${text} NOT NULL REFERENCES tags (id) ON DELETE CASCADE);
    CREATE UNIQUE INDEX "_PostToTag_AB_unique" ON "_PostToTag" ("A", "B");
    CREATE INDEX "_PostToTag_B_index" ON "_PostToTag" ("B");
    CREATE TABLE loose ("A" ${text} NOT NULL REFERENCES posts (id), "B" ${text} NOT NULL REFERENCES tags (id));
    CREATE TABLE plain ("A" ${text} NOT NULL, "B" ${text} NOT NULL, UNIQUE ("A", "B"));
    CREATE TABLE nullable ("A" ${text} NOT NULL REFERENCES posts (id), "B" ${text} REFERENCES tags (id), UNIQUE ("A", "B"));
    CREATE TABLE measures (id DOUBLE PRECISION PRIMARY KEY);
    CREATE TABLE dangling ("A" ${text} NOT NULL REFERENCES posts (id), "B" DOUBLE PRECISION NOT NULL REFERENCES measures (id), UNIQUE ("A", "B"));
    INSERT INTO posts VALUES ('p1'), ('p2');
    INSERT INTO tags VALUES ('t1'), ('t2');
    INSERT INTO "_PostToTag" VALUES ('p1', 't1'), ('p2', 't1');`;

  /** What is left out, and whether links are read and written. */
  async function serves(url: string, cwd: string): Promise<void> {
    const made = await good(
      ['introspect', url, '--managed', '--out', 'plinth.yaml', '--json'],
      cwd,
    );
    const { left } = JSON.parse(made.out) as { left: readonly string[] };
    expect(left.toSorted()).toEqual([
      'Table dangling is left out: it has no primary key but two columns (A, B), and not all of them lead to what is served.',
      'Table loose is left out: it has no primary key.',
      'Table measures is left out: its primary key is of type number; it has to be a whole number, a UUID or text.',
      'Table nullable is left out: it has no primary key.',
      'Table plain is left out: it has no primary key.',
    ]);
    await good(['migrate', '--database', url, '--apply'], cwd);
    const served = await servePlinth(['dev', '--no-generate', '--database', url], { cwd });
    const ask = async (path: string, init?: RequestInit): Promise<unknown> =>
      (await fetch(`${served.url}${path}`, init)).json();
    expect(await ask('/tags?expand=posts')).toEqual([
      { id: 't1', posts: [{ id: 'p1' }, { id: 'p2' }] },
      { id: 't2', posts: [] },
    ]);
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ tags: { add: ['t1', 't2'] } });
    expect(await ask('/posts/p1?expand=tags', { method: 'PATCH', headers, body })).toEqual({
      id: 'p1',
      tags: [{ id: 't1' }, { id: 't2' }],
    });
    expect(await ask('/posts?tags.id=t2')).toEqual([{ id: 'p1' }]);
    await served.stop('SIGTERM');
  }

  test('on SQLite', async () => {
    const { path, at } = makeFolder();
    new Driver(at('old.db')).exec(sql('TEXT')).close();
    await serves('sqlite:old.db', path);
  });

  test('on PostgreSQL', async () => {
    const { url, drop } = await createDatabase();
    const client = postgres(url, { max: 1 });
    try {
      await client.unsafe(sql('text'));
      await serves(url, makeFolder().path);
    } finally {
      await client.end();
      await drop();
    }
  });
});

test('a key to a table of another schema is none to the table of that name here', async () => {
  const { url, drop } = await createDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`CREATE SCHEMA auth; CREATE TABLE auth.users (id integer PRIMARY KEY); CREATE TABLE users (id integer PRIMARY KEY REFERENCES auth.users);
    CREATE TABLE todos (id serial PRIMARY KEY, "userId" integer NOT NULL REFERENCES auth.users, "bothId" integer REFERENCES auth.users);
    ALTER TABLE todos ADD FOREIGN KEY ("bothId") REFERENCES users;
    INSERT INTO auth.users VALUES (1), (2); INSERT INTO users VALUES (1); INSERT INTO todos VALUES (1, 2, 1)`);
  const { path, at } = makeFolder();
  const made = await good(['introspect', url, '--managed', '--out', 'plinth.yaml', '--json'], path);
  const { specification } = JSON.parse(made.out) as {
    specification: { resources: Record<string, { fields: object }> };
  };
  expect(specification.resources['todos']?.fields).toEqual({
    userId: { type: 'integer', required: true },
    bothId: { type: 'integer', reference: 'users.id', onDelete: 'restrict' },
    both: { type: 'relation', relation: 'belongsTo', resource: 'users' },
  });
  expect(readFileSync(at('plinth.yaml'), 'utf8')).toContain(
    '# A key to auth.users, which is not served.',
  );
  await good(['migrate', '--database', url, '--apply'], path);
  // The keys stay.
  const keys = await sql`SELECT confrelid::regclass::text AS target FROM pg_constraint
    WHERE conrelid = 'todos'::regclass AND contype = 'f' ORDER BY conname`;
  expect(keys.map(({ target }) => String(target))).toEqual(['auth.users', 'users', 'auth.users']);
  await sql.end();
  await drop();
});

describe('rows that have the numbers of those of another table', () => {
  const sql = `CREATE TABLE people (id integer PRIMARY KEY, name text);
    CREATE TABLE profiles (person_id integer PRIMARY KEY REFERENCES people ON DELETE CASCADE, bio text);
    INSERT INTO people VALUES (1, 'a'), (2, 'b'), (3, 'c'); INSERT INTO profiles VALUES (1, 'x');`;

  /** A profile that was made would be that of whoever has the next number. */
  async function makesNone(database: string, path: string): Promise<void> {
    await good(['introspect', database, '--managed', '--out', 'own.yaml'], path);
    const text = readFileSync(`${path}/own.yaml`, 'utf8');
    expect(text.match(/^ +access: .*/gmu)).toEqual(['    access: { create: none }']);
    writeFileSync(`${path}/own.yaml`, `${text}access: public\n`);
    const steps = await good(['migrate', 'own.yaml', '--database', database, '--apply'], path);
    expect(steps.out).not.toContain('profiles.person_id to be given');
    const served = await servePlinth(['start', 'own.yaml', '--database', database], { cwd: path });
    const made = await fetch(`${served.url}/v1/profiles`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"bio":"y"}',
    });
    expect(made.status).toBe(403);
    const listed = await fetch(`${served.url}/v1/profiles`);
    expect(await listed.json()).toEqual([{ id: 1, bio: 'x' }]);
    await served.stop('SIGTERM');
  }

  test('are not made on SQLite', async () => {
    const { cwd } = await fromSql(sql);
    await makesNone('sqlite:old.db', cwd);
  });

  test('are not made on PostgreSQL, and the database draws no number for them', async () => {
    const { url, drop } = await createDatabase();
    const client = postgres(url, { max: 1, onnotice: () => undefined });
    await client.unsafe(sql);
    await makesNone(url, makeFolder().path);
    const refused = await client`INSERT INTO profiles (bio) VALUES ('z')`.catch(String);
    expect(refused).toContain('null value in column "person_id"');
    await client.end();
    await drop();
  });
});
