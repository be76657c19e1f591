import type { SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import type { TestApi } from './api.ts';

/** Makes each read of a table of a SQLite database fail as nobody has foreseen: with `integer overflow`. */
export function breakTable(api: TestApi, table: string): void {
  const { schemaConnection } = api.servedApi.database as SqliteDatabase;
  schemaConnection.exec(
    `ALTER TABLE ${table} RENAME TO kept;` +
      ` CREATE VIEW ${table} AS SELECT kept.* FROM (SELECT 1) LEFT JOIN kept WHERE abs(-9223372036854775807 - 1) > 0`,
  );
}
