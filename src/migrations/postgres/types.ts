import { kinds } from '../../sql/kinds/registry.ts';
import { baseOf, momentKind, type BaseKind, type StoredKind } from '../../sql/kinds/stored-kind.ts';

/** The type of PostgreSQL that stores a kind. */
export function typeOfKind(kind: StoredKind): string {
  return kinds[baseOf(kind)].postgres.column(kind);
}

/** The first of the kinds that a type stores. */
const kindsByType: ReadonlyMap<string, BaseKind> = new Map(
  (Object.keys(kinds).filter((name) => name !== 'decimal') as BaseKind[])
    .toReversed()
    .map((name) => [typeOfKind(name), name]),
);

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
  if (type === 'json') return 'json';
  if (type.endsWith('[]')) return 'array';
  return kindsByType.get(type) ?? 'string';
}

/** The type in a column's definition, as `format_type` writes it. */
export function typeName(definition: string): string {
  const [type = ''] = definition.split(/ (?:COLLATE|GENERATED|NOT NULL|PRIMARY)/u);
  return type
    .replace(', ', ',')
    .replace(/^time$/u, 'time without time zone')
    .replace(/^timestamptz(\(\d\))?$/u, 'timestamp$1 with time zone');
}
