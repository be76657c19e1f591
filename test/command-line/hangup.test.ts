import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { childrenOf } from '../support/processes.ts';
import { good, library, makeFolder, servePlinth, until } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';
import { countOf } from '../support/live.ts';

/** SIGHUP makes `start` read its file again. See docs/contract/6-operation.md#reloading, rule 7. */
const hash = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;
const [first, second] = ['first-key'.padEnd(43, 'x'), 'second-key'.padEnd(43, 'y')];
const open = library.replace('access: public\n', '');
/** However long a process takes to read the file, its failed logins lock nobody out. */
const quota = '{ max: 100000, window: 60s }';
const rateLimit = `rateLimit: { max: 100000, window: 60s, failures: ${quota} }`;
const withKey = (key: string, more = ''): string =>
  `logging: { enabled: false }\n${rateLimit}\nauth: { apiKeys: [{ name: one, hash: "${hash(key)}", roles: [a] }] }\n${more}${open}`;

const served = 'plinth.yaml was read again and is served.';
const kept = 'The version from before stays in use.';

test.each([
  ['SQLite', 1],
  ['SQLite', 3],
  ['PostgreSQL', 1],
  ['PostgreSQL', 2],
])('on %s with %i processes', async (kind, count) => {
  const created = kind === 'SQLite' ? undefined : await createDatabase();
  const database = ['--database', created?.url ?? 'sqlite:a.db'];
  const folder = makeFolder({ 'plinth.yaml': withKey(first) });
  await good(['migrate', '--apply', ...database], folder.path);
  const workers = count === 1 ? [] : ['--workers', String(count)];
  const server = await servePlinth(['start', ...database, ...workers], { cwd: folder.path });
  const ask = (key: string, path = '/v1/authors'): Promise<number> =>
    fetch(`${server.url}${path}`, {
      headers: { 'x-api-key': key, connection: 'close' },
    }).then(({ status }) => status);
  /** Saves the file, sends the signal, and waits for the note. */
  const save = async (text: string, note: string): Promise<void> => {
    const before = countOf(server.err(), note);
    folder.write('plinth.yaml', text);
    server.child.kill('SIGHUP');
    await until(() => countOf(server.err(), note) > before);
  };
  /** Whether every process answers so: each of these requests has its own connection. */
  const all = async (key: string, status: number, path?: string): Promise<void> =>
    until(async () => {
      const told = await Promise.all(Array.from({ length: 4 * count }, () => ask(key, path)));
      return told.every((one) => one === status);
    });

  // Requests go on meanwhile, and none is lost.
  const lost: unknown[] = [];
  const over = new AbortController();
  const asking = (async () => {
    while (!over.signal.aborted)
      await fetch(`${server.url}/_health`).then(
        ({ status }) => status === 200 || lost.push(status),
        (error: unknown) => lost.push(error),
      );
  })();

  await all(first, 200);
  expect(await ask(second)).toBe(401);
  // Keys.
  await save(withKey(second), served);
  await all(second, 200);
  await all(first, 401);
  // Rules and limits.
  await save(withKey(second, 'access: { read: b }\n'), served);
  await all(second, 403);
  await save(withKey(second, 'limits: { maxLimit: 5 }\n'), served);
  await all(second, 400, '/v1/authors?limit=6');
  await all(second, 200, '/v1/authors?limit=5');
  // The dashboard.
  await save(withKey(second, 'dashboard: { roles: [a] }\n'), served);
  await all(second, 200, '/_dashboard');
  await save(withKey(second), served);
  await all(second, 404, '/_dashboard');
  // Own code, also if the module alone has changed.
  for (const word of ['one', 'two']) {
    folder.write(
      'api.ts',
      `export default { endpoints: { 'GET /${word}': { access: 'public', handler: () => 1 } } };`,
    );
    await save(withKey(second, 'code: ./api.ts\n'), served);
    await all(second, 200, `/v1/${word}`);
  }
  await all(second, 404, '/v1/one');
  // What is wrong is refused with its place.
  await save(`${withKey(second)}      x: { type: strin }\n`, kept);
  expect(server.err()).toMatch(/plinth\.yaml:\d+:\d+ error resources\.books\.fields\.x\.type: /u);
  // So is what needs a migration, until that is done.
  const wider = `${withKey(second)}      pages: { type: integer }\n`;
  await save(wider, kept);
  expect(server.err()).toContain(
    '- add column books.pages\nThe database does not fit plinth.yaml. Run "plinth migrate plinth.yaml --database ',
  );
  await all(second, 400, '/v1/books?pages=1');
  await good(['migrate', '--apply', ...database], folder.path);
  await save(wider, served);
  await all(second, 200, '/v1/books?pages=1');
  // Nobody is let in by an auth block that was lost.
  await save(open, kept);
  expect(server.err()).toContain('plinth.yaml does not say who may use it.');
  expect(await ask(first)).toBe(401);
  // What a process takes at its start is named.
  await save(
    `${wider}server: { drainDelay: 5ms }\n`,
    'Start again to use the changed server.drainDelay.',
  );
  over.abort();
  await asking;
  expect(lost).toEqual([]);
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
  await created?.drop();
});

test('a worker that takes the place of another has the text that was read last', async () => {
  const folder = makeFolder({ 'plinth.yaml': withKey(first) });
  const database = ['--database', 'sqlite:a.db'];
  await good(['migrate', '--apply', ...database], folder.path);
  const server = await servePlinth(['start', ...database, '--workers', '2'], { cwd: folder.path });
  folder.write('plinth.yaml', withKey(second));
  server.child.kill('SIGHUP');
  await until(() => server.err().includes(served));
  // Not valid any more: a replacement must not need it.
  folder.write('plinth.yaml', 'resources: 1');
  const children = childrenOf(server.child.pid);
  expect(children).toHaveLength(2);
  for (const pid of children) process.kill(pid, 'SIGKILL');
  const ask = (key: string): Promise<number> =>
    fetch(`${server.url}/v1/authors`, { headers: { 'x-api-key': key, connection: 'close' } }).then(
      ({ status }) => status,
      () => 0,
    );
  await until(
    async () =>
      countOf(server.err(), 'Another one takes its place') === 2 && (await ask(second)) === 200,
  );
  for (let count = 0; count < 3; count += 1)
    expect([await ask(first), await ask(second)]).toEqual([401, 200]);
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
});
