import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createServer,
  SpecificationError,
  type CreateServerOptions,
  type PlinthServer,
} from '../../src/index.ts';
import { launch, plinth, root } from '../support/command.ts';
import { node } from '../support/compiled.ts';
import { atDatabase } from './databases.ts';

const notes = `access: public
resources:
  notes: { fields: { text: { type: string, required: true } } }
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-embed-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function using<Value>(
  options: CreateServerOptions,
  work: (server: PlinthServer) => Promise<Value>,
): Promise<Value> {
  await using server = await createServer({ folder, environment: {}, ...options });
  return await work(server);
}

const get = (server: PlinthServer, path: string): Promise<Response> =>
  server.fetch(new Request(`http://api.example${path}`));

const post = (server: PlinthServer, text: string): Promise<Response> =>
  server.fetch(
    new Request('http://api.example/v1/notes', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    }),
  );

test.each([
  ['a text', notes],
  [
    'an object',
    { access: 'public', resources: { notes: { fields: { text: { type: 'string' } } } } } as const,
  ],
])('dev serves %s, with generated records in memory', async (_, specification) => {
  await using({ mode: 'dev', specification }, async (server) => {
    const list = await get(server, '/v1/notes?limit=1');
    expect([list.status, ((await list.json()) as unknown[]).length]).toEqual([200, 1]);
    expect([server.url, await server.migrate()]).toEqual([undefined, []]);
  });
});

test('dev without generated records', async () => {
  await using({ mode: 'dev', specification: notes, generate: false }, async (server) => {
    expect(await (await get(server, '/v1/notes')).json()).toEqual([]);
  });
});

test('a file is served on a port of its own, and over Fetch at once', async () => {
  writeFileSync(join(folder, 'plinth.yaml'), notes);
  await using({ mode: 'dev', database: 'sqlite::memory:', watch: false }, async (server) => {
    await server.listen({ port: 0 });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
    const over = (await (await fetch(`${server.url}/v1/notes/1`)).json()) as object;
    expect(await (await get(server, '/v1/notes/1')).json()).toEqual(over);
    await expect(server.listen({ port: 0 })).rejects.toThrow('listens already');
    const { url } = server;
    await server.close();
    expect(server.url).toBeUndefined();
    await expect(fetch(`${url}/v1/notes`)).rejects.toThrow('fetch failed');
    await expect(get(server, '/v1/notes')).rejects.toThrow('is closed');
    await expect(server.migrate()).rejects.toThrow('is closed');
    await server.close();
  });
});

test('what is saved while dev serves is served', async () => {
  const file = join(folder, 'plinth.yaml');
  writeFileSync(file, notes);
  await using({ mode: 'dev' }, async (server) => {
    writeFileSync(file, notes.replaceAll('notes', 'letters'));
    await expect.poll(async () => (await get(server, '/v1/letters')).status).toBe(200);
  });
});

test('a database that the file comes to name in dev is closed with the server', async () => {
  const file = join(folder, 'plinth.yaml');
  const naming = (name: string): string => `database: sqlite:${name}.db\n${notes}`;
  for (const name of ['first', 'second']) {
    writeFileSync(file, naming(name));
    await using({}, async (server) => {
      await server.migrate();
      await post(server, name);
    });
  }
  const isOpen = (name: string): boolean => existsSync(join(folder, `${name}.db-wal`));
  const read = async (server: PlinthServer): Promise<unknown> =>
    (await get(server, '/v1/notes')).json();
  writeFileSync(file, naming('first'));
  await using({ mode: 'dev' }, async (server) => {
    expect(await read(server)).toEqual([{ id: 1, text: 'first' }]);
    writeFileSync(file, naming('second'));
    await expect.poll(() => read(server)).toEqual([{ id: 1, text: 'second' }]);
    expect(isOpen('second')).toBe(true);
  });
  expect([isOpen('first'), isOpen('second')]).toEqual([false, false]);
});

atDatabase('start serves a database once it is up to date', async (database) => {
  await using({ specification: notes, database }, async (server) => {
    const refusal = /is behind the specification|migrate/u;
    await expect(get(server, '/v1/notes')).rejects.toThrow(refusal);
    await expect(server.listen({ port: 0 })).rejects.toThrow(refusal);
    const done = await server.migrate();
    expect(done.join()).toContain('notes');
    expect(await server.migrate()).toEqual([]);
    expect((await post(server, 'a')).status).toBe(201);
    expect(await (await get(server, '/v1/notes')).json()).toMatchObject([{ id: 1, text: 'a' }]);
  });
  if (database === 'sqlite::memory:') return;
  // It is up to date now.
  await using({ specification: notes, database }, async (server) => {
    expect(await (await get(server, '/v1/notes')).json()).toMatchObject([{ id: 1, text: 'a' }]);
  });
  const other = notes.replace('string, required: true', 'integer');
  await using({ specification: other, database }, async (server) => {
    await expect(server.migrate()).rejects.toThrow('Nothing was changed');
  });
});

test('the problems of a specification are thrown as check prints them', async () => {
  const specification = notes.replace('fields', 'feilds').replace('access', 'acess');
  writeFileSync(join(folder, 'plinth.yaml'), specification);
  const error = await createServer({ folder }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SpecificationError);
  expect((error as SpecificationError).problems).toMatchObject([
    {
      file: expect.stringContaining('plinth.yaml') as string,
      line: 1,
      column: 1,
      severity: 'error',
    },
    { line: 3, severity: 'error' },
  ]);
  expect((error as SpecificationError).message).toContain('did you mean `access`?');
  const { out } = await plinth(['check', '--json'], { cwd: folder });
  expect(JSON.parse(out)).toMatchObject({ problems: (error as SpecificationError).problems });
});

test.each([
  ['no file', {}, 'There is no plinth.yaml'],
  ['a file that is missing', { file: 'other.yaml' }, 'other.yaml cannot be read'],
  ['both', { file: 'plinth.yaml', specification: notes }, 'Give one of them'],
  ['no database in start', { specification: notes }, 'needs a database by name'],
  [
    'start without access',
    { specification: notes.slice(15), database: 'sqlite::memory:' },
    'who may use it',
  ],
  [
    'an unknown database',
    { specification: notes, database: 'mysql://host/name' },
    'unknown kind of URL',
  ],
])('%s is an error that says what to do', async (_, options, message) => {
  await expect(createServer({ folder, environment: {}, ...options })).rejects.toThrow(message);
});

test('several servers in one process do not know of each other', async () => {
  const servers = await Promise.all(
    ['notes', 'letters', 'notes'].map((name) =>
      createServer({
        folder,
        environment: {},
        mode: 'dev',
        generate: false,
        specification: notes.replaceAll('notes', name),
      }),
    ),
  );
  const [one, two, three] = servers as [PlinthServer, PlinthServer, PlinthServer];
  await post(one, 'a');
  expect(await (await get(one, '/v1/notes')).json()).toHaveLength(1);
  expect((await get(two, '/v1/notes')).status).toBe(404);
  await one.close();
  expect(await (await get(three, '/v1/notes')).json()).toEqual([]);
  await two.close();
  await three.close();
});

test('signals and exit code of the process are left alone, and the logger gets the log', async () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const listeners = (): readonly number[] => signals.map((signal) => process.listenerCount(signal));
  const before = listeners();
  const lines: [string, object, string][] = [];
  const at =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push([level, fields, message]);
  const logger = { info: at('info'), warn: at('warn'), error: at('error') };
  await using({ mode: 'dev', specification: notes, logger }, async (server) => {
    await server.listen({ port: 0 });
    await fetch(`${server.url}/v1/notes/1`);
    expect(listeners()).toEqual(before);
  });
  expect(process.exitCode).toBeUndefined();
  expect(lines).toContainEqual([
    'info',
    expect.objectContaining({ method: 'GET', path: '/v1/notes/1', status: 200 }) as object,
    expect.any(String) as string,
  ]);
});

test('the standard streams are left alone, and the process ends by itself after close', async () => {
  const program = join(folder, 'main.ts');
  writeFileSync(
    program,
    `import { createServer } from ${JSON.stringify(join(root, 'src/index.ts'))};
    const server = await createServer({ mode: 'dev', specification: ${JSON.stringify(notes)} });
    await server.listen({ port: 0 });
    for (const path of ['/v1/notes', '/v1/nothing']) await fetch(server.url + path);
    await server.close();`,
  );
  const { code, out, err } = await launch(node, [program], { cwd: folder }).ended;
  expect([code, out, err]).toEqual([0, '', '']);
});

test.each([
  ['of dev is missing', { mode: 'dev', database: 'sqlite:missing.db' }, 'There is no database'],
  [
    'is opened, but an endpoint says not who may call it',
    { database: 'sqlite::memory:' },
    'who may call GET /a',
  ],
] as const)('own code is stopped if the database %s', async (_, options, message) => {
  writeFileSync(
    join(folder, 'api.ts'),
    `import { appendFileSync } from 'node:fs';
    const log = (text) => appendFileSync(new URL('log.txt', import.meta.url), text);
    export default {
      start() { log('start '); },
      stop() { log('stop '); throw new Error('It will not'); },
      endpoints: { 'GET /a': () => 'done' },
    };`,
  );
  const specification =
    'code: ./api.ts\nresources:\n  notes: { access: public, fields: { text: { type: string } } }';
  const own = { specification, ...options };
  await expect(using(own, (server) => server.migrate())).rejects.toThrow(message);
  expect(readFileSync(join(folder, 'log.txt'), 'utf8')).toBe('start stop ');
});

test('start wants to be told who may call an endpoint, as the command line does', async () => {
  const specification = `code: ./api.ts\nresources:\n  notes: { access: public, fields: { text: { type: string } } }`;
  const database = `sqlite:${join(folder, 'own.db')}`;
  writeFileSync(
    join(folder, 'api.ts'),
    `export default { endpoints: { 'POST /all': () => 'done' } };`,
  );
  await expect(using({ specification, database }, (server) => server.migrate())).rejects.toThrow(
    'who may call POST /all',
  );
});

test('a port is opened once, and not after the server is closed', async () => {
  await using({ mode: 'dev', specification: notes, generate: false }, async (server) => {
    const both = await Promise.allSettled([server.listen({ port: 0 }), server.listen({ port: 0 })]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await server.close();
    await expect(server.listen({ port: 0 })).rejects.toThrow('is closed');
  });
  await using({ mode: 'dev', specification: notes, generate: false }, async (server) => {
    const opening = server.listen({ port: 0 });
    await server.close();
    await opening;
    expect(server.url).toBeUndefined();
  });
});
