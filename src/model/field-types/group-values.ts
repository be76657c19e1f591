import type { Codec, Field, FieldType } from '../api.ts';
import { floorTo, formatScaled, parseDecimal, rescale, type Scaled } from '../exact-number.ts';
import { operators, type Operator } from '../operators.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { decimalType } from './numbers/decimal.ts';
import { integerType } from './numbers/integer.ts';
import { plain } from './plain.ts';
import { stringType } from './texts/string.ts';

/** The types of the values that only groups have: exact sums and averages, and parts of dates. */

/** How many more decimal places an average has than what it is the average of. */
export const placesOfAverage = 6;

/** What part of a date or a moment groups records, in UTC, and how it is written. */
interface DatePartDefinition {
  readonly pattern: RegExp;
  readonly example: string;
}

export const dateParts = {
  year: { pattern: /^\d{4}$/u, example: '2026' },
  quarter: { pattern: /^\d{4}-Q[1-4]$/u, example: '2026-Q1' },
  month: { pattern: /^\d{4}-(?:0[1-9]|1[0-2])$/u, example: '2026-03' },
  week: { pattern: /^\d{4}-W(?:0[1-9]|[1-4]\d|5[0-3])$/u, example: '2026-W09' },
  day: { pattern: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u, example: '2026-03-01' },
  hour: {
    pattern: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3])$/u,
    example: '2026-03-01T14',
  },
  weekday: { pattern: /^[1-7]$/u, example: '1' },
} as const satisfies Readonly<Record<string, DatePartDefinition>>;

export type DatePart = keyof typeof dateParts;

/** The type of a part of a date: a text that sorts by time, or for the weekday a number. */
export function datePartType(part: DatePart): FieldType {
  const { pattern, example } = dateParts[part];
  if (part === 'weekday')
    return {
      ...integerType,
      parse: (text) => (pattern.test(text) ? Number(text) : undefined),
      expects: () => 'a day of the week from 1 (Monday) to 7',
    };
  return {
    ...stringType,
    name: part,
    comparison: 'order',
    parse: (text) => (pattern.test(text) ? text : undefined),
    expects: () => `a ${part} such as ${example}`,
  };
}

const word = 2n ** 32n;

/** Whole numbers as texts whose order by code point is that of the numbers. */
interface Key {
  readonly write: (digits: bigint) => string;
  readonly read: (text: string) => bigint;
}

/** Texts before and behind those of all numbers that a key can have. */
const [below, beyond] = ['', '~'];

/** Beyond the sum of as many integers of 64 bits as a table can have rows. */
const mostSum = 2n ** 94n;
const highSum = 2n ** 62n;

/** The high and the low 32 bits, with 19 and 10 digits. SQLite makes the same in `aggregates.ts`. */
const sumKey: Key = {
  write: (digits) => {
    if (digits < -mostSum) return below;
    if (digits >= mostSum) return beyond;
    const shifted = digits + highSum * word;
    return `${String(shifted / word).padStart(19, '0')}${String(shifted % word).padStart(10, '0')}`;
  },
  read: (text) => (BigInt(text.slice(0, 19)) - highSum) * word + BigInt(text.slice(19)),
};

const places = 10n ** BigInt(placesOfAverage);
const lowAverage = word * places;
const offsetOfAverage = 2n ** 63n * places;

/** The high 32 bits of the whole part, and the others with the decimal places, with 10 and 16 digits. */
const averageKey: Key = {
  write: (digits) => {
    if (digits < -offsetOfAverage) return below;
    if (digits >= offsetOfAverage) return beyond;
    const shifted = digits + offsetOfAverage;
    const high = String(shifted / lowAverage).padStart(10, '0');
    return `${high}${String(shifted % lowAverage).padStart(16, '0')}`;
  },
  read: (text) => BigInt(text.slice(0, 10)) * lowAverage + BigInt(text.slice(10)) - offsetOfAverage,
};

/** Rounds so that comparing keys answers as comparing the numbers would. */
function comparandOf(key: Key, value: JsonValue, operator: Operator, { scale }: Field): string {
  const wanted = parsed(String(value));
  const exact = rescale(wanted, scale);
  if (exact !== undefined) return key.write(exact);
  if (operators[operator].index !== 'range') return beyond;
  const floor = floorTo(wanted, scale);
  return key.write(operator === 'gt' || operator === 'lte' ? floor : floor + 1n);
}

function parsed(text: string): Scaled {
  const scaled = parseDecimal(text);
  if (scaled === undefined) throw new TypeError(`${text} is no decimal`);
  return scaled;
}

type Wire = (digits: bigint, scale: number) => JsonValue;

const asText: Wire = (digits, scale) => formatScaled(digits, scale);

/** A number as far as a double counts, else a string. */
const asNumber: Wire = (digits) =>
  digits >= Number.MIN_SAFE_INTEGER && digits <= Number.MAX_SAFE_INTEGER
    ? Number(digits)
    : String(digits);

/** An exact number that a group has: a text with an order on SQLite, `numeric` on PostgreSQL. */
function exactType(key: Key, wire: Wire): FieldType {
  const keyed: Codec = {
    decode: (stored, { scale }) => wire(key.read(String(stored)), scale),
    comparand: (value, operator, field) => comparandOf(key, value, operator, field),
  };
  const numeric: Codec = {
    decode: (stored, { scale }) => {
      const digits = rescale(parsed(String(stored)), scale);
      if (digits === undefined) throw new TypeError(`${stored} has more places than ${scale}`);
      return wire(digits, scale);
    },
  };
  return {
    ...decimalType,
    parse: (text) => (parseDecimal(text) === undefined ? undefined : text),
    sqlite: { column: () => 'TEXT', form: 'keyed' },
    postgres: { column: () => 'numeric', form: 'numeric' },
    forms: { keyed, numeric, plain },
  };
}

/** The sum of integers: a number up to 2⁵³, a string beyond it. */
export const wholeSumType = exactType(sumKey, asNumber);
/** The sum of decimals and of integers in strings. */
export const exactSumType = exactType(sumKey, asText);
/** The average of integers and decimals. */
export const averageType = exactType(averageKey, asText);
