import type { Resource } from '../../model/api.ts';
import { quote } from '../../sql/dialect.ts';
import type { Database } from '../database.ts';

/** How many rows the table of a resource has. */
export async function countRows(database: Database, { table }: Resource): Promise<number> {
  const statement = { sql: `SELECT count(*) FROM ${quote(table)}`, parameters: [] };
  const [row] = await database.all(statement, { bound: [] });
  return Number(row?.[0]);
}
