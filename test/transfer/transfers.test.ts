import Driver from 'better-sqlite3';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { library, makeFolder, ndjson, type Folder } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';
import { runIn } from '../command-line/commands.ts';

const own = ['--database', 'sqlite:own.db'];

/** A folder with a database that is up to date. */
async function madeFolder(files: Readonly<Record<string, string>> = {}): Promise<Folder> {
  const folder = makeFolder({ 'plinth.yaml': library, ...files });
  expect(await runIn(folder, {}, 'migrate', '--apply', ...own)).toMatchObject({ code: 0 });
  return folder;
}

test('an export reads what others point to last, so that nothing in it points nowhere', async () => {
  const folder = await madeFolder({
    'data/authors.ndjson': ndjson({ id: 1, name: 'Ursula' }),
    'data/books.ndjson': ndjson({ id: 1, title: 'A', authorId: 1 }),
  });
  await runIn(folder, {}, 'import', 'data', ...own);
  // Somebody writes while it reads.
  let reports = 0;
  const report = (): void => {
    reports += 1;
    if (reports > 1) return;
    const driver = new Driver(folder.at('own.db'));
    driver.exec(
      "INSERT INTO authors (id, name) VALUES (2, 'Italo'); INSERT INTO books (id, title, authorId) VALUES (2, 'B', 2)",
    );
    driver.close();
  };
  expect(await runIn(folder, { report }, 'export', 'out', ...own)).toMatchObject({ code: 0 });
  expect(reports).toBeGreaterThan(1);
  const other = ['--database', 'sqlite:other.db'];
  await runIn(folder, {}, 'migrate', '--apply', ...other);
  const read = await runIn(folder, {}, 'import', 'out', ...other, '--json');
  expect([read.code, JSON.parse(read.out)]).toMatchObject([
    0,
    { records: { authors: 2, books: 1 } },
  ]);
});

describe('an import that fails', () => {
  test('says that there are more problems than it lists', async () => {
    const folder = await madeFolder({
      'many/authors.ndjson': ndjson(...Array.from({ length: 150 }, (_, id) => ({ id: id + 1 }))),
    });
    const { code, out, err } = await runIn(folder, {}, 'import', 'many', ...own);
    const lines = err.split('\n');
    expect([code, out, lines.length]).toEqual([1, '', 101]);
    expect(lines.slice(-2)).toEqual([
      'many/authors.ndjson:100 name is required',
      'Nothing was imported (the first 100 are listed). Fix these records and run it again.',
    ]);
  });

  test('names the steps that are missing, as JSON too', async () => {
    const folder = await madeFolder({ 'data/authors.ndjson': '' });
    folder.write('plinth.yaml', `${library}      year: { type: integer }\n`);
    const { code, out, err } = await runIn(folder, {}, 'import', 'data', ...own, '--json');
    const [step, sentence] = err.split('\n');
    expect([code, step]).toEqual([1, '- add column books.year']);
    expect(JSON.parse(out)).toEqual({
      ok: false,
      error: sentence,
      steps: ['add column books.year'],
    });
  });
});

test('generate --reset makes only those anew that are named, whatever the file has as data', async () => {
  const folder = await madeFolder({ 'data/authors.ndjson': ndjson({ id: 7, name: 'Ursula' }) });
  folder.write('plinth.yaml', `data: data\ngenerate: { count: 2 }\n${library}`);
  await runIn(folder, {}, 'generate', '--reset', ...own);
  const ask = (sql: string): unknown => {
    const driver = new Driver(folder.at('own.db'));
    const found = driver.prepare(sql).pluck().all();
    driver.close();
    return found;
  };
  ask("INSERT INTO authors (id, name) VALUES (9, 'Italo') RETURNING id");
  ask("UPDATE books SET title = 'mine' RETURNING id");
  const call = ['generate', '--reset', '--delete-all', '--resource', 'books', '--json', ...own];
  const { code, out } = await runIn(folder, {}, ...call);
  expect([code, JSON.parse(out)]).toEqual([
    0,
    { ok: true, database: 'own.db', records: { books: 2 } },
  ]);
  expect(ask('SELECT name FROM authors ORDER BY id')).toEqual(['Ursula', 'Italo']);
  expect(ask("SELECT count(*) FROM books WHERE title = 'mine'")).toEqual([0]);
});

test('generate writes an existing table in the forms that it has', async () => {
  const folder = makeFolder({
    'plinth.yaml':
      'resources: { orders: { fields: { at: { type: datetime, required: true }, isPaid: { type: boolean, required: true } } } }',
  });
  const driver = new Driver(folder.at('own.db'));
  driver.exec(
    "CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, at BIGINT NOT NULL, isPaid VARCHAR(1) NOT NULL); INSERT INTO orders VALUES (1, 1772373900, 'Y')",
  );
  const call = ['generate', '--count', '3', ...own];
  expect(await runIn(folder, {}, 'migrate', '--apply', ...own)).toMatchObject({ code: 0 });
  expect(await runIn(folder, {}, ...call)).toMatchObject({ code: 0, err: '' });
  const forms = driver.prepare("SELECT typeof(at), isPaid IN ('Y', 'N') FROM orders").raw().all();
  expect(forms).toEqual([1, 2, 3].map(() => ['integer', 1]));
  driver.close();
});

test('init writes over none of the files that its example has', async () => {
  const folder = makeFolder({ 'mine/LICENSE.md': 'mine' });
  const call = ['init', 'mine', '--example', 'chinook'];
  expect(await runIn(folder, {}, ...call)).toEqual({
    code: 1,
    out: '',
    err: 'mine/LICENSE.md already exists. Choose another folder.',
  });
  expect(readFileSync(folder.at('mine/LICENSE.md'), 'utf8')).toBe('mine');
  expect(existsSync(folder.at('mine/plinth.yaml'))).toBe(false);
});

test('introspect tells at once what a database allows and a specification does not', async () => {
  const folder = makeFolder();
  const driver = new Driver(folder.at('own.db'));
  driver.exec('CREATE TABLE prices (id INTEGER PRIMARY KEY, net DECIMAL(4, 2) DEFAULT 1234.5)');
  driver.close();
  const call = ['introspect', 'own.db', '--managed', '--out', 'plinth.yaml', '--json'];
  const { code, out, err } = await runIn(folder, {}, ...call);
  const [, place = '', sentence] = err.split('\n');
  expect([code, sentence]).toEqual([
    1,
    'plinth.yaml is written, but has 1 error that you have to fix.',
  ]);
  expect(place).toMatch(/^plinth\.yaml:\d+:\d+ error resources\.prices\.fields\.net\.default: /u);
  expect(JSON.parse(out)).toMatchObject({ ok: false, error: sentence, problems: [{ line: 8 }] });
  expect(await runIn(folder, {}, 'check')).toMatchObject({ code: 1 });
});

test('check --against tells first what breaks', async () => {
  const folder = makeFolder({
    'old.yaml': library,
    'plinth.yaml': library.replace(
      'title: { type: string, required: true }',
      'added: { type: string }\n      title: { type: string, required: true, maxLength: 9 }',
    ),
  });
  const { code, out, err } = await runIn(folder, {}, 'check', '--against', 'old.yaml');
  const told = out.split('\n').map((line) => line.slice(0, line.indexOf(':')));
  expect([code, told]).toEqual([1, ['breaking v1 books.title', 'safe v1 books.added']]);
  expect(err).toMatch(/^1 change breaks clients of old\.yaml\. Take it back, /u);
});

test('a signal that has come already ends a command before it does anything', async () => {
  const folder = await madeFolder({ 'data/authors.ndjson': ndjson({ id: 1, name: 'Ursula' }) });
  const stop = AbortSignal.abort();
  const of = (...args: string[]): Promise<object> => runIn(folder, { stop }, ...args, ...own);
  for (const command of ['dev', 'start'])
    expect(await of(command, '--port', '0')).toMatchObject({ code: 0, out: '' });
  for (const [args, err] of [
    [['import', 'data'], 'Stopped: nothing was imported. Run it again to import everything.'],
    [['generate'], 'Stopped: nothing was generated. Run it again to generate everything.'],
    [['export', 'out'], 'Stopped: nothing was exported.'],
  ] as const)
    expect(await of(...args)).toEqual({ code: 1, out: '', err });
  const driver = new Driver(folder.at('own.db'));
  expect(driver.prepare('SELECT count(*) FROM authors').pluck().get()).toBe(0);
  driver.close();
});

describe('no password is shown', () => {
  test('of a URL of the wrong kind', async () => {
    const folder = makeFolder({ 'plinth.yaml': library });
    const url = 'postgres://me:hidden@host.invalid/x';
    for (const sides of [
      ['--from', url, '--to', url],
      ['--from', 'sqlite:a.db', '--to', 'mysql://me:hidden@host.invalid/x'],
    ])
      for (const flags of [[], ['--json'], ['--verbose']]) {
        const { code, out, err } = await runIn(folder, {}, 'promote', ...sides, ...flags);
        expect([code, err]).toEqual([2, expect.stringContaining('cannot be used. Write --')]);
        expect(out + err).toContain('://me:…@host.invalid/x');
        expect(out + err).not.toContain('hidden');
      }
  });

  test('of a database that is introspected', async () => {
    const { url, drop } = await createDatabase();
    const folder = makeFolder({ 'plinth.yaml': library });
    const shown = url.replace(/:plinth@/u, ':…@');
    expect(shown).not.toBe(url);
    await runIn(folder, {}, 'migrate', '--apply', '--database', url);
    const { code, out, err } = await runIn(folder, {}, 'introspect', url, '--out', 'made.yaml');
    expect([code, out]).toEqual([0, '']);
    expect(err.split('\n')).toContain(`Next: plinth dev made.yaml --database ${shown}`);
    expect(readFileSync(folder.at('made.yaml'), 'utf8')).not.toContain(':plinth@');
    expect(existsSync(folder.at('.plinth/schema.json'))).toBe(true);
    await drop();
  });
});

test('a token has the claims that the specification asks for, and no others', async () => {
  const text = (more: string): string =>
    `auth: { jwt: { secret: "a secret that has 32 bytes or more"${more} } }\n${library}`;
  const folder = makeFolder({
    'plinth.yaml': text(''),
    'named.yaml': text(', issuer: shop, audience: web'),
  });
  const now = (): Date => new Date('2026-01-01T00:00:00.900Z');
  const moments = { iat: 1_767_225_600, exp: 1_767_229_200 };
  const claims = async (...args: string[]): Promise<unknown> => {
    const { out } = await runIn(folder, { now }, 'token', '--json', ...args);
    return (JSON.parse(out) as { claims: unknown }).claims;
  };
  expect(await claims()).toEqual(moments);
  expect(await claims('--spec', 'named.yaml', '--sub', '7', '--role', 'a', 'b')).toEqual({
    ...moments,
    iss: 'shop',
    aud: 'web',
    sub: '7',
    roles: ['a', 'b'],
  });
});
