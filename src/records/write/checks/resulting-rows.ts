import { ConstraintError, requireOneRow } from '../../../databases/database.ts';
import { isGenerated } from '../../../model/field-types/id.ts';
import type { Field, Resource } from '../../../model/api.ts';
import type { SqlValue } from '../../../model/values.ts';
import { isLeftToDatabase } from '../../../query/write/defaults.ts';
import { listOf } from '../../../sql/compile/allowed-rows.ts';
import type { StoredValues } from '../../../sql/dialect.ts';
import type { DataAccess } from './conflicts.ts';
import { amongParents, type NewParent } from './former-rows.ts';

/**
 * Whether an operation may result in all of these rows, of which none is written yet. `id` is that of the row that a change
 * is made to: it keeps what is not among the values. New `parents` that the rows are nested with exist for them. See
 * docs/contract/5-access.md#writes-under-row-rules, rules 2 and 7.
 */
export async function mayResultIn(
  resource: Resource,
  operation: 'create' | 'update',
  rowsOf: () => readonly StoredValues[],
  access: DataAccess & { readonly parents?: readonly NewParent[] },
  id?: SqlValue,
): Promise<boolean> {
  const { transaction, dialect, rights, former, parents = [] } = access;
  const judging = await amongParents(former, parents, () =>
    rights?.judging(resource, operation, id !== undefined),
  );
  if (judging === undefined) return true;
  const rows = rowsOf();
  if (rows.length === 0) return true;
  const { fields, count, bound } = judging;
  try {
    const whole = fields.some(isLeftToDatabase)
      ? await rehearsed(resource, fields, rows, access, id)
      : rows;
    const keys = listOf(whole.map((row) => dialect.unwrittenItem(fields, row)));
    const values = id === undefined ? { bound, keys } : { bound, keys, id };
    const { returned } = await transaction.run(count, values);
    return Number(returned[0]?.[0]) === rows.length;
  } catch (error) {
    // The table does not take the values, so the write fails as well and names the fields to blame.
    if (error instanceof ConstraintError) return false;
    throw error;
  }
}

/**
 * The rows with what the database fills in: each is written, read and taken back. That is done only for rules about fields
 * that no client writes, such as computed columns. An id that the database generates is left out: the row itself will have
 * another.
 */
async function rehearsed(
  resource: Resource,
  fields: readonly Field[],
  rows: readonly StoredValues[],
  { transaction, statements }: DataAccess,
  id: SqlValue | undefined,
): Promise<readonly StoredValues[]> {
  const found: StoredValues[] = [];
  const known = fields.filter((field) => id !== undefined || !isGenerated(field));
  for (const row of rows)
    await transaction.rehearse(async () => {
      const given = [...row.keys()];
      const bound = [...row.values()];
      let key = id;
      if (key === undefined) {
        const statement = statements.insert(resource, given);
        const { insertedId } = requireOneRow(await transaction.run(statement, { bound }));
        key = row.get(resource.id) ?? insertedId;
      } else if (given.length > 0) {
        const statement = statements.update(resource, given);
        requireOneRow(await transaction.run(statement, { bound, id: key }));
      }
      const [stored = []] = await transaction.all(statements.current(resource, known), {
        bound: [],
        id: key,
      });
      found.push(new Map(known.map((field, index) => [field, stored[index + 1] ?? null])));
    });
  return found;
}
