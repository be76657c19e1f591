import type { Field } from '../model/api.ts';
import type { CatalogQueries } from '../sql/dialect.ts';
import { rowsFrom, type Executor } from './database.ts';

/**
 * Moves the sequence of a generated column past the values of existing rows, so that none is generated again. Returns
 * whether it was behind them.
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
