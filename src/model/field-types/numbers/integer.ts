import { breaks, type BrokenRule } from '../../../problem-rules.ts';
import type { Codec, Field, FieldType } from '../../api.ts';
import type { JsonSchema } from '../../json-schema.ts';
import { numericOf } from './decimal.ts';
import { boundsSchema, defaultNumber, exampleNumbers, wholeNumbers } from './numbers.ts';
import { plain, shortest } from '../plain.ts';
import { accept, wrongType, wrongValue, type ParsedValue } from '../../values.ts';
import { ExactNumber, parseJsonNumber, rescale } from '../../exact-number.ts';

/** Reads a whole number between −(2⁵³−1) and 2⁵³−1. */
export function readInteger(value: unknown): ParsedValue {
  const number = value instanceof ExactNumber ? Number(value.text) : value;
  if (typeof number !== 'number')
    return wrongType('must be a number', breaks('type', { expected: 'integer' }));
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER)
    return wrongValue(
      'must be between -9007199254740991 and 9007199254740991',
      breaks('range', { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
    );
  // The double of a number may be whole where the number itself is not.
  const exact = value instanceof ExactNumber ? parseJsonNumber(value.text) : undefined;
  const isWhole = exact === undefined ? value === number : rescale(exact, 0) !== undefined;
  if (!Number.isInteger(number) || !isWhole)
    return wrongValue('must be a whole number', breaks('type', { expected: 'integer' }));
  return accept(number === 0 ? 0 : number);
}

/** The whole number that a filter's text is; undefined for any other text, and beyond ±(2⁵³−1). */
export function parseInteger(text: string): number | undefined {
  if (!/^-?\d{1,30}$/u.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? (value === 0 ? 0 : value) : undefined;
}

const leastBigint = -(2n ** 63n);
const mostBigint = 2n ** 63n - 1n;

/** The rule that a text breaks which is no whole number of 64 bits. */
function brokenByBigint(text: string): BrokenRule {
  return /^-?\d+$/u.test(text)
    ? breaks('range', { min: String(leastBigint), max: String(mostBigint) })
    : breaks('format', { format: 'integer' });
}

/** The whole number of 64 bits that a text is, as it is on the wire; undefined for any other text. */
export function parseBigint(text: string): string | undefined {
  if (!/^-?\d{1,30}$/u.test(text)) return undefined;
  const value = BigInt(text);
  return value < leastBigint || value > mostBigint ? undefined : String(value);
}

/** Reads a whole number of 64 bits, in a string or as a number. */
export function readBigint(value: unknown): ParsedValue {
  if (typeof value === 'string') {
    const text = parseBigint(value);
    return text === undefined
      ? wrongValue(`must be ${expectsBigint()}`, brokenByBigint(value))
      : accept(text);
  }
  if (typeof value !== 'number' && !(value instanceof ExactNumber))
    return wrongType(
      'must be a whole number in a string, such as "42", or a number',
      breaks('type', { expected: 'integer' }),
    );
  const exact = parseJsonNumber(value instanceof ExactNumber ? value.text : String(value));
  const whole = exact && rescale(exact, 0);
  if (exact !== undefined && whole === undefined)
    return wrongValue('must be a whole number', breaks('type', { expected: 'integer' }));
  return whole === undefined || whole < leastBigint || whole > mostBigint
    ? wrongValue(`must be ${expectsBigint()}`, brokenByBigint(String(whole)))
    : accept(String(whole));
}

export function expectsBigint(): string {
  return `a whole number from ${leastBigint} to ${mostBigint}`;
}

/** A column of 64 bits. Read as text, its values are what they are on the wire, so they need no conversion. */
export const digits: Codec = { decode: String, readAsText: () => true };

export const bigintSchema: JsonSchema = {
  type: 'string',
  format: 'int64',
  pattern: String.raw`^-?(0|[1-9]\d{0,18})$`,
};

/** In a body, a number as well; its bounds hold for numbers, and are told in words for strings. */
export function sentBigint(field: Field): JsonSchema {
  return {
    type: ['string', 'integer'],
    pattern: String.raw`^-?\d{1,30}$`,
    ...(field.values === undefined ? boundsSchema(field) : {}),
  };
}

/** A whole number of 64 bits without what it has as a column of its own. */
const bigint: Omit<FieldType, 'member'> = {
  name: 'integer',
  attributes: ['described', 'column', 'scalar', 'drawnValues', 'wholeNumber', 'integerFormat'],
  json: 'string',
  kind: 'bigint',
  number: 'exact',
  digits: { precision: 19, scale: 0 },
  takesNumbers: true,
  allowed: ({ enum: listed }) => listed?.map((value) => parseBigint(String(value)) ?? value),
  comparison: 'order',
  sortable: true,
  read: readBigint,
  parse: parseBigint,
  expects: expectsBigint,
  sqlite: {
    column: () => 'INTEGER',
    form: 'digits',
    itemOrder: (text) => `CAST(${text} AS INTEGER)`,
  },
  postgres: { column: () => 'bigint', form: 'digits', itemOrder: numericOf },
  forms: { digits },
  longest: () => shortest,
  schema: () => bigintSchema,
  sentSchema: sentBigint,
  note: () => 'A whole number of 64 bits in a string.',
  wireName: () => 'integer in a string',
  examples: (field) => exampleNumbers(field).map(String),
  generated: 'number',
  fromDefault: parseBigint,
};

/**
 * `format: bigint`: JSON has no exact numbers that large, so on the wire it is a string. Inside an object it is compared
 * for equality alone, as a decimal is. See docs/contract/1-specification-file.md#field-types, rule 15.
 */
export const bigintType: FieldType = {
  ...bigint,
  member: {
    ...bigint,
    comparison: 'equality',
    sortable: false,
    sqlite: { column: () => 'TEXT', form: 'plain' },
    postgres: { column: () => 'text', form: 'plain' },
    forms: { plain },
  },
};

export const integerType: FieldType = {
  name: 'integer',
  otherNames: ['bigint', 'long', 'smallint', 'tinyint', 'int4', 'int8', 'serial', 'bigserial'],
  attributes: ['described', 'column', 'scalar', 'drawnValues', 'wholeNumber', 'integerFormat'],
  variant: ({ format }) => (format === undefined ? integerType : bigintType),
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
  fromDefault: (text) => defaultNumber(text, Number.isSafeInteger),
};
