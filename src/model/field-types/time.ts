import type { FieldType } from '../api.ts';
import { plain } from './plain.ts';
import { accept, wrongType, wrongValue } from '../values.ts';
import { operatorSets } from '../operators.ts';

/** Whether a text is a time of day to the second. */
export function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/u.test(text);
}

export const timeType: FieldType = {
  name: 'time',
  operators: operatorSets.ordered,
  sortable: true,
  read: (value) => {
    if (typeof value !== 'string') return wrongType('must be a time in a string');
    return isTime(value) ? accept(value) : wrongValue('must be a time such as 14:05:00');
  },
  parse: (text) => (isTime(text) ? text : undefined),
  expects: () => 'a time such as 14:05:00',
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: () => 'time', form: 'time' },
  forms: { plain, time: plain },
};
