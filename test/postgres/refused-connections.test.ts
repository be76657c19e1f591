import driver from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { meaningOf } from '../../src/databases/postgres/errors.ts';
import { migrate } from '../../src/migrations/postgres/schema.ts';
import { buildValid, serve, type TestApi } from '../support/api.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';

/**
 * A server that refuses new sessions while the service runs. See
 * docs/contract/6-operation.md#database-failures, rule 1.
 */
const model = buildValid('resources: { notes: { fields: { text: { type: string } } } }\n');
const role = `plinth_refused_${process.pid}`;

let made: TestDatabase;
let admin: driver.Sql;
let inside: driver.Sql;
let api: TestApi;
let name: string;

beforeAll(async () => {
  made = await createDatabase();
  name = new URL(made.url).pathname.slice(1);
  const elsewhere = new URL(made.url);
  elsewhere.pathname = '/postgres';
  admin = driver(elsewhere.href, { max: 1, onnotice: () => undefined });
  inside = driver(made.url, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'one' CONNECTION LIMIT 20`);
  await inside.unsafe(`GRANT ALL ON SCHEMA public TO ${role}`);
  const url = new URL(made.url);
  url.username = role;
  url.password = 'one';
  const database = await openPostgres(url.href, { poolSize: 3 });
  await migrate(database, model);
  api = await serve(model, database, { now: () => new Date(), uuid: uuidv7 }, []);
});

afterAll(async () => {
  await api?.stop();
  await inside?.end();
  await made?.drop();
  await admin?.unsafe(`DROP ROLE IF EXISTS ${role}`);
  await admin?.end();
});

const refusals: readonly (readonly [what: string, code: string, refuse: string, allow: string])[] =
  [
    [
      'the database accepts none',
      '55000',
      'ALTER DATABASE {name} ALLOW_CONNECTIONS false',
      'ALTER DATABASE {name} ALLOW_CONNECTIONS true',
    ],
    ['the role may not log in', '28000', 'ALTER ROLE {role} NOLOGIN', 'ALTER ROLE {role} LOGIN'],
    [
      'the password is another one',
      '28P01',
      "ALTER ROLE {role} PASSWORD 'two'",
      "ALTER ROLE {role} PASSWORD 'one'",
    ],
    [
      'the role has no session left',
      '53300',
      'ALTER ROLE {role} CONNECTION LIMIT 0',
      'ALTER ROLE {role} CONNECTION LIMIT 20',
    ],
    [
      'the role may not connect',
      '42501',
      'REVOKE CONNECT ON DATABASE {name} FROM PUBLIC',
      'GRANT CONNECT ON DATABASE {name} TO PUBLIC',
    ],
    [
      'the database has another name',
      '3D000',
      'ALTER DATABASE {name} RENAME TO {name}_gone',
      'ALTER DATABASE {name}_gone RENAME TO {name}',
    ],
  ];

describe('sessions have ended, and new ones are refused: 503 until they are not', () => {
  test.each(refusals)('%s (%s)', async (_what, _code, refuse, allow) => {
    const run = (sql: string): Promise<unknown> =>
      admin.unsafe(sql.replaceAll('{name}', name).replaceAll('{role}', role));
    const end = (): Promise<unknown> =>
      admin`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = ${role} OR (datname = ${name} AND pid <> pg_backend_pid())`.execute();
    expect((await api.send('POST', '/v1/notes', { text: 'a' })).status).toBe(201);
    await inside.end();
    if (refuse.includes('RENAME')) await end();
    await run(refuse);
    await end();
    const answers: unknown[] = [];
    for (const [method, path, body] of [
      ['GET', '/v1/notes'],
      ['GET', '/v1/notes/1'],
      ['POST', '/v1/notes', { text: 'b' }],
      ['PATCH', '/v1/notes/1', { text: 'c' }],
      ['POST', '/v1/notes', [{ text: 'd' }, { text: 'e' }]],
      ['DELETE', '/v1/notes/1'],
      ['GET', '/_ready'],
    ] as const) {
      const { status, body: told } = await api.send(method, path, body);
      answers.push([path, status, (told as { code?: unknown }).code]);
    }
    const refused = (path: string): unknown[] => [path, 503, 'DATABASE_UNAVAILABLE'];
    expect(answers).toEqual([
      refused('/v1/notes'),
      refused('/v1/notes/1'),
      refused('/v1/notes'),
      refused('/v1/notes/1'),
      refused('/v1/notes'),
      refused('/v1/notes/1'),
      ['/_ready', 503, undefined],
    ]);
    await run(allow);
    await expect.poll(async () => (await api.get('/_ready')).status, { timeout: 5_000 }).toBe(200);
    expect((await api.get('/v1/notes')).status).toBe(200);
  });
});

test.each([
  ['55000', 'FATAL'],
  ['57P01', 'FATAL'],
  ['57P02', 'FATAL'],
  ['57P03', 'FATAL'],
  ['57P04', 'FATAL'],
  ['57P05', 'FATAL'],
  ['53300', 'FATAL'],
  ['53200', 'FATAL'],
  ['3D000', 'FATAL'],
  ['28000', 'FATAL'],
  ['28P01', 'FATAL'],
  ['42501', 'FATAL'],
  ['08P01', 'FATAL'],
  ['XX000', 'FATAL'],
  ['0A000', 'FATAL'],
  ['22023', 'FATAL'],
  ['XX000', 'PANIC'],
  ['55000', 'ERROR'],
  ['EAI_AGAIN', undefined],
  ['ENOTFOUND', undefined],
  ['SASL_SIGNATURE_MISMATCH', undefined],
  ['AUTH_TYPE_NOT_IMPLEMENTED', undefined],
])('%s %s is that the database is not available', (code, severity) => {
  const error = Object.assign(new Error('no'), { code, severity });
  expect(meaningOf(error)).toMatchObject({ kind: 'unavailable' });
});
