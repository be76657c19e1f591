import { breaks } from '../../../problem-rules.ts';
import type { FieldType } from '../../api.ts';
import { plain, shortest } from '../plain.ts';
import { accept, wrongType, wrongValue } from '../../values.ts';

/** A pattern of GLOB in SQLite. */
export const sqliteDay = '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]';

/** Whether the three numbers are a day of the calendar, years 1 to 9999. */
export function isDay(year: number, month: number, day: number): boolean {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= days;
}

/** Whether the text is `YYYY-MM-DD` and a day of the calendar. */
export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(text);
  return match !== null && isDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

export const dateType: FieldType = {
  name: 'date',
  attributes: ['described', 'column', 'scalar', 'drawnValues', 'template'],
  json: 'string',
  kind: 'date',
  comparison: 'order',
  sortable: true,
  read: (value) => {
    if (typeof value !== 'string')
      return wrongType('must be a date in a string', breaks('type', { expected: 'date' }));
    return isDate(value)
      ? accept(value)
      : wrongValue('must be a date such as 2026-03-01', breaks('format', { format: 'date' }));
  },
  parse: (text) => (isDate(text) ? text : undefined),
  expects: () => 'a date such as 2026-03-01',
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: () => 'date', form: 'date' },
  forms: { plain, date: plain },
  drawn: { word: 'now', of: (moment) => moment.slice(0, 10) },
  longest: () => shortest,
  schema: () => ({ type: 'string', format: 'date' }),
  wireName: () => 'date',
  examples: () => ['2026-03-01'],
  generated: 'day',
  recognition: {
    text: isDate,
    sqlite: { condition: `c GLOB '${sqliteDay}' AND date(c) IS c`, isOfTexts: true },
  },
  fromDefault: (text) => (isDate(text) ? text : undefined),
};
