import { createServer, type AddressInfo, type Server } from 'node:net';
import driver from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { library, makeFolder, ndjson, plinth, type Ended } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

const folder = makeFolder({
  'plinth.yaml': library,
  'data/authors.ndjson': ndjson({ id: 1, name: 'Ursula' }),
});
const password = 'very@sec:ret,word/1';
/** Of this run alone: a server keeps roles for all its databases. */
const own = `plinth_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
const roles = ['plain', 'nologin', 'crowded', 'lost', 'old'].map((kind) => `${own}_${kind}`);
const databases = ['closed', 'latin'].map((kind) => `${own}_${kind}`);

let server: TestDatabase;
let other: driver.Sql;
/** Accepts connections, and closes them at once. */
let rude: Server;
/** Refuses a session as PostgreSQL 13 does, which does not know all that sessions are set to. */
let older: Server;

const told =
  ['SFATAL', 'C42704', 'Munbekannter Parameter »idle_session_timeout«'].join('\0') + '\0\0';
/** An error of the protocol: its length counts itself. */
const refusal = Buffer.concat([Buffer.from('E\0\0\0\0'), Buffer.from(told)]);
refusal.writeInt32BE(refusal.length - 1, 1);

beforeAll(async () => {
  server = await createDatabase();
  other = driver(server.url, { max: 1, onnotice: () => undefined });
  for (const role of roles) await other.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
  await other.unsafe(`ALTER ROLE ${own}_nologin NOLOGIN`);
  await other.unsafe(`ALTER ROLE ${own}_crowded CONNECTION LIMIT 0`);
  await other.unsafe(`ALTER ROLE ${own}_lost SET search_path = nowhere`);
  await other.unsafe(`CREATE DATABASE ${own}_closed`);
  await other.unsafe(`REVOKE CONNECT ON DATABASE ${own}_closed FROM PUBLIC`);
  await other.unsafe(
    `CREATE DATABASE ${own}_latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc`,
  );
  // What this role asks for its version is answered as by a server of that time.
  await other.unsafe('CREATE SCHEMA old');
  await other.unsafe(`GRANT USAGE ON SCHEMA old TO PUBLIC`);
  await other.unsafe(
    `CREATE FUNCTION old.current_setting(name text) RETURNS text LANGUAGE sql AS` +
      ` $$ SELECT CASE name WHEN 'server_version_num' THEN '140011' ELSE pg_catalog.current_setting(name) END $$`,
  );
  await other.unsafe(`ALTER ROLE ${own}_old SET search_path = old, pg_catalog`);
  rude = createServer((socket) => socket.destroy());
  older = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      // It has no TLS. What comes then begins a session.
      if (bytes.length === 8) socket.write('N');
      else socket.end(refusal);
    });
  });
  for (const one of [rude, older])
    await new Promise<void>((done) => {
      one.listen(0, '127.0.0.1', done);
    });
});

afterAll(async () => {
  rude?.close();
  older?.close();
  for (const database of databases) await other.unsafe(`DROP DATABASE IF EXISTS ${database}`);
  for (const role of roles) await other.unsafe(`DROP ROLE IF EXISTS ${role}`);
  await other?.end();
  await server?.drop();
});

const calls: Readonly<Record<string, readonly string[]>> = {
  dev: ['dev', '--port', '0'],
  start: ['start', '--port', '0'],
  migrate: ['migrate'],
  apply: ['migrate', '--apply'],
  import: ['import', 'data'],
};
const run = (call: string, url: URL, ...flags: string[]): Promise<Ended> =>
  plinth(
    [...(calls[call] ?? []), ...flags, ...(call === 'import' ? ['--database', url.href] : [])],
    {
      cwd: folder.path,
      env: { PLINTH_DATABASE_URL: url.href },
    },
  );

interface Case {
  readonly name: string;
  readonly change: (url: URL) => void;
  /** What is said of the database, with its name as `NAME`. */
  readonly message: string;
  readonly calls?: readonly string[];
}

const as = (url: URL, kind: string): void => {
  url.username = `${own}_${kind}`;
  url.password = encodeURIComponent(password);
};

const cases: readonly Case[] = [
  {
    name: 'nothing listens',
    change: (url) => (url.port = '1'),
    message:
      'The database NAME cannot be reached: nothing listens there. Start PostgreSQL, or check the host and the port.',
    calls: Object.keys(calls),
  },
  {
    name: 'no such host',
    change: (url) => (url.hostname = 'no.invalid'),
    message:
      'The database NAME cannot be reached: there is no such host. Check its name in the URL.',
  },
  {
    name: 'a server that is none',
    change: (url) => (url.port = String((rude.address() as AddressInfo).port)),
    message:
      'The database NAME has closed the connection. Check that PostgreSQL runs there, and that sslmode in the URL suits it.',
  },
  {
    name: 'a wrong password',
    change: (url) => {
      as(url, 'plain');
      url.password = 'wrong';
    },
    message: 'The database NAME refuses the user name or the password. Check both in the URL.',
    calls: Object.keys(calls),
  },
  {
    name: 'an unknown user',
    change: (url) => as(url, 'nobody'),
    message: 'The database NAME refuses the user name or the password. Check both in the URL.',
  },
  {
    name: 'a role that may not log in',
    change: (url) => as(url, 'nologin'),
    message: `The database NAME refuses this user (role "${own}_nologin" is not permitted to log in). Check the user name, sslmode in the URL, and what pg_hba.conf of the server allows.`,
  },
  {
    name: 'no such database',
    change: (url) => (url.pathname = '/nowhere'),
    message:
      'The database NAME does not exist on that server. Make it with CREATE DATABASE, or name another.',
    calls: Object.keys(calls),
  },
  {
    name: 'a setting that is for other programs',
    change: (url) => url.searchParams.set('channel_binding', 'require'),
    message:
      'The database NAME knows no such setting (unrecognized configuration parameter "channel_binding"). Take it out of the URL: behind its ? stand sslmode and settings of the server.',
  },
  {
    name: 'no right to connect',
    change: (url) => {
      as(url, 'plain');
      url.pathname = `/${own}_closed`;
    },
    message: `The database NAME refuses this user (permission denied for database "${own}_closed"). Grant that right, or name another user.`,
  },
  {
    name: 'no right to make tables',
    change: (url) => as(url, 'plain'),
    message:
      'The database NAME refuses this user (permission denied for schema public). Grant that right, or name another user.',
    calls: ['apply'],
  },
  {
    name: 'no connection left',
    change: (url) => as(url, 'crowded'),
    message:
      'The database NAME has no connection left. Raise max_connections of the server, or max_client_conn of a pooler, or lower database.poolSize.',
  },
  {
    name: 'no schema',
    change: (url) => as(url, 'lost'),
    message:
      'The search_path of this role names no schema that exists. Create the schema, or set another search_path.',
  },
  {
    name: 'another encoding',
    change: (url) => (url.pathname = `/${own}_latin`),
    message: 'The database NAME has the encoding LATIN1; UTF8 is needed.',
  },
  {
    name: 'a version that is too old',
    change: (url) => as(url, 'old'),
    message: 'The database NAME runs PostgreSQL 14; 15 or newer is needed.',
    calls: Object.keys(calls),
  },
  {
    name: 'a version that does not know a setting',
    change: (url) => (url.port = String((older.address() as AddressInfo).port)),
    message: 'The database NAME runs PostgreSQL 13 or older; 15 or newer is needed.',
    calls: ['start', 'migrate'],
  },
];

describe.concurrent('one line says what is wrong, and no password', () => {
  test.each(cases.flatMap((one) => (one.calls ?? ['start']).map((call) => ({ ...one, call }))))(
    '$name: $call',
    async ({ change, message, call }) => {
      const url = new URL(server.url);
      change(url);
      const name = `${url.pathname.slice(1)} on ${url.hostname}:${url.port}`;
      const sentence = message.replace('NAME', name);
      expect(await run(call, url)).toMatchObject({ code: 1, out: '', err: `${sentence}\n` });
    },
  );

  test.each(['--verbose', '--json'])('nor with %s', async (flag) => {
    const url = new URL(server.url);
    as(url, 'nobody');
    const { out, err } = await run('migrate', url, flag);
    expect(err).toContain('refuses the user name or the password');
    for (const text of [password, encodeURIComponent(password)])
      expect(`${out}${err}`).not.toContain(text);
  });
});

test('a role that may not read the tables cannot serve them', async () => {
  const url = new URL(server.url);
  expect(await run('apply', url)).toMatchObject({ code: 0 });
  as(url, 'plain');
  const { code, err } = await run('start', url);
  expect(code).toBe(1);
  // It is told of the table that was read first.
  expect(err).toMatch(
    /refuses this user \(permission denied for table (?:authors|books)\)\. Grant that right, or name another user\.\n/u,
  );
});

test('several hosts are refused', async () => {
  const { code, err } = await run('migrate', new URL('postgres://me:secret@a,b/x'));
  expect({ code, err }).toEqual({
    code: 1,
    err: 'The URL of the database, or PGHOST, names several hosts; name one.\n',
  });
});
