import type { Field, ValueKind } from '../../model/api.ts';
import { milliseconds } from '../../model/field-types/moments/datetime.ts';
import { decimalType } from '../../model/field-types/numbers/decimal.ts';
import { heldAs } from '../../model/field-types/stored-as.ts';
import type { StoredForms } from '../dialect.ts';

/**
 * What a column's values are, apart from how a database stores them. A column's type does not say it: on SQLite a date
 * and a string are both TEXT, and the scale of a decimal is nowhere. `any`: each value is what it looks like.
 */
export type StoredKind = BaseKind | `decimal(${number},${number})` | `datetime(${number})`;

export type BaseKind = Exclude<ValueKind, 'decimal'> | 'any';

/** A kind without digits. */
export type KindName = BaseKind | 'decimal';

/** What a field's column holds. */
export function storedKindOf(field: Field, dialect: StoredForms): StoredKind {
  const { type, attributes, precision, scale } = field;
  const { storedAs } = attributes;
  if (storedAs !== undefined) {
    // Said or not, it is the form in which this database stores decimals anyway.
    const isUsual = storedAs === dialect.storage({ ...field, type: decimalType }).form;
    if (!isUsual) return heldAs[storedAs];
  }
  if (type.kind === 'datetime') return momentKind(precision);
  return type.kind === 'decimal' ? `decimal(${precision},${scale})` : type.kind;
}

/** The kind of moments with so many digits behind the second. */
export function momentKind(precision: number): StoredKind {
  return precision === milliseconds ? 'datetime' : `datetime(${precision})`;
}

/** The digits behind the second of a kind of moments. */
export function precisionOf(kind: StoredKind): number {
  return Number(/^datetime\((\d)\)$/u.exec(kind)?.[1] ?? milliseconds);
}

/** A kind without the digits of a decimal or a moment. */
export function baseOf(kind: StoredKind): KindName {
  return kind.replace(/\(.*/u, '') as KindName;
}

/** The digits of a decimal, and how many of them are behind the point; undefined for all other kinds. */
export function digitsOf(
  kind: StoredKind,
): { readonly precision: number; readonly scale: number } | undefined {
  const match = /^decimal\((\d+),(-?\d+)\)$/u.exec(kind);
  return match === null ? undefined : { precision: Number(match[1]), scale: Number(match[2]) };
}
