import {
  baseOf,
  digitsOf,
  momentKind,
  precisionOf,
  type BaseKind,
  type StoredKind,
} from '../../sql/stored-kind.ts';

const kindTypes: Readonly<Record<Exclude<BaseKind, 'datetime'>, string>> = {
  // As migrations never create it, but convert from it.
  any: 'text',
  string: 'text',
  integer: 'bigint',
  bigint: 'bigint',
  number: 'double precision',
  numeric: 'numeric',
  boolean: 'boolean',
  date: 'date',
  time: 'time without time zone',
  uuid: 'uuid',
  bytes: 'bytea',
  object: 'jsonb',
  array: 'jsonb',
  json: 'jsonb',
};

/** The type of PostgreSQL that stores a kind. */
export function typeOfKind(kind: StoredKind): string {
  const digits = digitsOf(kind);
  if (baseOf(kind) === 'datetime') return `timestamp(${precisionOf(kind)}) with time zone`;
  return digits === undefined
    ? kindTypes[kind as keyof typeof kindTypes]
    : `numeric(${digits.precision},${digits.scale})`;
}

/** The kind of a column whose type declares no precision. */
export const anyDecimal: StoredKind = 'decimal(1000,500)';

/** The kind of values in a column of this type. */
export function kindOfType(type: string): StoredKind {
  const [, precision, scale = '0'] = /^numeric\((\d+),(-?\d+)\)$/u.exec(type) ?? [];
  if (precision !== undefined) return `decimal(${Number(precision)},${Number(scale)})`;
  if (/^(?:smallint|integer|bigint)$/u.test(type)) return 'integer';
  if (type === 'numeric') return anyDecimal;
  if (/^(?:real|double precision)$/u.test(type)) return 'number';
  if (type.startsWith('timestamp'))
    return momentKind(Number(/^timestamp\((\d)\)/u.exec(type)?.[1] ?? 6));
  if (/^time(?:\(\d\))? without/u.test(type)) return 'time';
  if (type === 'json' || type === 'jsonb') return 'json';
  if (type.endsWith('[]')) return 'array';
  if (type === 'bytea') return 'bytes';
  return type === 'boolean' || type === 'date' || type === 'uuid' ? type : 'string';
}

/** The type in a column's definition, as `format_type` writes it. */
export function typeName(definition: string): string {
  const [type = ''] = definition.split(/ (?:COLLATE|GENERATED|NOT NULL|PRIMARY)/u);
  return type
    .replace(', ', ',')
    .replace(/^time$/u, 'time without time zone')
    .replace(/^timestamptz(\(\d\))?$/u, 'timestamp$1 with time zone');
}
