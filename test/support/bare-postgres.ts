import driver from 'postgres';
import { openPostgres, type PostgresDatabase } from '../../src/databases/postgres/database.ts';
import { endAfterFile } from './leftovers.ts';
import { createDatabase } from './postgres.ts';

/** A PostgreSQL database with nothing in it, as the service and as somebody else reaches it. */
export interface BarePostgres {
  readonly url: string;
  readonly database: PostgresDatabase;
  readonly other: driver.Sql;
  /** Takes away again what a test has made. */
  readonly empty: () => Promise<void>;
}

/** Makes one, which is gone after the file of tests. */
export async function barePostgres(): Promise<BarePostgres> {
  const { url, drop } = await createDatabase();
  const database = await openPostgres(url, { poolSize: 3 });
  const other = driver(url, { max: 1, onnotice: () => undefined });
  endAfterFile(async () => {
    await database.close();
    await other.end();
    await drop();
  });
  const empty = async (): Promise<void> => {
    await other`DROP SCHEMA public CASCADE`;
    await other`CREATE SCHEMA public`;
  };
  return { url, database, other, empty };
}
