import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer, PlinthError, type PlinthServer } from '../../src/index.ts';
import { atDatabase } from './databases.ts';

const specification = `
code: ./api.ts
auth: { apiKeys: [{ name: reader, hash: "sha256:${'0'.repeat(64)}", roles: [reader] }] }
access: { role: reader, where: id=-1 }
rateLimit: { max: 1, window: 1h }
api: { versions: { 1: { resources: { notes: { fields: { body: { from: text } } } } } } }
resources:
  notes:
    fields:
      text: { type: string, required: true }
      length: { type: integer, readOnly: true }
      secret: { type: string, writeOnly: true }
`;

const code = `export default {
  resources: {
    notes: {
      beforeCreate(note, { user, fail }) {
        if (note.text === 'no') fail(409, 'Not this one');
        note.length ??= note.text?.length;
      },
    },
  },
  endpoints: { 'POST /notes/:id/double': { access: 'reader', handler: async ({ params, db }) => {
    const { text } = await db.notes.get(params.id);
    return db.notes.update(params.id, { text: text + text });
  } } },
};`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-code-'));
  writeFileSync(join(folder, 'api.ts'), code);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Called = PlinthServer['db'] & {
  readonly call: (name: string, options: object) => Promise<unknown>;
};

const start = (database: string): Promise<PlinthServer> =>
  createServer({ folder, environment: {}, specification, database });

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

atDatabase(
  'the owner reads and writes without rules, by the names of the file',
  async (database) => {
    await using server = await start(database);
    await expect(server.db['notes']?.list()).rejects.toThrow('migrate');
    await server.migrate();
    const { notes, batch, call } = server.db as Called;
    const first = await notes?.create({ text: 'one', secret: 'x' });
    expect(first).toEqual({ id: 1, text: 'one', length: 3, secret: 'x' });
    expect(await notes?.update(first, { length: 7 })).toMatchObject({ id: 1, length: 7 });
    const written = await batch([
      { method: 'POST', path: '/notes', body: { text: 'two', length: 1 } },
      { method: 'DELETE', path: '/notes/1' },
    ]);
    expect(written.map(({ status }) => status as unknown)).toEqual([201, 204]);
    expect(await call('POST /notes/:id/double', { params: { id: 2 } })).toMatchObject({
      text: 'twotwo',
    });
    const { data, total } = (await notes?.list({ where: { text_startsWith: 'two' } })) ?? {};
    expect([data, total]).toMatchObject([[{ id: 2, text: 'twotwo', length: 1 }], 1]);
  },
);

atDatabase('what the owner may not write is an error with a body', async (database) => {
  await using server = await start(database);
  await server.migrate();
  const { notes } = server.db;
  const errors = await Promise.all([
    failure(notes?.create({}) ?? Promise.resolve()),
    failure(notes?.create({ text: 'no' }) ?? Promise.resolve()),
    failure(notes?.get(99) ?? Promise.resolve()),
    failure(notes?.list({ where: { txt: 'a' } }) ?? Promise.resolve()),
  ]);
  expect(errors.map((error) => error instanceof PlinthError && error.body)).toMatchObject([
    { status: 400, code: 'VALIDATION_FAILED', path: '/notes' },
    { status: 409, code: 'CONFLICT', message: 'Not this one' },
    { status: 404, code: 'RESOURCE_NOT_FOUND' },
    { status: 400, code: 'INVALID_PARAMETER' },
  ]);
});

test('clients have the rights that they had', async () => {
  await using server = await start('sqlite::memory:');
  await server.migrate();
  await server.db['notes']?.create({ text: 'one' });
  const answer = await server.fetch(new Request('http://localhost/v1/notes'));
  expect(answer.status).toBe(401);
  // Its quota is its own, and used up now.
  expect((await server.fetch(new Request('http://localhost/v1/notes'))).status).toBe(429);
  await server.db['notes']?.list();
});

test('the client follows the file in dev, and ends with the server', async () => {
  const file = join(folder, 'plinth.yaml');
  const notes =
    'network: { errorRate: 1 }\nresources:\n  notes: { fields: { text: { type: string } } }\n';
  writeFileSync(file, notes);
  const options = { folder, environment: {}, mode: 'dev', database: 'sqlite::memory:' } as const;
  const server = await createServer(options);
  expect(await server.db['notes']?.list({ limit: 1 })).toMatchObject({ data: [{ id: 1 }] });
  expect(server.db).toBe(server.db);
  writeFileSync(file, notes.replaceAll('notes', 'letters'));
  await expect.poll(() => Object.keys(server.db)).toContain('letters');
  expect(await server.db['letters']?.list({ limit: 1 })).toMatchObject({ data: [{ id: 1 }] });
  const { letters } = server.db;
  await server.close();
  await expect(letters?.list()).rejects.toThrow('is closed');
});

atDatabase('the owner runs SQL', async (database) => {
  await using server = await start(database);
  await expect(server.db.sql`select 1`).rejects.toThrow('migrate');
  await server.migrate();
  const { sql } = server.db;
  const added =
    await sql`insert into notes (text, secret) values (${'a'}, ${'x'}) returning id, secret`;
  expect([added, added.count]).toEqual([[{ id: 1, secret: 'x' }], 1]);
  const ids = [1n, 7];
  const isIn = database.startsWith('postgres')
    ? sql<{ text: string }>`select text from notes where id = any(${ids})`
    : sql<{
        text: string;
      }>`select text from notes where id in (select value from json_each(${ids}))`;
  expect((await isIn)[0]?.text).toBe('a');
  const error = await failure(sql`select nothing from notes`);
  expect(error).toBeInstanceOf(PlinthError);
  expect((error as PlinthError).body).toMatchObject({ status: 400, code: 'INVALID_SQL' });
  expect((await server.fetch(new Request('http://x/v1/_sql', { method: 'POST' }))).status).toBe(
    404,
  );
});

atDatabase('SQL that never ends is ended at the deadline of a statement', async (database) => {
  const specification =
    'database: { statementTimeout: 500ms }\nresources: { notes: { fields: { text: { type: string } } } }\naccess: public';
  await using server = await createServer({ environment: {}, specification, database });
  await server.migrate();
  const error = await failure(
    server.db
      .sql`with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n`,
  );
  expect((error as PlinthError).body).toMatchObject({ status: 504, code: 'QUERY_TIMEOUT' });
  expect(await server.db.sql`select count(*) as n from notes`).toEqual([{ n: 0 }]);
});
