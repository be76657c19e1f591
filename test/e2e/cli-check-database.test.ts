import Driver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { makeFolder, plinth } from '../support/command.ts';

// Contract 1, Field types: where the order needs a collation that no index has, `check` warns.
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
      'broken.yaml:1:11 warning database: The database plinth.yaml is no SQLite database. Name another file.',
      valid('broken.yaml'),
    ],
  ],
  [
    'cannot be reached',
    [],
    { PLINTH_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
    [valid('plinth.yaml')],
  ],
] as const)(
  'check warns of orders that no index of a database has which %s',
  async (_, args, env, lines) => {
    const { code, out } = await run(args, env);
    expect(out.trimEnd().split('\n')).toEqual(lines);
    expect(code).toBe(0);
  },
);

test('a database of the command line that cannot be read is a failure', async () => {
  expect(await run(['--database', 'sqlite:named.yaml'])).toMatchObject({
    code: 1,
    err: 'The database named.yaml is no SQLite database. Name another file.\n',
  });
  expect((await run(['--database', 'mysql://x'])).code).toBe(2);
});
