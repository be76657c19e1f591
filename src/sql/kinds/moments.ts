import { isDate } from '../../model/field-types/moments/date.ts';
import { momentText, parseDatetime } from '../../model/field-types/moments/datetime.ts';
import { isTime } from '../../model/field-types/moments/time.ts';
import { counted } from '../../model/values.ts';
import { exact, inForm, type ConvertedColumn, type ConvertedValue, type Kind } from './kind.ts';
import { rounded } from './numbers.ts';
import { baseOf, precisionOf, type StoredKind } from './stored-kind.ts';

// The forms mean the same to both databases. Whether a day is one of the calendar is checked besides.
const day = String.raw`(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`;
const clock = String.raw`([01]\d|2[0-3]):[0-5]\d:[0-5]\d`;

/** The texts that can become a moment: with an offset, and years so that the moment in UTC has four digits as well. */
function momentForm(precision: number): string {
  const fraction = precision === 0 ? '' : String.raw`(\.\d{1,${precision}})?`;
  return String.raw`^(${day}T${clock}${fraction}Z|[1-8]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T${clock}${fraction}[+-](0\d|1[0-4]):[0-5]\d)$`;
}

/** SQL: whether the date at the start of a text exists in the calendar. */
function isDay(text: string): string {
  const first = `make_date(substr(${text}, 1, 4)::int, substr(${text}, 6, 2)::int, 1)`;
  return `substr(${text}, 9, 2)::int <= extract(day FROM ${first} + interval '1 month - 1 day')`;
}

/** 2000-01-01, from which PostgreSQL counts. */
const epoch = BigInt(Date.UTC(2000, 0, 1) / 1000);

/** A moment with so many digits behind the second, the nearest one as PostgreSQL rounds; undefined for other texts. */
function roundedMoment(text: string, precision: number): ConvertedValue | undefined {
  const finest = 9;
  const moment = parseDatetime(text, finest);
  if (moment === undefined) return undefined;
  const unit = 10n ** BigInt(finest);
  const seconds = BigInt(Date.parse(`${moment.slice(0, 19)}Z`) / 1000) - epoch;
  const number = { digits: seconds * unit + BigInt(moment.slice(20, -1)), scale: finest };
  const { digits, isExact } = rounded(number, precision);
  const most = 10n ** BigInt(precision);
  const fraction = ((digits % most) + most) % most;
  const second = new Date(Number((digits - fraction) / most + epoch) * 1000).toISOString();
  const end = precision === 0 ? '' : `.${String(fraction).padStart(precision, '0')}`;
  return { value: `${second.slice(0, 19)}${end}Z`, isExact };
}

function convertMoment(text: string, to: StoredKind): ConvertedValue | undefined {
  const target = baseOf(to);
  if (target === 'date')
    return { value: text.slice(0, 10), isExact: /T00:00:00(?:\.0+)?Z$/u.test(text) };
  if (target === 'time') return { value: text.slice(11, 19), isExact: false };
  return roundedMoment(text, precisionOf(to));
}

function convertTimestamp(column: string, to: StoredKind): ConvertedColumn {
  const target = baseOf(to);
  if (target === 'datetime') {
    const value = `${column}::timestamptz(${precisionOf(to)})`;
    return { value, isInexact: `${value} <> ${column}` };
  }
  const local = `(${column} AT TIME ZONE 'UTC')`;
  if (target === 'time')
    return { value: `date_trunc('second', ${local})::time`, isInexact: `${column} IS NOT NULL` };
  return { value: `${local}::date`, isInexact: `${local} <> ${local}::date::timestamp` };
}

const units: Readonly<Record<number, string>> = {
  0: 'seconds',
  3: 'milliseconds',
  6: 'microseconds',
};

export const date: Kind = {
  becomes: ['datetime'],
  drops: 'the time',
  sqlite: {
    column: 'TEXT',
    fromText: (text) => (isDate(text) ? exact(text) : undefined),
    convert: (text, to) => exact(momentText(`${text}T00:00:00.000Z`, precisionOf(to))),
  },
  postgres: {
    column: () => 'date',
    text: (column) => `to_char(${column}, 'YYYY-MM-DD')`,
    fromText: (text) => ({
      value: inForm(`^${day}$`, text, `CASE WHEN ${isDay(text)} THEN ${text}::date END`),
    }),
    convert: (column) => ({ value: `(${column}::timestamp AT TIME ZONE 'UTC')` }),
  },
};

export const time: Kind = {
  becomes: [],
  drops: 'the date',
  sqlite: {
    column: 'TEXT',
    fromText: (text) => (isTime(text) ? exact(text) : undefined),
  },
  postgres: {
    column: () => 'time without time zone',
    text: (column) => `to_char(${column}, 'HH24:MI:SS')`,
    fromText: (text) => ({ value: inForm(`^${clock}$`, text, `${text}::time`) }),
  },
};

export const datetime: Kind = {
  becomes: ['date', 'time', 'datetime'],
  unit: (kind) => {
    const precision = precisionOf(kind);
    return units[precision] ?? `${counted(precision, 'digit')} of a second`;
  },
  sqlite: {
    column: 'TEXT',
    fromText: (text, to) => {
      const precision = precisionOf(to);
      const isMoment = new RegExp(momentForm(precision), 'u').test(text);
      const moment = isMoment ? parseDatetime(text, precision) : undefined;
      return moment === undefined ? undefined : exact(moment);
    },
    convert: convertMoment,
  },
  postgres: {
    column: (kind) => `timestamp(${precisionOf(kind)}) with time zone`,
    text: (column, kind) => {
      const precision = precisionOf(kind);
      const text = `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`;
      return `left(${text}, ${precision === 0 ? 19 : 20 + precision}) || 'Z'`;
    },
    fromText: (text, to) => ({
      value: inForm(
        momentForm(precisionOf(to)),
        text,
        `CASE WHEN ${isDay(text)} THEN ${text}::timestamptz END`,
      ),
    }),
    convert: convertTimestamp,
  },
};
