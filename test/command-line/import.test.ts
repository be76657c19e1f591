import Driver from 'better-sqlite3';
import { createWriteStream, existsSync, readdirSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { beforeEach, expect, test } from 'vitest';
import {
  launchPlinth,
  library,
  makeFolder,
  ndjson,
  plinth,
  until,
  type Ended,
} from '../support/command.ts';

const folder = makeFolder({ 'plinth.yaml': library });
const here = { cwd: folder.path };
let count = 0;
let database = '';

beforeEach(async () => {
  count += 1;
  database = `library-${count}.db`;
  await plinth(['migrate', '--apply', '--database', `sqlite:${database}`], here);
});

const load = (paths: readonly string[], ...flags: string[]): Promise<Ended> =>
  plinth(['import', ...paths, '--database', `sqlite:${database}`, ...flags], here);
const total = (table: string): unknown => {
  const driver = new Driver(folder.at(database), { readonly: true });
  const found = driver.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  driver.close();
  return found;
};

/** Writes a file of many records without holding them. */
async function writeMany(
  name: string,
  records: number,
  record: (index: number) => string,
): Promise<number> {
  const stream = createWriteStream(folder.write(name, ''));
  for (let index = 0; index < records; index += 1_000) {
    let text = '';
    for (let one = index; one < Math.min(index + 1_000, records); one += 1) text += record(one);
    if (!stream.write(text)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
  return statSync(folder.at(name)).size;
}

test('a folder, a file and one file of all', async () => {
  folder.write('first/authors.ndjson', ndjson({ id: 5, name: 'Ursula' }, { name: 'Italo' }));
  folder.write('first/books.json', JSON.stringify([{ id: 9, title: 'A', authorId: 5 }]));
  folder.write('first/notes.txt', 'not data');
  expect(await load(['first'])).toMatchObject({
    code: 0,
    err: '',
    out: `  authors  2\n  books    1\n3 records were imported into ${database}.\n`,
  });
  const all = { books: [{ id: 1, title: 'B', authorId: 7 }], authors: [{ id: 7, name: 'Jorge' }] };
  folder.write('db.json', JSON.stringify(all, undefined, 2));
  const ended = await load(['db.json'], '--json');
  expect(JSON.parse(ended.out)).toEqual({
    ok: true,
    records: { authors: 1, books: 1 },
    skipped: 0,
    replaced: 0,
  });
  expect(await load(['db.json'])).toMatchObject({
    out: `  authors  0\n  books    0\n0 records were imported into ${database}; 2 already existed and are equal.\n`,
  });
});

test('--replace writes over what differs', async () => {
  folder.write('one/authors.csv', 'id,name,email\r\n1,Ursula,\r\n2,Italo,i@example.com\r\n');
  folder.write('two/authors.csv', 'id,name\n1,Ursula\n2,Jorge\n');
  await load(['one']);
  expect(await load(['two'])).toMatchObject({
    code: 1,
    err:
      'two/authors.csv:3 id is taken: the record that has it differs in name\n' +
      'Nothing was imported. Fix these records and run it again, or give --replace to replace records that differ.\n',
  });
  expect(await load(['two'], '--replace')).toMatchObject({
    code: 0,
    out: `  authors  0\n0 records were imported into ${database}; 1 already existed and is equal; 1 record was replaced.\n`,
  });
  expect(total("authors WHERE email = 'i@example.com' AND name = 'Jorge'")).toBe(1);
});

test('--json tells the problems too', async () => {
  folder.write('bad/authors.ndjson', ndjson({ id: 5, name: 'Ursula' }, { id: 6, nam: 'Italo' }));
  const { code, out, err } = await load(['bad'], '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({
    ok: false,
    error: 'Nothing was imported. Fix these records and run it again.',
    problems: [
      { file: 'bad/authors.ndjson', line: 2, message: 'there is no field nam; did you mean name?' },
      { file: 'bad/authors.ndjson', line: 2, message: 'name is required' },
    ],
  });
  expect(err).toContain('bad/authors.ndjson:2 name is required\n');
  expect(total('authors')).toBe(0);
});

/** What is no data at all, and what is said of it. */
const unusable = [
  ['nowhere', 'There is no file or folder nowhere.'],
  ['plinth.yaml', 'plinth.yaml has an unknown format: give .ndjson, .jsonl, .json or .csv.'],
  ['empty-folder', 'The folder empty-folder has no .ndjson, .json or .csv file.'],
  [
    'author.ndjson',
    'author.ndjson does not have the name of a resource: there is no resource author; did you mean authors?.',
  ],
] as const;

test.each(unusable)('%s is no data', async (path, message) => {
  folder.write('author.ndjson', '');
  folder.write('empty-folder/readme.txt', '');
  const ended = await load([path]);
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toContain(message);
  expect(ended.err).toContain('Nothing was imported.');
});

test('a signal takes the run back', async () => {
  await writeMany(
    'long/authors.ndjson',
    600_000,
    (index) => `{"id":${index + 1},"name":"Ursula"}\n`,
  );
  const running = launchPlinth(['import', 'long', '--database', `sqlite:${database}`], here);
  const wal = folder.at(`${database}-wal`);
  await until(() => existsSync(wal));
  running.child.kill('SIGINT');
  expect(await running.ended).toMatchObject({
    code: 1,
    signal: null,
    out: '',
    err: 'Stopped: nothing was imported. Run it again to import everything.\n',
  });
  expect(readdirSync(folder.path).filter((name) => name.startsWith(`${database}-`))).toEqual([]);
  expect(total('authors')).toBe(0);
});

test('kill -9 leaves nothing of the run either', async () => {
  const running = launchPlinth(['import', 'long', '--database', `sqlite:${database}`], here);
  const wal = folder.at(`${database}-wal`);
  await until(() => existsSync(wal));
  running.child.kill('SIGKILL');
  await running.ended;
  expect(total('authors')).toBe(0);
  folder.write('short/authors.ndjson', ndjson({ id: 1, name: 'Ursula' }));
  expect(await load(['short'])).toMatchObject({ code: 0 });
});

test('a file far larger than the memory it may use', async () => {
  const name = 'x'.repeat(100);
  const lines = 700_000;
  const bytes = await writeMany(
    'huge/authors.json',
    lines,
    (index) =>
      `${index === 0 ? '[' : ','}\n{"id":${index + 1},"name":"${name}"}${index === lines - 1 ? ']' : ''}`,
  );
  expect(bytes).toBeGreaterThan(80_000_000);
  const ended = await plinth(['import', 'huge', '--database', `sqlite:${database}`], {
    ...here,
    flags: ['--max-old-space-size=48', '--max-semi-space-size=4'],
  });
  expect(ended).toMatchObject({ code: 0, err: '' });
  expect(total('authors')).toBe(lines);
});

test('a record that is no sensible one ends the run before it fills the memory', async () => {
  await writeMany('line/authors.ndjson', 52_000, (index) =>
    index === 0 ? '{"id":1,"name":"' : 'x'.repeat(1_000),
  );
  const ended = await plinth(['import', 'line', '--database', `sqlite:${database}`], here);
  expect(ended).toMatchObject({
    code: 1,
    err:
      'line/authors.ndjson:1 the record is longer than 16 MiB\n' +
      'Nothing was imported. Fix these records and run it again.\n',
  });
});
