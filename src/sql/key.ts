import type { Field } from '../model/api.ts';
import { isComposite, keyFields, partsOf } from '../model/field-types/composite-id.ts';
import { quote, type SqlSyntax } from './dialect.ts';

/** What is selected of a composite key, or null if one of its columns is null: such a key refers to nothing. */
export function whole(selected: string, column: string, key: Field): string {
  const columns = keyColumns(column, key);
  const nullable = columns.filter((_, index) => partsOf(key)[index]?.nullable === true);
  if (nullable.length === 0) return selected;
  const present = nullable.map((one) => `${one} IS NOT NULL`).join(' AND ');
  return `CASE WHEN ${present} THEN ${selected} END`;
}

/** The condition that two keys are the same, each of which may have several columns. */
export function sameKey(
  column: string,
  key: Field,
  other: string,
  otherKey: Field,
  dialect: Pick<SqlSyntax, 'convertKey'>,
): string {
  const others = convertedColumns(other, otherKey, key, dialect);
  return keyColumns(column, key)
    .map((one, index) => `${one} = ${others[index]}`)
    .join(' AND ');
}

/** The columns of a key, each in the form of the columns of another one. */
export function convertedColumns(
  column: string,
  key: Field,
  to: Field,
  dialect: Pick<SqlSyntax, 'convertKey'>,
): readonly string[] {
  const [fields, wanted] = [keyFields(key), keyFields(to)];
  return keyColumns(column, key).map((one, index) => {
    const [from, into] = [fields[index], wanted[index]];
    return from === undefined || into === undefined ? one : dialect.convertKey(one, from, into);
  });
}

/**
 * The columns of a key. An id of several has none of its own: its `column` is empty, so that what names it with its table is
 * `t.""`, from which the columns of its parts follow.
 */
export function keyColumns(column: string, key: Field): readonly string[] {
  if (!isComposite(key)) return [column];
  const table = column.slice(0, -quote(key.column).length);
  return partsOf(key).map((part) => `${table}${quote(part.column)}`);
}
