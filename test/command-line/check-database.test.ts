import { readFileSync } from 'node:fs';
import Driver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { barePostgres } from '../support/bare-postgres.ts';
import { makeFolder, plinth } from '../support/command.ts';

// `check` warns when the order needs a collation that no index has. See
// docs/contract/1-specification-file.md#existing-tables, rule 3.
const specification = `access: public
resources:
  log-entries:
    table: Order Log
    fields:
      id: { type: id, format: string, column: Code }
      fullName: { type: string, column: "Full Name", index: true }
      nick: { type: string }
      part: { type: string }
      slug: { type: string, unique: true }
      plain: { type: string, index: true }
      size: { type: integer }
`;
const folder = makeFolder({
  'plinth.yaml': specification,
  'named.yaml': `database: sqlite:shop.db\n${specification}`,
  'missing.yaml': `database: sqlite:no.db\n${specification}`,
  'broken.yaml': `database: sqlite:plinth.yaml\n${specification}`,
});
new Driver(folder.at('shop.db'))
  .exec(
    `CREATE TABLE "Order Log" (Code TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, "Full Name" TEXT COLLATE NOCASE,
      nick TEXT COLLATE NOCASE, part TEXT COLLATE NOCASE, slug TEXT COLLATE RTRIM UNIQUE, plain TEXT, size INTEGER COLLATE NOCASE);
    CREATE INDEX names ON "Order Log" ("Full Name");
    CREATE INDEX nicks ON "Order Log" (nick COLLATE BINARY, "Full Name" COLLATE BINARY);
    CREATE INDEX parts ON "Order Log" (part COLLATE BINARY) WHERE size > 3;`,
  )
  .close();

const warning = (place: string, field: string, column: string): string =>
  `${place} warning resources.log-entries.fields.${field}: the API sorts and compares ${field} by code point, and no index has that order, as column ${column} has another collation; add CREATE INDEX … ON "Order Log" ("${column}" COLLATE BINARY)`;
const warnings = (file: string, line: number): readonly string[] => [
  warning(`${file}:${line}:7`, 'id', 'Code'),
  warning(`${file}:${line + 1}:7`, 'fullName', 'Full Name'),
  warning(`${file}:${line + 3}:7`, 'part', 'part'),
  warning(`${file}:${line + 4}:7`, 'slug', 'slug'),
];

const valid = (file: string): string => `${file} is valid: 1 resource.`;
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  plinth(['check', ...args], { cwd: folder.path, env });

test.each([
  ['the file names', ['named.yaml'], {}, [...warnings('named.yaml', 7), valid('named.yaml')]],
  [
    'the flag names',
    ['--database', 'sqlite:shop.db'],
    {},
    [...warnings('plinth.yaml', 6), valid('plinth.yaml')],
  ],
  [
    'the environment names',
    [],
    { PLINTH_DATABASE_URL: 'sqlite:shop.db' },
    [...warnings('plinth.yaml', 6), valid('plinth.yaml')],
  ],
  ['nothing names', [], {}, [valid('plinth.yaml')]],
  ['is not there yet', ['missing.yaml'], {}, [valid('missing.yaml')]],
  ['is in memory', ['--database', 'sqlite::memory:'], {}, [valid('plinth.yaml')]],
  [
    'is none',
    ['broken.yaml'],
    {},
    [
      'broken.yaml:1:11 warning database: The database plinth.yaml is not a SQLite database. Name another file.',
      valid('broken.yaml'),
    ],
  ],
  [
    'cannot be reached',
    [],
    { PLINTH_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
    [
      'plinth.yaml:1:1 warning database: The database none on 127.0.0.1:1 cannot be reached: nothing listens there. Start PostgreSQL, or check the host and the port.',
      valid('plinth.yaml'),
    ],
  ],
] as const)(
  'check warns of orders that no index of a database has which %s',
  async (_, args, env, lines) => {
    const { code, out } = await run(args, env);
    expect(out.trimEnd().split('\n')).toEqual(lines);
    expect(code).toBe(0);
  },
);

test('check has nothing to tell of texts that compare as their column does', async () => {
  folder.write('collated.yaml', `database: { managed: false }\n${specification}`);
  const { out } = await run(['collated.yaml', '--database', 'sqlite:shop.db']);
  expect(out.trimEnd()).toBe(valid('collated.yaml'));
});

test('check warns of UUIDs in capitals, which SQLite has as texts', async () => {
  const [upper, lower] = ['ABCDEF00', 'abcdef00'].map(
    (part) => `'${part}-0000-4000-8000-0000000000`,
  );
  new Driver(folder.at('capitals.db'))
    .exec(
      `CREATE TABLE owners (id TEXT PRIMARY KEY NOT NULL, tag TEXT, other TEXT);
      INSERT INTO owners VALUES (${upper}01', 'ABC', ${lower}01'), (${upper}02', ${upper}02', NULL), (${lower}03', 7, ${lower}02')`,
    )
    .close();
  folder.write(
    'capitals.yaml',
    `resources:
  owners:
    fields:
      id: { type: id, format: uuid }
      tag: { type: uuid }
      other: { type: uuid }
      more: { type: uuid }
`,
  );
  const { out } = await run(['capitals.yaml', '--database', 'sqlite:capitals.db']);
  const wanted = 'and requests look for UUIDs in lower case; write them so in column';
  expect(out.trimEnd().split('\n')).toEqual([
    `capitals.yaml:4:7 warning resources.owners.fields.id: 2 of its values are UUIDs in capitals, ${wanted} id, or say format: string`,
    `capitals.yaml:5:7 warning resources.owners.fields.tag: 1 of its values is a UUID in capitals, ${wanted} tag, or say type: string`,
    'capitals.yaml is valid: 1 resource.',
  ]);
});

test('check warns of moments with microseconds that are indexed as they stand', async () => {
  const microseconds = (column: string): string =>
    `substr(${column} || CASE length(${column}) WHEN 19 THEN '.000000' ELSE '000' END, 1, 26)`;
  new Driver(folder.at('moments.db'))
    .exec(
      `CREATE TABLE jobs (id INTEGER PRIMARY KEY, made_at TEXT, begun_at TEXT, ended_at TEXT, seen_at TEXT);
      CREATE INDEX made ON jobs (made_at); CREATE INDEX begun ON jobs (begun_at);
      CREATE INDEX begun_us ON jobs (${microseconds('"begun_at"')}); CREATE INDEX ended ON jobs (ended_at);
      INSERT INTO jobs VALUES (1, '2026-03-01 10:00:00.123456', '2026-03-01 10:00:00.123456', '2026-03-01 10:00:00', '2026-03-01 10:00:00.123456')`,
    )
    .close();
  folder.write(
    'moments.yaml',
    `resources:
  jobs:
    fields:
      madeAt: { type: datetime, column: made_at, storedAs: sqlMicroseconds }
      begunAt: { type: datetime, column: begun_at }
      endedAt: { type: datetime, column: ended_at }
      seenAt: { type: datetime, column: seen_at }
`,
  );
  const { out } = await run(['moments.yaml', '--database', 'sqlite:moments.db']);
  expect(out.trimEnd().split('\n')).toEqual([
    `moments.yaml:4:7 warning resources.jobs.fields.madeAt: the API sorts and compares madeAt by the microsecond, and no index has that order; add CREATE INDEX … ON "jobs" (${microseconds('"made_at"')})`,
    'moments.yaml is valid: 1 resource.',
  ]);
  folder.write(
    'moments.yaml',
    readFileSync(folder.at('moments.yaml'), 'utf8').replace(', storedAs: sqlMicroseconds', ''),
  );
  expect((await run(['moments.yaml', '--database', 'sqlite:moments.db'])).out).toContain(
    'madeAt by the microsecond',
  );
});

test('a database of the command line that cannot be read is a failure', async () => {
  expect(await run(['--database', 'sqlite:named.yaml'])).toMatchObject({
    code: 1,
    err: 'The database named.yaml is not a SQLite database. Name another file.\n',
  });
  expect((await run(['--database', 'mysql://x'])).code).toBe(2);
});

test('check warns of indexes of PostgreSQL that have nulls where no sort wants them', async () => {
  const { url, other } = await barePostgres();
  await other.unsafe(`CREATE TABLE people (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, "bossId" bigint, age bigint,
      size bigint, weight bigint, height bigint, code bigint UNIQUE, rank bigint NOT NULL);
    CREATE INDEX ON people (age); CREATE INDEX ON people (size NULLS FIRST); CREATE INDEX ON people (weight DESC NULLS LAST);
    CREATE INDEX ON people (height DESC); CREATE INDEX ON people (rank); CREATE INDEX ON people ("bossId")`);
  const text = `resources:
  people:
    fields:
      bossId: { type: integer, reference: people.id }
      age: { type: integer, index: true }
      size: { type: integer, index: true }
      weight: { type: integer, index: true }
      height: { type: integer, index: true }
      code: { type: integer, unique: true }
      rank: { type: integer, index: true, required: true }
      none: { type: integer, index: true }
`;
  const { path } = makeFolder({ 'plinth.yaml': text });
  const { code, out } = await plinth(['check', '--database', url], { cwd: path });
  const unserved = (line: number, field: string): string =>
    `plinth.yaml:${line}:7 warning resources.people.fields.${field}: the API sorts ${field} with nulls first, and no index has that order; add CREATE INDEX … ON "people" ("${field}" NULLS FIRST, "id")`;
  expect(out.trimEnd().split('\n')).toEqual([
    unserved(5, 'age'),
    unserved(8, 'height'),
    unserved(9, 'code'),
    valid('plinth.yaml'),
  ]);
  expect(code).toBe(0);
});

test('relations whose links nothing can write are warned of', async () => {
  const links = makeFolder({
    'plinth.yaml': `access: public
database: { managed: false }
resources:
  notes:
    fields:
      tags: { type: relation, relation: belongsToMany, resource: tags, through: links }
      marks: { type: relation, relation: belongsToMany, resource: tags, through: marks, withPivot: [kind] }
  tags: { fields: { name: { type: string } } }
  links:
    fields:
      noteId: { type: integer, reference: notes.id }
      tagId: { type: integer, reference: tags.id }
  marks:
    fields:
      noteId: { type: integer, reference: notes.id }
      tagId: { type: integer, reference: tags.id }
      kind: { type: string, required: true }
`,
  });
  const keys = '"noteId" integer REFERENCES notes, "tagId" integer REFERENCES tags';
  new Driver(links.at('shop.db'))
    .exec(
      `CREATE TABLE notes (id INTEGER PRIMARY KEY); CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE links (id int PRIMARY KEY NOT NULL, ${keys});
      CREATE TABLE marks (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, ${keys});`,
    )
    .close();
  const { out } = await plinth(['check', '--database', 'sqlite:shop.db'], { cwd: links.path });
  expect(out.split('\n').filter((line) => line.includes('links'))).toEqual([
    'plinth.yaml:6:7 warning resources.notes.fields.tags: its links cannot be written, since nothing gives links.id: give the column a default in the database, or let clients create records of links',
  ]);
});

test('check tells of texts by code point that no index of PostgreSQL serves', async () => {
  const { url, other, empty } = await barePostgres();
  await empty();
  await other.unsafe(`CREATE TABLE words (id integer PRIMARY KEY, bare text COLLATE "en-x-icu", indexed text COLLATE "en-x-icu",
      served text COLLATE "en-x-icu", part varchar(9) COLLATE "en-x-icu", plain text COLLATE "C", own text COLLATE "en-x-icu", size integer);
    CREATE INDEX ON words (indexed NULLS FIRST); CREATE INDEX ON words (served COLLATE "C" NULLS FIRST);
    CREATE INDEX ON words (part COLLATE "C") WHERE size > 3`);
  const text = `database: { managed: false, collation: codePoint }
resources:
  words:
    fields:
      bare: { type: string }
      indexed: { type: string }
      served: { type: string }
      part: { type: string, nullable: false }
      plain: { type: string }
      own: { type: string, collation: database }
      size: { type: integer }
`;
  const { path } = makeFolder({ 'plinth.yaml': text });
  const { out } = await plinth(['check', '--database', url], { cwd: path });
  const unserved = (line: number, field: string, nulls = ' NULLS FIRST'): string =>
    `plinth.yaml:${line}:7 warning resources.words.fields.${field}: the API sorts and compares ${field} by code point, and no index has that order, as column ${field} has another collation; add CREATE INDEX … ON "words" ("${field}" COLLATE "C"${nulls}), or say collation: database`;
  expect(out.trimEnd().split('\n')).toEqual([
    unserved(5, 'bare'),
    unserved(6, 'indexed'),
    unserved(8, 'part', ''),
    valid('plinth.yaml'),
  ]);
});
