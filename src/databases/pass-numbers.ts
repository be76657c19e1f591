import type { Field } from '../model/api.ts';
import type { CatalogQueries } from '../sql/dialect.ts';
import { rowsFrom, type Executor } from './database.ts';

/**
 * Lets the database go on behind the numbers that records have in a field which it counts itself, such as a generated id,
 * so that it draws none of them again. Gives whether it stood before them.
 */
export async function passNumbers(
  { column, resource }: Field,
  dialect: CatalogQueries,
  database: Pick<Executor, 'all'>,
): Promise<boolean> {
  const sql = dialect.passIds?.(resource.table, column);
  if (sql === undefined) return false;
  return (await rowsFrom(database, sql)).length > 0;
}
