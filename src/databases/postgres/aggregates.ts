import type { Field } from '../../model/api.ts';
import { numericOf } from '../../model/field-types/numbers/decimal.ts';
import { placesOfAverage, type DatePart } from '../../model/field-types/group-values.ts';
import type { Aggregates, GroupValue } from '../../sql/dialect.ts';

/** Unix seconds from the year 1 to 9999: PostgreSQL ends a statement whose timestamps are far outside. */
const [firstSecond, lastSecond] = ['-62135596800', '253402300799.999'];
const digitsOfDay = String.raw`(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;
const digitsOfHour = String.raw`[T ]([01]\d|2[0-3])`;

/** A day or moment as a timestamp in UTC; null for what is none in columns that other programs fill. */
function timestampOf(value: string, field: Field, isMember: boolean): string {
  const { attributes, native, type } = field;
  const { storedAs } = attributes;
  if (storedAs === 'unixSeconds') return momentOf(value);
  if (storedAs === 'unixMilliseconds') return momentOf(`${value}::numeric / 1000`);
  const isText =
    isMember ||
    storedAs !== undefined ||
    (native !== undefined && !/^(?:date|timestamp)/u.test(native.type));
  if (isText) return readTimestamp(value, type.kind === 'datetime');
  const isZoned = type.kind === 'datetime' && native?.type !== 'timestamp without time zone';
  return isZoned ? `(${value} AT TIME ZONE 'UTC')` : `${value}::timestamp`;
}

function momentOf(seconds: string): string {
  return `(CASE WHEN ${seconds} BETWEEN ${firstSecond} AND ${lastSecond} THEN to_timestamp(${seconds}) AT TIME ZONE 'UTC' END)`;
}

/**
 * What texts say behind the hour, the zone UTC among it, groups nothing. Days are added to the first of the month: a cast of
 * the 31st of February would end the statement.
 */
function readTimestamp(text: string, hasHour: boolean): string {
  const day = `(substr(${text}, 1, 7) || '-01')::timestamp + (substr(${text}, 9, 2)::int - 1) * interval '1 day'`;
  const hour = hasHour ? ` + substr(${text}, 12, 2)::int * interval '1 hour'` : '';
  return `(CASE WHEN ${text} ~ '^${digitsOfDay}${hasHour ? digitsOfHour : ''}' THEN ${day}${hour} END)`;
}

/** What each part of a timestamp is truncated to, and how that is written. */
const written: Readonly<Record<Exclude<DatePart, 'weekday'>, string>> = {
  year: 'YYYY',
  quarter: 'YYYY"-Q"Q',
  month: 'YYYY-MM',
  week: 'IYYY"-W"IW',
  day: 'YYYY-MM-DD',
  hour: 'YYYY-MM-DD"T"HH24',
};

const first = (parts: readonly string[]): string => parts[0] ?? '';

/** Beneath it no sum of doubles is beyond them: it would take 10^18 of these. */
const addable = '1e290';

/**
 * A sum of doubles that overflows on its way is an error of the whole statement: the large ones are added up as exact numbers,
 * with the digits of their texts.
 */
const doubleParts: GroupValue['parts'] = [
  (value) => `sum(${value}::double precision) FILTER (WHERE ${isAddable(value)})`,
  (value) =>
    `sum(${value}::double precision::text::numeric) FILTER (WHERE NOT ${isAddable(value)})`,
];

function isAddable(value: string): string {
  return `abs(${value}::double precision) < ${addable}`;
}

/** The sum of `doubleParts`, or `beyond` if no double can hold it. */
function sumOfParts([small = '', large = '']: readonly string[], beyond: string): string {
  const sum = `(${large} + coalesce(${small}, 0)::text::numeric)`;
  return `(CASE WHEN ${large} IS NULL THEN ${small} WHEN abs(${sum}) < 1.797693134862315807e308 THEN ${sum}::double precision ELSE ${beyond} END)`;
}

const infinity = `'Infinity'::double precision`;

function fieldDoubleSum(value: string): string {
  const parts = doubleParts.map((write) => write(value));
  return sumOfParts(parts, 'NULL');
}

export const aggregates: Aggregates = {
  fieldSum: (value, { type, precision, scale }) => {
    const sum = `sum(${value})`;
    if (type.kind === 'integer')
      return `CASE WHEN ${sum} BETWEEN -9007199254740991 AND 9007199254740991 THEN ${sum}::bigint END`;
    const most = `1e${Math.max(precision, 18) - scale}`;
    return `CASE WHEN abs(${sum}) < ${most} THEN ${sum} END`;
  },
  // The digits of the sum as a double, then the places, then the count: the steps, and the roundings, of SQLite.
  fieldAverage: (value, { type, scale }) => {
    if (type.number === 'double') return `${fieldDoubleSum(value)} / count(${value})`;
    if (type.kind !== 'decimal') return `sum(${value})::double precision / count(${value})`;
    return `(sum(${value}) * 1e${scale})::double precision / '1e${scale}'::double precision / count(${value})`;
  },
  fieldDoubleSum,
  extreme: (name, value) => `${name}(${value})`,
  // Records are grouped by the truncated timestamp; only the groups are written as texts.
  datePart: (field, part, isMember) => {
    if (part === 'weekday')
      return {
        parts: [(value) => `extract(isodow FROM ${timestampOf(value, field, isMember)})::int`],
        value: first,
      };
    return {
      parts: [(value) => `date_trunc('${part}', ${timestampOf(value, field, isMember)})`],
      value: ([moment = '']) => `(to_char(${moment}, '${written[part]}') COLLATE "C")`,
    };
  },
  exact: (value, { attributes: { storedAs }, scale, type }, isMember) => {
    if (isMember && type.json === 'string') return numericOf(value);
    // As text a double has all of its digits.
    if (isMember) return `${value}::text::numeric`;
    if (storedAs === 'real') return `round(${value}::numeric, ${scale})`;
    if (storedAs === 'scaled') return `(${value}::numeric * 1e-${scale})`;
    return value;
  },
  exactSum: { parts: [(value) => `sum(${value})`], value: ([sum]) => `${sum}::numeric` },
  // A quotient of numeric is rounded by itself; that of whole numbers is not.
  exactAverage: (scale) => {
    const places = scale + placesOfAverage;
    return {
      parts: [(value) => `sum(${value})`, (value) => `count(${value})`],
      value: ([sum, count]) =>
        `(sign(${sum}::numeric) * div(2 * abs(${sum}::numeric) * 1e${places} + ${count}, 2 * ${count}::numeric) * 1e-${places})`,
    };
  },
  doubleSum: { parts: doubleParts, value: (parts) => sumOfParts(parts, infinity) },
  // \`avg\` also adds up squares, which overflow long before the sum does.
  doubleAverage: {
    parts: [...doubleParts, (value) => `count(${value})`],
    value: (parts) => `${sumOfParts(parts, infinity)} / nullif(${parts[2]}, 0)`,
  },
  isInfinite: (value) => `${value} = ${infinity}`,
};
