import driver from 'postgres';
import { startPostgres } from '../test/support/postgres-server.ts';
import type { DataSet } from './data.ts';
import { importBlog, migrate, specifications, type Databases } from './servers.ts';

const events = `
  INSERT INTO events (id, at, kind, actor, amount, note)
  SELECT id, to_timestamp(1577836800 + id), 'opened', 'user' || id % 1000, id / 100.0,
    CASE WHEN id % 3 > 0 THEN 'a note with the number ' || id END
  FROM generate_series(1, $1::bigint) AS row(id)`;

/**
 * Starts PostgreSQL with its own settings (a commit is on the disk), makes a database with Plinth's own commands
 * from the data set, and a copy for the other server.
 */
export async function makePostgres(data: DataSet): Promise<Databases> {
  const server = await startPostgres({ durable: true });
  const urlOf = (name: string): string =>
    Object.assign(new URL(server.url), { pathname: name }).href;
  const make = async (name: string, specification: string): Promise<string> => {
    const url = urlOf(name);
    await ask(server.url, `CREATE DATABASE ${name}`);
    await migrate(specification, url);
    return url;
  };
  try {
    const plinth = await make('plinth', specifications.blog);
    const importedPerSecond = await importBlog(plinth, data);
    await ask(plinth, 'VACUUM ANALYZE');
    await ask(server.url, 'CREATE DATABASE handwritten TEMPLATE plinth');
    const handwritten = urlOf('handwritten');
    const [{ server_version: version } = {}] = await ask(server.url, 'SHOW server_version');
    return {
      name: 'postgres',
      title: `PostgreSQL ${String(version)}`,
      plinth,
      handwritten,
      importedPerSecond,
      makeEvents: async (count) => {
        const url = await make('events', specifications.events);
        await ask(url, events, [count]);
        await ask(url, 'VACUUM ANALYZE');
        return url;
      },
      // As the server itself would do it in time: which of the two it comes to first would decide how they compare.
      tidy: async () => {
        for (const url of [plinth, handwritten]) await ask(url, 'VACUUM ANALYZE');
      },
      stop: server.stop,
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function ask(
  url: string,
  text: string,
  values: readonly number[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const sql = driver(url, { max: 1, onnotice: () => undefined });
  try {
    return await sql.unsafe(text, [...values]);
  } finally {
    await sql.end();
  }
}
