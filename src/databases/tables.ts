import type { Field, Resource } from '../model/api.ts';
import { isGenerated } from '../model/field-types/id.ts';
import { keyColumns } from '../sql/key.ts';
import { quote, quoteTable, type CatalogQueries, type Dialect } from '../sql/dialect.ts';
import { buildStatement } from '../sql/statement.ts';
import {
  DatabaseFailure,
  rowsFrom,
  type Database,
  type Executor,
  type Transaction,
} from './database.ts';

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
        `SELECT count(*) FROM (SELECT 1 FROM ${quoteTable(table)} LIMIT ${add('limit')}) AS counted`,
    );
    const [row] = await database.all(count, { bound: [], limit });
    counts.set(name, Number(row?.[0]));
  }
  return counts;
}

/**
 * As `rowCounts`, but leaves out the resources that cannot be counted: a table is missing, or a policy of row level
 * security needs a setting that only requests have. Fails if the database or the table cannot be used at all.
 */
export async function possibleRowCounts(
  resources: Iterable<Resource>,
  database: Database,
  limit: number,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const resource of resources) {
    const counted = await rowCounts([resource], database, limit).catch((error: unknown) => {
      if (error instanceof DatabaseFailure && error.kind === 'unavailable') throw error;
      return [];
    });
    for (const [name, count] of counted) counts.set(name, count);
  }
  return counts;
}

/**
 * Moves the sequence of a generated column past the values of existing rows, so that none is generated again. Returns
 * whether it was behind them.
 */
export async function advanceSequence(
  { column, resource }: Field,
  dialect: CatalogQueries,
  database: Pick<Executor, 'all'>,
): Promise<boolean> {
  const sql = dialect.passIds?.(resource.table, column);
  if (sql === undefined) return false;
  return (await rowsFrom(database, sql)).length > 0;
}

/** Other resources refer to rows that would be deleted. */
export class ReferredFrom extends Error {
  readonly names: readonly string[];
  constructor(names: readonly string[]) {
    super(`Records of ${names.join(', ')} refer to what would be deleted`);
    this.names = names;
  }
}

/**
 * Deletes all rows of the resources and restarts their ids, so that new rows are the same each time. Throws a
 * `ReferredFrom` if rows of other resources refer to some of them, so that nothing else is deleted. `deferred`:
 * foreign keys that close a cycle, which are set to null first.
 */
export async function emptyTables(
  resources: readonly Resource[],
  deferred: ReadonlySet<Field>,
  transaction: Transaction,
  dialect: Dialect,
): Promise<void> {
  const run = (sql: string): Promise<unknown> =>
    transaction.run({ sql, parameters: [] }, { bound: [] });
  const isThere = async (from: string): Promise<boolean> =>
    (await rowsFrom(transaction, `SELECT 1 FROM ${from} LIMIT 1`)).length > 0;
  const referring = new Set<string>();
  for (const resource of resources) {
    for (const key of resource.incoming)
      if (
        !resources.includes(key.resource) &&
        (await isThere(
          `${quoteTable(key.resource.table)} WHERE ${keyColumns(quote(key.column), key)
            .map((column) => `${column} IS NOT NULL`)
            .join(' AND ')}`,
        ))
      )
        referring.add(key.resource.name);
    const owning = [...resource.relations.values()].filter(
      (relation) => relation.kind === 'morphMany',
    );
    for (const { target, typeField, typeValue } of [...owning, ...resource.pairs]) {
      if (resources.includes(target)) continue;
      const isOfIt = `${quote(typeField.column)} = ${dialect.text(typeValue)}`;
      if (await isThere(`${quoteTable(target.table)} WHERE ${isOfIt}`)) referring.add(target.name);
    }
  }
  if (referring.size > 0) throw new ReferredFrom([...referring]);
  for (const resource of resources)
    for (const field of resource.fields.values())
      if (deferred.has(field))
        await run(`UPDATE ${quoteTable(resource.table)} SET ${quote(field.column)} = NULL`);
  // Referenced rows are deleted last.
  for (const { table, id } of resources.toReversed()) {
    await run(`DELETE FROM ${quoteTable(table)}`);
    const sql = isGenerated(id) ? dialect.restartIds?.(table, id.column) : undefined;
    if (sql === undefined) continue;
    for (const [statement] of await rowsFrom(transaction, sql)) await run(String(statement));
  }
}
