import { canBeKeys } from '../../model/build/keys.ts';
import { typeOf } from '../../model/field-types/registry.ts';
import type { FieldTypes } from '../../model/api.ts';
import type { FieldSpecification } from '../../specification/specification.ts';
import type { Reference } from './references.ts';
import type { FoundTable } from '../table.ts';

/** What identifies the records of a table: a field `id`, fields of other names (`key`), or nothing. */
export type Identity = 'id' | 'fields' | 'none';

/** How the records of an unmanaged table are identified. */
export function identityOf(
  { primary, columns, types }: FoundTable,
  references: readonly Reference[],
  fold: (name: string) => string,
): Identity {
  const typesOf = primary.map((name) => columns.find((one) => one.actual.name === name)?.type);
  const isKey = typesOf.every(
    (type) => type !== undefined && !('left' in type) && canBeKey(type.attributes, types),
  );
  if (primary.length === 0 || !isKey) return 'none';
  const [type] = typesOf;
  if (primary.length > 1 || type === undefined || 'left' in type) return 'fields';
  // A key that two tables share is a relation as well.
  const isShared = references.some(({ column }) => fold(column) === fold(primary[0] ?? ''));
  return isShared || idType(type.attributes, types) === undefined ? 'fields' : 'id';
}

/** Whether a field of this type may identify records. See docs/contract/8-existing-databases.md#keys, rule 7. */
function canBeKey(attributes: FieldSpecification, types: FieldTypes): boolean {
  const { json, sortable, kind } = typeOf(attributes, types);
  const isScalar = json === 'string' || json === 'integer' || json === 'boolean';
  return isScalar && sortable && canBeKeys(kind);
}

/** The type of an id with this column; undefined if the column cannot be an id. */
export function idType(
  attributes: FieldSpecification,
  types: FieldTypes,
): FieldSpecification | undefined {
  const { kind, number, text } = typeOf(attributes, types);
  if (number === 'whole') return { type: 'id' };
  if (kind === 'bigint') return { type: 'id', format: 'bigint' };
  if (kind === 'uuid') return { type: 'id', format: 'uuid' };
  return text === undefined ? undefined : { type: 'id', format: 'string' };
}
