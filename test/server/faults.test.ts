import {
  closeSync,
  copyFileSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { ServerResponse } from 'node:http';
import driver from 'postgres';
import { migrate } from '../../src/migrations/postgres/schema.ts';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import type { SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { serveBoth } from '../support/both.ts';
import { until } from '../support/command.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { buildValid, serve, serveApi, type TestApi } from '../support/api.ts';
import { createDatabase } from '../support/postgres.ts';
import { startProxy } from '../support/proxy.ts';
import { getBytes, Wire } from '../support/wire.ts';

const specification = `access: public
server: { maxInFlight: 2 }
resources: { notes: { fields: { text: { type: string } } } }
`;
const open: TestApi[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const api of open.splice(0)) await api.stop();
});

async function serving(): Promise<TestApi> {
  const api = await serveApi(specification, { notes: [{ text: 'a' }] }, undefined, {
    mode: 'dev',
  });
  open.push(api);
  return api;
}

/** What is still counted, beside the request that asks for it. */
async function leftOver({ get, servedApi }: TestApi): Promise<unknown> {
  const { text } = await get('/_metrics');
  const inFlight = Number(/^plinth_requests_in_flight (\d+)$/mu.exec(text)?.[1]) - 1;
  return { inFlight, isUnused: servedApi.inFlight.isNone };
}

/** Lets the next answer fail where it is handed to the connection: as it begins, or when its head has gone out. */
function failNext(where: 'writeHead' | 'end'): void {
  const failing = vi.spyOn(ServerResponse.prototype, where);
  failing.mockImplementationOnce(function fail(this: ServerResponse): never {
    failing.mockRestore();
    if (where === 'end') this.flushHeaders();
    throw new RangeError('no');
  });
}

describe('an answer that cannot be sent', () => {
  test('is 500 instead, and nothing counts it any more', async () => {
    const api = await serving();
    for (let round = 0; round < 5; round += 1) {
      failNext('writeHead');
      const { status, body } = await api.get('/v1/notes');
      expect([status, body.code, body.path]).toEqual([500, 'INTERNAL_ERROR', '/v1/notes']);
    }
    expect(api.failures.splice(0)).toHaveLength(5);
    expect(await leftOver(api)).toEqual({ inFlight: 0, isUnused: true });
    const { text } = await api.get('/_metrics');
    expect(text).toContain('plinth_requests_total{route="notes.list",status="500"} 5\n');
    expect((await api.get('/v1/notes')).status).toBe(200);
  });

  test('has the words of its own status', async () => {
    const api = await serving();
    const wire = await Wire.open(api.url);
    failNext('writeHead');
    await wire.send(getBytes('/v1/notes'));
    expect(await wire.rest()).toMatch(/^HTTP\/1\.1 500 Internal Server Error\r\n/u);
    wire.close();
    api.failures.splice(0);
  });

  test('is cut off where its head has gone out', async () => {
    const api = await serving();
    for (let round = 0; round < 5; round += 1) {
      failNext('end');
      const wire = await Wire.open(api.url);
      await wire.send(getBytes('/v1/notes'));
      expect(await wire.answer()).toBeUndefined();
    }
    expect(api.failures.splice(0)).toHaveLength(5);
    expect(await leftOver(api)).toEqual({ inFlight: 0, isUnused: true });
  });
});

test('a database that lacks what the specification names is not ready; one that has more is', async () => {
  const both = await serveBoth(specification, { notes: [{ text: 'a' }] });
  open.push(both);
  const sqlite = both.servedApi.database as SqliteDatabase;
  const change = async (sql: string): Promise<void> => {
    sqlite.schemaConnection.exec(sql);
    await both.postgres.changeSchema((ask) => ask(sql));
  };
  const become = (status: number): Promise<void> =>
    until(async () => {
      const all = await Promise.all(both.sides.map(({ get }) => get('/_ready')));
      return all.every((answer) => answer.status === status);
    });
  await become(200);
  await change('ALTER TABLE notes ADD COLUMN more text');
  await change('CREATE INDEX notes_more ON notes (more)');
  await new Promise((done) => setTimeout(done, 1_100));
  expect((await both.get('/_ready')).body).toEqual({ status: 'ready' });
  await change('ALTER TABLE notes RENAME COLUMN text TO words');
  await become(503);
  expect((await both.get('/_health')).status).toBe(200);
  await change('ALTER TABLE notes RENAME COLUMN words TO text');
  await become(200);
  await change('ALTER TABLE notes RENAME TO others');
  await become(503);
});

test('a right that the role lacks takes no server out of service: what needs it is 503', async () => {
  const server = await createDatabase();
  const other = driver(server.url, { max: 1, onnotice: () => undefined });
  const role = `plinth_${process.pid}_ready`;
  const model = buildValid(
    'access: public\nresources: { notes: { fields: {} }, tags: { fields: {} } }',
  );
  const owner = await openPostgres(server.url, { poolSize: 1 });
  await migrate(owner, model);
  await owner.close();
  await other.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT SELECT ON notes TO ${role}`);
  const url = new URL(server.url);
  [url.username, url.password] = [role, 'x'];
  const database = await openPostgres(url.href, { poolSize: 1 });
  const failures: unknown[] = [];
  const draw = { now: () => new Date(), uuid: uuidv7 };
  const { get, stop } = await serve(model, database, draw, failures);
  const statuses = [];
  for (const path of ['/_ready', '/v1/notes', '/v1/tags', '/_ready'])
    statuses.push((await get(path)).status);
  expect(statuses).toEqual([200, 200, 503, 200]);
  expect(failures).toHaveLength(1);
  await stop();
  await other.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await other.end();
  await server.drop();
});

// These wait most of the time: they do it together.
test.concurrent('whether a server is ready is said soon, and of all who ask one is asked for', async () => {
  const server = await createDatabase();
  const proxy = await startProxy(server.url);
  const other = driver(server.url, { max: 1 });
  const model = buildValid('access: public\nresources: { notes: { fields: {} } }');
  // Whoever waited for a statement would wait for longer than a test may take.
  const options = { poolSize: 1, statementTimeout: 600_000 };
  const database = await openPostgres(proxy.url, options);
  await migrate(database, model);
  const draw = { now: () => new Date(), uuid: uuidv7 };
  const { get, stop } = await serve(model, database, draw, []);
  const isReady = async (status: number): Promise<boolean> =>
    (await get('/_ready')).status === status;
  const askAll = async (): Promise<readonly number[]> => {
    const all = await Promise.all(Array.from({ length: 20 }, () => get('/_ready')));
    return [...new Set(all.map(({ status }) => status))];
  };
  // While a table is altered it is there.
  await other.begin(async (sql) => {
    await sql`LOCK TABLE notes IN ACCESS EXCLUSIVE MODE`;
    for (let round = 0; round < 3; round += 1) {
      expect(await askAll()).toEqual([200]);
      // The only connection is free for others.
      expect(await database.all({ sql: 'SELECT 1', parameters: [] }, { bound: [] })).toEqual([[1]]);
      await new Promise((done) => setTimeout(done, 1_100));
    }
  });
  // One that was missing is, until it is seen: no look comes to its turn here.
  const ask = (sql: string): Promise<unknown> =>
    database.all({ sql, parameters: [] }, { bound: [] });
  await other`ALTER TABLE notes RENAME TO others`;
  await until(() => isReady(503));
  await new Promise((done) => setTimeout(done, 1_100));
  await ask('SELECT 1');
  const nap = ask('SELECT pg_sleep(1.5)');
  expect(await askAll()).toEqual([503]);
  await nap;
  expect(await askAll()).toEqual([503]);
  await other`ALTER TABLE others RENAME TO notes`;
  await until(() => isReady(200));
  proxy.stand(true);
  await until(() => isReady(503));
  expect(await askAll()).toEqual([503]);
  expect(database.connections()).toMatchObject({ busy: 1, waiting: 0 });
  proxy.stand(false);
  await until(() => isReady(200));
  expect(await askAll()).toEqual([200]);
  await stop();
  await proxy.stop();
  await other.end();
  await server.drop();
});

test.concurrent('a server whose connections are all in use is ready while they answer', async () => {
  const server = await createDatabase();
  const model = buildValid('access: public\nresources: { notes: { fields: {} } }');
  const database = await openPostgres(server.url, { poolSize: 1 });
  await migrate(database, model);
  const { get, stop } = await serve(model, database, { now: () => new Date(), uuid: uuidv7 }, []);
  expect((await get('/_ready')).status).toBe(200);
  const nap = { sql: 'SELECT pg_sleep(0.3)', parameters: [] };
  const naps = Array.from({ length: 20 }, () => database.all(nap, { bound: [] }));
  let isWaiting = true;
  const answered = Promise.all(naps).finally(() => (isWaiting = false));
  for (let round = 0; round < 5; round += 1) {
    expect((await get('/_ready')).status).toBe(200);
    await new Promise((done) => setTimeout(done, 200));
  }
  // None of those who asked has waited until its turn came.
  expect(isWaiting).toBe(true);
  await answered;
  await stop();
  await server.drop();
});

type Take = (path: string) => void;
const gone: readonly (readonly [how: string, behind: string, replace: Take])[] = [
  ['moved away', '', () => undefined],
  ['replaced', '', (path) => copyFileSync(`${path}.away`, path)],
  ['robbed of its log', '-wal', () => undefined],
  ['put out of reach', '', (path) => symlinkSync(path, path)],
];

test.each(gone)(
  'a file that was %s while it was open takes no write, and is not ready, until it is back',
  async (_, behind, replace) => {
    const api = await serving();
    const { name } = (api.servedApi.database as SqliteDatabase).schemaConnection;
    const path = name + behind;
    const create = (text: string): ReturnType<TestApi['send']> =>
      api.send('POST', '/v1/notes', { text });
    const csv = { accept: 'text/csv' };
    expect((await create('b')).status).toBe(201);
    renameSync(path, `${path}.away`);
    replace(path);
    const refused = await Promise.all([create('lost'), create('lost too')]);
    for (const { status, body, headers } of [...refused, await api.get('/v1/notes', csv)])
      expect([status, body.code, headers.get('retry-after')]).toEqual([
        503,
        'DATABASE_UNAVAILABLE',
        '1',
      ]);
    expect((await api.get('/_ready')).status).toBe(503);
    expect((await api.get('/_health')).status).toBe(200);
    expect(api.failures.splice(0).map(String).join()).toContain(`The database file ${path} `);
    rmSync(path, { force: true });
    renameSync(`${path}.away`, path);
    expect((await create('c')).status).toBe(201);
    const { body } = await api.get('/v1/notes', { accept: 'application/json' });
    expect(body.map(({ text }: { text: string }) => text)).toEqual(['a', 'b', 'c']);
    expect((await api.get('/_ready')).status).toBe(200);
  },
);

test('a file that is damaged under a server is 503 for who reads it, and the server goes on', async () => {
  const api = await serving();
  const { schemaConnection } = api.servedApi.database as SqliteDatabase;
  schemaConnection.pragma('wal_checkpoint(TRUNCATE)');
  // Another schema by its number, and what it is cannot be read.
  const file = openSync(schemaConnection.name, 'r+');
  writeSync(file, Buffer.alloc(400, 0x55), 0, 4, 40);
  writeSync(file, Buffer.alloc(400, 0x55), 0, 400, 100);
  closeSync(file);
  await api.send('POST', '/v1/notes', { text: 'b' });
  for (let round = 0; round < 5; round += 1) {
    const { status, body } = await api.get('/v1/notes?sort=text');
    expect([status, body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
  }
  expect((await api.get('/_health')).status).toBe(200);
  expect((await api.get('/_ready')).status).toBe(503);
  api.failures.splice(0);
});
