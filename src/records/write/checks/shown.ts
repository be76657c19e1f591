import { ConstraintError } from '../../../databases/database.ts';
import type { Resource } from '../../../model/api.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import { encodeValue } from '../../../sql/dialect.ts';
import type { DataAccess } from './conflicts.ts';

/**
 * Throws a ConstraintError if a view does not show all records that were created through it, as one WITH CHECK OPTION does.
 * See docs/contract/8-existing-databases.md#managed-and-not, rule 3.
 */
export async function requireShown(
  { id, isView }: Resource,
  made: readonly (JsonValue | undefined)[],
  { transaction, dialect, statements }: DataAccess,
): Promise<void> {
  if (!isView) return;
  const keys = made.map((one) => encodeValue(dialect, one ?? null, id));
  const statement = statements.currentOf(id.resource, [], false);
  const shown = await transaction.all(statement, { bound: [], keys: dialect.keys(keys) });
  if (shown.length < made.length)
    throw new ConstraintError('other', '', { cause: new Error('the view does not show it') });
}
