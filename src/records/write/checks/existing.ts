import type { Field } from '../../../model/api.ts';
import type { FieldValues } from '../../../query/plan.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { WriteStatements } from '../../../sql/compile/write.ts';
import { decodeValue, type Dialect } from '../../../sql/dialect.ts';
import type { Transaction } from '../../../databases/database.ts';
import { encodedIn } from '../field-values.ts';
import type { RowRights } from './row-rights.ts';

/** The id of the record with these values in a unique key, if the caller sees it. */
export async function findExisting(
  key: readonly Field[],
  values: FieldValues,
  {
    transaction,
    statements,
    dialect,
  }: {
    readonly transaction: Pick<Transaction, 'all'>;
    readonly statements: WriteStatements;
    readonly dialect: Dialect;
  },
  rights: RowRights,
): Promise<JsonValue | undefined> {
  const [first] = key;
  if (first === undefined || key.some((field) => (values.get(field) ?? null) === null))
    return undefined;
  const bound = encodedIn(key, values, dialect);
  const { id } = first.resource;
  const [row] = await transaction.all(statements.same(key), { bound });
  if (row === undefined) return undefined;
  const [found = null] = row;
  const isSeen = await rights.isAllowed(id, 'read', found, transaction);
  // A hidden record is in the way of a new one, which the constraint says.
  return isSeen ? decodeValue(dialect, found, id) : undefined;
}
