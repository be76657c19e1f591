import Driver from 'better-sqlite3';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { databaseFailure } from '../../src/server/failure.ts';
import {
  launch,
  library,
  makeFolder,
  ndjson,
  plinth,
  servePlinth,
  type Ended,
} from '../support/command.ts';

const folder = makeFolder({
  'plinth.yaml': library,
  'text.db': 'Dear diary, this is no database.\n'.repeat(500),
  'empty.db': '',
  'data/authors.ndjson': ndjson({ id: 1, name: 'Ursula', email: 'u@example.com' }),
});
const here = { cwd: folder.path };
const rows = (file: string, sql: string): unknown[] => {
  const driver = new Driver(folder.at(file), { readonly: true });
  const found = driver.prepare(sql).pluck().all();
  driver.close();
  return found;
};

beforeAll(async () => {
  mkdirSync(folder.at('a-folder'));
  await plinth(['migrate', '--apply', '--database', 'sqlite:good.db'], here);
  await plinth(['import', 'data', '--database', 'sqlite:good.db'], here);
  for (const name of ['truncated', 'short', 'damaged', 'scrambled'])
    copyFileSync(folder.at('good.db'), folder.at(`${name}.db`));
  truncateSync(folder.at('truncated.db'), 10_000);
  truncateSync(folder.at('short.db'), 60);
  const noise = Buffer.from(Array.from({ length: 28_000 }, (_, index) => (index * 7919) % 251));
  writeSync(openSync(folder.at('damaged.db'), 'r+'), noise, 0, noise.length, 4_096);
  writeSync(openSync(folder.at('scrambled.db'), 'r+'), noise, 0, 4_000, 100);
  const driver = new Driver(folder.at('foreign.db'));
  driver.exec(
    'CREATE TABLE notes (x); INSERT INTO notes VALUES (1), (2); CREATE VIEW v AS SELECT x FROM notes',
  );
  driver.close();
  const other = new Driver(folder.at('different.db'));
  other.exec('CREATE TABLE authors (id INTEGER PRIMARY KEY, name VARCHAR(80), nick TEXT NOT NULL)');
  other.close();
});

test.each(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'])('%s: the disk is full', (code) => {
  expect(databaseFailure(new Driver.SqliteError('disk I/O error', code), 'a.db')).toMatchObject({
    message: 'The database a.db cannot be written: the disk is full. Make room and run it again.',
  });
});

/** A file that no command can use as a database, and what is said of it. */
const unusable: readonly (readonly [file: string, message: string])[] = [
  ['a-folder', 'The database a-folder is a folder. Name a file in it.'],
  ['text.db', 'The database text.db is not a SQLite database. Name another file.'],
  ['short.db', 'The database short.db is'],
  ['truncated.db', 'The database truncated.db is damaged: SQLite cannot read it.'],
  ['scrambled.db', 'The database scrambled.db is damaged: SQLite cannot read it.'],
  ['damaged.db', 'The database damaged.db is damaged: SQLite cannot read it.'],
  ['plinth.yaml/x.db', 'plinth.yaml/x.db'],
];
const calls: Readonly<Record<string, readonly string[]>> = {
  dev: ['dev', '--port', '0'],
  start: ['start', '--port', '0'],
  migrate: ['migrate', '--apply'],
  import: ['import', 'data'],
};

describe.concurrent('a database that cannot be used', () => {
  const table = unusable.flatMap(([file, message]) =>
    (file === 'text.db' ? Object.keys(calls) : ['dev']).map((call) => ({ file, message, call })),
  );
  test.each(table)('$file: plinth $call', async ({ file, message, call }) => {
    const before =
      existsSync(folder.at(file)) && file.endsWith('.db')
        ? readFileSync(folder.at(file))
        : undefined;
    const ended = await plinth([...(calls[call] ?? []), '--database', `sqlite:${file}`], here);
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain(message);
    expect(ended.err).not.toMatch(/^\s+at |Unexpected/mu);
    if (before !== undefined) expect(readFileSync(folder.at(file)).equals(before)).toBe(true);
  });

  test.each(['start', 'import'])('plinth %s makes no database', async (call) => {
    const ended = await plinth(
      [...(calls[call] ?? []), '--database', `sqlite:none-${call}.db`],
      here,
    );
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain(`There is no database none-${call}.db.`);
    expect(existsSync(folder.at(`none-${call}.db`))).toBe(false);
  });

  test.each(['start', 'import'])('plinth %s finds nothing in memory', async (call) => {
    const ended = await plinth([...(calls[call] ?? []), '--database', 'sqlite::memory:'], here);
    expect(ended).toMatchObject({
      code: 1,
      out: '',
      err: 'A database in memory starts empty and is deleted at the end. Only this command can use it: "plinth dev". Name a file or a PostgreSQL database with --database.\n',
    });
  });

  test('plinth import refuses a database that is behind', async () => {
    const ended = await plinth(['import', 'data', '--database', 'sqlite:empty.db'], here);
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain('- create table authors (id, name, email)');
    expect(ended.err).toContain('The database empty.db is behind the specification.');
  });
});

describe('migrate', () => {
  const migrate = (...flags: string[]): Promise<Ended> => plinth(['migrate', ...flags], here);
  const steps = [
    '- create table authors (id, name, email)',
    '- create table books (id, title, authorId)',
    '- create table _plinth_idempotency (scope, request, at, status, ids, location)',
    '- create unique index on authors (email)',
    '- create index on books (authorId)',
    '- create index on _plinth_idempotency (at)',
  ];

  test('shows the steps and makes nothing, then does them, then has none', async () => {
    const database = ['--database', 'sqlite:new/folder/shop.db'];
    expect(await migrate(...database)).toMatchObject({
      code: 0,
      out: `${steps.join('\n')}\nRun "plinth migrate plinth.yaml ${database.join(' ')} --apply" to do these 6 steps.\n`,
    });
    expect(existsSync(folder.at('new'))).toBe(false);
    expect(await migrate(...database, '--apply')).toMatchObject({
      code: 0,
      out: `${steps.join('\n')}\nnew/folder/shop.db is now up to date: 6 steps done.\n`,
    });
    expect(await migrate(...database)).toMatchObject({
      code: 0,
      out: 'new/folder/shop.db is up to date.\n',
    });
    expect(await migrate(...database, '--apply')).toMatchObject({ code: 0 });
  });

  test('--json', async () => {
    const { code, out } = await migrate('--database', 'sqlite:json.db', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      ok: true,
      database: 'json.db',
      steps: steps.map((line) => ({ summary: line.slice(2), possible: true })),
      applied: false,
    });
  });

  test('several at once are safe', async () => {
    const all = await Promise.all(
      [1, 2, 3, 4].map(() => migrate('--database', 'sqlite:at-once.db', '--apply')),
    );
    for (const { code, err } of all) expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(all.filter(({ out }) => out.includes('6 steps done'))).toHaveLength(1);
  });

  test('looking at a database changes nothing of it', async () => {
    const bytes = readFileSync(folder.at('foreign.db'));
    expect(await migrate('--database', 'sqlite:foreign.db')).toMatchObject({ code: 0 });
    for (const call of ['start', 'import'])
      expect(
        await plinth([...(calls[call] ?? []), '--database', 'sqlite:foreign.db'], here),
      ).toMatchObject({ code: 1 });
    expect(readFileSync(folder.at('foreign.db')).equals(bytes)).toBe(true);
    expect(existsSync(folder.at('foreign.db-wal'))).toBe(false);
  });

  test("another application's tables are left alone", async () => {
    expect(await migrate('--database', 'sqlite:foreign.db', '--apply')).toMatchObject({ code: 0 });
    expect(rows('foreign.db', 'SELECT x FROM notes')).toEqual([1, 2]);
    expect(rows('foreign.db', "SELECT sql FROM sqlite_schema WHERE name = 'notes'")).toEqual([
      'CREATE TABLE notes (x)',
    ]);
    const server = await servePlinth(['start', '--database', 'sqlite:foreign.db'], here);
    expect((await fetch(server.example)).status).toBe(200);
    await server.stop('SIGTERM');
  });

  test('a table that differs in ways that cannot be made good is left as it is', async () => {
    const ended = await migrate('--database', 'sqlite:different.db', '--apply');
    expect(ended.code).toBe(1);
    expect(ended.out.split('\n').slice(0, 3)).toEqual([
      '- change authors.name to refuse null',
      '- add column authors.email',
      '- write rows without authors.nick, which may not be null and is not in the file (not possible: name it as a field, let it be null, give it a default in the database, or let no request make records: access: { create: none })',
    ]);
    expect(ended.err).toContain('Nothing was changed. Resolve the steps that are not possible');
    expect(rows('different.db', 'SELECT name FROM sqlite_schema')).toEqual(['authors']);
    const start = await plinth(['start', '--database', 'sqlite:different.db'], here);
    expect(start.err).toContain(
      'The database different.db is behind the specification. Resolve the steps',
    );
  });
});

describe('while another process has the database', () => {
  const script = (begin: string, milliseconds: number): string =>
    `const Driver = require('better-sqlite3'); const db = new Driver(process.argv[1]);` +
    `db.exec('${begin}'); console.log('locked'); setTimeout(() => db.close(), ${milliseconds})`;
  const lock = async (file: string, begin: string, milliseconds: number): Promise<() => void> => {
    const holder = launch(process.execPath, ['-e', script(begin, milliseconds), folder.at(file)], {
      cwd: import.meta.dirname,
    });
    await new Promise<void>((done, failed) => {
      holder.child.stdout?.on('data', () => done());
      void holder.ended.then(({ err }) => failed(new Error(err)));
    });
    return () => holder.child.kill('SIGKILL');
  };
  const importInto = (file: string): Promise<Ended> =>
    plinth(['import', 'data', '--database', `sqlite:${file}`], here);

  test('a command waits for the lock', async () => {
    copyFileSync(folder.at('good.db'), folder.at('waiting.db'));
    await lock('waiting.db', 'BEGIN IMMEDIATE', 1_500);
    expect(await importInto('waiting.db')).toMatchObject({ code: 0, err: '' });
  });

  test('also where nothing can be read meanwhile', async () => {
    copyFileSync(folder.at('good.db'), folder.at('exclusive.db'));
    await lock('exclusive.db', 'PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE', 1_500);
    expect(await importInto('exclusive.db')).toMatchObject({ code: 0, err: '' });
  });

  test('and then says so, with nothing done', async () => {
    copyFileSync(folder.at('good.db'), folder.at('locked.db'));
    folder.write('more/authors.ndjson', ndjson({ id: 2, name: 'Italo' }));
    const release = await lock('locked.db', 'BEGIN IMMEDIATE', 60_000);
    const ended = await plinth(['import', 'more', '--database', 'sqlite:locked.db'], here);
    release();
    expect(ended).toMatchObject({
      code: 1,
      out: '',
      err: 'The database locked.db is locked by another process. Stop that one, or try again later.\n',
    });
    expect(rows('locked.db', 'SELECT id FROM authors')).toEqual([1]);
  });
});
