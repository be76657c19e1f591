import { breaks } from '../../../problem-rules.ts';
import type { Codec, FieldType } from '../../api.ts';
import { accept, counted, wrongType, wrongValue } from '../../values.ts';
import type { Field } from '../../api.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { JsonSchema } from '../../json-schema.ts';
import { anyDecimalType } from './any-decimal.ts';
import { boundsSchema, decimalMember, exampleNumbers } from './numbers.ts';
import { plain, shortest } from '../plain.ts';
import {
  ExactNumber,
  floorTo,
  formatScaled,
  parseDecimal,
  parseJsonNumber,
  rescale,
  type Scaled,
} from '../../exact-number.ts';
import type { Operator } from '../../operators.ts';

/** Above every scaled value that a column can hold (18 digits): equal to none of them. */
const beyond = 4_000_000_000_000_000_000n;

function parsed(value: JsonValue): Scaled {
  const scaled = parseDecimal(String(value));
  if (scaled === undefined) throw new TypeError('A decimal reached its codec unread');
  return scaled;
}

function clamp(digits: bigint): bigint {
  return digits > beyond ? beyond : digits < -beyond ? -beyond : digits;
}

/** Rounds so that comparing whole scaled numbers answers as comparing the decimals would. */
function scaledComparand(value: JsonValue, operator: Operator, field: Field): bigint {
  const scaled = parsed(value);
  const exact = rescale(scaled, field.scale);
  if (exact !== undefined) return clamp(exact);
  const floor = clamp(floorTo(scaled, field.scale));
  if (operator === 'gt' || operator === 'lte') return floor;
  if (operator === 'gte' || operator === 'lt') return floor + 1n;
  return beyond;
}

const scaled: Codec = {
  encode: (value, field) => {
    const digits = rescale(parsed(value), field.scale);
    if (digits === undefined) throw new TypeError('A decimal reached its codec unchecked');
    return digits;
  },
  decode: (stored, field) => formatScaled(stored as number | string, field.scale),
  comparand: scaledComparand,
  readAsText: (field) => field.precision > 15,
};

const real: Codec = {
  encode: (value) => Number(value),
  // Adding 0 takes the sign from −0.
  decode: (stored, field) => (Number(Number(stored).toFixed(field.scale)) + 0).toFixed(field.scale),
  comparand: (value) => Number(value),
};

/** Compared as the number that it is, which a double tells apart up to 15 digits. */
const text: Codec = {
  encode: String,
  decode: (stored, field) => {
    // A number where it was sorted by.
    if (typeof stored !== 'string') return real.decode?.(stored, field) ?? null;
    const value = parseDecimal(stored);
    const digits = value && rescale(value, field.scale);
    return digits === undefined ? stored : formatScaled(digits, field.scale);
  },
  comparand: (value) => Number(value),
};

/** At most as many digits before and behind the point as there is room for; zeros that say nothing do not count. */
function sentPattern({ precision, scale }: Field): string {
  const whole = precision > scale ? String.raw`0*\d{1,${precision - scale}}` : '0+';
  const fraction = scale > 0 ? String.raw`\d{1,${scale}}0*` : '0+';
  return String.raw`^-?${whole}(\.${fraction})?$`;
}

function sentSchema(field: Field): JsonSchema {
  const { precision, scale } = field;
  // To the next double.
  const most = Number(formatScaled(10n ** BigInt(precision) - 1n, scale));
  return {
    type: ['string', scale === 0 ? 'integer' : 'number'],
    pattern: sentPattern(field),
    ...boundsSchema(field, { minimum: -most, maximum: most }),
  };
}

/** The number that a text is in PostgreSQL; of one that is none, null. */
export function numericOf(text: string): string {
  return String.raw`(CASE WHEN ${text} ~ '^-?\d{1,99}(\.\d{1,99})?$' THEN ${text}::numeric END)`;
}

/** A decimal without what it has as a column of its own. */
const base: Omit<FieldType, 'member'> = {
  name: 'decimal',
  otherNames: ['numeric', 'money', 'currency'],
  attributes: [
    'described',
    'column',
    'scalar',
    'drawnValues',
    'template',
    'decimal',
    'decimalForms',
  ],
  json: 'string',
  kind: 'decimal',
  number: 'exact',
  takesNumbers: true,
  comparison: 'order',
  sortable: true,
  read: (value, field) => {
    if (typeof value !== 'string' && typeof value !== 'number' && !(value instanceof ExactNumber))
      return wrongType(
        'must be a decimal in a string, such as "19.90", or a number',
        breaks('type', { expected: 'decimal' }),
      );
    const decimal =
      typeof value === 'string'
        ? parseDecimal(value)
        : parseJsonNumber(value instanceof ExactNumber ? value.text : String(value));
    if (decimal === undefined)
      return wrongValue(
        'must be a plain decimal number such as "19.90"',
        breaks('format', { format: 'decimal' }),
      );
    const digits = rescale(decimal, field.scale);
    if (digits === undefined)
      return wrongValue(
        field.scale === 0
          ? 'must be a whole number'
          : `must have at most ${counted(field.scale, 'decimal place')}`,
        breaks('decimalPlaces', { max: field.scale }),
      );
    const most = 10n ** BigInt(field.precision) - 1n;
    if (digits > most || digits < -most) {
      const bound = formatScaled(most, field.scale);
      return wrongValue(
        `must be between -${bound} and ${bound}`,
        breaks('range', { min: `-${bound}`, max: bound }),
      );
    }
    return accept(formatScaled(digits, field.scale));
  },
  parse: (source, field) => {
    const value = parseDecimal(source);
    const digits = value && rescale(value, field.scale);
    // As it stands on the wire, where it can stand there at all: so it is looked for in arrays.
    return value === undefined || digits === undefined
      ? value && source
      : formatScaled(digits, field.scale);
  },
  expects: () => 'a plain decimal number such as 19.90',
  sqlite: {
    column: () => 'INTEGER',
    form: 'scaled',
    // All decimals of a field have the same number of places, so without the point they are whole numbers.
    itemOrder: (text) => `CAST(replace(${text}, '.', '') AS INTEGER)`,
  },
  postgres: {
    column: ({ precision, scale }) => `numeric(${precision}, ${scale})`,
    form: 'numeric',
    itemOrder: numericOf,
  },
  forms: { scaled, real, text, numeric: plain },
  existingForms: {
    // A column of whole numbers cannot tell 19 from 0.19: it is the scaled integer, as in tables of the service.
    integer: ['scaled', 'real'],
    number: ['real'],
    string: ['text'],
    any: ['real'],
  },
  longest: () => shortest,
  schema: () => ({ type: 'string', format: 'decimal', pattern: String.raw`^-?\d+(\.\d+)?$` }),
  sentSchema,
  note: ({ scale, precision }) =>
    `An exact decimal in a string, with ${counted(scale, 'decimal place')} and at most ${counted(precision, 'digit')}.`,
  wireName: ({ scale }) => `decimal with ${scale} places`,
  examples: (field) => exampleNumbers(field).map(String),
  generated: 'number',
  fromDefault: (written, { scale = 2 }) =>
    /^-?\d+(?:\.\d+)?$/u.test(written) && (written.split('.')[1]?.length ?? 0) <= Number(scale)
      ? written
      : undefined,
};

export const decimalType: FieldType = {
  ...base,
  member: decimalMember(base),
  variant: ({ scale }) => (scale === 'any' ? anyDecimalType : decimalType),
};
