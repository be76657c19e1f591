import { hash } from 'node:crypto';
import type { Api, Field } from '../model/api.ts';
import type { JsonSchema } from '../model/json-schema.ts';
import type { RecordRow } from '../databases/existing/schema-record.ts';

/**
 * A digest of all that decides which values a field takes, as `_plinth_schema` keeps it. See
 * docs/contract/6-operation.md#stored-values-and-rules.
 */
export function rulesDigest(field: Field): string {
  return hash('sha1', JSON.stringify(rulesOf(field)), 'base64url').slice(0, 16);
}

function rulesOf(field: Field): JsonSchema {
  const { type, attributes, values, nullable } = field;
  const { minLength, maxLength, pattern, minItems, maxItems, uniqueItems } = attributes;
  return {
    ...type.schema(field, rulesOf),
    ...type.sentSchema?.(field),
    minLength,
    maxLength,
    pattern,
    minItems,
    maxItems,
    uniqueItems,
    values,
    nullable,
  };
}

/** The fields whose rules are others than the last migration has recorded. */
export function fieldsWithNewRules(
  api: Api,
  record: readonly RecordRow[],
  fold: (name: string) => string,
): ReadonlySet<Field> {
  const keyOf = (table: string, column: string): string =>
    JSON.stringify([fold(table), fold(column)]);
  const known = new Map(record.map((row) => [keyOf(row.table, row.column), row.rules]));
  const fields = [...api.resources.values()]
    .filter(({ isManaged }) => isManaged)
    .flatMap((resource) => [...resource.fields.values()]);
  return new Set(
    fields.filter((field) => {
      const rules = known.get(keyOf(field.resource.table, field.column)) ?? '';
      return rules !== '' && rules !== rulesDigest(field);
    }),
  );
}
