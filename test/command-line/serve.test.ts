import { createServer } from 'node:net';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  good,
  launch,
  launchPlinth,
  library,
  makeFolder,
  ndjson,
  plinth,
  servePlinth,
  until,
  untilServing,
  type Serving,
} from '../support/command.ts';
import { bossAndHand } from '../support/keys.ts';

const author = { name: 'Ursula' };
const post = (server: Serving, record: object): Promise<Response> =>
  fetch(`${server.url}/v1/authors`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(record),
  });

/** What is left of a database that was closed cleanly: one file. */
function filesOf(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.includes('.db'));
}

test('init in an empty folder, then dev, then the example URL of its banner', async () => {
  const folder = makeFolder();
  const here = { cwd: folder.path };
  const made = await plinth(['init', '--name', 'My "own" $1 ${HOME} API'], here);
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(made.out).toContain('plinth.yaml is ready. Serve it with:\n\n  plinth dev\n');
  const [first] = readFileSync(folder.at('plinth.yaml'), 'utf8').split('\n');
  expect(first).toBe('# yaml-language-server: $schema=.plinth/schema.json');
  expect(JSON.parse(readFileSync(folder.at('.plinth/schema.json'), 'utf8'))).toHaveProperty(
    '$defs',
  );

  const server = await servePlinth(['dev'], here);
  expect(server.out()).toContain('My "own" $1 ${HOME} API is served at http://127.0.0.1:');
  expect(server.out()).toMatch(/\n {2}users {7,}\d+\n {2}profiles {4,}\d+\n/u);
  const answer = await fetch(server.example);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toHaveLength(3);
  expect(await server.stop('SIGINT')).toMatchObject({ code: 0, err: '' });

  const again = await plinth(['init'], here);
  expect(again).toMatchObject({ code: 1, out: '' });
  expect(again.err).toBe('plinth.yaml already exists. Choose another folder.\n');
});

test('init does not touch data that is there, and says where to go on', async () => {
  const folder = makeFolder({ 'mine/data/own.ndjson': '{}\n', 'a-file': '' });
  const here = { cwd: folder.path };
  expect(await plinth(['init', 'mine'], here)).toMatchObject({
    code: 1,
    err: 'mine/data already exists. Choose another folder.\n',
  });
  expect(readdirSync(folder.at('mine'))).toEqual(['data']);
  expect((await plinth(['init', 'a-file'], here)).err).toBe(
    'a-file cannot be written to: what should be a folder in its path is a file. Choose another folder.\n',
  );
  const made = await plinth(['init', 'my shop', '--example', 'chinook'], here);
  expect(made.out).toContain("plinth dev 'my shop/plinth.yaml'");
  expect(readdirSync(folder.at('my shop')).sort()).toEqual([
    '.plinth',
    'LICENSE.md',
    'data',
    'plinth.yaml',
  ]);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends dev with 0 and a clean file', async (signal) => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const server = await servePlinth(['dev'], { cwd: folder.path });
  expect((await post(server, author)).status).toBe(201);
  expect(await server.stop(signal)).toMatchObject({ code: 0, signal: null, err: '' });
  expect(filesOf(folder.at('.plinth'))).toEqual(['dev.db']);
});

test('SIGTERM lets the requests end that have begun', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const server = await servePlinth(['dev', '--no-generate'], { cwd: folder.path });
  // The body comes in two halves, with the signal between them.
  let finish: () => void = () => undefined;
  const halves = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(Buffer.from('{"name":'));
      finish = () => {
        controller.enqueue(Buffer.from('"Italo"}'));
        controller.close();
      };
    },
  });
  const slow = fetch(`${server.url}/v1/authors`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: halves,
    duplex: 'half',
  });
  const others = Array.from({ length: 50 }, () => post(server, author));
  await Promise.all(others);
  const ended = server.stop('SIGTERM');
  await until(async () =>
    fetch(`${server.url}/_health`).then(
      () => false,
      () => true,
    ),
  );
  finish();
  expect((await slow).status).toBe(201);
  expect(await ended).toMatchObject({ code: 0, err: '' });
  expect(filesOf(folder.at('.plinth'))).toEqual(['dev.db']);

  const again = await servePlinth(['dev'], { cwd: folder.path });
  const list = await fetch(`${again.url}/v1/authors?limit=1`);
  expect(list.headers.get('x-total-count')).toBe('51');
  await again.stop('SIGTERM');
});

test.each([
  ['dev', ['--no-generate']],
  ['start', []],
])('what %s has answered is there after kill -9', async (command, flags) => {
  const folder = makeFolder({ 'plinth.yaml': `database: sqlite:own.db\n${library}` });
  const here = { cwd: folder.path };
  await plinth(['migrate', '--apply'], here);
  const server = await servePlinth([command, ...flags], here);
  let kept = 0;
  let isOver = false;
  const writers = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const answer = await post(server, author).catch(() => undefined);
      if (answer?.status === 201) kept += 1;
      else isOver = true;
    }
  });
  await until(() => kept > 100);
  expect(await server.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
  await Promise.all(writers);
  const again = await servePlinth([command, ...flags], here);
  const list = await fetch(`${again.url}/v1/authors?limit=1`);
  const total = Number(list.headers.get('x-total-count'));
  expect(total).toBeGreaterThanOrEqual(kept);
  expect(total).toBeLessThanOrEqual(kept + 8);
  expect(await again.stop('SIGTERM')).toMatchObject({ code: 0 });
  expect(filesOf(folder.path)).toEqual(['own.db']);
});

test('a signal while dev loads its data ends it with 0 and nothing half loaded', async () => {
  const folder = makeFolder({ 'plinth.yaml': `data: data\n${library}` });
  const lines = Array.from({ length: 400_000 }, (_, index) => `{"id":${index + 1},"name":"U"}\n`);
  folder.write('data/authors.ndjson', lines.join(''));
  const running = launchPlinth(['dev', '--port', '0'], { cwd: folder.path });
  // The tables are there, so the records are on their way.
  const wal = folder.at('.plinth/dev.db-wal');
  await until(() => (statSync(wal, { throwIfNoEntry: false })?.size ?? 0) > 0);
  running.child.kill('SIGINT');
  expect(await running.ended).toMatchObject({ code: 0, signal: null, out: '', err: '' });
  expect(filesOf(folder.at('.plinth'))).toEqual(['dev.db']);

  folder.write('data/authors.ndjson', ndjson({ id: 7, ...author }));
  const again = await servePlinth(['dev'], { cwd: folder.path });
  expect(await (await fetch(`${again.url}/v1/authors`)).json()).toMatchObject([{ id: 7 }]);
  await again.stop('SIGTERM');
});

test('two dev in one folder share its database', async () => {
  const folder = makeFolder({
    'plinth.yaml': `data: data\n${library}`,
    'data/authors.ndjson': ndjson({ id: 1, ...author }, { id: 2, name: 'Italo' }),
  });
  const servers = await Promise.all(
    [1, 2, 3].map(() => servePlinth(['dev'], { cwd: folder.path })),
  );
  for (const server of servers) {
    expect((await post(server, author)).status).toBe(201);
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, err: '' });
  }
  const { out } = await servePlinth(['dev'], { cwd: folder.path }).then((server) =>
    server.stop('SIGTERM'),
  );
  expect(out).toMatch(/authors {3}5\n/u);
});

test('what comes through a pipe is read once, and served', async () => {
  const folder = makeFolder({ 'sku.ts': "export const sku = () => 'a';\n" });
  await launch('mkfifo', ['pipe'], { cwd: folder.path }).ended;
  const starting = servePlinth(['dev', 'pipe'], { cwd: folder.path });
  await writeFile(
    folder.at('pipe'),
    library.replace('title: { type: string,', 'title: { type: string, generator: ./sku.ts#sku,'),
  );
  const server = await starting;
  const noted = 'pipe was read again and is served.\nGenerated title for 25 records of books.\n';
  folder.write('sku.ts', "export const sku = () => 'b';\n");
  await until(() => server.err().includes(noted));
  const titles = await fetch(`${server.url}/v1/books?title=b`);
  expect(titles.headers.get('x-total-count')).toBe('25');
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, err: noted });
});

test('dev tells what is wrong with its data and serves nothing', async () => {
  const folder = makeFolder({
    'plinth.yaml': `data: data\n${library}`,
    'missing.yaml': `data: nowhere\n${library}`,
    'data/authors.ndjson': ndjson({ id: 1, name: 7 }),
  });
  const here = { cwd: folder.path };
  const bad = await plinth(['dev', '--port', '0'], here);
  expect(bad).toMatchObject({ code: 1, out: '' });
  expect(bad.err).toBe(
    'data/authors.ndjson:1 name must be a string\n' +
      'Nothing was imported. Fix these records and run it again.\n',
  );
  expect((await plinth(['dev', 'missing.yaml', '--port', '0'], here)).err).toContain(
    'There is no file or folder nowhere.',
  );
});

test('the banner: thousands, a name, an address that can be called', async () => {
  const folder = makeFolder({
    'plinth.yaml': `data: data\n${library}`,
    'data/authors.ndjson': ndjson(
      ...Array.from({ length: 1_234 }, (_, index) => ({ id: index + 1, ...author })),
    ),
    'data/books.ndjson': ndjson({ id: 1, title: 'A', authorId: 1 }),
    'keys.yaml': `${bossAndHand}\n${library}`,
    'closed.yaml': library.replace('access: public', 'access: { read: none, create: public }'),
  });
  const here = { cwd: folder.path };
  const server = await servePlinth(['dev', '--host', '0.0.0.0'], here);
  expect(server.out()).toContain('Library is served at http://127.0.0.1:');
  expect(server.out()).toContain('\n  authors  1,234\n  books        1\n');
  expect(server.example).toContain('/v1/books?limit=3&expand=author');
  expect((await fetch(server.example)).status).toBe(200);
  await server.stop('SIGTERM');
  const local = await servePlinth(['dev', 'closed.yaml', '--host', '[::1]'], here);
  expect(local.url).toMatch(/^http:\/\/\[::1\]:\d+$/u);
  expect((await fetch(local.example)).status).toBe(200);
  await local.stop('SIGTERM');
  expect(local.out()).not.toContain('#link=');
  // Where no role opens the dashboard, a link does, once; then there is another.
  const closed = await servePlinth(['dev', 'keys.yaml'], here);
  const linkIn = (text: string): string => /_dashboard#link=(\S+)/u.exec(text)?.[1] ?? '';
  const code = linkIn(closed.out());
  const sent = { method: 'POST', headers: { 'x-dashboard-link': code } };
  const { origin } = new URL(closed.url);
  expect((await fetch(`${origin}/_dashboard/api/session`, sent)).status).toBe(200);
  await until(() => linkIn(closed.err()) !== '');
  expect(linkIn(closed.err())).not.toBe(code);
  await closed.stop('SIGTERM');
});

test('flags beat the environment, which beats the file', async () => {
  const folder = makeFolder({
    'plinth.yaml': `database: sqlite:file.db\nserver: { port: 1, host: 127.0.0.2 }\n${library}`,
  });
  const env = {
    PLINTH_DATABASE_URL: 'sqlite:environment.db',
    PLINTH_PORT: '0',
    PLINTH_HOST: '127.0.0.3',
  };
  await good(['migrate', '--apply', '--database', 'sqlite:environment.db'], folder.path);
  await good(['migrate', '--apply', '--database', 'sqlite:flag.db'], folder.path);
  const running = launchPlinth(['dev'], { cwd: folder.path, env });
  const server = await untilServing(running);
  expect(server.err()).toContain('The database environment.db has no records');
  expect(new URL(server.url).hostname).toBe('127.0.0.3');
  await server.stop('SIGTERM');
  const typed = await servePlinth(['dev', '--database', 'sqlite:flag.db', '--host', '127.0.0.4'], {
    cwd: folder.path,
    env: { ...env, PLINTH_PORT: '1' },
  });
  expect(typed.err()).toContain('The database flag.db has no records');
  expect(new URL(typed.url).port).not.toBe('1');
  expect(new URL(typed.url).hostname).toBe('127.0.0.4');
  await typed.stop('SIGTERM');
  expect(filesOf(folder.path)).toEqual(['environment.db', 'flag.db']);
});

test('a port in use, a host that is not known, a host of another machine', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const here = { cwd: folder.path };
  const blocker = createServer();
  await new Promise<void>((done) => {
    blocker.listen(0, '127.0.0.1', done);
  });
  const { port } = blocker.address() as { port: number };
  const cases = [
    [
      ['--port', String(port)],
      `Port ${port} is in use. Choose another with --port, or stop what uses it.\n`,
    ],
    [
      ['--port', '0', '--host', 'no.such.host.invalid'],
      'The host no.such.host.invalid is not known. Choose another with --host.\n',
    ],
    [
      ['--port', '0', '--host', '203.0.113.7'],
      'This machine has no address 203.0.113.7. Choose another with --host.\n',
    ],
  ] as const;
  for (const [flags, err] of cases)
    expect(await plinth(['dev', ...flags], here)).toMatchObject({ code: 1, out: '', err });
  blocker.close();
  expect(filesOf(folder.at('.plinth'))).toEqual(['dev.db']);
});

test('sqlite::memory: leaves nothing behind', async () => {
  const folder = makeFolder({ 'plinth.yaml': library, 'tmp/keep': '' });
  const server = await servePlinth(['dev', '--database', 'sqlite::memory:'], {
    cwd: folder.path,
    env: { TMPDIR: folder.at('tmp'), NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  expect((await post(server, author)).status).toBe(201);
  expect(readdirSync(folder.at('tmp'))).toHaveLength(2);
  await server.stop('SIGTERM');
  expect(readdirSync(folder.at('tmp'))).toEqual(['keep']);
  expect(readdirSync(folder.path).sort()).toEqual(['plinth.yaml', 'tmp']);
});

/** What `start` refuses, and the sentence that it says. */
const refusals = [
  [
    'no access',
    'silent.yaml',
    ['--database', 'sqlite:ready.db'],
    'silent.yaml does not say who may use it.',
  ],
  ['no database', 'plinth.yaml', [], '"plinth start" needs a database by name.'],
  [
    'a missing database',
    'plinth.yaml',
    ['--database', 'sqlite:none.db'],
    'There is no database none.db. Make it with "plinth migrate plinth.yaml --database sqlite:none.db --apply", or name another.',
  ],
] as const;

test.each(refusals)('start refuses %s', async (_, file, flags, message) => {
  const folder = makeFolder({
    'plinth.yaml': library,
    'silent.yaml': library.replace('access: public\n', ''),
  });
  const ended = await plinth(['start', file, ...flags], { cwd: folder.path });
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toContain(message);
  expect(filesOf(folder.path)).toEqual([]);
});

test('start serves a database that is up to date, and warns where everyone may write', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const here = { cwd: folder.path };
  await plinth(['migrate', '--apply', '--database', 'sqlite:shop.db'], here);
  const server = await servePlinth(['start', '--database', 'sqlite:shop.db'], here);
  // It reads the file once: what is saved from here on is neither served nor told of.
  folder.write('plinth.yaml', library.replace('access: public', 'access: none'));
  expect((await post(server, author)).status).toBe(201);
  expect(await server.stop('SIGTERM')).toMatchObject({
    code: 0,
    err: 'Warning: everyone may write authors, books, since plinth.yaml has no "auth" block.\n',
  });
  expect(filesOf(folder.path)).toEqual(['shop.db']);
});

test('start refuses a database that is behind, naming the steps', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const here = { cwd: folder.path };
  await plinth(['migrate', '--apply', '--database', 'sqlite:shop.db'], here);
  folder.write('plinth.yaml', `${library}      year: { type: integer, index: true }\n`);
  expect(await plinth(['start', '--database', 'sqlite:shop.db'], here)).toMatchObject({
    code: 1,
    out: '',
    err:
      '- add column books.year\n- create index on books (year)\n' +
      'The database shop.db is behind the specification.' +
      ' Run "plinth migrate plinth.yaml --database sqlite:shop.db --apply" first.\n',
  });
});

test('dev says when its own database cannot follow', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const here = { cwd: folder.path };
  const server = await servePlinth(['dev', '--no-generate'], here);
  await fetch(`${server.url}/v1/authors`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"Ada"}',
  });
  await server.stop('SIGTERM');
  folder.write('plinth.yaml', library.replace('email: {', 'born: { type: date }\n      email: {'));
  await servePlinth(['dev', '--no-generate'], here).then((again) => again.stop('SIGTERM'));
  folder.write('plinth.yaml', library.replace('name: { type: string', 'name: { type: date'));
  expect(await plinth(['dev', '--port', '0'], here)).toMatchObject({
    code: 1,
    err:
      '- change authors.name from string to date (loses 1 value)\n' +
      '- change authors.name to refuse null (not possible: 1 row (id 1) would have no value; give each one that fits, or the field a default)\n' +
      'The database .plinth/dev.db no longer fits the specification.' +
      ' Resolve the steps that are not possible, or name another database with --database.' +
      ' Or run "plinth dev plinth.yaml --reset" to start with new data.\n',
  });
});
