import type { Field } from '../../model/api.ts';
import type { DatePart } from '../../model/field-types/group-values.ts';
import type { Aggregates, GroupValue } from '../../sql/dialect.ts';

const low = '4294967295';

/** The sum of 64-bit integers in two parts, neither of which overflows: that of the high and of the low 32 bits. */
const high = (value: string): string => `sum(${value} >> 32)`;
const rest = (value: string): string => `sum(${value} & ${low})`;
const count = (value: string): string => `count(${value})`;

/** Keys of `model/field-types/group-values.ts`. */
function sumKey([h = '', l = '']: readonly string[]): string {
  return `CASE WHEN ${h} IS NOT NULL THEN printf('%019d%010d', ${h} + (${l} >> 32) + 4611686018427387904, ${l} & ${low}) END`;
}

/**
 * Long division in base 2³². All values are shifted by 2⁶³, so that none is negative. The last digit rounds half away
 * from zero.
 */
function averageKey([h = '', l = '', n = '']: readonly string[]): string {
  const top = `(${h} + ${n} * 2147483648 + (${l} >> 32))`;
  const remainder = `((${top} % ${n}) * 4294967296 + (${l} & ${low}))`;
  const isNegative = `(${h} + (${l} >> 32) < 0)`;
  const fraction = `((${remainder} % ${n}) * 2000000 + ${n} - ${isNegative}) / (2 * ${n})`;
  const below = `(${remainder} / ${n} * 1000000 + ${fraction})`;
  const whole = '4294967296000000';
  return `CASE WHEN ${n} > 0 THEN printf('%010d%016d', ${top} / ${n} + (${below} = ${whole}), ${below} % ${whole}) END`;
}

/** The text of a moment or day, from its first character to the hour at least. */
function textOf(value: string, { attributes: { storedAs } }: Field): string {
  if (storedAs === 'unixSeconds') return `strftime('%Y-%m-%dT%H', ${value}, 'unixepoch')`;
  // Down to the second before, for moments before 1970 as well.
  if (storedAs === 'unixMilliseconds')
    return `strftime('%Y-%m-%dT%H', (${value} - ((${value} % 1000) + 1000) % 1000) / 1000, 'unixepoch')`;
  return value;
}

/**
 * What names a value several times, of one that binds parameters: their placeholders must be in the statement once. Columns
 * are named as they are, which is faster.
 */
function once(value: string, write: (value: string) => string): string {
  return value.includes('?')
    ? `(SELECT ${write('one.v')} FROM (SELECT ${value} AS v) AS one)`
    : write(value);
}

/** Parts of texts that begin as `2026-03-01T14`. */
const partOf: Readonly<Record<DatePart, (text: string) => string>> = {
  year: (text) => `substr(${text}, 1, 4)`,
  quarter: (text) =>
    `(substr(${text}, 1, 4) || '-Q' || ((CAST(substr(${text}, 6, 2) AS INTEGER) + 2) / 3))`,
  month: (text) => `substr(${text}, 1, 7)`,
  week: (text) => `strftime('%G-W%V', substr(${text}, 1, 10))`,
  day: (text) => `substr(${text}, 1, 10)`,
  hour: (text) => `(substr(${text}, 1, 10) || 'T' || substr(${text}, 12, 2))`,
  weekday: (text) => `CAST(strftime('%u', substr(${text}, 1, 10)) AS INTEGER)`,
};

const first = (parts: readonly string[]): string => parts[0] ?? '';

const mostInteger = '9007199254740991';

/**
 * The sum of doubles, and one that does not overflow on its way. A column of numbers may hold whole ones as integers, of
 * which a sum may overflow too.
 */
const doubleParts: GroupValue['parts'] = [
  (value) => `sum(${value} + 0.0)`,
  (value) => `sum(${value} / 4294967296.0)`,
];

/** The sum of \`doubleParts\`: infinite if no double can hold it. */
function sumOfParts([sum = '', shrunk = '']: readonly string[]): string {
  return `(CASE WHEN ${isFinite(sum)} THEN ${sum} ELSE ${shrunk} * 4294967296.0 END)`;
}

function isFinite(value: string): string {
  return `abs(${value}) < 9e999`;
}

function fieldDoubleSum(value: string): string {
  const [sum = '', shrunk = ''] = doubleParts.map((write) => write(value));
  return `(CASE WHEN ${isFinite(sum)} THEN ${sum} WHEN ${isFinite(`${shrunk} * 4294967296.0`)} THEN ${shrunk} * 4294967296.0 END)`;
}

export const aggregates: Aggregates = {
  // A product that overflows becomes a double, where `sum` of integers would end the statement.
  fieldSum: (value, { type }) => {
    const sum = `(${high(value)} * 4294967296 + ${rest(value)})`;
    const most = type.kind === 'integer' ? mostInteger : '999999999999999999';
    return `CASE WHEN ${sum} BETWEEN -${most} AND ${most} THEN ${sum} END`;
  },
  // Both parts of a sum are whole numbers that a double holds, so it is rounded once.
  fieldAverage: (value, { type, scale }) => {
    if (type.number === 'double') return `${fieldDoubleSum(value)} / count(${value})`;
    const sum = `(${high(value)} * 4294967296.0 + ${rest(value)})`;
    return `${sum}${type.kind === 'decimal' ? ` / 1e${scale}` : ''} / count(${value})`;
  },
  datePart: (field, part) => ({
    parts: [(value) => once(value, (one) => partOf[part](textOf(one, field)))],
    value: first,
  }),
  // Bits are those of the whole number. JSON holds numbers as doubles, and decimals with all their places as texts.
  exact: (value, { attributes: { storedAs }, scale, type }, isMember) => {
    if (isMember && type.json === 'string' && scale > 0 && type.kind === 'decimal')
      return once(
        value,
        (one) =>
          `CASE WHEN substr(${one}, -${scale + 1}, 1) = '.' THEN CAST(replace(${one}, '.', '') AS INTEGER)` +
          ` ELSE CAST(round(CAST(${one} AS REAL) * 1e${scale}) AS INTEGER) END`,
      );
    if (isMember) return `CAST(${value} AS INTEGER)`;
    return storedAs === 'real' || storedAs === 'text'
      ? `CAST(round(CAST(${value} AS REAL) * 1e${scale}) AS INTEGER)`
      : value;
  },
  exactSum: { parts: [high, rest], value: sumKey },
  exactAverage: () => ({ parts: [high, rest, count], value: averageKey }),
  doubleSum: { parts: doubleParts, value: sumOfParts },
  fieldDoubleSum,
  // Bound texts compare with it as numbers, as with a column: an aggregate alone is of no type.
  extreme: (name, value, { type }) =>
    type.kind === 'bigint' ? `CAST(${name}(${value}) AS INTEGER)` : `${name}(${value})`,
  doubleAverage: {
    parts: [...doubleParts, count],
    value: (parts) => `${sumOfParts(parts)} / ${parts[2]}`,
  },
  isInfinite: (value) => `NOT ${isFinite(value)}`,
};
