import type { Codec, FieldType } from '../api.ts';
import { momentTexts } from '../../specification/stored-forms.ts';
import { plain, shortest } from './plain.ts';
import { accept, wrongType, wrongValue, type SqlValue } from '../values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { Operator } from '../operators.ts';
import { isDate, isDay } from './date.ts';

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3})0*)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/u;

/** RFC 3339 with any offset, no finer than ms → the same moment in UTC as it is stored; else undefined. */
export function parseDatetime(text: string): string | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  const hour = Number(match[4]);
  const minute = Number(match[5]);
  const second = Number(match[6]);
  if (!isDay(year, month, day) || hour > 23 || minute > 59 || second > 59) return undefined;
  // What is written as it is stored needs no reckoning: most that comes from programs is.
  if (text.length === 24 && text[10] === 'T' && text[23] === 'Z') return text;
  const milliseconds = Number((match[7] ?? '0').padEnd(3, '0'));
  const offsetHour = Number(match[9] ?? 0);
  const offsetMinute = Number(match[10] ?? 0);
  if (offsetHour > 23 || offsetMinute > 59) return undefined;
  const offset = (match[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute - offset, second, milliseconds);
  const utcYear = date.getUTCFullYear();
  return utcYear < 1 || utcYear > 9999 ? undefined : date.toISOString();
}

/**
 * `2026-03-01 14:05:00.12+00`, as PostgreSQL writes a timestamptz; any offset, since a session may have its own. What has
 * no RFC 3339 (`infinity`, the year 12000) others may have written, and is shown as it is.
 */
function fromTimestamptz(text: string): string {
  const point = text.charAt(19) === '.';
  if (text.endsWith('+00') && text.charAt(10) === ' ') {
    const fraction = point ? text.slice(20, -3).padEnd(3, '0') : '000';
    return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
  }
  const match = timestamptz.exec(text);
  if (match === null) return text;
  const [, year, month, day, time, sign, hours, minutes = 0, seconds = 0, era] = match;
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
  return utcYear >= 1 && utcYear <= 9999 ? date.toISOString() : text;
}

/** The same without a zone, taken as UTC. */
function fromTimestamp(text: string): string {
  const inUtc = `${text}+00`;
  const moment = fromTimestamptz(inUtc);
  return moment === inUtc ? text : moment;
}

const timestamptz = /^(\d+)-(\d\d)-(\d\d) ([\d:.]+)([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/u;

const milliseconds = (value: unknown): number => Date.parse(String(value));

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
  const seconds = milliseconds(value) / 1000;
  if (Number.isInteger(seconds)) return seconds;
  if (operator === 'gt' || operator === 'lte') return Math.floor(seconds);
  return operator === 'gte' || operator === 'lt' ? Math.ceil(seconds) : never;
}

/** `2026-03-01 14:05:00.000` */
function sqlMilliseconds(value: JsonValue): string {
  return String(value).slice(0, 23).replace('T', ' ');
}

/** The moment of a text as SQL writes it, in UTC; what is finer than ms is cut off. */
function fromSqlText(stored: SqlValue): string {
  return fromMilliseconds(milliseconds(`${String(stored).replace(' ', 'T')}Z`), stored);
}

/** `YYYY-MM-DD`, what stands between day and time, `hh:mm:ss.mmm`, and what says that this is UTC. */
function inTemplate(between: string, end: string): Codec {
  return {
    encode: (value) =>
      `${String(value).slice(0, 10)}${between}${String(value).slice(11, 23)}${end}`,
    decode: (stored) => {
      const text = String(stored);
      const time = milliseconds(`${text.slice(0, 10)}T${text.slice(11, 23)}Z`);
      return text.endsWith(end) ? fromMilliseconds(time, stored) : text;
    },
  };
}

/** A moment as text without a fraction of a second. */
function secondsText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

/** Of RFC 3339 what is no finer than ms. */
const pattern = String.raw`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:[0-5]\d(\.\d{1,3}0*)?([Zz]|[+-]\d{2}:\d{2})$`;

export const datetimeType: FieldType = {
  name: 'datetime',
  otherNames: ['timestamp', 'timestamptz'],
  attributes: ['described', 'column', 'scalar', 'drawnValues', 'template', 'momentForms'],
  json: 'string',
  kind: 'datetime',
  comparison: 'order',
  sortable: true,
  read: (value) => {
    if (typeof value !== 'string') return wrongType('must be a date and time in a string');
    const datetime = parseDatetime(value);
    return datetime === undefined
      ? wrongValue(
          'must be an RFC 3339 date and time with an offset, no finer than ms, such as 2026-03-01T14:05:00.000Z',
        )
      : accept(datetime);
  },
  parse: (text) => parseDatetime(isDate(text) ? `${text}T00:00:00Z` : text),
  expects: () => 'a date and time such as 2026-03-01T14:05:00.000Z, or a date',
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: () => 'timestamptz(3)', form: 'timestamptz' },
  forms: {
    plain,
    timestamptz: { decode: (stored) => fromTimestamptz(String(stored)) },
    /** Without a zone, taken as UTC. */
    timestamp: { decode: (stored) => fromTimestamp(String(stored)) },
    isoText: plain,
    /** `2026-03-01T14:05:00Z` */
    isoSeconds: {
      encode: (value) => secondsText(Math.floor(milliseconds(value) / 1000)),
      decode: (stored) => fromMilliseconds(milliseconds(stored), stored),
      comparand: (value, operator) => {
        const seconds = secondsComparand(value, operator);
        // The second after the last one there is.
        return seconds > lastSecond ? '9999-12-31T23:59:60Z' : secondsText(seconds);
      },
    },
    /** `YYYY-MM-DD hh:mm:ss`, taken as UTC; with ms where there are some, which sorts behind the bare second. */
    sqlText: {
      encode: (value) => sqlMilliseconds(value).replace('.000', ''),
      decode: fromSqlText,
    },
    /** With six digits behind the second, of which the last three are others' alone. */
    sqlMicroseconds: {
      encode: (value) => `${sqlMilliseconds(value)}000`,
      decode: fromSqlText,
      comparand: sqlMilliseconds,
    },
    /** With six digits or three, or none where they would be zeros. */
    sqlMixed: {
      encode: (value) => `${sqlMilliseconds(value)}000`.replace('.000000', ''),
      decode: fromSqlText,
      comparand: sqlMilliseconds,
    },
    isoOffset: inTemplate('T', '+00:00'),
    sqlUtc: inTemplate(' ', 'Z'),
    sqlOffset: inTemplate(' ', ' +00:00'),
    /** Without fractions, which no value that is read has; the time of a default does. */
    unixSeconds: {
      encode: (value) => Math.floor(milliseconds(value) / 1000),
      decode: (stored) => fromMilliseconds(Number(stored) * 1000, stored),
      comparand: secondsComparand,
    },
    unixMilliseconds: {
      encode: milliseconds,
      decode: (stored) => fromMilliseconds(Number(stored), stored),
    },
  },
  existingForms: {
    integer: ['unixSeconds', 'unixMilliseconds'],
    string: momentTexts,
    any: [...momentTexts, 'unixSeconds', 'unixMilliseconds'],
  },
  drawn: { word: 'now', of: (moment) => moment },
  longest: () => shortest,
  schema: () => ({ type: 'string', format: 'date-time' }),
  sentSchema: () => ({ pattern }),
  // A date alone is its midnight.
  comparedSchema: () => ({
    anyOf: [
      { type: 'string', format: 'date-time', pattern },
      { type: 'string', format: 'date' },
    ],
  }),
  wireName: () => 'datetime',
  examples: () => ['2026-03-01T14:05:00.000Z'],
  generated: 'moment',
  recognition: {
    postgres: ['timestamp without time zone', 'timestamp with time zone'],
    // Any other form would be answered in this one.
    text: (text) => parseDatetime(text) === text,
  },
  fromDefault: parseDatetime,
};
