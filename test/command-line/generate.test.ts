import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import {
  good,
  launchPlinth,
  library,
  makeFolder,
  ndjson,
  plinth,
  root,
  servePlinth,
  until,
  type Folder,
} from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

const rows = (folder: Folder, file: string, sql: string): unknown[] => {
  const driver = new Driver(folder.at(file), { readonly: true });
  const found = driver.prepare(sql).all();
  driver.close();
  return found;
};
const database = ['--database', 'sqlite:own.db'];
const all = 'SELECT * FROM books JOIN authors ON authors.id = authorId ORDER BY books.id';

describe('generate', () => {
  test('fills, adds what is missing, and makes anew', async () => {
    const folder = makeFolder({ 'plinth.yaml': library });
    const here = { cwd: folder.path };
    await plinth(['migrate', '--apply', ...database], here);
    expect(await plinth(['generate', ...database], here)).toMatchObject({
      code: 0,
      out: '  authors  25\n  books    25\n50 records were generated in own.db.\n',
      err: '',
    });
    const before = rows(folder, 'own.db', all);
    expect(before).toHaveLength(25);
    expect((await plinth(['generate', ...database], here)).out).toContain(
      '0 records were generated in own.db. Existing records stay; give --reset to replace them.',
    );
    const more = await plinth(
      ['generate', 'plinth.yaml', ...database, '--count', '1100', '--resource', 'books', '--json'],
      here,
    );
    expect(JSON.parse(more.out)).toEqual({
      ok: true,
      database: 'own.db',
      records: { books: 1075 },
    });
    expect(rows(folder, 'own.db', all).slice(0, 25)).toEqual(before);
    await good(['generate', ...database, '--reset', '--delete-all'], folder.path);
    expect(rows(folder, 'own.db', all)).toEqual(before);
    await good(['generate', ...database, '--reset', '--delete-all', '--seed', '2'], folder.path);
    expect(rows(folder, 'own.db', all)).not.toEqual(before);
  });

  test('check and generate say of data what cannot be made and what is odd', async () => {
    const field = (definition: string): string =>
      `access: public\nresources:\n  things:\n    fields:\n      f: ${definition}\n`;
    const folder = makeFolder({
      'wrong.yaml': field('{ type: string, generator: internet.emial }'),
      'odd.yaml': field('{ type: enum, values: [a, b], required: true, unique: true }'),
    });
    const here = { cwd: folder.path };
    const wrong =
      'wrong.yaml:5:37 error resources.things.fields.f.generator: there is no generator internet.emial; did you mean internet.email?';
    const odd =
      'odd.yaml:3:3 warning resources.things: 25 records are wanted, but only 2 can be told apart: each has a value of its own, and f has 2 values';
    expect(await plinth(['check', 'wrong.yaml'], here)).toMatchObject({
      code: 1,
      out: `${wrong}\n`,
      err: 'wrong.yaml has 1 error. Fix it and run "plinth check" again.\n',
    });
    expect(await plinth(['check', 'odd.yaml'], here)).toMatchObject({
      code: 0,
      out: `${odd}\nodd.yaml is valid: 1 resource.\n`,
    });
    await plinth(['migrate', 'odd.yaml', '--apply', ...database], here);
    expect(await plinth(['generate', 'odd.yaml', ...database], here)).toMatchObject({
      code: 0,
      out: '  things  2\n2 records were generated in own.db.\n',
      err: `${odd}\n`,
    });
  });

  test('clock, time zone and language of the machine make no difference', async () => {
    const places = [
      { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
      { TZ: 'America/Los_Angeles', LANG: 'C' },
    ];
    const folder = makeFolder();
    cpSync(join(root, 'examples/shop/plinth.yaml'), folder.at('plinth.yaml'));
    const found: string[] = [];
    for (const [index, env] of places.entries()) {
      const here = { cwd: folder.path, env };
      const own = ['--database', `sqlite:${index}.db`];
      await plinth(['migrate', '--apply', ...own], here);
      expect(await plinth(['generate', ...own], here)).toMatchObject({ code: 0 });
      const tables = rows(
        folder,
        `${index}.db`,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '*_*' ORDER BY name",
      ) as { name: string }[];
      expect(tables).toHaveLength(9);
      found.push(
        JSON.stringify(
          tables.map(({ name }) =>
            rows(folder, `${index}.db`, `SELECT * FROM "${name}" ORDER BY id`),
          ),
        ),
      );
    }
    expect(found[0]).toBe(found[1]);
  });

  test('on PostgreSQL', async () => {
    const { url, drop } = await createDatabase();
    const folder = makeFolder({ 'plinth.yaml': library });
    const named = ['--database', url];
    const generate = async (...args: readonly string[]): Promise<string> =>
      (await good(['generate', ...named, ...args], folder.path)).out;
    await good(['migrate', '--apply', ...named], folder.path);
    expect(await generate('--count', '300')).toContain('600 records were generated');
    expect(await generate('--count', '300')).toContain('0 records');
    expect(await generate('--count', '20', '--reset', '--delete-all')).toContain('40 records');
    await drop();
  });

  const wrong: readonly (readonly [args: readonly string[], code: number, message: string])[] = [
    [
      ['--count', 'many'],
      2,
      '--count must be a whole number from 0 on, not "many". Change --count.',
    ],
    [['--count', '-1'], 2, 'not "-1"'],
    [['--seed', '1.5'], 2, '--seed must be a whole number, not "1.5". Change --seed.'],
    [
      ['--resource', 'book'],
      2,
      'There is no resource book; did you mean books? Change --resource.',
    ],
    [
      ['--resource', 'authors', '--reset', '--delete-all'],
      1,
      'Nothing was deleted: records of books refer to records that --reset would delete.',
    ],
    [['--database', 'sqlite:none.db'], 1, 'There is no database none.db.'],
  ];
  test.each(wrong.map(([args, code, message]) => ({ args, code, message })))(
    'generate $args fails with $code',
    async ({ args, code, message }) => {
      const folder = makeFolder({ 'plinth.yaml': library });
      const here = { cwd: folder.path };
      await good(['migrate', '--apply', ...database], folder.path);
      await good(['generate', ...database], folder.path);
      const ended = await plinth(['generate', ...database, ...args], here);
      expect(ended).toMatchObject({ code, out: '' });
      expect(ended.err).toContain(message);
      expect(rows(folder, 'own.db', all)).toHaveLength(25);
    },
  );

  test.each([
    ['generate', ...database],
    ['dev', '--port', '0'],
  ])('%s tells line and column of what cannot be generated', async (...args) => {
    const folder = makeFolder({
      'plinth.yaml': `${library}      code: { type: string, generator: internet.emial }\n      isbn: { type: string, pattern: '^(?=9)x$' }\n`,
    });
    const here = { cwd: folder.path };
    await plinth(['migrate', '--apply', ...database], here);
    expect(await plinth(args, here)).toMatchObject({
      code: 1,
      out: '',
      err:
        'plinth.yaml:13:40 error resources.books.fields.code.generator: there is no generator internet.emial; did you mean internet.email?\n' +
        'plinth.yaml:14:7 error resources.books.fields.isbn: no value was found that satisfies it: it must match the pattern ^(?=9)x$; give it values, a template or a generator\n' +
        'Nothing was generated. Fix these places in plinth.yaml and run it again.\n',
    });
  });

  test('a signal ends it, and nothing is kept', async () => {
    const folder = makeFolder({ 'plinth.yaml': library });
    const here = { cwd: folder.path };
    await plinth(['migrate', '--apply', ...database], here);
    const running = launchPlinth(['generate', ...database, '--count', '2000000'], here);
    await until(() => readdirSync(folder.path).includes('own.db-wal'));
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({
      code: 1,
      out: '',
      err: 'Stopped: nothing was generated. Run it again to generate everything.\n',
    });
    expect(rows(folder, 'own.db', all)).toEqual([]);
  });
});

describe('dev', () => {
  test('fills an empty database once, and generates for what its data does not name', async () => {
    const folder = makeFolder({
      'plinth.yaml': library,
      'data.yaml': `data: data\n${library}`,
      'data/authors.ndjson': ndjson({ id: 7, name: 'Ursula' }, { id: 9, name: 'Italo' }),
    });
    const here = { cwd: folder.path };
    for (let start = 0; start < 2; start += 1) {
      const server = await servePlinth(['dev'], here);
      expect(server.out()).toContain('\n  authors  25\n  books    25\n');
      expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, err: '' });
    }
    rmSync(folder.at('.plinth'), { recursive: true });
    const server = await servePlinth(['dev', 'data.yaml'], here);
    expect(server.out()).toContain('\n  authors   2\n  books    25\n');
    const books = (await (await fetch(`${server.url}/v1/books?limit=25`)).json()) as {
      authorId: number;
    }[];
    expect(new Set(books.map(({ authorId }) => authorId))).toEqual(new Set([7, 9]));
    await server.stop('SIGTERM');
  });

  test('says what cannot be generated, and serves the rest', async () => {
    const folder = makeFolder({ 'plinth.yaml': library });
    const title = 'title: { type: string, required: true';
    const wrong = library.replace(title, `${title}, generator: word.nuon`);
    const what = 'there is no generator word.nuon; did you mean word.noun?';
    const said = 'plinth.yaml is served, but its data cannot be generated.';
    const server = await servePlinth(['dev'], { cwd: folder.path });
    folder.write('plinth.yaml', wrong);
    await until(() => server.err().includes(said));
    expect(server.err()).toContain(what);
    expect((await fetch(`${server.url}/v1/books`)).status).toBe(200);
    await server.stop('SIGTERM');
    // From the start, over records that are there.
    const again = await servePlinth(['dev'], { cwd: folder.path });
    await until(() => again.err().includes(said));
    expect(again.err()).toContain(what);
    expect(await again.stop('SIGTERM')).toMatchObject({ code: 0 });
  });

  test('leaves it empty with --no-generate', async () => {
    const folder = makeFolder({ 'plinth.yaml': library });
    const server = await servePlinth(['dev', '--no-generate'], { cwd: folder.path });
    expect(server.out()).toContain('\n  authors  0\n  books    0\n');
    await server.stop('SIGTERM');
  });

  test('uses functions of modules beside the file', async () => {
    const folder = makeFolder({
      'deep/plinth.yaml': library.replace(
        'title: { type: string, required: true }',
        'title: { type: string, generator: ./own.ts#title }',
      ),
      'deep/own.ts': 'export const title = ({ row }: { row: number }) => `Book ${row}`;\n',
    });
    const server = await servePlinth(['dev', 'deep/plinth.yaml'], { cwd: folder.path });
    // So is its database.
    expect(readdirSync(folder.at('deep/.plinth'))).toContain('dev.db');
    expect(readdirSync(folder.path)).toEqual(['deep']);
    const answer = await fetch(`${server.url}/v1/books/3?_inspect=data`);
    expect(await answer.json()).toMatchObject({
      data: { title: 'Book 3' },
      _inspect: { fields: { title: { source: 'generated', generator: './own.ts#title' } } },
    });
    await server.stop('SIGTERM');
  });
});

/** Requests to a starting example, each with what its answer has to have. */
const examples: readonly (readonly [example: string, path: string, expected: unknown])[] = [
  [
    'blog',
    'posts?status=published&expand=author.profile,tags,comments.replies&limit=3',
    [
      {
        title: expect.any(String),
        author: { profile: expect.anything() },
        tags: expect.arrayContaining([
          expect.objectContaining({ pivot: { position: expect.any(Number) } }),
        ]),
        comments: expect.any(Array),
      },
      {},
      {},
    ],
  ],
  [
    'blog',
    'comments?parentId_exists=true&expand=parent,post&limit=1',
    [{ parent: { id: expect.any(Number) }, post: { title: expect.any(String) } }],
  ],
  [
    'shop',
    'orders?expand=customer.address,items.product.supplier&items_exists=true&limit=1',
    [{ customer: { address: { city: expect.any(String) } }, items: expect.any(Array) }],
  ],
  [
    'shop',
    'categories?children_exists=true&expand=children,products&limit=1',
    [{ children: expect.any(Array), products: expect.any(Array) }],
  ],
  [
    'shop',
    'products?reviews.rating_gte=4&sort=-price&expand=reviews.customer&limit=1',
    [{ price: expect.stringMatching(/^\d+\.\d\d$/u) }],
  ],
  [
    'media',
    'images?ownerType=article&expand=owner.author,comments&limit=1',
    [{ owner: { title: expect.any(String), author: { name: expect.any(String) } } }],
  ],
  [
    'media',
    'authors?follows_exists=true&expand=follows,portrait,articles&limit=1',
    [{ follows: expect.any(Array) }],
  ],
];
test.each(['blog', 'shop', 'media'])('the starting example %s runs', async (example) => {
  const folder = makeFolder();
  const here = { cwd: folder.path };
  expect(await plinth(['init', '--example', example, '--name', 'Mine'], here)).toMatchObject({
    code: 0,
  });
  expect(await plinth(['check'], here)).toMatchObject({
    code: 0,
    out: expect.stringContaining('is valid'),
  });
  const server = await servePlinth(['dev'], here);
  for (const [of, path, expected] of examples) {
    if (of !== example) continue;
    const answer = await fetch(`${server.url}/v1/${path}`);
    const body = await answer.json();
    expect([path, answer.status, body]).toEqual([path, 200, expect.anything()]);
    const [first] = body as object[];
    expect(first, path).toMatchObject((expected as object[])[0] ?? {});
  }
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, err: '' });
});
