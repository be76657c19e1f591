import driver from 'postgres';
import { openPostgres, type PostgresDatabase } from '../../src/databases/postgres/database.ts';
import type { Statement } from '../../src/sql/statement.ts';
import { createDatabase, type TestDatabase } from './postgres.ts';

/** A statement whose parameters are bound in order. */
export const statement = (sql: string): Statement => ({
  sql,
  parameters: Array.from(sql.matchAll(/\$\d/gu), (_, index) => index),
});
export const insert = statement('INSERT INTO things (name) VALUES ($1) RETURNING id');
export const names = statement('SELECT name FROM things ORDER BY id');
export const none = { bound: [] };

/** A database of PostgreSQL with a table of unique names, for those who look at connections and transactions. */
export interface Things {
  readonly server: TestDatabase;
  readonly database: PostgresDatabase;
  /** Somebody else's session. */
  readonly other: driver.Sql;
  /** Takes all rows away. */
  readonly empty: () => Promise<unknown>;
  readonly end: () => Promise<void>;
}

/** Opens it with three connections and a deadline of 2 s. */
export async function makeThings(): Promise<Things> {
  const server = await createDatabase();
  const database = await openPostgres(server.url, { poolSize: 3, statementTimeout: 2_000 });
  const other = driver(server.url, { max: 1, onnotice: () => undefined });
  await other`CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY, name text UNIQUE)`;
  return {
    server,
    database,
    other,
    empty: () => other`TRUNCATE things RESTART IDENTITY`.execute(),
    end: async () => {
      await database.close();
      await other.end();
      await server.drop();
    },
  };
}
