import {
  declaredType,
  introspectedField,
  isTaken,
  type DeclaredType,
} from '../../databases/postgres/native-types.ts';
import { datetimeType } from '../../model/field-types/moments/datetime.ts';
import type { FieldSpecification } from '../../specification/specification.ts';
import type { ColumnType } from '../table.ts';

/** The values of each enum, in order. */
export type Enums = ReadonlyMap<string, readonly string[]>;

/** The type of the items of an array; undefined for any other type. */
function itemOf(type: string): string | undefined {
  return type.endsWith('[]') ? type.slice(0, -2) : undefined;
}

/** The field for a type of PostgreSQL, by what a column is declared as. */
export function fieldFor(type: string, enums: Enums): FieldSpecification {
  const item = itemOf(type);
  if (item !== undefined)
    return { type: 'array', items: { ...fieldFor(item, enums), nullable: true } };
  const values = enums.get(type) ?? [];
  return values.length > 0 ? { type: 'enum', values } : introspectedField(declaredType(type));
}

/** The same for a column that `migrate` may convert, or why that has to be left out. */
export function managedField(type: string, enums: Enums): ColumnType {
  const reason = hindrance(type, enums);
  if (reason !== undefined) return { left: reason };
  const { precision, ...others } = fieldFor(type, enums);
  const { name, digits } = declaredType(type);
  const note = notes.get(name);
  return {
    attributes: {
      ...others,
      // Own tables keep milliseconds.
      ...(precision === undefined || others.type === datetimeType.name ? {} : { precision }),
      ...lengthOf(name, digits),
    },
    notes: note === undefined ? [] : [note],
  };
}

const notes: ReadonlyMap<string, string> = new Map([
  ['timestamp without time zone', 'A timestamp without time zone, taken as UTC.'],
  ['citext', 'In the database it compares without case; here it compares exactly.'],
]);

function lengthOf(name: string, [length]: DeclaredType['digits']): FieldSizes {
  return name.startsWith('character') && length !== undefined ? { maxLength: length } : {};
}

type FieldSizes = Pick<FieldSpecification, 'maxLength'>;

/** Why columns of a type are not converted. */
function hindrance(type: string, enums: Enums): string | undefined {
  const item = itemOf(type);
  const values = enums.get(item ?? type);
  const declared = declaredType(item ?? type);
  if (values?.length === 0 && item === undefined) return `its type ${type} has no values`;
  if (values !== undefined && values.length > 0) return undefined;
  if (item !== undefined)
    return isTaken(declared, 'array') ? undefined : `arrays of ${item} are not served`;
  if (isTaken(declared, 'column')) return undefined;
  const { name } = declared;
  if (name === 'real')
    return 'it is of type real, whose values no JSON number is equal to; make it double precision';
  return name === 'bytea' ? 'it holds binary data' : `the type ${name} is none that is served`;
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
