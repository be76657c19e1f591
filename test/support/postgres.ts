import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import driver from 'postgres';
import { inject } from 'vitest';

/** A database of its own. */
export interface TestDatabase {
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/**
 * Makes an empty database on the server of this run (`postgres-server.ts`). It sorts by a language, so that nothing
 * passes only because the default order is that of code points.
 */
export async function createDatabase(): Promise<TestDatabase> {
  const server = await text(connect(inject('postgresPort'), '127.0.0.1'));
  if (!URL.canParse(server)) throw new Error(server);
  const name = `plinth_test_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  // Copying files is several times quicker than writing them to the log, which nobody will read.
  const create = `CREATE DATABASE ${name} TEMPLATE template0 STRATEGY FILE_COPY ENCODING 'UTF8'`;
  await onServer(server, async (sql) => {
    const icu = `${create} LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`;
    // A server without ICU has its own default.
    await sql.unsafe(icu).catch(() => sql.unsafe(create));
  });
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => onServer(server, (sql) => sql.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)),
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

/** Ends every session that the service has in the database of `sql`, and waits until they have ended. */
export function endSessions(sql: driver.Sql): Promise<unknown> {
  return sql`SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
    WHERE application_name = 'plinth' AND datname = current_database()`.execute();
}
