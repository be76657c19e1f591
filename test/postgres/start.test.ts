import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import driver from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runIn, serveIn } from '../command-line/commands.ts';
import { outerAddress } from '../edge/edge.ts';
import { library, makeFolder } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

/** What `start` says of its database, and what does not keep it from serving. */
const file = `logging: { enabled: false }\n${library}`;
const role = `plinth_start_${process.pid}`;
let made: TestDatabase;
let sql: driver.Sql;
const folder = makeFolder({ 'plinth.yaml': file });

beforeAll(async () => {
  made = await createDatabase();
  sql = driver(made.url, { max: 1, onnotice: () => undefined });
  expect(await runIn(folder, {}, 'migrate', '--apply', '--database', made.url)).toMatchObject({
    code: 0,
  });
  await sql.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'one'`);
  await sql.unsafe(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
  await sql`INSERT INTO authors (name) VALUES ('Ursula')`;
});

afterAll(async () => {
  await sql?.unsafe(`DROP OWNED BY ${role}`);
  await sql?.unsafe(`DROP ROLE ${role}`);
  await sql?.end();
  await made?.drop();
});

const url = (change: (url: URL) => void): string => {
  const changed = new URL(made.url);
  changed.username = role;
  changed.password = 'one';
  change(changed);
  return changed.href;
};
const start = (database: string): ReturnType<typeof serveIn> =>
  serveIn(folder, {}, 'start', '--port', '0', '--database', database);
const exposed = / leaves this machine without encryption\. Add sslmode=verify-full to its URL/u;

test('row level security with a setting that only requests have: no count in the banner', async () => {
  await sql`ALTER TABLE authors ENABLE ROW LEVEL SECURITY`;
  for (const unset of [
    `current_setting('app.tenant')::int`,
    `NULLIF(current_setting('app.tenant', true), 'x')::text::int`,
  ]) {
    await sql.unsafe(`CREATE POLICY own ON authors USING (id = ${unset})`);
    await sql.unsafe(`ALTER ROLE ${role} SET "app.other" = ''`);
    const server = await start(url(() => undefined));
    expect((await fetch(`${server.url}/_ready`)).status).toBe(200);
    expect((await fetch(`${server.url}/v1/books`)).status).toBe(200);
    const { out, code } = await server.stop();
    expect(code).toBe(0);
    expect(out).toMatch(/\n {2}books +0\n/u);
    await sql`DROP POLICY own ON authors`;
  }
  await sql.unsafe(`CREATE POLICY own ON authors USING (id = current_setting('app.tenant')::int)`);
  const server = await start(url(() => undefined));
  expect((await fetch(`${server.url}/v1/authors`)).status).toBe(503);
  expect((await server.stop()).out).not.toContain('authors ');
  await sql`DROP POLICY own ON authors`;
  await sql`ALTER TABLE authors DISABLE ROW LEVEL SECURITY`;
});

test('on this machine the connection needs no encryption', async () => {
  const server = await start(url((one) => one.searchParams.set('sslmode', 'disable')));
  expect(server.err()).not.toMatch(exposed);
  await server.stop();
});

test.skipIf(outerAddress === undefined)('elsewhere a plain connection is warned of', async () => {
  // The same server under another address of this machine.
  const { port, hostname } = new URL(made.url);
  const relay: Server = createServer((socket) => {
    const there = connect(Number(port), hostname);
    socket.pipe(there).pipe(socket);
    socket.on('error', () => there.destroy());
    there.on('error', () => socket.destroy());
  });
  await new Promise<void>((done) => {
    relay.listen(0, outerAddress, done);
  });
  const far = url((one) => {
    one.hostname = outerAddress ?? '';
    one.port = String((relay.address() as AddressInfo).port);
  });
  const server = await start(far);
  expect(server.err()).toMatch(exposed);
  expect(server.err()).not.toContain('one@');
  await server.stop();
  relay.close();
});
