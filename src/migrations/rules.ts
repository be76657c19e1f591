import { hash } from 'node:crypto';
import type { Api, Field } from '../model/api.ts';
import type { JsonSchema } from '../model/json-schema.ts';
import { isNumberForm, type RecordRow } from '../databases/existing/schema-record.ts';
import { storedKindOf } from '../sql/kinds/stored-kind.ts';
import type { SchemaRules } from '../databases/existing/actual-schema.ts';

/**
 * A digest of all that decides which values a field takes, as `_plinth_schema` keeps it, but for null, about which a column
 * says it itself. See docs/contract/6-operation.md#stored-values-and-rules.
 */
export function rulesDigest(field: Field): string {
  return hash('sha1', JSON.stringify(rulesOf(field)), 'base64url').slice(0, 16);
}

function rulesOf(field: Field): JsonSchema {
  const { type, attributes, values } = field;
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
  };
}

/**
 * The fields whose rules are others than the last migration has recorded. Those whose kind changes are left out: what becomes
 * of their values is told by the step that converts them.
 */
export function fieldsWithNewRules(
  api: Api,
  record: readonly RecordRow[],
  { fold, dialect }: Pick<SchemaRules, 'fold' | 'dialect'>,
): ReadonlySet<Field> {
  const keyOf = (table: string, column: string): string =>
    JSON.stringify([fold(table), fold(column)]);
  const known = new Map(record.map((row) => [keyOf(row.table, row.column), row]));
  const fields = [...api.resources.values()]
    .filter(({ isManaged }) => isManaged)
    .flatMap((resource) => [...resource.fields.values()]);
  return new Set(
    fields.filter((field) => {
      const row = known.get(keyOf(field.resource.table, field.column));
      if (row === undefined || row.rules === '' || row.rules === rulesDigest(field)) return false;
      const kind = isNumberForm(row.kind) ? 'integer' : row.kind;
      return kind === storedKindOf(field, dialect);
    }),
  );
}
