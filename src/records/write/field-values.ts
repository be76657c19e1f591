import type { Field, Resource } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import type { FieldValues } from '../../query/plan.ts';
import type { JsonValue } from '../../specification/specification.ts';
import {
  decodeValue,
  encodeValue,
  type Dialect,
  type StoredForms,
  type StoredValues,
} from '../../sql/dialect.ts';
import { buildStatement } from '../../sql/statement.ts';
import type { Executor } from '../../databases/database.ts';
import type { DataAccess } from './checks/conflicts.ts';

/** Given and revised values in the order of the model, so that writes of the same fields share a statement. */
export function inOrder(resource: Resource, given: FieldValues, revised: FieldValues): FieldValues {
  if (revised.size === 0) return given;
  const values = new Map<Field, JsonValue>();
  for (const field of resource.fields.values()) {
    const value = revised.get(field) ?? given.get(field);
    if (value !== undefined) values.set(field, value);
  }
  return values;
}

/** The value of a field after a write: the written one, or else the current one. */
export function valueIn(values: FieldValues, current: FieldValues): (field: Field) => JsonValue {
  return (field) => (values.has(field) ? values : current).get(field) ?? null;
}

export const noValues: FieldValues = new Map();

/**
 * The current values of these fields in the row with `id`; undefined if there is no such row. `isHeld` locks the row first,
 * for values that depend on other values being written.
 */
export async function currentValues(
  { transaction, statements, dialect }: DataAccess,
  resource: Resource,
  fields: readonly Field[],
  id: SqlValue,
  isHeld: boolean,
): Promise<FieldValues | undefined> {
  const bound = { bound: [], id };
  if (isHeld) await transaction.all(statements.lock(resource), bound);
  const [row] = await transaction.all(statements.current(resource, fields), bound);
  return (
    row &&
    new Map(
      fields.map((field, index) => [field, decodeValue(dialect, row[index + 1] ?? null, field)]),
    )
  );
}

/** The encoded values of these fields, in their order; null for a missing one. */
export function encodedIn(
  fields: readonly Field[],
  values: FieldValues,
  dialect: StoredForms,
): SqlValue[] {
  return fields.map((field) => encodeValue(dialect, values.get(field) ?? null, field));
}

/** Values as they are stored. */
export function storedValues(values: FieldValues, dialect: StoredForms): StoredValues {
  return new Map([...values].map(([field, value]) => [field, encodeValue(dialect, value, field)]));
}

/** The fields of a resource that can be written: without computed columns of an existing table. */
export async function writableFields(
  { table, fields }: Resource,
  dialect: Dialect,
  database: Pick<Executor, 'all'>,
): Promise<readonly Field[]> {
  const statement = buildStatement(dialect, (add) => dialect.computedColumns(table, () => add(0)));
  const own = [...fields.values()].filter(({ parts }) => parts === undefined);
  const columns = JSON.stringify(own.map(({ column }) => column));
  const rows = await database.all(statement, { bound: [columns] });
  const computed = new Set(rows.map(([column]) => column));
  return own.filter(({ column }) => !computed.has(column));
}
