import { existsSync } from 'node:fs';
import Driver from 'better-sqlite3';
import { expect, test } from 'vitest';
import { makeFolder, type Folder } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';
import { runIn, type Told } from '../command-line/commands.ts';

// What SQLite may hold and another place cannot ends a run with its record and field. See
// docs/contract/6-operation.md#import-and-export, rule 13.
const specification = `resources:
  authors: { fields: { name: { type: string } } }
  books:
    fields:
      title: { type: string }
      data: { type: json }
      authorId: { type: integer, reference: authors.id }
`;

/** A SQLite file with these rows. */
async function fileWith(rows: string): Promise<Folder> {
  const folder = makeFolder({ 'plinth.yaml': specification });
  await runIn(folder, {}, 'migrate', '--apply', '--database', 'sqlite:a.db');
  const driver = new Driver(folder.at('a.db'));
  driver.pragma('foreign_keys = OFF');
  driver.exec(`INSERT INTO authors VALUES (1, 'A'); ${rows}`);
  driver.close();
  return folder;
}

const promote = (folder: Folder, url: string): Promise<Told> =>
  runIn(folder, {}, 'promote', '--from', 'sqlite:a.db', '--to', url);

const good = `INSERT INTO books VALUES (1, 'a \uFFFD', '{"a":"\uFFFD"}', 1), (2, 'b', '{"n":[1e300,1e3,0.12345678901234567890]}', NULL);`;

test.each<readonly [what: string, rows: string, told: string]>([
  [
    'bytes that are not UTF-8',
    `${good} INSERT INTO books (id, title) VALUES (3, CAST(x'4dfc6c6c6572' AS TEXT))`,
    'the record 3 has a value in title that is not text in UTF-8; convert it there',
  ],
  [
    'a NUL character',
    `${good} INSERT INTO books (id, title) VALUES (3, 'a' || char(0) || 'b')`,
    'the record 3 has a value in title that has a NUL character, which PostgreSQL cannot hold',
  ],
  [
    'a NUL character in JSON',
    `${good} INSERT INTO books (id, data) VALUES (3, '{"a":["x\\u0000y"]}')`,
    'the record 3 has a value in data that has a NUL character, which PostgreSQL cannot hold',
  ],
  [
    'a number in JSON that is too long',
    `${good} INSERT INTO books (id, data) VALUES (3, '{"a":[1e400]}')`,
    'the record 3 has a value in data that has the number 1e400, which PostgreSQL cannot hold so',
  ],
  [
    'keys to no record',
    `${good} INSERT INTO books (id, authorId) VALUES (3, 99), (4, 98)`,
    'authorId: 2 stored keys refer to no record of authors (id 3, 4)',
  ],
])('promote ends at %s', async (_, rows, told) => {
  const { url, drop } = await createDatabase();
  const { code, err } = await promote(await fileWith(rows), url);
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`cannot have what a.db has in books: ${told}. Fix it there`),
  ]);
  await drop();
});

test.each(['ndjson', 'csv', 'json'])(
  'export ends at bytes that are not UTF-8: %s',
  async (format) => {
    const folder = await fileWith(
      `${good} INSERT INTO books (id, title) VALUES (3, CAST(x'4dfc6c6c6572' AS TEXT))`,
    );
    const { code, err } = await runIn(
      folder,
      {},
      'export',
      'out',
      '--format',
      format,
      '--database',
      'sqlite:a.db',
    );
    expect([code, err]).toEqual([
      1,
      'Nothing was exported: the record 3 of books has a value in title that is not text in UTF-8; convert it there.',
    ]);
    expect(existsSync(folder.at(`out/books.${format}`))).toBe(false);
  },
);

test('the character that stands for such bytes is carried where it is the text itself', async () => {
  const { url, drop } = await createDatabase();
  const folder = await fileWith(good);
  expect(await promote(folder, url)).toMatchObject({ code: 0, err: '' });
  expect(await runIn(folder, {}, 'export', 'out', '--database', 'sqlite:a.db')).toMatchObject({
    code: 0,
    err: '',
  });
  await drop();
});
