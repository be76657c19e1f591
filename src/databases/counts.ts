import type { Resource } from '../model/api.ts';
import { quote } from '../sql/dialect.ts';
import { buildStatement } from '../sql/statement.ts';
import type { Database } from './database.ts';

/** Counts the rows of each resource, up to `limit`. */
export async function rowCounts(
  resources: Iterable<Resource>,
  database: Database,
  limit: number,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { name, table } of resources) {
    const count = buildStatement(
      database.dialect,
      (add) =>
        `SELECT count(*) FROM (SELECT 1 FROM ${quote(table)} LIMIT ${add('limit')}) AS counted`,
    );
    const [row] = await database.all(count, { bound: [], limit });
    counts.set(name, Number(row?.[0]));
  }
  return counts;
}
