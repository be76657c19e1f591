import { hash } from 'node:crypto';
import { compareNumbers } from '../model/validation/constraints.ts';
import type { Api, Field, Resource } from '../model/api.ts';
import { foreignKeysOf, keyFields } from '../model/field-types/composite-id.ts';
import { formatOf, formats } from '../model/field-types/texts/string.ts';
import type { JsonSchema } from '../model/json-schema.ts';
import { isNumberForm, type RecordRow } from '../databases/existing/schema-record.ts';
import type { ActualTable, Found, SchemaRules } from '../databases/existing/actual-schema.ts';
import { storedKindOf } from '../sql/kinds/stored-kind.ts';

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

/** Rules of the file that stored values may break. */
export interface UnprovenRules {
  /** The fields whose values may break their own rules. */
  readonly fields: ReadonlySet<Field>;
  /** The foreign keys whose values may refer to no record. */
  readonly keys: ReadonlySet<Field>;
}

/**
 * What stored values have to be held against: of managed tables, the rules that are new since the last migration; of others,
 * all rules that the database does not keep itself.
 */
export function unprovenRules(
  api: Api,
  { tables, record }: Pick<Found, 'tables' | 'record'>,
  rules: Pick<SchemaRules, 'fold' | 'dialect'>,
): UnprovenRules {
  const { fold } = rules;
  const unmanaged = [...api.resources.values()]
    .filter(({ isManaged, hasKey }) => !isManaged && hasKey)
    .map((resource) => ({ resource, actual: tables.get(fold(resource.table))?.() }));
  const fields = unmanaged.flatMap(({ resource, actual }) =>
    [...resource.fields.values()].filter(
      (field) => field !== resource.id && (hasRules(field) || mayMiss(field, actual, fold)),
    ),
  );
  return {
    fields: new Set([...fieldsWithNewRules(api, record, rules), ...fields]),
    keys: new Set(unmanaged.flatMap(({ resource, actual }) => unkeptKeys(resource, actual, fold))),
  };
}

type Attributes = Field['attributes'];

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
const others = ['minLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems'] as const;

/** Whether a field has rules that its column does not have by its type. */
function hasRules(field: Field): boolean {
  const { attributes, native, values, properties, items } = field;
  const { limits = {}, labels } = native ?? {};
  const isKept = (key: 'minimum' | 'maximum' | 'maxLength'): boolean =>
    limits[key] !== undefined && compareNumbers(attributes[key] ?? 0, limits[key]) === 0;
  const isBound = bounds.some(
    (key) =>
      attributes[key] !== undefined && !((key === 'minimum' || key === 'maximum') && isKept(key)),
  );
  const isListed =
    values !== undefined && labels?.every((label) => values.includes(label)) !== true;
  return (
    isListed ||
    isBound ||
    properties !== undefined ||
    (attributes.maxLength !== undefined && !isKept('maxLength')) ||
    others.some((key: keyof Attributes) => attributes[key] !== undefined) ||
    (formatOf(field) ?? '') in formats ||
    (items !== undefined && hasRules(items))
  );
}

/** Whether the column of a field that is never null may be null. */
function mayMiss(
  { column, nullable, readOnly }: Field,
  actual: ActualTable | undefined,
  fold: SchemaRules['fold'],
): boolean {
  return !nullable && !readOnly && actual?.columns.get(fold(column))?.nullable === true;
}

/** The foreign keys of a table that no constraint of the database keeps. */
function unkeptKeys(
  resource: Resource,
  actual: ActualTable | undefined,
  fold: SchemaRules['fold'],
): readonly Field[] {
  if (actual === undefined) return [];
  const single = actual.references
    .filter(({ isEnforced, isValid }) => isEnforced && isValid)
    .map(({ column }) => [column]);
  const wide = actual.wideReferences.map(({ columns }) => columns);
  const kept = new Set([...single, ...wide].map((columns) => nameOf(columns, fold)));
  return foreignKeysOf(resource).filter(
    (key) =>
      !kept.has(
        nameOf(
          keyFields(key).map(({ column }) => column),
          fold,
        ),
      ),
  );
}

/** The columns of a key in any order. */
function nameOf(columns: readonly string[], fold: SchemaRules['fold']): string {
  return JSON.stringify(columns.map(fold).toSorted());
}

/**
 * The fields whose rules are others than the last migration has recorded. Those whose kind changes are left out: what becomes
 * of their values is told by the step that converts them.
 */
function fieldsWithNewRules(
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
