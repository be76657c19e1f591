import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { answersOf, changes, writes } from '../postgres/requests.ts';
import { specification } from '../postgres/specification.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { makeFolder, plinth } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

const folder = makeFolder({ 'plinth.yaml': `name: All\n${specification}` });
const model = buildValid(specification);
const draw = { now: () => new Date(), uuid: uuidv7 };
const servers: TestDatabase[] = [];
/** What a served database answers to every read, as one text a request. */
let answers: readonly string[] = [];

const sqliteAt = (name: string): Promise<TestApi> =>
  serve(model, openSqlite(folder.at(name), 'durable'), draw, []);

async function command(...args: string[]): Promise<void> {
  const { code, err } = await plinth(args, { cwd: folder.path });
  expect({ code, err }).toEqual({ code: 0, err: '' });
}

/** What a server answers to reads; it has met no failure, and is stopped. */
async function lastAnswersOf(api: TestApi): Promise<readonly string[]> {
  const texts = await answersOf(api, model);
  await api.stop();
  expect(api.failures).toEqual([]);
  return texts;
}

beforeAll(async () => {
  await command('migrate', '--apply', '--database', 'sqlite:first.db');
  const api = await sqliteAt('first.db');
  for (const { method = 'GET', path, body, headers } of [...writes, ...changes])
    await api.send(method, path, body, headers);
  // Two that point to each other.
  const left = (await api.send('POST', '/v1/left', { name: 'l' })).body as { id: number };
  const { body } = await api.send('POST', '/v1/right', { leftId: left.id });
  await api.send('PATCH', `/v1/left/${left.id}`, { rightId: (body as { id: number }).id });
  answers = await lastAnswersOf(api);
  expect(answers.filter((text) => text.includes(' 200 ')).length).toBeGreaterThan(500);
});

afterAll(() => Promise.all(servers.map(({ drop }) => drop())));

const filesOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder.at(name)).map((file) => [file, readFileSync(folder.at(name, file), 'utf8')]),
  );

test.each(['ndjson', 'json', 'csv'])(
  'from SQLite to PostgreSQL and back as %s, every answer is the same',
  async (format) => {
    const server = await createDatabase();
    servers.push(server);
    const [first, second, back] = ['first', 'second', 'back'].map((name) => `${name}-${format}`);
    const last = `sqlite:${back}.db`;
    await command('export', `${first}`, '--format', format, '--database', 'sqlite:first.db');
    await command('migrate', '--apply', '--database', server.url);
    await command('import', `${first}`, '--database', server.url);
    expect(
      await lastAnswersOf(await serve(model, await openPostgres(server.url), draw, [])),
    ).toEqual(answers);
    await command('export', `${second}`, '--format', format, '--database', server.url);
    expect(filesOf(`${second}`)).toEqual(filesOf(`${first}`));
    await command('migrate', '--apply', '--database', last);
    await command('import', `${second}`, '--database', last);
    expect(await lastAnswersOf(await sqliteAt(`${back}.db`))).toEqual(answers);
  },
);

test.each(['sqlite', 'postgres'])(
  'what has changed since is named, and brought back with --replace: %s',
  async (kind) => {
    const url = kind === 'sqlite' ? 'sqlite:back-ndjson.db' : (servers[0]?.url ?? '');
    const open = async (): Promise<TestApi> =>
      kind === 'sqlite'
        ? sqliteAt('back-ndjson.db')
        : serve(model, await openPostgres(url), draw, []);
    const api = await open();
    const [left] = (await api.get('/v1/left')).body as { id: number }[];
    const changed = [
      await api.send('PATCH', '/v1/books/1', { price: '1.00', words: null, secret: 'other' }),
      await api.send('PATCH', `/v1/left/${left?.id}`, { name: 'Other', rightId: null }),
      await api.send('DELETE', '/v1/remarks/1'),
    ];
    expect(changed.map(({ status }) => status)).toEqual([200, 200, 204]);
    await api.stop();
    const again = ['import', 'first-ndjson', '--database', url];
    const ended = await plinth(again, { cwd: folder.path });
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err.trim().split('\n').sort()).toEqual([
      'Nothing was imported. Fix these records and run it again, or give --replace to replace records that differ.',
      'first-ndjson/books.ndjson:1 id is taken: the record that has it differs in price, words, secret',
      'first-ndjson/left.ndjson:1 id is taken: the record that has it differs in name, rightId',
    ]);
    await command(...again, '--replace');
    expect(await lastAnswersOf(await open())).toEqual(answers);
  },
);
