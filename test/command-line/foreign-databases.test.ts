import { readFileSync } from 'node:fs';
import Driver from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  library,
  makeDatabase,
  makeFolder,
  ndjson,
  until,
  type Folder,
} from '../support/command.ts';
import { hasTerminal, launchInTerminal } from '../support/terminal.ts';
import { runIn, serveIn } from './commands.ts';

/**
 * What `dev`, `generate` and `import` change, and what they leave alone. See
 * docs/contract/6-operation.md#databases-that-commands-change.
 */
const file = `logging: { enabled: false }\n${library}`;
const named = ['--database', 'sqlite:other.db'];
const environment = { PLINTH_DATABASE_URL: 'sqlite:other.db' };
const inFile = `database: sqlite:other.db\n${file}`;

let database: Buffer;
beforeAll(async () => {
  const folder = makeFolder({ 'plinth.yaml': file });
  await makeDatabase('sqlite:other.db', folder.path);
  const driver = new Driver(folder.at('other.db'));
  driver.exec("INSERT INTO authors (id, name) VALUES (500, 'mine')");
  driver.close();
  database = readFileSync(folder.at('other.db'));
});

/** A folder with a database of somebody else, who has written into it. */
const folderOf = (text: string): Folder =>
  makeFolder({
    'plinth.yaml': text,
    'other.db': database,
    'data/authors.ndjson': ndjson({ id: 900, name: 'Ursula' }),
  });

const rowsOf = (folder: Folder): readonly unknown[] => {
  const driver = new Driver(folder.at('other.db'), { readonly: true });
  const rows = ['sqlite_schema', 'authors', 'books'].map((table) =>
    driver.prepare(`SELECT * FROM ${table}`).raw().all(),
  );
  driver.close();
  return rows;
};

const tables = '--reset deletes 51 records of 2 tables of other.db:\n  authors  26\n  books    25';
const inVariable = 'PLINTH_DATABASE_URL names the database other.db';
const inSpecification = 'The specification names the database other.db';

describe('a database that the command line does not name is left alone', () => {
  const command = 'plinth generate plinth.yaml';
  test.each<
    readonly [
      args: readonly string[],
      text: string,
      environment: Readonly<Record<string, string>>,
      err: string,
    ]
  >([
    [
      ['generate', '--count', '90'],
      file,
      environment,
      `${inVariable}, and generate changes such a database only if the command line names it: "${command} --database $PLINTH_DATABASE_URL".`,
    ],
    [
      ['generate', '--count', '90'],
      inFile,
      {},
      `${inSpecification}, and generate changes such a database only if the command line names it: "${command} --database sqlite:other.db".`,
    ],
    [
      ['generate', '--reset', '--delete-all'],
      file,
      environment,
      `${inVariable}, and generate changes such a database only if the command line names it: "${command} --reset --delete-all --database $PLINTH_DATABASE_URL".`,
    ],
    [
      ['generate', '--reset', '--delete-all'],
      inFile,
      {},
      `${inSpecification}, and generate changes such a database only if the command line names it: "${command} --reset --delete-all --database sqlite:other.db".`,
    ],
    [
      ['generate', '--reset', ...named],
      file,
      {},
      `${tables}\nNothing was deleted. Give --delete-all as well to delete 51 records of 2 tables of other.db.`,
    ],
    [
      ['generate', '--reset', '--resource', 'books', ...named],
      file,
      environment,
      '--reset deletes 25 records of 1 table of other.db:\n  books  25\nNothing was deleted. Give --delete-all as well to delete 25 records of 1 table of other.db.',
    ],
    [
      ['import', 'data', '--replace'],
      file,
      environment,
      `${inVariable}, and import changes such a database only if the command line names it: "plinth import data --spec plinth.yaml --database $PLINTH_DATABASE_URL".`,
    ],
    [
      ['import', 'data'],
      inFile,
      {},
      `${inSpecification}, and import changes such a database only if the command line names it: "plinth import data --spec plinth.yaml --database sqlite:other.db".`,
    ],
  ])('%j', async (args, text, variables, err) => {
    const folder = folderOf(text);
    const before = rowsOf(folder);
    expect(await runIn(folder, { environment: variables }, ...args)).toEqual({
      code: 2,
      out: '',
      err,
    });
    expect(rowsOf(folder)).toEqual(before);
  });
});

describe('dev serves it as it is, and says which command would change it', () => {
  const ways: readonly (readonly [
    name: string,
    text: string,
    environment: Readonly<Record<string, string>>,
    flags: readonly string[],
    migrate: string,
    generate: string,
  ])[] = [
    ['the flag', file, {}, named, named.join(' '), named.join(' ')],
    ['the environment', file, environment, [], '', '--database $PLINTH_DATABASE_URL'],
    ['the file', inFile, {}, [], '', named.join(' ')],
  ];
  test.each(ways)('named by %s', async (_name, text, variables, flags, migrate, generate) => {
    const folder = folderOf(text);
    const before = rowsOf(folder);
    const surroundings = { environment: variables };
    const serve = (): ReturnType<typeof serveIn> =>
      serveIn(folder, surroundings, 'dev', '--port', '0', ...flags);
    // With records, and nothing to migrate: nothing to say.
    const full = await serve();
    expect((await fetch(`${full.url}/v1/authors/500`)).status).toBe(200);
    expect(await full.stop()).toMatchObject({ code: 0, err: '' });
    expect(rowsOf(folder)).toEqual(before);
    // Behind the specification.
    folder.write('plinth.yaml', `data: data\n${text}      pages: { type: integer }\n`);
    const behind = await serve();
    const again = ['migrate plinth.yaml', migrate, '--apply'].filter((one) => one !== '').join(' ');
    expect(behind.err()).toBe(
      `- add column books.pages\nWarning: the database other.db is behind the specification, and dev changes only its own. Run "plinth ${again}". Until then requests for what is missing fail.`,
    );
    expect((await fetch(`${behind.url}/v1/authors/500`)).status).toBe(200);
    expect((await fetch(`${behind.url}/v1/books`)).status).toBe(503);
    expect((await fetch(`${behind.url}/_ready`)).status).toBe(503);
    expect(rowsOf(folder)).toEqual(before);
    // The command that it names helps while it is served.
    expect(
      await runIn(folder, surroundings, ...`migrate --apply ${flags.join(' ')}`.trim().split(' ')),
    ).toMatchObject({ code: 0 });
    await until(async () => (await fetch(`${behind.url}/_ready`)).status === 200);
    expect((await fetch(`${behind.url}/v1/books?limit=1`)).status).toBe(200);
    await behind.stop();
    // Empty.
    const driver = new Driver(folder.at('other.db'));
    driver.exec('DELETE FROM books; DELETE FROM authors');
    driver.close();
    const empty = await serve();
    expect(empty.err()).toBe(
      `The database other.db has no records, and dev changes only its own. Run "plinth generate plinth.yaml ${generate}" to generate some.`,
    );
    await empty.stop();
    expect(rowsOf(folder).slice(1)).toEqual([[], []]);
  });

  test('and makes none', async () => {
    const folder = makeFolder({ 'plinth.yaml': file });
    expect(await runIn(folder, {}, 'dev', '--port', '0', ...named)).toEqual({
      code: 1,
      out: '',
      err: 'There is no database other.db. Make it with "plinth migrate plinth.yaml --database sqlite:other.db --apply", or name another.',
    });
  });
});

test.each([
  ['the flag', [], ['--database', 'sqlite:api/.plinth/dev.db'], {}],
  ['the environment', [], [], { PLINTH_DATABASE_URL: 'sqlite:api/.plinth/dev.db' }],
  ['the file', ['database: sqlite:.plinth/dev.db'], [], {}],
] as const)(
  'its own database stays its own, whoever names it: %s',
  async (_name, lines, flags, variables) => {
    const folder = makeFolder({ 'api/plinth.yaml': [...lines, file].join('\n') });
    const surroundings = { environment: variables };
    const server = await serveIn(
      folder,
      surroundings,
      'dev',
      'api/plinth.yaml',
      '--port',
      '0',
      ...flags,
    );
    expect((await fetch(`${server.url}/v1/authors/25`)).status).toBe(200);
    await server.stop();
    const call = ['generate', 'api/plinth.yaml', '--reset', ...flags];
    expect(await runIn(folder, surroundings, ...call)).toMatchObject({ code: 0, err: '' });
  },
);

describe.skipIf(!hasTerminal)('on a terminal it asks', () => {
  test.each<readonly [args: readonly string[], question: string, isDone: boolean]>([
    [['generate', '--count', '30'], 'Run generate on it?', true],
    [['generate', '--count', '30'], 'Run generate on it?', false],
    [['import', 'data'], 'Run import on it?', true],
    [['generate', '--reset', ...named], 'Delete these records of other.db?', true],
    [['generate', '--reset', ...named], 'Delete these records of other.db?', false],
  ])('%j: %s %s', async (args, question, isDone) => {
    const folder = folderOf(inFile);
    const before = rowsOf(folder);
    const terminal = launchInTerminal(args, { cwd: folder.path });
    await until(() => terminal.out().includes(question));
    terminal.child.stdin?.write(isDone ? 'y' : '\r');
    expect(await terminal.ended).toMatchObject({ code: isDone ? 0 : 2 });
    if (isDone) expect(rowsOf(folder)).not.toEqual(before);
    else expect(rowsOf(folder)).toEqual(before);
  });
});

test('what the command line names is changed, and what is deleted is told first', async () => {
  const folder = folderOf(file);
  expect(await runIn(folder, {}, 'generate', '--reset', '--delete-all', ...named)).toMatchObject({
    code: 0,
    err: tables,
  });
  expect(JSON.stringify(rowsOf(folder))).not.toContain('mine');
  expect(await runIn(folder, {}, 'import', 'data', ...named)).toMatchObject({ code: 0 });
  expect(JSON.stringify(rowsOf(folder))).toContain('Ursula');
});
