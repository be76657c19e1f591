import { typeOf } from '../model/field-types/registry.ts';
import type { FieldTypes } from '../model/api.ts';
import type { FieldSpecification } from '../specification/specification.ts';
import type { FoundTable } from './table.ts';

/** Its key of several columns, as messages name it. */
export const wideKey = ({ actual, primary }: FoundTable): string =>
  actual.indexes.some(({ isPrimary }) => isPrimary)
    ? `its primary key is of several columns (${primary.join(', ')})`
    : `it has no primary key but two columns (${primary.join(', ')})`;

/** Why a table cannot be served; undefined where it can. */
export function hindrance(
  table: FoundTable,
  tables: readonly FoundTable[],
  fold: (name: string) => string,
): string | undefined {
  const { actual, columns, primary, rowKey, types } = table;
  if (actual.name === '') return 'it has no name';
  if (actual.columns.has('')) return 'one of its columns has no name';
  if (/^(?:sqlite_|pg_|_plinth)/iu.test(actual.name))
    return 'databases keep such names for themselves';
  if (primary.length === 0) return 'it has no primary key';
  if (primary.length > 1) {
    const isLinked = (column: string): boolean =>
      actual.references.some(
        ({ column: own, table: target }) =>
          fold(own) === fold(column) &&
          tables.some((one) => fold(one.actual.name) === fold(target) && one.primary.length === 1),
      );
    const isJunction = primary.length === 2 && primary.every(isLinked);
    const key = wideKey(table);
    if (!isJunction) return `${key}; give its rows a key of one column`;
    return rowKey === undefined ? `${key}, and its rows have no other` : undefined;
  }
  const type = columns.find(({ actual: { name } }) => name === primary[0])?.type;
  if (type === undefined || 'left' in type)
    return `its primary key cannot be served${type === undefined ? '' : `: ${type.left}`}`;
  return idType(type.attributes, types) === undefined
    ? `its primary key is of type ${type.attributes.type}; it has to be a whole number, a UUID or text`
    : undefined;
}

/** The type of an id of which the column is as this one. */
export function idType(
  attributes: FieldSpecification,
  types: FieldTypes,
): FieldSpecification | undefined {
  const { kind, number, text } = typeOf(attributes, types);
  if (number === 'whole') return { type: 'id' };
  if (kind === 'uuid') return { type: 'id', format: 'uuid' };
  return text === undefined ? undefined : { type: 'id', format: 'string' };
}
