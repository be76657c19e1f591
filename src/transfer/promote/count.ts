import type { Resource } from '../../model/api.ts';
import { quoteTable } from '../../sql/dialect.ts';
import { rowsFrom, type Database } from '../../databases/database.ts';

/** How many rows the table of a resource has. */
export async function countRows(database: Database, { table }: Resource): Promise<number> {
  const [row] = await rowsFrom(database, `SELECT count(*) FROM ${quoteTable(table)}`);
  return Number(row?.[0]);
}
