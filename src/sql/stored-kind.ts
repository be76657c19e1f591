import type { Field, ValueKind } from '../model/api.ts';
import { milliseconds } from '../model/field-types/datetime.ts';
import { decimalType } from '../model/field-types/numbers/decimal.ts';
import { heldAs } from '../model/field-types/stored-as.ts';
import type { StoredForms } from './dialect.ts';

/**
 * What a column's values are, apart from how a database stores them. A column's type does not say it: on SQLite a date
 * and a string are both TEXT, and the scale of a decimal is nowhere. `any`: each value is what it looks like.
 */
export type StoredKind = BaseKind | `decimal(${number},${number})` | `datetime(${number})`;

export type BaseKind = Exclude<ValueKind, 'decimal'> | 'any';

/** What a field's column holds. */
export function kindOf(field: Field, dialect: StoredForms): StoredKind {
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
export function baseOf(kind: StoredKind): BaseKind | 'decimal' {
  return kind.replace(/\(.*/u, '') as BaseKind | 'decimal';
}

/** The digits of a decimal, and how many of them are behind the point; undefined for all other kinds. */
export function digitsOf(
  kind: StoredKind,
): { readonly precision: number; readonly scale: number } | undefined {
  const match = /^decimal\((\d+),(-?\d+)\)$/u.exec(kind);
  return match === null ? undefined : { precision: Number(match[1]), scale: Number(match[2]) };
}

/**
 * What each kind can become; all else is lost. A value becomes what means the same, or where it says more than the
 * new kind can hold (a moment → its day, 1.5 → 2) what is nearest, which counts as lost too.
 */
const becomes: Readonly<Record<BaseKind | 'decimal', readonly (BaseKind | 'decimal')[]>> = {
  any: [
    'string',
    'integer',
    'bigint',
    'number',
    'decimal',
    'numeric',
    'boolean',
    'date',
    'time',
    'datetime',
    'uuid',
    'bytes',
    'json',
    'object',
    'array',
  ],
  string: [
    'integer',
    'bigint',
    'number',
    'decimal',
    'numeric',
    'boolean',
    'date',
    'time',
    'datetime',
    'uuid',
    'bytes',
    'json',
  ],
  integer: ['string', 'bigint', 'number', 'decimal', 'numeric', 'boolean', 'json'],
  bigint: ['string', 'integer', 'number', 'decimal', 'numeric', 'boolean', 'json'],
  number: ['string', 'integer', 'bigint', 'decimal', 'numeric', 'json'],
  decimal: ['string', 'integer', 'bigint', 'number', 'decimal', 'numeric', 'json'],
  numeric: ['string', 'integer', 'bigint', 'number', 'decimal', 'json'],
  boolean: ['string', 'integer', 'bigint', 'number', 'json'],
  date: ['string', 'datetime', 'json'],
  time: ['string', 'json'],
  datetime: ['string', 'date', 'time', 'datetime', 'json'],
  uuid: ['string', 'json'],
  bytes: ['string', 'json'],
  json: ['string', 'object', 'array'],
  object: ['json'],
  array: ['json'],
};

/** Whether any value of one kind can become one of another. */
export function canBecome(from: StoredKind, to: StoredKind): boolean {
  return becomes[baseOf(from)].includes(baseOf(to));
}

const day = String.raw`(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;
const clock = String.raw`([01]\d|2[0-3]):[0-5]\d:[0-5]\d`;

/**
 * The texts that can become another kind, as regular expressions that mean the same to both databases. Whether a day
 * is one of the calendar, and a number is in bounds, is checked besides.
 */
export const textForms = {
  /** As it is written back: 007 would lose its zeros. */
  integer: String.raw`^(0|-?[1-9]\d{0,15})$`,
  bigint: String.raw`^(0|-?[1-9]\d{0,18})$`,
  number: String.raw`^-?\d{1,255}(\.\d{1,255})?$`,
  date: `^${day}$`,
  time: `^${clock}$`,
  uuid: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  bytes: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
} as const;

/** The texts that can become a moment: with an offset, and years so that the moment in UTC has four digits as well. */
export function momentForm(precision: number): string {
  const fraction = precision === 0 ? '' : String.raw`(\.\d{1,${precision}})?`;
  return String.raw`^(${day}T${clock}${fraction}Z|[1-8]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T${clock}${fraction}[+-](0\d|1[0-4]):[0-5]\d)$`;
}
