import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  atOnce,
  good,
  library,
  makeDatabase,
  makeFolder,
  ndjson,
  plinth,
  until,
} from '../support/command.ts';
import { countOf, kept, live, reloaded } from '../support/live.ts';
import { createDatabase } from '../support/postgres.ts';
import { hasTerminal, launchInTerminal } from '../support/terminal.ts';

const withPages = library.replace(
  'title: { type: string, required: true }',
  'title: { type: string, required: true }\n      pages: { type: integer }',
);
const withShelves = `${library}  shelves:
    fields:
      name: { type: string, required: true }
      bookId: { type: integer, required: true, reference: books.id }
`;

describe('a good edit', () => {
  test('changes the database and is served', async () => {
    const { save, get, note, server } = await live();
    expect((await get('/v1/books?pages=1')).status).toBe(400);
    await save(withPages, reloaded);
    expect((await get('/v1/books?pages_null=true&limit=1')).status).toBe(200);
    expect(note()).toContain('- add column books.pages\n');
    expect(note()).toContain('.plinth/dev.db was changed as listed.');
    // What is no more is kept in the database, and is not served.
    await save(library, reloaded);
    expect((await get('/v1/books?pages=1')).status).toBe(400);
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, signal: null });
  });

  test('new resources are filled, the others stay as they are', async () => {
    const { save, get, note } = await live();
    const before = await (await get('/v1/books?limit=100')).text();
    await save(withShelves, 'shelves has 25 records now.');
    const shelves = (await (await get('/v1/shelves?limit=100')).json()) as object[];
    expect(shelves).toHaveLength(25);
    expect(await (await get('/v1/books?limit=100')).text()).toBe(before);
    expect(note()).toContain('- create table shelves (id, name, bookId)');
  });

  test('new resources have the records of their file', async () => {
    const { save, get, folder } = await live(`data: data\n${library}`, {
      'data/authors.ndjson': ndjson({ name: 'Ursula' }),
    });
    folder.write('data/shelves.ndjson', ndjson({ name: 'Top', bookId: 3 }));
    await save(`data: data\n${withShelves}`, 'shelves has 1 record now.');
    expect(await (await get('/v1/shelves')).json()).toMatchObject([{ name: 'Top' }]);
    expect(await (await get('/v1/authors')).json()).toHaveLength(1);
  });

  test('with --no-generate they stay empty', async () => {
    const { save, get } = await live(library, {}, ['--no-generate']);
    // Of a shelf that needs a book none could be made anyway; what takes its time is over with the next edit.
    const free = withShelves.replace('required: true, reference: books', 'reference: books');
    for (const text of [free, `${free}# more\n`]) await save(text, reloaded);
    expect(await (await get('/v1/shelves')).json()).toEqual([]);
  });

  test('what only a restart brings into use is said', async () => {
    const { save, note } = await live();
    await save(
      `server: { port: 4999, host: localhost, bodyLimit: 2mb }\n${library}`,
      'Start dev again to use the changed server.host, server.port, server.bodyLimit.',
    );
    expect(note()).toContain(reloaded);
  });

  test('rules take effect at once', async () => {
    const { save, get } = await live();
    expect((await get('/v1/authors')).status).toBe(200);
    await save(library.replace('access: public', 'access: { read: none }'), reloaded);
    expect((await get('/v1/authors')).status).toBe(403);
    await save(library, reloaded);
    expect((await get('/v1/authors')).status).toBe(200);
  });

  test('another database is opened and served', async () => {
    const { save, get, server, folder } = await live();
    await writeAuthor(server.url);
    await makeDatabase('sqlite:other.db', folder.path);
    await save(`database: sqlite:other.db\n${library}`, reloaded);
    expect((await get('/v1/authors/25')).status).toBe(200);
    expect((await get('/v1/authors/26')).status).toBe(404);
    await save(library, reloaded);
    expect((await get('/v1/authors/26')).status).toBe(200);
    expect(await server.stop('SIGINT')).toMatchObject({ code: 0 });
  });
});

test('on PostgreSQL what needs a migration waits for it, and there are no sandboxes', async () => {
  const { url, drop } = await createDatabase();
  const database = ['--database', url];
  const { save, get, note, server, folder } = await live(library, {}, database);
  const shown = url.replace(/:[^:/@]*@/u, ':…@');
  const command = `plinth migrate plinth.yaml --database ${shown} --apply`;
  expect(note()).toContain(`- create table authors (id, name, email)\n`);
  expect(note()).toContain(`dev changes only its own. Run "${command}". Until then`);
  expect((await get('/_ready')).status).toBe(503);
  const missing = await get('/v1/authors');
  expect([missing.status, await missing.json()]).toMatchObject([
    503,
    { code: 'DATABASE_UNAVAILABLE' },
  ]);
  await makeDatabase(url, folder.path);
  await until(async () => (await get('/_ready')).status === 200);
  expect((await get('/v1/authors/25')).status).toBe(200);
  await save(withPages, kept);
  expect(note()).toContain(
    `- add column books.pages\nThe database ${/plinth_test\S+ on \S+/u.exec(note())?.[0]} does not fit plinth.yaml, and dev changes only its own. Run "${command}". ${kept}`,
  );
  expect((await get('/v1/books?pages_null=true&limit=1')).status).toBe(400);
  await good(['migrate', ...database, '--apply'], folder.path);
  await save(withPages, reloaded);
  expect((await get('/v1/books?pages_null=true&limit=1')).status).toBe(200);
  expect((await get('/v1/books', { 'x-sandbox': 'a' })).status).toBe(400);
  await save(library.replace('type: email', 'type: emial'), kept);
  expect(note()).not.toContain('failed');
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
  await drop();
});

describe('a bad edit', () => {
  const bad = library.replace('type: email', 'type: emial');
  test('leaves the last good one in use, is told once with its place, and ends', async () => {
    const { save, get, note, folder } = await live();
    await save(bad, kept);
    expect(note()).toBe(
      `plinth.yaml:7:22 error resources.authors.fields.email.type: unknown type \`emial\`; did you mean \`email\`?\nplinth.yaml has 1 error. ${kept}.\n`,
    );
    expect((await get('/v1/authors')).status).toBe(200);
    // Saved again as it is, it is no news.
    folder.write('plinth.yaml', bad);
    await save('resources: [', 'plinth.yaml:1:');
    expect(countOf(note(), 'emial')).toBe(1);
    await save(library, 'plinth.yaml has no errors again, and is served.');
    await save(withPages, reloaded);
    expect((await get('/v1/books?pages_null=true')).status).toBe(200);
  });

  test.each([
    ['nothing', ''],
    ['no UTF-8', Buffer.from([0xff, 0xfe, 0x00])],
    ['NUL', '\0'],
    ['a list', '- a'],
  ])('%s', async (_name, bytes) => {
    const { get, note, folder, save } = await live();
    folder.write('plinth.yaml', bytes);
    await until(() => note().includes(kept));
    expect((await get('/v1/authors')).status).toBe(200);
    await save(withPages, reloaded);
  });

  test('a file that is deleted, and comes again', async () => {
    const { get, note, folder, save } = await live();
    rmSync(folder.at('plinth.yaml'));
    await until(() => note().includes('plinth.yaml cannot be read: there is no such file'));
    expect((await get('/v1/authors')).status).toBe(200);
    await save(withPages, reloaded);
    expect((await get('/v1/books?pages_null=true')).status).toBe(200);
  });

  test('what cannot be generated is told, and the resource is served empty', async () => {
    const { get, note, save } = await live();
    const impossible = `${library}  shelves:
    generate: { count: 9 }
    fields:
      name: { type: string, required: true, pattern: '^[ab]$', unique: true }
`;
    await save(impossible, 'Nothing was generated.');
    expect(note()).toMatch(/plinth\.yaml:\d+:\d+ error resources\.shelves/u);
    await until(() => note().includes(reloaded));
    expect(await (await get('/v1/shelves')).json()).toEqual([]);
    await save(impossible.replace('[ab]', '[a-z]'), 'shelves has 9 records now.');
  });
});

/** What was generated could be generated anew. */
async function writeAuthor(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = '{"name":"Ursula"}';
  expect((await fetch(`${url}/v1/authors`, { method: 'POST', headers, body })).status).toBe(201);
}

describe('what would lose values', () => {
  const loses = library.replace('name: { type: string, required: true }', 'name: { type: date }');
  test('is not done without a terminal, and names the command, after which saving again serves it', async () => {
    const { save, get, note, folder, server } = await live();
    await writeAuthor(server.url);
    await save(loses, kept);
    expect(note()).toContain('- change authors.name from string to date (loses 1 value)');
    expect(note()).toContain(
      'run "plinth migrate plinth.yaml --database sqlite:.plinth/dev.db --apply --allow-data-loss"',
    );
    const [author] = (await (await get('/v1/authors?limit=1')).json()) as { name: string }[];
    expect(author?.name).toMatch(/\w/u);
    const migrated = await plinth(
      ['migrate', '--database', 'sqlite:.plinth/dev.db', '--apply', '--allow-data-loss'],
      { cwd: folder.path },
    );
    expect(migrated.code).toBe(0);
    await save(loses, reloaded);
    expect(await (await get('/v1/authors?limit=1&fields=name')).json()).toMatchObject([
      { name: null },
    ]);
  });
});

describe('however it is saved', () => {
  test('by a file that takes its place, or after the old one was moved away', async () => {
    const { note, folder, server } = await live();
    let seen = 0;
    for (const text of [withPages, library, withPages]) {
      writeFileSync(folder.at('.plinth.yaml.swp'), text);
      renameSync(folder.at('.plinth.yaml.swp'), folder.at('plinth.yaml'));
      seen += 1;
      await until(() => countOf(note(), reloaded) === seen);
      atOnce(server, () => {
        renameSync(folder.at('plinth.yaml'), folder.at('plinth.yaml~'));
        writeFileSync(folder.at('plinth.yaml'), `${text}# more\n`);
      });
      seen += 1;
      await until(() => countOf(note(), reloaded) === seen);
    }
    expect(note()).not.toContain(kept);
  });

  test('saved several times at once it is read once', async () => {
    const { note, folder, save, server } = await live();
    atOnce(server, () => {
      for (let time = 0; time < 10; time += 1)
        folder.write('plinth.yaml', `${withPages}# ${time}\n`);
    });
    await until(() => note().includes(reloaded));
    await save(library, reloaded);
    expect(countOf(note(), reloaded)).toBe(2);
  });

  test('saved without a change it is no news, and sandboxes stay', async () => {
    const { note, folder, get, save } = await live();
    await get('/v1/authors', { 'x-sandbox': 'a' });
    folder.write('plinth.yaml', library);
    await new Promise((done) => setTimeout(done, 300));
    expect(note()).toBe('');
    expect(await (await get('/_sandboxes')).json()).toMatchObject([{ name: 'a' }]);
    await save(withPages, reloaded);
    expect(await (await get('/_sandboxes')).json()).toEqual([]);
  });
});

test('an edit of a module with generators makes other sandboxes', async () => {
  const text = `access: public
resources:
  things:
    generate: { count: 2 }
    fields: { code: { type: string, generator: './own.ts#code' } }
`;
  const { get, note, folder } = await live(text, {
    'own.ts': 'export const code = ({ row }: { row: number }) => `old${row}`;\n',
  });
  const codes = async (): Promise<string> =>
    (await get('/v1/things?fields=code', { 'x-sandbox': 'a' })).text();
  expect(await codes()).toContain('old1');
  folder.write('own.ts', 'export const code = ({ row }: { row: number }) => `new${row}`;\n');
  await until(() => note().includes(reloaded));
  expect(await codes()).toContain('new1');
});

test('ten reloads under load fail no request', async () => {
  const { server, save, note } = await live();
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const met = new Map<string, number>();
  const over = new AbortController();
  const ask = (method: string, path: string, body?: string): Promise<string> =>
    new Promise((done) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      request(`${server.url}${path}`, { method, agent, headers }, (response) => {
        response.resume().once('end', () => done(`${method} ${response.statusCode}`));
        response.once('error', ({ message }) => done(message));
      })
        .once('error', ({ message }) => done(message))
        .end(body);
    });
  const callers = Array.from({ length: 8 }, async (_, caller) => {
    while (!over.signal.aborted) {
      const answer =
        caller % 2 === 0
          ? await ask('GET', '/v1/books?limit=20&expand=author&sort=-title')
          : await ask('POST', '/v1/authors', '{"name":"Ursula"}');
      met.set(answer, (met.get(answer) ?? 0) + 1);
    }
  });
  for (let time = 0; time < 10; time += 1) {
    const extra = Array.from(
      { length: time + 1 },
      (_, index) => `      extra${index}: { type: integer }\n`,
    ).join('');
    await save(
      library.replace('    fields:\n      title', `    fields:\n${extra}      title`),
      reloaded,
    );
  }
  over.abort();
  await Promise.all(callers);
  agent.destroy();
  expect([...met.keys()].sort()).toEqual(['GET 200', 'POST 201']);
  expect(note()).not.toContain('failed');
  expect(note()).toContain('- add column books.extra9');
});

test('a request under way ends on what it began with, also where the database changes', async () => {
  const { get, save, folder, note } = await live(withPages);
  const typesOf = async (answer: Response): Promise<readonly string[]> =>
    ((await answer.json()) as readonly { pages: unknown }[]).map(({ pages }) => typeof pages);
  const slow = get('/v1/books?limit=1', { 'x-simulate': 'latency=1600' });
  // It is under way when another one is answered.
  expect((await get('/v1/books?limit=1')).status).toBe(200);
  // What it has planned would read the converted values as what they were.
  folder.write(
    'plinth.yaml',
    withPages.replace('pages: { type: integer }', 'pages: { type: string }'),
  );
  const others = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      await new Promise((done) => setTimeout(done, index * 40));
      return (await get('/v1/books?limit=1')).status;
    }),
  );
  expect(new Set(others)).toEqual(new Set([200]));
  const answer = await slow;
  expect([answer.status, await typesOf(answer)]).toEqual([200, ['number']]);
  await until(() => note().includes(reloaded));
  expect(await typesOf(await get('/v1/books?limit=1'))).toEqual(['string']);
  await save(library, reloaded);
});

test.skipIf(!hasTerminal)('on a terminal it asks before values are lost', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const terminal = launchInTerminal(['dev', '--port', '0'], { cwd: folder.path });
  await until(() => terminal.out().includes('Stop:'));
  expect(terminal.out()).toMatch(/Generating .+ \d+%/u);
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/u.exec(terminal.out()) ?? [];
  const nameOf = async (): Promise<unknown> => {
    const records = (await (await fetch(`${url}/v1/authors?limit=1`)).json()) as object[];
    return (records[0] as { name: unknown }).name;
  };
  const before = await nameOf();
  await writeAuthor(url);
  // On a terminal the log is for people.
  await until(() => terminal.out().includes('INFO: GET /v1/authors 200 {'));
  const loses = library.replace('name: { type: string, required: true }', 'name: { type: date }');
  const asked = 'and lose these values?';
  folder.write('plinth.yaml', loses);
  await until(() => countOf(terminal.out(), asked) > 0);
  // Saved again as it is, or seen late, it is the same question.
  folder.write('plinth.yaml', loses);
  await new Promise((done) => setTimeout(done, 500));
  terminal.child.stdin?.write('n');
  await until(() => terminal.out().includes(kept));
  expect(await nameOf()).toBe(before);
  // Saved again it asks again; another edit meanwhile takes the question back.
  folder.write('plinth.yaml', `${loses}# again\n`);
  await until(() => terminal.out().split(kept)[1]?.includes(asked) === true);
  folder.write('plinth.yaml', withPages);
  await until(() => terminal.out().includes(reloaded));
  expect(await nameOf()).toBe(before);
  folder.write('plinth.yaml', loses);
  await until(() => terminal.out().split(reloaded)[1]?.includes(asked) === true);
  terminal.child.stdin?.write('y');
  await until(() => countOf(terminal.out(), reloaded) === 2);
  // What was generated is so again.
  expect(await nameOf()).toMatch(/^\d{4}-\d{2}-\d{2}$/u);
  const written = await fetch(`${url}/v1/authors/26?fields=name`);
  expect(await written.json()).toEqual({ id: 26, name: null });
  terminal.child.stdin?.write('\u0003');
  expect(await terminal.ended).toMatchObject({ code: 0 });
});
