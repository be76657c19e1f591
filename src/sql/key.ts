import type { Field } from '../model/api.ts';
import { isComposite, partsOf } from '../model/field-types/composite-id.ts';
import { quote } from './dialect.ts';

/**
 * The columns of a key. An id of several has none of its own: its `column` is empty, so that what names it with its table is
 * `t.""`, from which the columns of its parts follow.
 */
export function keyColumns(column: string, key: Field): readonly string[] {
  if (!isComposite(key)) return [column];
  const table = column.slice(0, -quote(key.column).length);
  return partsOf(key).map((part) => `${table}${quote(part.column)}`);
}
