import Driver from 'better-sqlite3';
import driver from 'postgres';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  launchPlinth,
  library,
  makeFolder,
  ndjson,
  plinth,
  until,
  type Ended,
} from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

const folder = makeFolder({
  'plinth.yaml': library
    .replace('email: {', 'secret: { type: string, writeOnly: true }\n      email: {')
    .replace('title: {', 'more: { type: json }\n      title: {'),
  'data/authors.ndjson': ndjson(
    { id: 7, name: 'Ursula, "K."', secret: 's3cret', email: 'u@example.com' },
    { id: 2, name: 'Italo' },
  ),
  'data/books.ndjson': ndjson(
    { id: 1, title: '', more: '5', authorId: 2 },
    { id: 3, title: 'B', more: { b: [1], a: null }, authorId: 7 },
  ),
});
const here = { cwd: folder.path };
const run = (...args: string[]): Promise<Ended> =>
  plinth([...args, '--database', 'sqlite:library.db'], here);
const read = (name: string): string => readFileSync(folder.at(name), 'utf8');

beforeAll(async () => {
  await run('migrate', '--apply');
  expect(await run('import', 'data')).toMatchObject({ code: 0 });
});

const safe = 'The files hold writeOnly fields too: keep them as safe as the database.';

test('a file a resource, NDJSON where nothing else is said, every field, in order of id', async () => {
  expect(await run('export', 'first')).toMatchObject({
    code: 0,
    err: '',
    out: `  authors  2\n  books    2\n4 records were exported from library.db to first.\n${safe}\n`,
  });
  expect(readdirSync(folder.at('first'))).toEqual(['authors.ndjson', 'books.ndjson']);
  expect(read('first/authors.ndjson')).toBe(
    '{"id":2,"name":"Italo","secret":null,"email":null}\n' +
      '{"id":7,"name":"Ursula, \\"K.\\"","secret":"s3cret","email":"u@example.com"}\n',
  );
  expect(statSync(folder.at('first/authors.ndjson')).mode & 0o777).toBe(0o600);
});

test('JSON', async () => {
  const { code, out } = await run('export', '--format', 'json', 'lists', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ ok: true, folder: 'lists', records: { authors: 2, books: 2 } });
  expect(read('lists/books.json')).toBe(
    '[\n{"id":1,"more":"5","title":"","authorId":2},\n{"id":3,"more":{"a":null,"b":[1]},"title":"B","authorId":7}\n]\n',
  );
});

test('CSV', async () => {
  expect(await run('export', 'tables', '--format', 'csv')).toMatchObject({ code: 0 });
  expect(read('tables/authors.csv')).toBe(
    'id,name,secret,email\r\n2,Italo,,\r\n7,"Ursula, ""K.""",s3cret,u@example.com\r\n',
  );
  expect(read('tables/books.csv')).toBe(
    'id,more,title,authorId\r\n1,"""5""","",2\r\n3,"{""a"":null,""b"":[1]}",B,7\r\n',
  );
});

test('only some resources, without a folder being named', async () => {
  expect(await run('export', '--resource', 'books')).toMatchObject({
    code: 0,
    out: '  books  2\n2 records were exported from library.db to export.\n',
  });
  expect(readdirSync(folder.at('export'))).toEqual(['books.ndjson']);
});

test('resources without records', async () => {
  const empty = ['--database', 'sqlite:empty.db'];
  await plinth(['migrate', '--apply', ...empty], here);
  for (const [format, text] of [
    ['ndjson', ''],
    ['json', '[]\n'],
    ['csv', 'id,name,secret,email\r\n'],
  ] as const) {
    const name = `empty-${format}`;
    await plinth(['export', name, '--format', format, ...empty], here);
    expect(read(`${name}/authors.${format}`)).toBe(text);
    expect(await plinth(['import', name, ...empty], here)).toMatchObject({
      code: 0,
      out: '  authors  0\n  books    0\n0 records were imported into empty.db.\n',
    });
  }
});

test('a folder that has data is written to with --force alone', async () => {
  folder.write('taken/books.csv', 'old');
  folder.write('taken/readme.txt', 'mine');
  expect(await run('export', 'taken', '--format', 'csv')).toMatchObject({
    code: 1,
    out: '',
    err: 'The folder taken has data already: books.csv. Name another one, or give --force to overwrite files of the same name.\n',
  });
  expect(read('taken/books.csv')).toBe('old');
  expect(await run('export', 'taken', '--format', 'csv', '--force')).toMatchObject({ code: 0 });
  expect(readdirSync(folder.at('taken'))).toEqual(['authors.csv', 'books.csv', 'readme.txt']);
  expect(read('taken/books.csv')).not.toBe('old');
});

const wrongCalls = [
  [
    ['export', 'x', '--resource', 'boks', 'authors'],
    2,
    'there is no resource boks; did you mean books?\nNothing was exported. Name resources of the specification.\n',
  ],
  [
    ['export', 'x', '--format', 'xml'],
    2,
    "Option '--format <format>' argument 'xml' is invalid. Allowed choices are ndjson, json, csv. See \"plinth export --help\".",
  ],
  [['export', 'plinth.yaml'], 1, `${folder.at('plinth.yaml')} cannot be used: `],
] as const;

test.each(wrongCalls)('%s', async (args, code, message) => {
  const ended = await run(...args);
  expect(ended).toMatchObject({ code, out: '' });
  expect(ended.err).toContain(message);
  expect(existsSync(folder.at('x'))).toBe(false);
});

test('a database that is not there, or behind', async () => {
  const ended = await plinth(['export', 'x', '--database', 'sqlite:none.db'], here);
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toContain('none.db');
  expect(existsSync(folder.at('none.db'))).toBe(false);
  new Driver(folder.at('behind.db')).exec('CREATE TABLE other (id)').close();
  const behind = await plinth(['export', 'x', '--database', 'sqlite:behind.db'], here);
  expect(behind.err).toContain('behind.db is behind the specification.');
  expect(existsSync(folder.at('x'))).toBe(false);
});

/** 100,000 authors, each of 700 characters: more than the memory that the commands below may use. */
const many = { count: 100_000, name: 'x'.repeat(680) };
const little = ['--max-old-space-size=40', '--max-semi-space-size=4'];

describe.each(['sqlite', 'postgres'] as const)('many records: %s', (kind) => {
  let [from, to] = ['', ''];
  const servers: TestDatabase[] = [];
  const named = (url: string): string[] => ['--database', url];

  beforeAll(async () => {
    if (kind === 'sqlite') {
      [from, to] = ['sqlite:many.db', 'sqlite:again.db'];
    } else {
      servers.push(await createDatabase(), await createDatabase());
      [from, to] = servers.map(({ url }) => url) as [string, string];
    }
    for (const url of [from, to]) await plinth(['migrate', '--apply', ...named(url)], here);
    if (kind === 'sqlite') {
      const database = new Driver(folder.at('many.db'));
      database
        .prepare(
          `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ${many.count})
           INSERT INTO authors (id, name) SELECT id, ? || id FROM n`,
        )
        .run(many.name);
      database.close();
    } else {
      const sql = driver(from, { max: 1 });
      await sql`INSERT INTO authors (name) SELECT ${many.name}::text || id FROM generate_series(1, ${many.count}) AS id`;
      await sql.end();
    }
  });

  afterAll(() => Promise.all(servers.map(({ drop }) => drop())));

  test('are written and read again in little memory', async () => {
    const name = `many-${kind}`;
    const surroundings = { ...here, flags: little };
    const ended = await plinth(['export', name, '--format', 'csv', ...named(from)], surroundings);
    expect(ended).toMatchObject({ code: 0, err: '' });
    expect(statSync(folder.at(name, 'authors.csv')).size).toBeGreaterThan(68_000_000);
    expect(await plinth(['import', name, ...named(to)], surroundings)).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('100,000 records were imported') as unknown,
    });
    expect(await plinth(['import', name, ...named(to)], surroundings)).toMatchObject({
      code: 0,
      out: expect.stringContaining('; 100,000 already existed') as unknown,
    });
  });

  test('a signal leaves no file', async () => {
    const name = `stopped-${kind}`;
    const running = launchPlinth(['export', name, ...named(from)], here);
    await until(() => existsSync(folder.at(name, 'authors.ndjson.part')));
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({
      code: 1,
      signal: null,
      out: '',
      err: 'Stopped: nothing was exported.\n',
    });
    expect(readdirSync(folder.at(name))).toEqual([]);
  });

  test('kill -9 leaves nothing that looks whole', async () => {
    const name = `killed-${kind}`;
    const running = launchPlinth(['export', name, ...named(from)], here);
    await until(() => existsSync(folder.at(name, 'authors.ndjson.part')));
    running.child.kill('SIGKILL');
    await running.ended;
    expect(await plinth(['import', name, ...named(to)], here)).toMatchObject({ code: 1 });
    expect(await plinth(['export', name, ...named(from)], here)).toMatchObject({ code: 0 });
    expect(readdirSync(folder.at(name))).toEqual(['authors.ndjson', 'books.ndjson']);
  });
});
