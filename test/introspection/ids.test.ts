import Driver from 'better-sqlite3';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { good, makeFolder } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

type Fields = Record<string, Record<string, unknown>>;
type Resources = Record<string, { readonly key?: unknown; readonly fields: Fields }>;

/** The resources that introspect writes, which `check` and `migrate` are content with. */
async function resourcesOf(url: string, folder: string): Promise<Resources> {
  const { out } = await good(['introspect', url, '--out', 'plinth.yaml', '--json'], folder);
  await good(['check', '--database', url], folder);
  await good(['migrate', '--database', url], folder);
  return (JSON.parse(out) as { specification: { resources: Resources } }).specification.resources;
}

async function ofSqlite(sql: string): Promise<Resources> {
  const folder = makeFolder();
  new Driver(folder.at('old.db')).exec(sql).close();
  return resourcesOf('sqlite:old.db', folder.path);
}

async function ofPostgres(sql: string): Promise<Resources> {
  const { url, drop } = await createDatabase();
  const client = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    await client.unsafe(sql);
    return await resourcesOf(url, makeFolder().path);
  } finally {
    await client.end();
    await drop();
  }
}

const databases = [
  ['SQLite', ofSqlite],
  ['PostgreSQL', ofPostgres],
] as const;

// As numbers of moments are, of which Mastodon, Discord and others make their ids.
const flakes = `
CREATE TABLE accounts (id bigint PRIMARY KEY NOT NULL, name text);
CREATE TABLE stats (account_id bigint PRIMARY KEY NOT NULL REFERENCES accounts, posts bigint);
CREATE TABLE marks (stat_id bigint NOT NULL REFERENCES stats, no integer NOT NULL, PRIMARY KEY (stat_id, no));
CREATE TABLE notes (id bigint PRIMARY KEY NOT NULL, stat_id bigint, mark_no integer, seen bigint,
  FOREIGN KEY (stat_id, mark_no) REFERENCES marks);
INSERT INTO accounts VALUES (109876543210987654, 'a'), (5, 'b');
INSERT INTO stats VALUES (5, 1);
INSERT INTO notes VALUES (1, NULL, NULL, 2);
`;

describe('whole numbers beyond JSON', () => {
  test.each(databases)('are ids and keys with all their digits on %s', async (_, read) => {
    const { accounts, stats, marks, notes } = await read(flakes);
    const wide = { type: 'integer', format: 'bigint' };
    expect(accounts?.fields['id']).toMatchObject({ type: 'id', format: 'bigint' });
    expect(stats?.fields['accountId']).toMatchObject({ ...wide, reference: 'accounts.id' });
    expect(stats?.fields['posts']).toEqual({ type: 'integer' });
    expect(marks?.fields['statId']).toMatchObject({ ...wide, reference: 'stats.accountId' });
    expect(marks?.fields['no']).toEqual({ type: 'integer', required: true });
    expect(notes?.fields['statId']).toMatchObject(wide);
    expect(notes?.fields['seen']).toEqual({ type: 'integer' });
  });
});

describe('ids that the database does not give', () => {
  test('are required on PostgreSQL', async () => {
    const found = await ofPostgres(`
      CREATE SEQUENCE shared;
      CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.id := nextval(''shared''); RETURN NEW; END';
      CREATE TABLE given (album_id integer PRIMARY KEY, name text);
      CREATE TABLE wide (id bigint PRIMARY KEY); INSERT INTO wide VALUES (9007199254740993);
      CREATE TABLE short (id char(4) PRIMARY KEY, name text);
      CREATE TABLE shorter (id varchar(35) PRIMARY KEY, name text);
      CREATE TABLE long (id varchar(36) PRIMARY KEY, name text);
      CREATE TABLE free (id text PRIMARY KEY, name text);
      CREATE TABLE uuids (id uuid PRIMARY KEY, name text);
      CREATE TABLE counted (id serial PRIMARY KEY, name text);
      CREATE TABLE numbered (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text);
      CREATE TABLE drawn (id bigint PRIMARY KEY DEFAULT nextval('shared'), name text);
      CREATE TABLE filled (id bigint PRIMARY KEY, name text);
      CREATE TRIGGER fill BEFORE INSERT ON filled FOR EACH ROW EXECUTE FUNCTION fill();
      CREATE TABLE worded (id char(2) PRIMARY KEY DEFAULT 'xx', name text);
      CREATE VIEW shown AS SELECT * FROM counted;
    `);
    const required = Object.entries(found).map(([name, { fields }]) => [
      name,
      fields['id']?.['required'] ?? false,
    ]);
    expect(Object.fromEntries(required)).toEqual({
      givens: true,
      wides: true,
      shorts: true,
      shorters: true,
      longs: false,
      frees: false,
      uuids: false,
      counteds: false,
      numbereds: false,
      drawns: false,
      filleds: false,
      wordeds: false,
      showns: false,
    });
    expect(found['givens']?.fields['id']).toEqual({
      type: 'id',
      required: true,
      column: 'album_id',
    });
  });

  test('are required on SQLite', async () => {
    const found = await ofSqlite(`
      CREATE TABLE counted (id INTEGER PRIMARY KEY, name text);
      CREATE TABLE given (id INT PRIMARY KEY, name text);
      CREATE TABLE bare (id INTEGER PRIMARY KEY, name text) WITHOUT ROWID;
      CREATE TABLE unlike (id INTEGER NOT NULL UNIQUE, name text);
      CREATE TABLE worded (id TEXT PRIMARY KEY, name text);
    `);
    const required = Object.entries(found).map(([name, { fields }]) => [
      name,
      fields['id']?.['required'] ?? false,
    ]);
    expect(Object.fromEntries(required)).toEqual({
      counteds: false,
      givens: true,
      bares: true,
      unlikes: true,
      wordeds: false,
    });
  });
});

test('a key of SQLite that is null in some rows is a field like others', async () => {
  const found = await ofSqlite(`
    CREATE TABLE codes (code TEXT PRIMARY KEY, n integer);
    INSERT INTO codes VALUES ('a', 1), (NULL, 2);
    CREATE TABLE pairs (a integer, b text, c text, PRIMARY KEY (a, b));
    INSERT INTO pairs VALUES (1, 'x', 'c'), (NULL, 'y', 'c');
  `);
  expect(found).toEqual({
    codes: {
      key: 'none',
      fields: { code: { type: 'string', unique: true }, n: { type: 'integer' } },
    },
    pairs: {
      key: 'none',
      unique: [['a', 'b']],
      fields: { a: { type: 'integer' }, b: { type: 'string' }, c: { type: 'string' } },
    },
  });
});

test('lists of PostgreSQL have the items that their values need', async () => {
  const found = await ofPostgres(`
    CREATE TABLE lists (id serial PRIMARY KEY, small bigint[], large bigint[]);
    INSERT INTO lists (small, large) VALUES (NULL, NULL),
      ('{1,NULL}', '{9007199254740993,NULL}');
  `);
  const { fields } = found['lists'] ?? {};
  expect([fields?.['small'], fields?.['large']]).toEqual([
    { type: 'array', items: { type: 'integer', nullable: true } },
    { type: 'array', items: { type: 'integer', format: 'bigint', nullable: true } },
  ]);
});

test.each(databases)(
  'a key whose name is that of a secret is a relation on %s',
  async (_, read) => {
    const { grants } = await read(`
    CREATE TABLE tokens (id integer PRIMARY KEY NOT NULL, token text NOT NULL);
    CREATE TABLE grants (id integer PRIMARY KEY NOT NULL, access_token_id integer REFERENCES tokens, token text);
  `);
    expect(grants?.fields['accessTokenId']?.['writeOnly']).toBe(undefined);
    expect(grants?.fields['token']?.['writeOnly']).toBe(true);
    expect(grants?.fields['accessToken']).toMatchObject({ relation: 'belongsTo' });
  },
);

test('a sequence beyond 2^53 makes its column and the keys to it 64 bits wide, without a row', async () => {
  const found = await ofPostgres(`
    CREATE SEQUENCE shared START 9007199254740993;
    CREATE SEQUENCE usual;
    CREATE SEQUENCE passed;
    SELECT setval('passed', 9007199254740993);
    CREATE TABLE a (id bigint GENERATED BY DEFAULT AS IDENTITY (START WITH 9007199254740993) PRIMARY KEY, note text);
    CREATE TABLE b (id bigserial PRIMARY KEY, a_id bigint REFERENCES a, no bigint DEFAULT nextval('shared'),
      other bigint DEFAULT nextval('usual'), passed bigint NOT NULL DEFAULT nextval('passed'),
      down bigint GENERATED BY DEFAULT AS IDENTITY (INCREMENT -1));`);
  const formats = Object.values(found).flatMap(({ fields }) =>
    Object.entries(fields).map(([name, { format }]) => [name, format] as const),
  );
  expect(formats.filter(([, format]) => format !== undefined)).toEqual([
    ['id', 'bigint'],
    ['aId', 'bigint'],
    ['no', 'bigint'],
    ['passed', 'bigint'],
  ]);
});
