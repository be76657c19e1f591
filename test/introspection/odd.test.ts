import { readFileSync } from 'node:fs';
import driver from 'postgres';
import { expect, test } from 'vitest';
import { good, makeFolder, plinth, servePlinth } from '../support/command.ts';
import { fromSql } from '../support/introspect.ts';
import { createDatabase } from '../support/postgres.ts';

/** What a served specification answers to a list of each resource. */
async function listsOf(
  file: string,
  database: string,
  cwd: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { url, stop } = await servePlinth(['dev', file, '--no-generate', '--database', database], {
    cwd,
  });
  const { paths } = (await (await fetch(`${url}/v1/_openapi.json`)).json()) as {
    paths: Record<string, object>;
  };
  const lists: Record<string, unknown> = {};
  for (const path of Object.keys(paths).filter((one) => !one.includes('{')))
    lists[path.slice(path.lastIndexOf('/') + 1)] = await (await fetch(`${url}${path}`)).json();
  await stop('SIGTERM');
  return lists;
}

const long = `t${'_long'.repeat(20)}`;

test('odd tables of SQLite are served as they are, or named with the reason', async () => {
  const { left, cwd } = await fromSql(`
    CREATE TABLE "order" ("select" INTEGER PRIMARY KEY, "it's" TEXT, "say ""hi""" TEXT, "a.b" TEXT, "ünï" TEXT, "123" INTEGER, "id" TEXT);
    INSERT INTO "order" VALUES (1, 'b', 'c', 'd', 'e', 7, 'f');
    CREATE TABLE "my ""table""" (id INTEGER PRIMARY KEY, "constructor" TEXT, "__proto__" TEXT, "_or" TEXT, "rowid" TEXT);
    INSERT INTO "my ""table""" VALUES (1, 'c', 'p', 'o', 'r');
    CREATE TABLE dup (id INTEGER PRIMARY KEY, foo_bar TEXT, fooBar TEXT, "Foo Bar" TEXT); INSERT INTO dup VALUES (1, 'a', 'b', 'c');
    CREATE TABLE "表" (id INTEGER PRIMARY KEY, "列" TEXT); INSERT INTO "表" VALUES (1, 'x');
    CREATE TABLE ${long} (id INTEGER PRIMARY KEY, ${long} TEXT, ${long}2 TEXT); INSERT INTO ${long} VALUES (1, 'x', 'y');
    CREATE TABLE _health (id INTEGER PRIMARY KEY); CREATE TABLE v1 (id INTEGER PRIMARY KEY);
    CREATE TABLE keyed (k VARCHAR(5) PRIMARY KEY, v TEXT) WITHOUT ROWID; INSERT INTO keyed VALUES ('a', 'b');
    CREATE TABLE pairs (a INTEGER REFERENCES "order", b INTEGER REFERENCES dup, PRIMARY KEY (a, b)) WITHOUT ROWID;
    CREATE TABLE areas (id INTEGER PRIMARY KEY, w REAL, area REAL GENERATED ALWAYS AS (w * 2)); INSERT INTO areas (w) VALUES (2);
    CREATE TABLE lefts (id INTEGER PRIMARY KEY, r_id INTEGER NOT NULL REFERENCES rights(id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE rights (id INTEGER PRIMARY KEY, l_id INTEGER NOT NULL REFERENCES lefts(id) DEFERRABLE INITIALLY DEFERRED);
    BEGIN; INSERT INTO lefts VALUES (1, 1); INSERT INTO rights VALUES (1, 1); COMMIT;
    CREATE TABLE shared (id INTEGER PRIMARY KEY REFERENCES dup(id), x TEXT); INSERT INTO shared VALUES (1, 'x');
    CREATE TABLE nowhere (id INTEGER PRIMARY KEY, gone_id INTEGER REFERENCES gone(id));
    CREATE TABLE nokey (a TEXT); CREATE TABLE realkey (id REAL PRIMARY KEY); CREATE TABLE bigkey (id INTEGER PRIMARY KEY);
    INSERT INTO bigkey VALUES (9223372036854775807);
    CREATE TABLE nullkey (id TEXT PRIMARY KEY); INSERT INTO nullkey VALUES (NULL);
    CREATE TABLE "" (id INTEGER PRIMARY KEY); CREATE TABLE nameless (id INTEGER PRIMARY KEY, "" TEXT);
    CREATE TABLE numbers (id INTEGER PRIMARY KEY, r REAL, n INTEGER DEFAULT 50 CHECK (n > 100), m INTEGER CHECK (m > 5 AND m < 3),
      h INTEGER CHECK (h > 0.5), k INTEGER CHECK (k > 5 AND k < 6), d REAL DEFAULT 1e3);
    INSERT INTO numbers (id, r, n) VALUES (1, 9e999, 101);
    CREATE TABLE strange (id INTEGER PRIMARY KEY, a ANY, t TEXT) STRICT; INSERT INTO strange VALUES (1, x'00', 'a' || char(0));`);
  expect(left.toSorted()).toEqual(
    [
      'Column areas.area is left out: the database computes it.',
      'Column numbers.r is left out: it holds numbers that JSON does not know, such as infinity.',
      'Column strange.a is left out: it holds binary data.',
      'Table  is left out: it has no name.',
      'Table bigkey is left out: its primary key cannot be served: it holds whole numbers that JSON cannot tell exactly.',
      'Table nameless is left out: one of its columns has no name.',
      'Table nokey is left out: it has no primary key.',
      'Table nullkey is left out: its primary key cannot be served: it is null in some rows; give each one a key.',
      'Table pairs is left out: its primary key is of several columns (a, b), and its rows have no other.',
      'Table realkey is left out: its primary key is of type number; it has to be a whole number, a UUID or text.',
    ].toSorted(),
  );
  const { out } = await good(['migrate', '--database', 'sqlite:old.db', '--apply'], cwd);
  // Nothing of what is there has to change, the key of a key included.
  expect(out.split('\n').filter((line) => /^- (?!create )/u.test(line))).toEqual([]);
  expect(await listsOf('plinth.yaml', 'sqlite:old.db', cwd)).toMatchObject({
    orders: [{ id: 1, itS: 'b', sayHi: 'c', aB: 'd', uni: 'e', field123: 7, ownId: 'f' }],
    'my-tables': [{ id: 1, constructor: 'c', proto: 'p', or: 'o', rowid: 'r' }],
    dups: [{ id: 1, fooBar2: 'a', fooBar: 'b', fooBar3: 'c' }],
    table: [{ id: 1, field: 'x' }],
    healths: [],
    v1s: [],
    keyeds: [{ id: 'a', v: 'b' }],
    areas: [{ id: 1, w: 2 }],
    lefts: [{ id: 1, rId: 1 }],
    rights: [{ id: 1, lId: 1 }],
    shareds: [{ id: 1, x: 'x' }],
    nowheres: [],
    numbers: [{ id: 1, n: 101, m: null, h: null, k: null, d: 1000 }],
    stranges: [{ id: 1, t: 'a\0' }],
  });
});

test('what cannot be said of a table in a file is left out of it, so that it can be served', async () => {
  const { left, text, cwd } = await fromSql(`
    CREATE TABLE kept (id INTEGER PRIMARY KEY, settings JSON UNIQUE, sizes JSON);
    CREATE UNIQUE INDEX alone ON kept (sizes);
    INSERT INTO kept VALUES (1, '{"a":1}', '[1]'), (2, '{"a":2}', '[2]');
    CREATE TABLE gone (id REAL PRIMARY KEY); INSERT INTO gone VALUES (1.5);
    CREATE TABLE links (keptId INTEGER REFERENCES kept, goneId REAL REFERENCES gone, PRIMARY KEY (keptId, goneId));`);
  expect(left.toSorted()).toEqual([
    'Table gone is left out: its primary key is of type number; it has to be a whole number, a UUID or text.',
    'Table links is left out: its primary key is of several columns (keptId, goneId), and not all of them lead to what is served.',
  ]);
  expect(text).not.toContain('unique');
  await good(['migrate', '--database', 'sqlite:old.db', '--apply'], cwd);
  expect(await listsOf('plinth.yaml', 'sqlite:old.db', cwd)).toMatchObject({
    kepts: [
      { id: 1, settings: { a: 1 }, sizes: [1] },
      { id: 2, settings: { a: 2 }, sizes: [2] },
    ],
  });
});

const odd = `
CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TYPE nothing AS ENUM (); CREATE DOMAIN whole AS integer CHECK (VALUE > 0); CREATE DOMAIN more AS whole;
CREATE TABLE "Order" ("Select" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "it's" text, "say ""hi""" text, mood mood, c mood[]);
INSERT INTO "Order" ("it's", mood, c) VALUES ('b', 'ok', '{sad,NULL}');
CREATE TABLE types (id smallserial PRIMARY KEY, a nothing, d more, h text[], i inet, l bytea, u numeric(40, 10), v numeric(65, 30) NOT NULL, vv numeric(65, 30), w real, y timestamptz(6), ab char(5), ag json, ah int GENERATED ALWAYS AS IDENTITY, ai smallint DEFAULT 1 CHECK (ai IN (-1, 1)));
INSERT INTO types (d, h, i, l, u, v, vv, y, ab, ag) VALUES (3, '{{a},{b}}', '10.0.0.1', '\\x00', 1.5, 19.9, 0.1234567890123456789, '2026-01-01 10:00:00+00', 'ab', '{"b": 1}');
CREATE TABLE part (id bigint PRIMARY KEY, x text) PARTITION BY HASH (id); CREATE TABLE part_0 PARTITION OF part FOR VALUES WITH (MODULUS 1, REMAINDER 0);
INSERT INTO part VALUES (1, 'p');
CREATE TABLE parents (id serial PRIMARY KEY, x text); CREATE TABLE heir (y text) INHERITS (parents); INSERT INTO parents (x) VALUES ('p');
CREATE TABLE lefts (id serial PRIMARY KEY, r_id int NOT NULL);
CREATE TABLE rights (id serial PRIMARY KEY, l_id int NOT NULL REFERENCES lefts DEFERRABLE INITIALLY DEFERRED);
INSERT INTO lefts VALUES (1, 1); INSERT INTO rights VALUES (1, 1);
ALTER TABLE lefts ADD FOREIGN KEY (r_id) REFERENCES rights DEFERRABLE INITIALLY DEFERRED;
CREATE TABLE shared (id int PRIMARY KEY REFERENCES parents, x text); INSERT INTO shared VALUES (1, 's');
CREATE TABLE texts (code varchar(10) PRIMARY KEY, other varchar(9) CHECK (length(other) > 1) REFERENCES texts, blank bpchar, state varchar CHECK (state = ANY (ARRAY[('a  b'::character varying)::text, ('c ,d'::character varying)::text]))); INSERT INTO texts VALUES ('a/b', 'a/b', 'x  ', 'c ,d');
CREATE COLLATION folded (provider = icu, locale = 'und', deterministic = false);
CREATE TABLE folds (id serial PRIMARY KEY, t text COLLATE folded UNIQUE); INSERT INTO folds (t) VALUES ('Ä');
CREATE TABLE odd_numbers (id serial PRIMARY KEY, f float8, d date, until date, ends timestamptz, late timestamptz, old date);
INSERT INTO odd_numbers (f, d, until, ends, late, old) VALUES ('NaN', 'infinity', '9999-12-31', '9999-12-31 23:59:59.999+00', '10000-01-01 00:00+00', '0001-12-31 BC'),
  (1, NULL, '0001-01-01', '0001-01-01 00:00+00', NULL, NULL);
CREATE TABLE cases (a text, "A" text, "CODE" text, code bigint PRIMARY KEY); INSERT INTO cases VALUES ('a', 'A', 'C', 1);
CREATE TABLE keyless (a int); CREATE TABLE moody (id mood PRIMARY KEY); CREATE TABLE binary_ids (id bytea PRIMARY KEY)`;

test('odd tables of PostgreSQL are served with what they hold, or named with the reason', async () => {
  const { url, drop } = await createDatabase();
  const sql = driver(url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(odd);
  const folder = makeFolder();
  const made = await good(
    ['introspect', url, '--managed', '--out', 'odd.yaml', '--json'],
    folder.path,
  );
  const { left } = JSON.parse(made.out) as { left: readonly string[] };
  expect(left.toSorted()).toEqual(
    [
      'Column cases.A is left out: only in case does its name differ from that of a.',
      'Column cases.CODE is left out: only in case does its name differ from that of code.',
      'Column odd_numbers.d is left out: it holds dates that are not from the years 1 to 9999.',
      'Column odd_numbers.f is left out: it holds numbers that JSON does not know, such as NaN.',
      'Column odd_numbers.late is left out: it holds dates that are not from the years 1 to 9999.',
      'Column odd_numbers.old is left out: it holds dates that are not from the years 1 to 9999.',
      'Column types.a is left out: its type nothing has no values.',
      'Column types.ah is left out: the database computes it. Where migrate has to change a column that it is made of, drop it before and make it again afterwards.',
      'Column types.h is left out: it holds arrays of several dimensions.',
      'Column types.i is left out: the type inet is none that is served.',
      'Column types.l is left out: it holds binary data.',
      'Column types.vv is left out: it holds numbers of more than 18 digits.',
      'Column types.w is left out: it is of type real, whose values no JSON number is equal to; make it double precision.',
      'Table binary_ids is left out: its primary key cannot be served: it holds binary data.',
      'Table heir is left out: it has no primary key.',
      'Table keyless is left out: it has no primary key.',
      'Table moody is left out: its primary key is of type enum; it has to be a whole number, a UUID or text.',
    ].toSorted(),
  );
  await good(['check', 'odd.yaml'], folder.path);
  // What other programs write to moments has microseconds.
  await good(
    ['migrate', 'odd.yaml', '--database', url, '--apply', '--allow-data-loss'],
    folder.path,
  );
  const written = readFileSync(folder.at('odd.yaml'), 'utf8');
  expect(written).toContain('# The id is a key to parents as well, which is not served.');
  // As a CHECK is written that was restored from a dump.
  expect(written).toContain('state: { type: enum, values: ["a  b", "c ,d"] }');
  // How long a key is says what it points to.
  expect(written).toContain('other: { type: string, reference: texts.id, onDelete: restrict }');
  expect(written).toContain('ai: { type: integer, default: 1, enum: [-1, 1] }');
  // What a file cannot say of a key stays as it is.
  const refused = await sql`INSERT INTO shared (id) VALUES (99)`.catch((error: Error) => error);
  expect(String(refused)).toContain('violates foreign key constraint');
  expect(await listsOf('odd.yaml', url, folder.path)).toMatchObject({
    cases: [{ id: 1, a: 'a' }],
    orders: [{ id: 1, itS: 'b', sayHi: null, mood: 'ok', c: ['sad', null] }],
    types: [
      {
        id: 1,
        d: 3,
        u: '1.5000000000',
        v: '19.90',
        y: '2026-01-01T10:00:00.000Z',
        ab: 'ab',
        ag: { b: 1 },
      },
    ],
    parts: [{ id: 1, x: 'p' }],
    parents: [{ id: 1, x: 'p' }],
    lefts: [{ id: 1, rId: 1 }],
    rights: [{ id: 1, lId: 1 }],
    shareds: [{ id: 1, x: 's' }],
    texts: [{ id: 'a/b', other: 'a/b', blank: 'x', state: 'c ,d' }],
    folds: [{ id: 1, t: 'Ä' }],
    'odd-numbers': [
      { id: 1, until: '9999-12-31', ends: '9999-12-31T23:59:59.999Z' },
      { id: 2, until: '0001-01-01', ends: '0001-01-01T00:00:00.000Z' },
    ],
  });
  await sql.end();
  await drop();
});

test('a database with nothing to serve is told so, with each reason', async () => {
  const { url, drop } = await createDatabase();
  const sql = driver(url, { max: 1, onnotice: () => undefined });
  await sql.unsafe('CREATE TABLE keyless (a int)');
  await sql.end();
  const { code, err } = await plinth(['introspect', url, '--managed'], { cwd: makeFolder().path });
  expect([code, err]).toEqual([1, expect.stringContaining('Table keyless is left out')]);
  await drop();
});

test('what a sequence counts beside the key nobody has to send', async () => {
  const { url, drop } = await createDatabase();
  const sql = driver(url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`
    CREATE TABLE tickets (id serial PRIMARY KEY, name text, ticket bigserial, "no" int GENERATED BY DEFAULT AS IDENTITY, free serial);
    ALTER TABLE tickets ALTER free DROP NOT NULL;`);
  const folder = makeFolder();
  await good(['introspect', url, '--managed', '--out', 'plinth.yaml'], folder.path);
  const written = readFileSync(folder.at('plinth.yaml'), 'utf8');
  await good(['check'], folder.path);
  const { url: at, stop } = await servePlinth(['dev', '--no-generate', '--database', url], {
    cwd: folder.path,
  });
  const body = JSON.stringify({ name: 'a' });
  const headers = { 'content-type': 'application/json' };
  const made = await fetch(`${at}/v1/tickets`, { method: 'POST', headers, body });
  const record: unknown = await made.json();
  await stop('SIGTERM');
  await sql.end();
  await drop();
  const counted = '# The database counts it, so nobody else sets it here.\n      ';
  expect(written).toContain(
    `${counted}ticket: { type: integer, nullable: false, readOnly: true }\n`,
  );
  expect(written).toContain(`${counted}"no": { type: integer, nullable: false, readOnly: true }\n`);
  expect(record).toEqual({ id: 1, name: 'a', ticket: 1, no: 1, free: null });
});

test('defaults are taken over where a field may have them', async () => {
  const { url, drop } = await createDatabase();
  const sql = driver(url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`CREATE TYPE role AS ENUM ('user', 'admin');
    CREATE TABLE users (id serial PRIMARY KEY, roles role[] NOT NULL DEFAULT '{user}', words text[] DEFAULT ARRAY['a, b', NULL]::text[],
      none text[] NOT NULL DEFAULT ARRAY[]::text[], sizes integer[] DEFAULT '{1,2}', flags boolean[] DEFAULT ARRAY[true],
      uuids uuid[] DEFAULT ARRAY[gen_random_uuid()], nested text[] DEFAULT '{{a}}', settings jsonb NOT NULL DEFAULT '{"theme": {"dark": [1, null]}}',
      list json DEFAULT '["a"]', big jsonb DEFAULT '{"a": 12345678901234567890}',
      fine jsonb DEFAULT '{"a": 1234567890.12345678}', word jsonb DEFAULT '"a"',
      opens time DEFAULT '08:30', firm uuid DEFAULT '0198c5f0-7e2a-7b3c-8d4e-5f6a7b8c9d0e', email text NOT NULL DEFAULT '' UNIQUE)`);
  const folder = makeFolder();
  const made = await good(
    ['introspect', url, '--managed', '--out', 'plinth.yaml', '--json'],
    folder.path,
  );
  const { specification } = JSON.parse(made.out) as {
    specification: { resources: { users: { fields: Record<string, { default?: unknown }> } } };
  };
  const { fields } = specification.resources.users;
  const defaults = {
    roles: ['user'],
    words: ['a, b', null],
    none: [],
    sizes: [1, 2],
    flags: [true],
    settings: { theme: { dark: [1, null] } },
    list: ['a'],
    opens: '08:30:00',
    firm: '0198c5f0-7e2a-7b3c-8d4e-5f6a7b8c9d0e',
  };
  // Only one record could have its default.
  expect(fields['email']).toEqual({ type: 'string', required: true, unique: true });
  expect(
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, field]) =>
        field.default === undefined ? [] : [[name, field.default]],
      ),
    ),
  ).toEqual(defaults);
  await good(['migrate', '--database', url, '--apply'], folder.path);
  const { url: served, stop } = await servePlinth(['dev', '--no-generate', '--database', url], {
    cwd: folder.path,
  });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${served}/users`, { method: 'POST', headers, body: '{"email":"a"}' });
  expect(await answer.json()).toMatchObject(defaults);
  await stop('SIGTERM');
  // Other programs get them, too.
  const [row] = await sql`INSERT INTO users DEFAULT VALUES RETURNING *`;
  expect(row).toMatchObject(defaults);
  await sql.end();
  await drop();
});

test('texts of moments that are not declared as such keep each the form that they have', async () => {
  const { specification } = await fromSql(`
    CREATE TABLE notes (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
    INSERT INTO notes (a, b) VALUES ('2026-03-01 10:00:00.123456', '2026-03-01 10:00:00'), ('2026-03-01 10:00:00', '2026-03-01 10:00:01');`);
  expect(specification.resources['notes']?.fields).toEqual({
    a: { type: 'datetime', storedAs: 'sqlMixed' },
    b: { type: 'datetime', storedAs: 'sqlText' },
  });
});

test('exact decimals are advised of where a field may have so many digits', async () => {
  const { text } = await fromSql(`
    CREATE TABLE prices (id INTEGER PRIMARY KEY, some DECIMAL(18,2), many DECIMAL(30,10));
    INSERT INTO prices VALUES (1, 1.25, 1.5);`);
  const advice = (column: string): string | undefined =>
    text.split('\n').find((line) => line.includes(`Declared as ${column}`));
  expect(advice('DECIMAL(18,2)')).toContain('say { type: decimal, precision: 18, scale: 2 }');
  expect(advice('DECIMAL(30,10)')).not.toContain('say');
});

test('a role that may not see what migrations have written down introspects the tables all the same', async () => {
  const { url, drop } = await createDatabase();
  const sql = driver(url, { max: 1, onnotice: () => undefined });
  const role = `plinth_looking_${process.pid}`;
  await sql.unsafe(
    `CREATE TABLE notes (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, text text); CREATE TABLE _plinth_schema (table_name text);
     CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT SELECT ON notes TO ${role}`,
  );
  const other = new URL(url);
  other.username = role;
  other.password = 'x';
  const { out } = await good(['introspect', other.href, '--managed', '--json'], makeFolder().path);
  const { specification } = JSON.parse(out) as { specification: { resources: object } };
  expect(Object.keys(specification.resources)).toEqual(['notes']);
  await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await sql.end();
  await drop();
});
