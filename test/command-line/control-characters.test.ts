import Driver from 'better-sqlite3';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { library, makeFolder, plinth } from '../support/command.ts';

/** Names and values of others never control the terminal. See docs/contract/6-operation.md#command-line, rule 8. */
const bell = '\u001B]0;taken\u0007\u001B[2J\u009B31m\u202E';
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E]/u;

const folder = makeFolder({
  'plinth.yaml': library,
  'data/authors.csv': `id,${bell}\n1,a\n`,
  'rows/authors.ndjson': `{"id":1,${JSON.stringify(bell)}:1}\n`,
  'odd.yaml': `${library}      ${JSON.stringify(`x${bell}`)}: { type: strin }\n`,
  [`${bell.replaceAll('/', '')}.yaml`]: 'resources: 1\n',
});
const driver = new Driver(folder.at('odd.db'));
driver.exec(
  `CREATE TABLE "t${bell}" (id INTEGER PRIMARY KEY, "c${bell}" TEXT); CREATE VIRTUAL TABLE "x${bell}" USING fts5(a)`,
);
driver.close();
new Driver(folder.at(`${bell.replaceAll('/', '')}.db`)).exec('CREATE TABLE a (b)').close();

test.each([
  ['a table', ['introspect', 'odd.db', '--out', 'table.yaml']],
  ['a table, as JSON', ['introspect', 'odd.db', '--json']],
  ['a header of CSV', ['import', 'data', '--database', 'sqlite:own.db']],
  ['a key of a record', ['import', 'rows', '--database', 'sqlite:own.db']],
  ['a field of the file', ['check', 'odd.yaml']],
  ['the name of a file', ['check', `${bell}.yaml`]],
  ['the name of a database', ['introspect', `sqlite:${bell}.db`, '--out', 'made.yaml']],
  ['an argument', ['check', `no${bell}.yaml`]],
  ['a flag', ['check', `--${bell}`]],
])('%s', async (_name, args) => {
  const here = { cwd: folder.path };
  await plinth(['migrate', '--apply', '--database', 'sqlite:own.db'], here);
  const { out, err } = await plinth(args, here);
  expect(`${out}${err}`).not.toMatch(controls);
  expect(`${out}${err}`).toContain(String.raw`\u001b`);
});

test('a document in a file is as it is', async () => {
  const { code } = await plinth(['introspect', 'odd.db', '--out', 'odd-made.yaml'], {
    cwd: folder.path,
  });
  expect(code).toBe(0);
  const text = readFileSync(folder.at('odd-made.yaml'), 'utf8');
  // YAML allows none of them in a comment, and the name of the table is what it is.
  for (const line of text.split('\n').filter((one) => one.startsWith('#')))
    expect(line).not.toMatch(controls);
  expect((parse(text) as { resources: object }).resources).toMatchObject({
    [Object.keys((parse(text) as { resources: object }).resources)[0] ?? '']: { table: `t${bell}` },
  });
});
