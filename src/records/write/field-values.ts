import type { Field, Resource } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import type { FieldValues } from '../../query/plan.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { decodeValue, encodeValue, type StoredForms } from '../../sql/dialect.ts';
import type { Access } from './conflicts.ts';

/** Values of both kinds in the order of the model, as those of every other write of these fields. */
export function inOrder(resource: Resource, given: FieldValues, merged: FieldValues): FieldValues {
  if (merged.size === 0) return given;
  const values = new Map<Field, JsonValue>();
  for (const field of resource.fields.values()) {
    const value = merged.get(field) ?? given.get(field);
    if (value !== undefined) values.set(field, value);
  }
  return values;
}

/** A field's value after a write: what is written, else what the record has. */
export function valueIn(values: FieldValues, current: FieldValues): (field: Field) => JsonValue {
  return (field) => (values.has(field) ? values : current).get(field) ?? null;
}

/** No values. */
export const noValues: FieldValues = new Map();

/**
 * What the row with an id has in these fields; undefined where there is none. `isHeld`: what goes together with it is
 * written, so that nobody else may change it from here on.
 */
export async function currentValues(
  { transaction, statements, dialect }: Access,
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

/** The values of these fields as a database stores them, in their order; null where there is none. */
export function encodedIn(
  fields: readonly Field[],
  values: FieldValues,
  dialect: StoredForms,
): SqlValue[] {
  return fields.map((field) => encodeValue(dialect, values.get(field) ?? null, field));
}
