import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import driver from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  readPostgresUrl,
  type Surroundings,
} from '../../src/databases/postgres/connections/address.ts';
import { openPostgres, type PostgresDatabase } from '../../src/databases/postgres/database.ts';
import type { Certificate } from '../../src/http/server/listener.ts';
import { makeCertificate } from '../support/certificate.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startProxy } from '../support/proxy.ts';
import { none, statement } from '../support/things.ts';

type Server = Awaited<ReturnType<typeof startPostgres>>;

const isEncrypted = statement('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
const one = statement('SELECT 1');

const files = mkdtempSync(join(tmpdir(), 'plinth-encryption-'));
const at = (name: string): string => join(files, name);
let server: Server;
let other: driver.Sql;
let socketFolder: string;
let port: string;
const shown: Record<string, Certificate> = {};

/** The server shows this certificate from now on. */
async function show(name: string): Promise<void> {
  const { cert, key } = shown[name] ?? { cert: '', key: '' };
  server.put({ 'server.crt': cert, 'server.key': key });
  const [before] = await other`SELECT pg_conf_load_time() AS at`;
  await other`SELECT pg_reload_conf()`;
  await expect
    .poll(async () => (await other`SELECT pg_conf_load_time() AS at`)[0])
    .not.toEqual(before);
}

/** Opens it as a URL says; `plinth` has a password, `shown` a certificate, `hidden` may come in plain alone. */
const open = (
  query: string,
  { user = 'plinth', host = 'localhost', ...surroundings }: Opening = {},
): Promise<PostgresDatabase> =>
  openPostgres(
    readPostgresUrl(
      `postgres://${user}${user === 'plinth' ? ':plinth' : ''}@${host}:${port}/postgres${query}`,
      { folder: files, ...surroundings },
    ),
    { poolSize: 1 },
  );

interface Opening extends Surroundings {
  readonly user?: string;
  readonly host?: string;
}

/** Whether it was encrypted, or what was said instead. */
async function outcome(query: string, opening?: Opening): Promise<unknown> {
  try {
    const database = await open(query, opening);
    const [row] = await database.all(isEncrypted, none);
    await database.close();
    return row?.[0];
  } catch (error) {
    return (error as Error).message;
  }
}

const failed = (text: string): unknown => expect.stringContaining(text);

beforeAll(async () => {
  server = await startPostgres();
  ({ port } = new URL(server.url));
  const names = {
    ours: await makeCertificate('localhost'),
    strange: await makeCertificate('localhost'),
    named: await makeCertificate('localhost', undefined, [{ type: 2, value: 'localhost' }]),
    elsewhere: await makeCertificate('x', undefined, [{ type: 2, value: 'db.example.com' }]),
    expired: await makeCertificate('localhost', new Date('2024-01-01')),
    client: await makeCertificate('shown'),
  };
  for (const [name, certificate] of Object.entries(names)) {
    shown[name] = certificate;
    writeFileSync(at(`${name}.crt`), certificate.cert);
    writeFileSync(at(`${name}.key`), certificate.key);
  }
  socketFolder = server.put({
    'server.crt': names.ours.cert,
    'server.key': names.ours.key,
    'clients.crt': names.client.cert,
    'pg_hba.conf': [
      'local all all trust',
      'hostssl all shown all cert',
      'hostssl all secret all trust',
      'hostnossl all hidden all trust',
      'host all plinth all scram-sha-256',
      '',
    ].join('\n'),
  });
  other = driver(server.url, { max: 1, onnotice: () => undefined });
  for (const role of ['shown', 'secret', 'hidden']) await other.unsafe(`CREATE ROLE ${role} LOGIN`);
  await other.unsafe(`ALTER SYSTEM SET ssl = on`);
  await other.unsafe(`ALTER SYSTEM SET ssl_ca_file = 'clients.crt'`);
});

afterAll(async () => {
  await other?.end();
  await server?.stop();
  rmSync(files, { recursive: true, force: true });
});

const untrusted = failed('self-signed certificate');
const misnamed = failed("does not match certificate's altnames");
const by = (name: string): string => `&sslrootcert=${name}.crt`;

interface Case {
  readonly query: string;
  readonly is: unknown;
  readonly shows?: string;
  readonly opening?: Opening;
}

const cases: readonly Case[] = [
  { query: '', is: false },
  { query: '?sslmode=disable', is: false },
  { query: '?sslmode=prefer', is: true },
  { query: '?sslmode=allow', is: true },
  { query: '?sslmode=require', is: true },
  { query: '?ssl=true', is: true },
  { query: '?sslmode=verify-ca', is: untrusted },
  { query: '?sslmode=verify-full', is: untrusted },
  { query: `?sslmode=verify-ca${by('ours')}`, is: true },
  { query: `?sslmode=verify-full${by('ours')}`, is: true },
  { query: `?sslmode=verify-full${by('ours')}`, is: true, opening: { host: '127.0.0.1' } },
  { query: `?sslmode=verify-full${by('strange')}`, is: untrusted },
  // With an authority, "require" is as "verify-ca", as it is for libpq.
  { query: `?sslmode=require${by('strange')}`, is: untrusted },
  { query: `?sslmode=require${by('ours')}`, is: true },
  { query: '?sslrootcert=system', is: untrusted },
  { query: '?sslmode=verify-fully', is: failed('There is no sslmode "verify-fully".') },
  { query: '?sslmode=constructor', is: failed('There is no sslmode') },
  { query: '?sslmode=require&sslrootcert=none.crt', is: failed('none.crt cannot be read: ENOENT') },
  { query: '?sslmode=require&sslcert=client.crt', is: failed('names one alone') },
  { query: '', is: false, opening: { user: 'hidden' } },
  { query: '?sslmode=require', is: failed('sslmode'), opening: { user: 'hidden' } },
  { query: '', is: failed('sslmode'), opening: { user: 'secret' } },
  { query: '?sslmode=prefer', is: true, opening: { user: 'secret' } },
  // A certificate for a name alone is none for its address, and the other way round.
  { query: `?sslmode=verify-full${by('named')}`, is: true, shows: 'named' },
  {
    query: `?sslmode=verify-full${by('named')}`,
    is: misnamed,
    shows: 'named',
    opening: { host: '127.0.0.1' },
  },
  { query: `?sslmode=verify-full${by('elsewhere')}`, is: misnamed, shows: 'elsewhere' },
  { query: `?sslmode=verify-ca${by('elsewhere')}`, is: true, shows: 'elsewhere' },
  { query: `?sslmode=verify-ca${by('expired')}`, is: failed('expired'), shows: 'expired' },
  { query: '?sslmode=require', is: true, shows: 'expired' },
];

const client = (name: string): string => `?sslmode=require&sslcert=${name}.crt&sslkey=${name}.key`;
const clients: readonly Case[] = [
  { query: client('client'), is: true },
  // The server may be gone before it was heard why.
  {
    query: client('strange'),
    is: expect.stringMatching(/has refused the certificate of this client|has closed the connect/u),
  },
  { query: '?sslmode=require', is: failed('requires a valid client certificate') },
  {
    query: '?sslmode=require&sslcert=client.crt&sslkey=strange.key',
    is: failed('key values mismatch'),
  },
];

const variables: readonly Case[] = [
  { query: '', is: true, opening: { environment: { PGSSLMODE: 'require' } } },
  { query: '?sslmode=disable', is: false, opening: { environment: { PGSSLMODE: 'require' } } },
  { query: '', is: untrusted, opening: { environment: { PGSSLMODE: 'verify-full' } } },
  {
    query: '?sslmode=verify-full',
    is: true,
    opening: { environment: { PGSSLROOTCERT: 'ours.crt' } },
  },
];

describe('sslmode, in the words of libpq', () => {
  test.each(cases)('$query $shows $opening', async ({ query, is, shows = 'ours', opening }) => {
    await show(shows);
    expect(await outcome(query, opening)).toEqual(is);
  });
  test.each(clients)('a certificate of the service: $query', async ({ query, is }) => {
    await show('ours');
    expect(await outcome(query, { user: 'shown' })).toEqual(is);
  });
  test.each(variables)('variables: $query $opening', async ({ query, is, opening }) => {
    await show('ours');
    expect(await outcome(query, opening)).toEqual(is);
  });
});

test('a certificate that ends while the service runs: not available until there is another', async () => {
  await show('ours');
  const database = await open('?sslmode=verify-full&sslrootcert=ours.crt');
  const endAll = (): Promise<unknown> =>
    other`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'plinth'`.execute();
  try {
    await show('expired');
    await endAll();
    for (const ask of [
      () => database.all(one, none),
      () => database.writeOne(one, none),
      () => database.write(({ run }) => run(one, none)),
    ])
      await expect(ask()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await database.ping()).toBe(false);
    await show('ours');
    expect(await database.all(one, none)).toHaveLength(1);
  } finally {
    await database.close();
  }
});

test('a statement is cancelled over an encrypted connection as well', async () => {
  await show('ours');
  const address = readPostgresUrl(
    `postgres://plinth:plinth@localhost:${port}/postgres?sslmode=verify-full&sslrootcert=ours.crt`,
    { folder: files },
  );
  const database = await openPostgres(address, { pooler: 'transaction', statementTimeout: 2_000 });
  try {
    await expect(database.all(statement('SELECT pg_sleep(60)'), none)).rejects.toMatchObject({
      kind: 'timeout',
    });
    expect(await database.all(isEncrypted, none)).toEqual([[true]]);
  } finally {
    await database.close();
  }
});

describe('a socket of this machine', () => {
  const places: readonly (readonly [how: string, url: () => string])[] = [
    ['host', () => `postgres:///postgres?host=${socketFolder}&port=${port}&user=plinth`],
    ['user', () => `postgres://plinth@/postgres?host=${socketFolder}&port=${port}`],
    ['encoded', () => `postgres://plinth@${encodeURIComponent(socketFolder)}:${port}/postgres`],
    [
      'never encrypted',
      () => `postgres://plinth@/postgres?host=${socketFolder}&port=${port}&sslmode=verify-full`,
    ],
  ];
  test.each(places)('%s', async (_, url) => {
    const database = await openPostgres(url(), { poolSize: 1 });
    const address = statement('SELECT inet_server_addr() IS NULL');
    expect(await database.all(address, none)).toEqual([[true]]);
    await database.close();
  });
  test('none there', async () => {
    await expect(openPostgres(`postgres://plinth@/postgres?host=${files}`)).rejects.toThrow(
      `The database postgres on ${files}:5432 cannot be reached: there is no socket in that folder`,
    );
  });
});

describe('behind the ? of a URL', () => {
  const url = (query: string): string =>
    `postgres://plinth@/postgres?host=${socketFolder}&port=${port}&${query}`;

  test.each(['LATIN1', 'auto'])(
    'texts stay what they are with client_encoding=%s',
    async (name) => {
      const database = await openPostgres(url(`client_encoding=${name}`), { poolSize: 1 });
      const length = statement('SELECT length($1::text)');
      expect(await database.all(length, { bound: ['é€'] })).toEqual([[2]]);
      await database.close();
    },
  );

  test.each([
    ['off', 'off', ['read-write', 'primary', 'any', 'prefer-standby']],
    ['off', 'on', ['read-only', 'primary', 'any', 'prefer-standby']],
    ['on', 'off', ['read-only', 'standby', 'any', 'prefer-standby']],
  ])(
    'a server that is asked for, where in_hot_standby is %s and default_transaction_read_only %s',
    async (standby, readOnly, expected) => {
      const proxy = await startProxy(server.url);
      if (standby === 'on') proxy.rewrite('in_hot_standby\0off', 'in_hot_standby\0on\0');
      const taken: string[] = [];
      for (const kind of ['read-write', 'read-only', 'primary', 'standby', 'any', 'prefer-standby'])
        try {
          const query = `target_session_attrs=${kind}&default_transaction_read_only=${readOnly}`;
          const database = await openPostgres(`${proxy.url}?${query}`, { poolSize: 1 });
          await database.close();
          taken.push(kind);
        } catch (error) {
          expect(String(error)).toMatch(
            new RegExp(
              `not what was asked for: target_session_attrs is ${kind}, and it takes`,
              'u',
            ),
          );
        }
      expect(taken.toSorted()).toEqual(expected.toSorted());
      await proxy.stop();
    },
  );

  test('a kind of server that there is not', async () => {
    const database = await openPostgres(url('target_session_attrs=any'), { poolSize: 1 });
    await database.close();
    await expect(openPostgres(url('target_session_attrs=best'))).rejects.toThrow(
      'There is no target_session_attrs "best". Write any, read-write, read-only, primary, standby, prefer-standby.',
    );
  });
});
