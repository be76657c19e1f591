import type { FieldSpecification } from '../../specification/specification.ts';
import type { ColumnType } from '../table.ts';
import type { Condition, CountValues } from './counts.ts';

/** Values that the usual field of a type does not have. */
interface Misfit {
  readonly type: RegExp;
  readonly condition: Condition;
  /** The field of an unmanaged column with such values; absent: its usual one has them. */
  readonly wider?: FieldSpecification;
  /** Why the field is wider, after the number of values. */
  readonly note?: (count: number) => string;
  /** Why a managed column with such values is left out. */
  readonly left: string;
}

const isLarge: Condition = (c) => `${c} NOT BETWEEN -9007199254740991 AND 9007199254740991`;
const large = 'it holds whole numbers that JSON cannot tell exactly';
export const wideInteger: FieldSpecification = { type: 'integer', format: 'bigint' };

const misfits: readonly Misfit[] = [
  { type: /^bigint$/u, condition: isLarge, wider: wideInteger, left: large },
  {
    type: /^bigint\[\]$/u,
    condition: (c) =>
      `EXISTS (SELECT 1 FROM unnest(${c}) AS list(item) WHERE ${isLarge('list.item')})`,
    wider: { type: 'array', items: { ...wideInteger, nullable: true } },
    left: large,
  },
  {
    type: /^double precision$/u,
    condition: (c) => `${c}::text IN ('NaN', 'Infinity', '-Infinity')`,
    left: 'it holds numbers that JSON does not know, such as NaN',
  },
  {
    type: /^(?:date|timestamp[^[]*)$/u,
    condition: (c) =>
      `NOT isfinite(${c}) OR ${c} < DATE '0001-01-01' OR ${c} >= DATE '10000-01-01'`,
    wider: { type: 'string' },
    note: (count) =>
      `${count === 1 ? '1 value is' : `${count} values are`} outside the years 1 to 9999.`,
    left: 'it holds dates that are not from the years 1 to 9999',
  },
  {
    type: /^time(?:\(\d\))? without time zone$/u,
    condition: (c) => `date_trunc('second', ${c}::interval) <> ${c}::interval`,
    wider: { type: 'string' },
    note: (count) =>
      `${count === 1 ? '1 value has' : `${count} values have`} fractions of a second.`,
    left: 'it holds times with fractions of a second',
  },
  {
    type: /\[\]$/u,
    condition: (c) => `array_ndims(${c}) > 1`,
    left: 'it holds arrays of several dimensions',
  },
];

/** What becomes of a column with values that its usual field does not have; undefined if there are none. */
export async function misfitIn(
  type: string,
  isManaged: boolean,
  count: CountValues,
): Promise<ColumnType | undefined> {
  for (const { type: declared, condition, wider, note, left } of misfits) {
    if (!declared.test(type) || (!isManaged && wider === undefined)) continue;
    const odd = await count(condition);
    if (odd === 0) continue;
    return isManaged || wider === undefined
      ? { left }
      : { attributes: wider, notes: note === undefined ? [] : [note(odd)] };
  }
  return undefined;
}
