import { breaks } from '../../../problem-rules.ts';
import type { Codec, Field, FieldType } from '../../api.ts';
import { momentTexts } from '../../../specification/stored-forms.ts';
import { plain, shortest } from '../plain.ts';
import { accept, counted, wrongType, wrongValue, type SqlValue } from '../../values.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { Operator } from '../../operators.ts';
import { isDate, isDay } from './date.ts';

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9})0*)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/u;

/** The digits behind the second where a field says nothing of them. */
export const milliseconds = 3;

/** A moment to the second, and the digits behind that, as it is on the wire. */
function inUtc(second: string, fraction: string, precision: number): string {
  return precision === 0 ? `${second}Z` : `${second}.${fraction.padEnd(precision, '0')}Z`;
}

/** A moment in milliseconds, as `toISOString` gives it, with so many digits behind the second; more are cut off. */
export function momentText(moment: string, precision: number): string {
  return precision === milliseconds
    ? moment
    : inUtc(moment.slice(0, 19), moment.slice(20, -1).slice(0, precision), precision);
}

/** RFC 3339 with any offset, no finer than `precision` → the same moment in UTC as it is stored; else undefined. */
export function parseDatetime(text: string, precision = milliseconds): string | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  const hour = Number(match[4]);
  const minute = Number(match[5]);
  const second = Number(match[6]);
  if (!isDay(year, month, day) || hour > 23 || minute > 59 || second > 59) return undefined;
  let fraction = match[7] ?? '';
  if (fraction.length > precision) fraction = fraction.replace(/0+$/u, '');
  if (fraction.length > precision) return undefined;
  // What is written as it is stored needs no reckoning: most that comes from programs is.
  const length = precision === 0 ? 20 : 21 + precision;
  if (text.length === length && text[10] === 'T' && text[length - 1] === 'Z') return text;
  const offsetHour = Number(match[9] ?? 0);
  const offsetMinute = Number(match[10] ?? 0);
  if (offsetHour > 23 || offsetMinute > 59) return undefined;
  const offset = (match[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute - offset, second);
  const utcYear = date.getUTCFullYear();
  return utcYear < 1 || utcYear > 9999
    ? undefined
    : inUtc(date.toISOString().slice(0, 19), fraction, precision);
}

/**
 * `2026-03-01 14:05:00.12+00`, as PostgreSQL writes a timestamptz; any offset, since a session may have its own. What has
 * no RFC 3339 (`infinity`, the year 12000) others may have written, and is shown as it is.
 */
export function fromTimestamptz(text: string, precision: number): string {
  const point = text.charAt(19) === '.';
  if (text.endsWith('+00') && text.charAt(10) === ' ') {
    const fraction = (point ? text.slice(20, -3) : '').padEnd(precision, '0');
    const end = fraction === '' ? 'Z' : `.${fraction}Z`;
    return `${text.slice(0, 10)}T${text.slice(11, 19)}${end}`;
  }
  const match = timestamptz.exec(text);
  if (match === null) return text;
  const [, year, month, day, time, fraction = '', sign, hours, minutes = 0, seconds = 0, era] =
    match;
  // Near the first and the last year a session that is elsewhere may be in the one before or after.
  const local = new Date(`2000-${month}-${day}T${time}Z`);
  local.setUTCFullYear(
    era === undefined ? Number(year) : 1 - Number(year),
    Number(month) - 1,
    Number(day),
  );
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  const date = new Date(local.getTime() - (sign === '-' ? -1000 : 1000) * size);
  const utcYear = date.getUTCFullYear();
  return utcYear >= 1 && utcYear <= 9999
    ? inUtc(date.toISOString().slice(0, 19), fraction, Math.max(precision, fraction.length))
    : text;
}

/** The same without a zone, taken as UTC. */
export function fromTimestamp(text: string, precision: number): string {
  const zoned = `${text}+00`;
  const moment = fromTimestamptz(zoned, precision);
  return moment === zoned ? text : moment;
}

const timestamptz =
  /^(\d+)-(\d\d)-(\d\d) ([\d:]+)(?:\.(\d+))?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/u;

const timeOf = (value: unknown): number => Date.parse(String(value));

/** The moment of a time in ms; others may have written what is none, which is shown as it is. */
function fromMilliseconds(time: number, stored: SqlValue): string {
  const date = new Date(Math.round(time));
  return Number.isNaN(date.getTime()) ? String(stored) : date.toISOString();
}

/** A whole number that no moment has. */
const never = Number.MAX_SAFE_INTEGER;

const lastSecond = 253_402_300_799;

/** Rounds so that comparing whole seconds answers as comparing the moments would. */
function secondsComparand(value: JsonValue, operator: Operator): number {
  const seconds = timeOf(value) / 1000;
  if (Number.isInteger(seconds)) return seconds;
  if (operator === 'gt' || operator === 'lte') return Math.floor(seconds);
  return operator === 'gte' || operator === 'lt' ? Math.ceil(seconds) : never;
}

/** `2026-03-01 14:05:00.000`, with as many digits as the moment has. */
function sqlText(value: JsonValue): string {
  return String(value).slice(0, -1).replace('T', ' ');
}

/** The moment of a text as SQL writes it, in UTC; what is finer than the field is cut off. */
function fromSqlText(stored: SqlValue, { precision }: Field): string {
  const text = String(stored);
  const time = timeOf(`${text.replace(' ', 'T')}Z`);
  if (precision === milliseconds || Number.isNaN(time)) return fromMilliseconds(time, stored);
  const [, fraction = ''] = /\.(\d+)$/u.exec(text) ?? [];
  return inUtc(new Date(time).toISOString().slice(0, 19), fraction.slice(0, precision), precision);
}

/** `YYYY-MM-DD`, what stands between day and time, `hh:mm:ss.mmm`, and what says that this is UTC. */
function inTemplate(between: string, end: string): Codec {
  return {
    encode: (value) =>
      `${String(value).slice(0, 10)}${between}${String(value).slice(11, 23)}${end}`,
    decode: (stored) => {
      const text = String(stored);
      const time = timeOf(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`);
      return text.endsWith(end) ? fromMilliseconds(time, stored) : text;
    },
  };
}

/** A moment as text without a fraction of a second. */
function secondsText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** The digits behind the second of values that are read: other programs may write finer ones than the field takes. */
function storedPrecision({ precision, native }: Field): number {
  return Math.max(precision, native?.limits?.precision ?? 0);
}

/** Of RFC 3339 what is no finer than these digits. */
function patternOf(precision: number): string {
  const fraction = precision === 0 ? '0+' : String.raw`\d{1,${precision}}0*`;
  return String.raw`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:[0-5]\d(\.${fraction})?([Zz]|[+-]\d{2}:\d{2})$`;
}

function exampleOf({ precision }: Field): string {
  return momentText('2026-03-01T14:05:00.000Z', precision);
}

/** How fine moments may be, in words. */
function finest(precision: number): string {
  if (precision === 0) return 'in whole seconds';
  return precision === milliseconds
    ? 'no finer than ms'
    : `with at most ${counted(precision, 'digit')} behind the second`;
}

export const datetimeType: FieldType = {
  name: 'datetime',
  otherNames: ['timestamp', 'timestamptz'],
  attributes: [
    'described',
    'column',
    'scalar',
    'drawnValues',
    'template',
    'momentDigits',
    'momentForms',
  ],
  digits: { precision: milliseconds, scale: 0 },
  json: 'string',
  kind: 'datetime',
  comparison: 'order',
  sortable: true,
  read: (value, field) => {
    if (typeof value !== 'string')
      return wrongType(
        'must be a date and time in a string',
        breaks('type', { expected: 'datetime' }),
      );
    const datetime = parseDatetime(value, field.precision);
    return datetime === undefined
      ? wrongValue(
          `must be an RFC 3339 date and time with an offset, ${finest(field.precision)}, such as ${exampleOf(field)}`,
          breaks('format', { format: 'datetime' }),
        )
      : accept(datetime);
  },
  parse: (text, field) =>
    parseDatetime(isDate(text) ? `${text}T00:00:00Z` : text, storedPrecision(field)),
  expects: (field) => `a date and time such as ${exampleOf(field)}, or a date`,
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: ({ precision }) => `timestamptz(${precision})`, form: 'timestamptz' },
  forms: {
    plain,
    timestamptz: {
      decode: (stored, { precision }) => fromTimestamptz(String(stored), precision),
    },
    /** Without a zone, taken as UTC. */
    timestamp: { decode: (stored, { precision }) => fromTimestamp(String(stored), precision) },
    isoText: plain,
    /** `2026-03-01T14:05:00Z` */
    isoSeconds: {
      encode: (value) => secondsText(Math.floor(timeOf(value) / 1000)),
      decode: (stored) => fromMilliseconds(timeOf(stored), stored),
      comparand: (value, operator) => {
        const seconds = secondsComparand(value, operator);
        // The second after the last one there is.
        return seconds > lastSecond ? '9999-12-31T23:59:60Z' : secondsText(seconds);
      },
    },
    /** `YYYY-MM-DD hh:mm:ss`, taken as UTC; with ms where there are some, which sorts behind the bare second. */
    sqlText: {
      encode: (value) => sqlText(value).replace('.000', ''),
      decode: fromSqlText,
    },
    /** With six digits behind the second. */
    sqlMicroseconds: { encode: sqlText, decode: fromSqlText },
    /** With six digits or three, or none where they would be zeros. */
    sqlMixed: {
      encode: (value) => sqlText(value).replace('.000000', ''),
      decode: fromSqlText,
      comparand: sqlText,
    },
    isoOffset: inTemplate('T', '+00:00'),
    sqlUtc: inTemplate(' ', 'Z'),
    sqlOffset: inTemplate(' ', ' +00:00'),
    /** Without fractions, which no value that is read has; the time of a default does. */
    unixSeconds: {
      encode: (value) => Math.floor(timeOf(value) / 1000),
      decode: (stored) => fromMilliseconds(Number(stored) * 1000, stored),
      comparand: secondsComparand,
    },
    unixMilliseconds: {
      encode: timeOf,
      decode: (stored) => fromMilliseconds(Number(stored), stored),
    },
  },
  existingForms: {
    integer: ['unixSeconds', 'unixMilliseconds'],
    string: momentTexts,
    any: [...momentTexts, 'unixSeconds', 'unixMilliseconds'],
  },
  drawn: { word: 'now', of: (moment, { precision }) => momentText(moment, precision) },
  longest: () => shortest,
  schema: () => ({ type: 'string', format: 'date-time' }),
  sentSchema: ({ precision }) => ({ pattern: patternOf(precision) }),
  // A date alone is its midnight.
  comparedSchema: (field) => ({
    anyOf: [
      { type: 'string', format: 'date-time', pattern: patternOf(storedPrecision(field)) },
      { type: 'string', format: 'date' },
    ],
  }),
  wireName: ({ precision }) =>
    precision === milliseconds ? 'datetime' : `datetime with ${counted(precision, 'digit')}`,
  examples: (field) => [exampleOf(field)],
  generated: 'moment',
  recognition: {
    // Any other form would be answered in this one.
    text: (text) => parseDatetime(text) === text,
  },
  fromDefault: (text, { precision }) => parseDatetime(text, precision),
};
