import type { FieldType } from '../api.ts';
import { boundsSchema, defaultNumber, exampleNumbers, wholeNumbers } from './numbers.ts';
import { plain, shortest } from './plain.ts';
import { accept, wrongType, wrongValue, type ParsedValue } from '../values.ts';
import { ExactNumber, parseJsonNumber, rescale } from '../exact-number.ts';

/** Reads a whole number between −(2⁵³−1) and 2⁵³−1. */
export function readInteger(value: unknown): ParsedValue {
  const number = value instanceof ExactNumber ? Number(value.text) : value;
  if (typeof number !== 'number') return wrongType('must be a number');
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER)
    return wrongValue('must be between -9007199254740991 and 9007199254740991');
  // The double of a number may be whole where the number itself is not.
  const exact = value instanceof ExactNumber ? parseJsonNumber(value.text) : undefined;
  const isWhole = exact === undefined ? value === number : rescale(exact, 0) !== undefined;
  if (!Number.isInteger(number) || !isWhole) return wrongValue('must be a whole number');
  return accept(number === 0 ? 0 : number);
}

/** The whole number that a filter's text is; undefined for any other text, and beyond ±(2⁵³−1). */
export function parseInteger(text: string): number | undefined {
  if (!/^-?\d{1,30}$/u.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? (value === 0 ? 0 : value) : undefined;
}

export const integerType: FieldType = {
  name: 'integer',
  otherNames: ['bigint', 'long', 'smallint', 'tinyint', 'int4', 'int8', 'serial', 'bigserial'],
  attributes: ['described', 'column', 'scalar', 'drawnValues', 'wholeNumber'],
  json: 'integer',
  kind: 'integer',
  number: 'whole',
  comparison: 'order',
  sortable: true,
  read: readInteger,
  parse: parseInteger,
  expects: () => 'a whole number',
  sqlite: { column: () => 'INTEGER', form: 'plain' },
  postgres: { column: () => 'bigint', form: 'plain' },
  forms: { plain },
  longest: () => shortest,
  schema: () => ({ type: 'integer', format: 'int64' }),
  sentSchema: (field) => (field.values === undefined ? boundsSchema(field, wholeNumbers) : {}),
  wireName: () => 'integer',
  examples: exampleNumbers,
  generated: 'number',
  recognition: {
    postgres: ['smallint', 'integer', 'bigint'],
    postgresItems: ['smallint', 'integer', 'bigint'],
  },
  fromDefault: (text) => defaultNumber(text, Number.isSafeInteger),
};
