import { rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Driver from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { library, makeFolder, plinth, servePlinth, until } from '../support/command.ts';
import type { Hello, RequestRow } from '../../src/http/dashboard/wire.ts';
import type { ActivityPoint } from '../../src/observability/activity.ts';
import { readEvents } from '../support/events.ts';
import { createDatabase } from '../support/postgres.ts';
import { childrenOf, processes, type Process } from '../support/processes.ts';
import { ask, migrated, serveWorkers, settings, type Answer } from './workers.ts';

const isRunning = (pid: number): boolean => processes().some((one) => one.pid === pid);

const databases = [
  ['a SQLite file', async () => ({ url: 'sqlite:a.db', drop: async () => undefined })],
  ['PostgreSQL', createDatabase],
] as const;

describe.each(databases)('two workers over %s', (_, make) => {
  test('every write is kept once, and read by both at once; one that dies is replaced; a signal ends all', async () => {
    const folder = await migrated({ 'plinth.yaml': settings + library });
    const made = await make();
    const migrate = await plinth(['migrate', '--database', made.url, '--apply'], {
      cwd: folder.path,
    });
    expect(migrate.code, migrate.err).toBe(0);
    const server = await serveWorkers(folder, made.url);
    const writers = Array.from({ length: 8 }, async (_none, writer) => {
      for (let index = 0; index < 25; index += 1) {
        const name = `author ${writer}-${index}`;
        const written = await ask(server.url, '/v1/authors', { name });
        expect(written.status).toBe(201);
        const { id } = JSON.parse(written.text) as { id: number };
        const read = await ask(server.url, `/v1/authors/${id}`);
        expect(JSON.parse(read.text)).toMatchObject({ id, name });
        const listed = await ask(
          server.url,
          `/v1/authors?name=${encodeURIComponent(name)}&limit=1`,
        );
        expect(listed.headers['x-total-count']).toBe('1');
      }
    });
    await Promise.all(writers);
    for (let index = 0; index < 4; index += 1) {
      const list = await ask(server.url, '/v1/authors?limit=1&page=2');
      expect(list.headers['x-total-count']).toBe('200');
    }
    // A process that is too busy to answer in time is left out.
    const counts = [
      'plinth_requests_total{route="authors.create",status="201"} 200\n',
      'plinth_request_duration_seconds_count{route="authors.create"} 200\n',
    ];
    await until(async () => {
      const { text: metrics } = await ask(server.url, '/_metrics');
      return counts.every((line) => metrics.includes(line));
    });

    const [first = 0] = childrenOf(server.child.pid);
    process.kill(first, 'SIGKILL');
    await until(() => {
      const now = childrenOf(server.child.pid);
      return now.length === 2 && !now.includes(first);
    });
    const note = 'Warning: a worker has ended (SIGKILL). Another one takes its place.\n';
    await until(() => server.err().includes(note));
    expect((await ask(server.url, '/v1/authors/1')).status).toBe(200);

    const last = childrenOf(server.child.pid);
    const { code, err } = await server.stop('SIGTERM');
    expect(code).toBe(0);
    expect(err).not.toContain('    at ');
    for (const pid of last) expect(isRunning(pid)).toBe(false);
    await made.drop();
  });
});

test('workers bound the time and the number of connections as one process does', async () => {
  const bounds = 'server: { requestTimeout: 3s, maxConnections: 2, drainDelay: 0s }\n';
  const own = settings.replace('server: { drainDelay: 0s }\n', bounds);
  const folder = await migrated({ 'plinth.yaml': own + library });
  const server = await serveWorkers(folder, 'sqlite:a.db');
  const port = Number(new URL(server.url).port);
  const opened = Array.from({ length: 9 }, () => connect(port, '127.0.0.1'));
  for (const socket of opened) socket.write('GET /v1/authors HTTP/1.1\r\nHost: localhost\r\nX');
  const texts = await Promise.all(
    opened.map((socket) => text(socket).catch(() => 'closed at once')),
  );
  const late = texts.filter((one) => one.startsWith('HTTP/1.1 408 '));
  expect(late.length).toBeGreaterThanOrEqual(2);
  expect(late.length).toBeLessThanOrEqual(4);
  // There is room once the servers, too, have seen those connections end.
  await until(
    async () => (await ask(server.url, '/v1/authors').catch(() => undefined))?.status === 200,
  );
  await server.stop('SIGTERM');
});

test('whichever process a page of the dashboard reaches, it meets all of them', async () => {
  const logging = 'logging: { enabled: false, includeBodies: true }';
  const head = `rateLimit: false\n${logging}\ndashboard: true\ndebug: true\n`;
  const folder = await migrated({ 'plinth.yaml': head + library });
  const server = await serveWorkers(folder, 'sqlite:a.db', 3);
  const api = `${server.url}/_dashboard/api`;
  await until(async () => (await ask(server.url, '/_metrics')).text.includes('_processes 3\n'));
  const stream = await readEvents(`${api}/events`);
  const { token, processes } = (await stream.next('hello')) as Hello;
  expect(processes).toBe(3);
  // Each of these comes to the next process.
  for (let page = 1; page <= 9; page += 1) await ask(server.url, `/v1/authors?page=${page}`);
  const seen: RequestRow[] = [];
  const isOurs = ({ path }: RequestRow): boolean => path === '/v1/authors';
  while (seen.filter(isOurs).length < 9) seen.push(...(await stream.next('requests')));
  expect(
    seen
      .filter(isOurs)
      .map(({ query }) => query)
      .sort(),
  ).toEqual(Array.from({ length: 9 }, (_none, index) => `page=${index + 1}`));
  for (const { id, query } of seen.filter(isOurs)) {
    const { status, text } = await ask(server.url, `/_dashboard/api/requests/${id}`);
    expect([status, JSON.parse(text)]).toMatchObject([200, { id, query, isRecorded: true }]);
  }
  // It goes on where it was, in whichever process.
  const next = await readEvents(`${api}/events`, { 'last-event-id': stream.lastId() });
  expect(await next.next('hello')).toMatchObject({ token, isContinued: true });
  expect(((await next.next('requests')) as RequestRow[]).filter(isOurs)).toEqual([]);
  const points = (await next.next('activity')) as readonly ActivityPoint[];
  expect(points.reduce((sum, { requests }) => sum + requests, 0)).toBeGreaterThanOrEqual(9);

  const change = await fetch(`${api}/network`, {
    method: 'PUT',
    headers: { 'x-dashboard-token': token, 'content-type': 'application/json' },
    body: JSON.stringify({ resource: 'authors', settings: { errorRate: 1 } }),
  });
  expect(change.status).toBe(200);
  /** A connection that was given to a process as it ended is answered by nobody. */
  const soon = async (path: string): Promise<Answer | undefined> =>
    Promise.race([
      ask(server.url, path).catch(() => undefined),
      new Promise<undefined>((done) => setTimeout(done, 5_000, undefined)),
    ]);
  const statuses = async (): Promise<readonly (number | undefined)[]> => {
    const all = [];
    for (let turn = 0; turn < 6; turn += 1) all.push((await soon('/v1/authors'))?.status);
    return all;
  };
  expect(await statuses()).toEqual([500, 500, 500, 500, 500, 500]);
  // So does one that comes later.
  const [first = 0] = childrenOf(server.child.pid);
  process.kill(first, 'SIGKILL');
  await until(() => !childrenOf(server.child.pid).includes(first));
  await until(async () => (await soon('/_metrics'))?.text.includes('_processes 3\n') === true);
  await until(async () => (await statuses()).every((status) => status === 500));
  stream.close();
  next.close();
  expect((await server.stop('SIGTERM')).code).toBe(0);
});

test('the banner and warnings are printed once', async () => {
  const folder = await migrated({ 'plinth.yaml': settings + library });
  const server = await serveWorkers(folder, 'sqlite:a.db', 3);
  const { out, err } = await server.stop('SIGINT');
  expect(out.match(/is served at/gu)).toHaveLength(1);
  expect(err.match(/everyone may write/gu)).toHaveLength(1);
});

test('each worker gives its share of a quota that is counted in memory', async () => {
  const folder = await migrated({
    'plinth.yaml': `rateLimit: { max: 40, window: 1h }\nlogging: { enabled: false }\n${library}`,
  });
  const server = await serveWorkers(folder, 'sqlite:a.db');
  const answers: Answer[] = [];
  for (let index = 0; index < 60; index += 1) answers.push(await ask(server.url, '/v1/authors'));
  expect(answers[0]?.headers['ratelimit-policy']).toBe('"address";q=20;w=3600');
  const taken = answers.filter(({ status }) => status === 200).length;
  expect(taken).toBeGreaterThanOrEqual(20);
  expect(taken).toBeLessThanOrEqual(40);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(60 - taken);
  await server.stop('SIGTERM');
});

test.each([
  ['sqlite::memory:', '2', /^Several workers cannot share a database in memory\. Name a file/u],
  ['sqlite:a.db', '0', /^The number of workers must be a whole number from 1 to 64, not "0"\./u],
  ['sqlite:a.db', 'two', /^The number of workers .* not "two"\. Change --workers\.$/mu],
  ['sqlite:a.db', '-1', /^The number of workers .* not "-1"\./u],
  ['sqlite:a.db', '1.5', /^The number of workers .* not "1\.5"\./u],
  ['sqlite:a.db', '65', /^The number of workers .* not "65"\./u],
])(
  '%s with --workers %s is a wrong call, told in one sentence',
  async (database, count, wanted) => {
    const folder = makeFolder({ 'plinth.yaml': settings + library });
    const args = ['start', '--database', database, `--workers=${count}`];
    const { code, err, out } = await plinth(args, { cwd: folder.path });
    expect(code).toBe(2);
    expect(err.split('\n').findLast((line) => line !== '')).toMatch(wanted);
    expect(out).toBe('');
  },
);

test('a worker is replaced where the folder is gone that the command was started in', async () => {
  const folder = await migrated({ 'plinth.yaml': settings + library, 'gone/plinth.yaml': library });
  const args = ['start', '--spec', '../plinth.yaml', '--database', 'sqlite:../a.db'];
  const server = await servePlinth([...args, '--workers', '2'], { cwd: folder.at('gone') });
  await until(() => childrenOf(server.child.pid).length === 2);
  rmSync(folder.at('gone'), { recursive: true });
  for (const pid of childrenOf(server.child.pid)) process.kill(pid, 'SIGKILL');
  expect((await ask(server.url, '/v1/authors', { name: 'Ann' })).status).toBe(201);
  await server.stop('SIGTERM');
  expect(server.err()).not.toContain('no longer exists');
});

test('what hinders the first worker is told once, and ends the command', async () => {
  const folder = await migrated({ 'plinth.yaml': settings + library });
  const taken = createServer();
  await new Promise<void>((listens) => {
    taken.listen(0, '127.0.0.1', listens);
  });
  const { port } = taken.address() as AddressInfo;
  const args = ['start', '--database', 'sqlite:a.db', '--workers', '3', '--port', String(port)];
  const { code, err } = await plinth(args, { cwd: folder.path });
  taken.close();
  expect(code).toBe(1);
  expect(err.match(/Port \d+ is in use/gu)).toHaveLength(1);
  expect(err).not.toContain('    at ');
});

/** A list that takes hours: everything is in one group, and each way to it and back multiplies the rows. */
const grouped = `name: Groups
access: public
rateLimit: false
logging: { enabled: false }
resources:
  groups:
    fields: { items: { type: relation, relation: hasMany, resource: items } }
  items:
    fields:
      name: { type: string }
      groupId: { type: integer, reference: groups.id }
      group: { type: relation, relation: belongsTo, resource: groups }
`;

test.each([
  ['one process', []],
  ['workers', ['--workers', '2']],
])('killed in the middle of a statement, a server of %s leaves no process', async (_, flags) => {
  const folder = await migrated({ 'plinth.yaml': grouped });
  const driver = new Driver(folder.at('a.db'));
  driver.exec(
    `INSERT INTO groups (id) VALUES (1); INSERT INTO items (name, groupId) WITH RECURSIVE i(v) AS` +
      ` (SELECT 1 UNION ALL SELECT v + 1 FROM i WHERE v < 20000) SELECT 'item ' || v, 1 FROM i`,
  );
  driver.close();
  const args = ['start', '--database', 'sqlite:a.db', ...flags];
  const server = await servePlinth(args, { cwd: folder.path });
  const lost = ask(server.url, '/v1/items?group.items.group.items.name=none&limit=1').then(
    ({ status }) => status,
    () => 'lost',
  );
  const readers = (): readonly Process[] =>
    processes().filter(
      ({ args: all }) => all.includes('slow-reads/reader-process') && all.includes(folder.path),
    );
  await until(() => readers().length > 0);
  const all = [...childrenOf(server.child.pid), ...readers().map(({ pid }) => pid)];
  await server.stop('SIGKILL');
  await until(() => !all.some(isRunning));
  expect(await lost).toBe('lost');
  expect(readers()).toEqual([]);
});
