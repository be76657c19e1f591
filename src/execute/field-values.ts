import type { Field, Resource } from '../model/api.ts';
import type { SqlValue } from '../model/values.ts';
import type { FieldValues } from '../plan/plan.ts';
import type { JsonValue } from '../spec/specification.ts';
import { encodeValue, type Dialect } from '../sql/dialect.ts';

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

/** The values of these fields as a database stores them, in their order; null where there is none. */
export function encodedIn(
  fields: readonly Field[],
  values: FieldValues,
  dialect: Dialect,
): SqlValue[] {
  return fields.map((field) => encodeValue(dialect, values.get(field) ?? null, field));
}
