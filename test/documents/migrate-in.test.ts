import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeOriginalChinook } from '../support/chinook-original.ts';
import { launch, makeFolder, root, untilServing, type Running } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

const pageOf = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8');
/** The first commands of a page, or of a section of it. */
function commandsOf(name: string, section?: string): string {
  const page = pageOf(name);
  const text = section === undefined ? page : page.split(`\n## ${section}\n`)[1];
  return /```sh\n([\s\S]*?)```/u.exec(text ?? '')?.[1] ?? '';
}
const posts = [
  { id: 1, title: 'One', views: 12 },
  { id: 2, title: 'Two', views: 3 },
];
const folder = makeFolder({
  'db.json': JSON.stringify({ posts, comments: [{ id: 1, body: 'x', postId: 1 }] }),
});
let target: TestDatabase;

beforeAll(async () => {
  makeOriginalChinook(folder.at('shop.db'));
  target = await createDatabase();
});

afterAll(() => target.drop());

const shell = (line: string, cwd = folder.path): Running =>
  launch('sh', ['-c', `plinth() { exec "$NODE" "$MAIN" "$@"; }; ${line}`], {
    cwd,
    env: {
      NODE: join(root, 'node_modules/.bin/node'),
      MAIN: join(root, 'src/cli/main.ts'),
      DATABASE_URL: target.url,
    },
  });

/** Runs commands line by line; gives what they print. */
async function run(lines: readonly string[]): Promise<string> {
  let printed = '';
  for (const line of lines) {
    const { code, out, err } = await shell(line).ended;
    expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' });
    printed += out;
  }
  return printed;
}

/** Runs commands, of which the last one serves. Gives what is served and printed. */
async function follow(
  commands: string,
  paths: readonly string[],
): Promise<{ readonly answers: readonly unknown[]; readonly printed: string }> {
  const lines = commands.trim().split('\n');
  expect(lines.length).toBeGreaterThan(2);
  const printed = await run(lines.slice(0, -1));
  const { url, stop } = await untilServing(shell(`${lines.at(-1)} --port 0`));
  const answers = await Promise.all(
    paths.map(async (path): Promise<unknown> => (await fetch(`${url}${path}`)).json()),
  );
  await stop('SIGTERM');
  return { answers, printed };
}

const shop = [
  '/albums/1?expand=artist,tracks',
  '/invoices?limit=5&expand=customer',
  '/playlists/9?expand=tracks',
];
let served: readonly unknown[] = [];

test('from json-server', async () => {
  const [one, two] = posts;
  const comment = { id: 1, body: 'x', postId: 1 };
  const expected = new Map<string, unknown>([
    ['/posts', posts],
    ['/posts?views_gte=10', [one]],
    ['/posts?page=2&limit=10', []],
    ['/posts?offset=20&limit=10', []],
    ['/posts?sort=-views,id', [one, two]],
    ['/posts/1?expand=comments', { ...one, comments: [comment] }],
    ['/comments?expand=post', [{ ...comment, post: one }]],
    ['/comments?postId=1', [comment]],
    ['/posts?id_in=1,2', posts],
    ['/posts?views_neq=12', [two]],
    ['/posts?title_ilike=one', [one]],
    ['/posts?search=one', [one]],
    ['/posts?_or=title_ilike:one,views:12', [one]],
  ]);
  // Every request that the page translates is tried.
  const translated = [
    ...pageOf('migrate-in/json-server.md').matchAll(/^\| `.*\| `(\/[^`]+)`/gmu),
  ].map(([, path = '']) => path);
  expect([...expected.keys()].slice(2)).toEqual(translated);
  const { answers } = await follow(commandsOf('migrate-in/json-server.md'), [...expected.keys()]);
  expect(answers).toEqual([...expected.values()]);
});

test('from another mock', async () => {
  const users = [{ id: 7, name: 'Ann' }];
  const lists = new Map<string, unknown>([
    ['/users', users],
    ['/posts', [{ id: 1, title: 'One', userId: 7 }]],
  ]);
  const mock = createServer((request, response) => {
    response.end(JSON.stringify(lists.get(request.url ?? '')));
  });
  await once(mock.listen(0, '127.0.0.1'), 'listening');
  const { port } = mock.address() as AddressInfo;
  const cwd = makeFolder().path;
  const script = commandsOf('migrate-in/openapi.md')
    .replace('127.0.0.1:3000', `127.0.0.1:${port}`)
    .replace('node -', '"$NODE" -');
  expect(await shell(script, cwd).ended).toMatchObject({ code: 0 });
  mock.close();
  const { url, stop } = await untilServing(shell('plinth dev --port 0', cwd));
  const answer = await fetch(`${url}/posts/1?expand=user`);
  expect(await answer.json()).toEqual({ id: 1, title: 'One', userId: 7, user: users[0] });
  await stop('SIGTERM');
});

test('a SQLite database as it is', async () => {
  const commands = commandsOf('migrate-in/sqlite.md').replaceAll('shop.yaml', 'served.yaml');
  const { answers } = await follow(commands, shop);
  expect(answers[0]).toMatchObject({ id: 1, artist: { name: 'AC/DC' } });
});

test('a SQLite database that is taken over', async () => {
  const section = commandsOf('migrate-in/sqlite.md', 'Let Plinth take the tables over');
  const { answers, printed } = await follow(section, shop);
  expect(printed).toContain('- create index on Track (AlbumId)');
  expect(answers[0]).toMatchObject({ id: 1, artist: { name: 'AC/DC' } });
  served = answers;
});

test('move to PostgreSQL', async () => {
  const { answers, printed } = await follow(commandsOf('databases.md', 'Move to PostgreSQL'), shop);
  expect(printed).toMatch(/ {2}albums +347 {2}equal {2}[0-9a-f]{16}\n/u);
  expect(printed).toMatch(/15,607 records are equal in shop\.db and \S+ on 127\.0\.0\.1:\d+\./u);
  expect(answers).toEqual(served);
});

test('from a PostgreSQL database', async () => {
  const commands = commandsOf('migrate-in/postgresql.md')
    .replaceAll('postgres://shop@127.0.0.1/shop', '"$DATABASE_URL"')
    .replaceAll('shop.yaml', 'shop-of-postgres.yaml');
  expect(await run(commands.trim().split('\n'))).toContain('up to date');
});
