import Driver from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, plinth, servePlinth, type Ended } from '../support/command.ts';

const file = (fields: string): string => `access: public
resources:
  books:
    fields:
${fields
  .split('\n')
  .map((line) => `      ${line.trim()}\n`)
  .join('')}`;

const before = file(`title: { type: string }
  pages: { type: string }
  year: { type: integer }
  isbn: { type: string }`);
const after = file(`title: { type: string, column: heading }
  pages: { type: integer }
  year: { type: integer, nullable: false, default: 1900 }`);
const steps = [
  '- rename column books.title to heading',
  '- change books.pages from string to integer (loses 2 values)',
  '- change books.year to refuse null (1900 where it is null)',
];

describe('a change that loses values', () => {
  const folder = makeFolder({ 'plinth.yaml': before });
  const here = { cwd: folder.path };
  const url = 'sqlite:shop.db';
  const migrate = (...flags: string[]): Promise<Ended> =>
    plinth(['migrate', '--database', url, ...flags], here);
  const all = (sql: string): unknown => {
    const driver = new Driver(folder.at('shop.db'), { readonly: true });
    const rows = driver.prepare(sql).all();
    driver.close();
    return rows;
  };

  beforeAll(async () => {
    await migrate('--apply');
    const driver = new Driver(folder.at('shop.db'));
    driver.exec(
      `INSERT INTO books (title, pages, year, isbn) VALUES ('A', '12', 2001, 'i'), ('B', '012', NULL, 'j'), ('C', 'x', NULL, NULL)`,
    );
    driver.close();
    folder.write('plinth.yaml', after);
  });

  const shown = `${steps.join('\n')}\n- drop column books.isbn (would lose 2 values: only with --allow-data-loss)\n`;
  const command = `plinth migrate plinth.yaml --database ${url} --apply --allow-data-loss`;

  test('is shown with what it loses', async () => {
    expect(await migrate()).toMatchObject({
      code: 0,
      err: '',
      out: `${shown}Run "${command}" to do these 4 steps. Lost values cannot be restored.\n`,
    });
  });

  test('is not made without being asked for', async () => {
    expect(await migrate('--apply')).toMatchObject({
      code: 1,
      out: shown,
      err: `Nothing was changed. Values would be lost: change the specification, or make a backup and run "${command}".\n`,
    });
    const { code, out } = await migrate('--apply', '--json');
    expect({ code, ...(JSON.parse(out) as object) }).toMatchObject({
      code: 1,
      ok: false,
      applied: false,
      steps: [
        { summary: 'rename column books.title to heading', possible: true },
        { summary: 'change books.pages from string to integer', possible: true, loses: '2 values' },
        { summary: 'change books.year to refuse null (1900 where it is null)', possible: true },
        { summary: 'drop column books.isbn', possible: true, loses: '2 values', kept: true },
      ],
    });
    expect(all('SELECT * FROM books WHERE id = 2')).toEqual([
      { id: 2, title: 'B', pages: '012', year: null, isbn: 'j' },
    ]);
  });

  test('keeps start from serving, which names the steps', async () => {
    expect(await plinth(['start', '--database', url], here)).toMatchObject({
      code: 1,
      err: `${steps.join('\n')}\nThe database shop.db is behind the specification. Values would be lost: change the specification, or make a backup and run "${command}".\n`,
    });
  });

  test('is not made by dev, which serves and names the steps', async () => {
    const server = await servePlinth(['dev', '--database', url], here);
    expect(server.err()).toBe(
      `${steps.join('\n')}\nWarning: the database shop.db is behind the specification, and dev changes only its own. Values would be lost: change the specification, or make a backup and run "${command}". Until then requests for what is missing fail.\n`,
    );
    expect((await fetch(`${server.url}/v1/books`)).status).toBe(503);
    expect((await fetch(`${server.url}/_ready`)).status).toBe(503);
    await server.stop('SIGTERM');
    expect(all('SELECT * FROM books WHERE id = 2')).toEqual([
      { id: 2, title: 'B', pages: '012', year: null, isbn: 'j' },
    ]);
  });

  test('is made when it is, at once or not at all, whoever else does the same', async () => {
    const ended = await Promise.all([1, 2, 3].map(() => migrate('--apply', '--allow-data-loss')));
    for (const { code, err } of ended) expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(ended.filter(({ out }) => out.includes('4 steps done'))).toHaveLength(1);
    expect(all('SELECT * FROM books')).toEqual([
      { id: 1, heading: 'A', pages: 12, year: 2001 },
      { id: 2, heading: 'B', pages: null, year: 1900 },
      { id: 3, heading: 'C', pages: null, year: 1900 },
    ]);
  });
});

test('what the file no longer names stays, and is served around', async () => {
  const folder = makeFolder({
    'plinth.yaml': before.replace('isbn: {', 'isbn: { required: true,'),
  });
  const here = { cwd: folder.path };
  const post = async (url: string, body: object): Promise<number> =>
    (
      await fetch(`${url}/v1/books`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).status;
  const first = await servePlinth(['dev', '--no-generate'], here);
  expect(await post(first.url, { title: 'A', isbn: 'i' })).toBe(201);
  await first.stop('SIGTERM');
  folder.write('plinth.yaml', file('title: { type: string }'));
  const second = await servePlinth(['dev', '--no-generate'], here);
  expect(await post(second.url, { title: 'B' })).toBe(201);
  await second.stop('SIGTERM');
  const own = ['--database', 'sqlite:.plinth/dev.db'];
  expect(await plinth(['migrate', '--apply', ...own], here)).toMatchObject({
    code: 0,
    out:
      '- drop column books.pages (would lose 0 values: only with --allow-data-loss)\n' +
      '- drop column books.year (would lose 0 values: only with --allow-data-loss)\n' +
      '- drop column books.isbn (would lose 1 value: only with --allow-data-loss)\n' +
      '.plinth/dev.db is up to date.\n' +
      'Tables and columns that the specification no longer names stay until --allow-data-loss drops them.\n',
  });
  const started = await servePlinth(['start', ...own], here);
  expect((await fetch(`${started.url}/v1/books`)).status).toBe(200);
  await started.stop('SIGTERM');
});
