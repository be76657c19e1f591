import { breaks } from '../../../problem-rules.ts';
import type { FieldType } from '../../api.ts';
import { plain, shortest } from '../plain.ts';
import { accept, wrongType, wrongValue } from '../../values.ts';

/** Whether a text is a time of day to the second. */
export function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/u.test(text);
}

const pattern = String.raw`^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$`;

export const timeType: FieldType = {
  name: 'time',
  attributes: ['described', 'column', 'scalar', 'drawnValues', 'template'],
  json: 'string',
  kind: 'time',
  comparison: 'order',
  sortable: true,
  read: (value) => {
    if (typeof value !== 'string')
      return wrongType('must be a time in a string', breaks('type', { expected: 'time' }));
    return isTime(value)
      ? accept(value)
      : wrongValue('must be a time such as 14:05:00', breaks('format', { format: 'time' }));
  },
  parse: (text) => (isTime(text) ? text : undefined),
  expects: () => 'a time such as 14:05:00',
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: () => 'time', form: 'time' },
  forms: { plain, time: plain },
  drawn: { word: 'now', of: (moment) => moment.slice(11, 19) },
  longest: () => shortest,
  // Tables of others may hold what is no time of a day.
  schema: () => ({ type: 'string', pattern: String.raw`^\d{2}:\d{2}:\d{2}$` }),
  sentSchema: () => ({ pattern }),
  comparedSchema: () => ({ type: 'string', pattern }),
  wireName: () => 'time',
  examples: () => ['14:05:00'],
  generated: 'time',
  recognition: { text: isTime },
  fromDefault: (text) => (isTime(text) ? text : undefined),
};
