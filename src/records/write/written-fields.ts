import type { Field, Resource } from '../../model/api.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { buildStatement } from '../../sql/statement.ts';
import type { Executor } from '../../databases/database.ts';

/** The fields of a resource that can be written: of an existing table the database may compute some itself. */
export async function writtenFields(
  { table, fields }: Resource,
  dialect: Dialect,
  database: Pick<Executor, 'all'>,
): Promise<readonly Field[]> {
  const statement = buildStatement(dialect, (add) => dialect.computedColumns(table, () => add(0)));
  const columns = JSON.stringify([...fields.values()].map(({ column }) => column));
  const rows = await database.all(statement, { bound: [columns] });
  const computed = new Set(rows.map(([column]) => column));
  return [...fields.values()].filter(({ column }) => !computed.has(column));
}
