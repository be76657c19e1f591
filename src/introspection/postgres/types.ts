import type { FieldTypes } from '../../model/api.ts';
import type { FieldSpecification } from '../../specification/specification.ts';
import type { ColumnType } from '../table.ts';

/** The values of each enum, in order. */
export type Enums = ReadonlyMap<string, readonly string[]>;

const notes: ReadonlyMap<string, string> = new Map([
  ['timestamp without time zone', 'A timestamp without time zone, taken as UTC.'],
  ['citext', 'In the database it compares without case; here it compares exactly.'],
]);

/** The type that PostgreSQL's is recognised as, in a column or (`postgresItems`) as the items of an array. */
export function recognised(
  type: string,
  types: FieldTypes,
  where: 'postgres' | 'postgresItems',
): string | undefined {
  return Object.values(types).find(({ recognition }) => recognition?.[where]?.includes(type))?.name;
}

/** The field type for a column type, before looking at values. */
export function postgresType(type: string, enums: Enums, types: FieldTypes): ColumnType {
  if (type.endsWith('[]')) return arrayType(type.slice(0, -2), enums, types);
  const values = enums.get(type);
  if (values !== undefined)
    return values.length === 0
      ? { left: `its type ${type} has no values` }
      : { attributes: { type: 'enum', values }, notes: [] };
  const [, precision, scale = '0'] = /^numeric\((\d+)(?:,(-?\d+))?\)$/u.exec(type) ?? [];
  if (
    precision !== undefined &&
    Number(precision) <= 18 &&
    Number(scale) >= 0 &&
    Number(scale) <= Number(precision)
  )
    return {
      attributes: { type: 'decimal', precision: Number(precision), scale: Number(scale) },
      notes: [],
    };
  // Only the rows show how many digits there are.
  if (type.startsWith('numeric')) return { attributes: { type: 'decimal' }, notes: [] };
  if (type === 'real')
    return {
      left: 'it is of type real, whose values no JSON number is equal to; make it double precision',
    };
  const plain = type.replaceAll(/\(\d+\)/gu, '');
  const name = recognised(plain, types, 'postgres');
  if (name === undefined)
    return {
      left: plain === 'bytea' ? 'it holds binary data' : `the type ${type} is none that is served`,
    };
  const [, length] = /^character(?: varying)?\((\d+)\)$/u.exec(type) ?? [];
  const note = notes.get(plain);
  return {
    attributes: { type: name, ...(length === undefined ? {} : { maxLength: Number(length) }) },
    notes: note === undefined ? [] : [note],
  };
}

function arrayType(item: string, enums: Enums, types: FieldTypes): ColumnType {
  const values = enums.get(item);
  const plain = item.replaceAll(/\(\d+\)/gu, '');
  const name = recognised(plain, types, 'postgresItems');
  const items: FieldSpecification | undefined =
    values !== undefined && values.length > 0
      ? { type: 'enum', values, nullable: true }
      : name === undefined
        ? undefined
        : { type: name, nullable: true };
  return items === undefined
    ? { left: `arrays of ${item} are not served` }
    : { attributes: { type: 'array', items }, notes: [] };
}

/** The most digits of a column's values. */
interface Digits {
  /** After the point, with trailing zeros. */
  readonly scale: number;
  /** After the point, without trailing zeros. */
  readonly filled: number;
  /** Before the point. */
  readonly whole: number;
}

/** A decimal with the digits that the rows have. A scale too large for them is unused, as in `numeric(65, 30)`. */
export function decimalBounds({ scale, filled, whole }: Digits, odd: number): ColumnType {
  if (odd > 0) return { left: 'it holds numbers that JSON does not know, such as NaN' };
  const decimals = scale + whole > 18 ? Math.max(filled, 2) : scale;
  if (decimals + whole > 18) return { left: 'it holds numbers of more than 18 digits' };
  return {
    attributes: { type: 'decimal', precision: 18, scale: decimals },
    notes: [`As many decimals as its values have; the column itself takes more digits.`],
  };
}
