import type { Codec, FieldType } from '../api.ts';
import { accept, counted, wrongType, wrongValue } from '../values.ts';
import type { Field } from '../api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { plain } from './plain.ts';
import {
  ExactNumber,
  floorTo,
  formatScaled,
  parseDecimal,
  parseJsonNumber,
  rescale,
  type Scaled,
} from '../exact-number.ts';
import type { Operator } from '../operators.ts';
import { operatorSets } from '../operators.ts';

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

export const decimalType: FieldType = {
  name: 'decimal',
  operators: operatorSets.ordered,
  sortable: true,
  read: (value, field) => {
    if (typeof value !== 'string' && typeof value !== 'number' && !(value instanceof ExactNumber))
      return wrongType('must be a decimal in a string, such as "19.90", or a number');
    const decimal =
      typeof value === 'string'
        ? parseDecimal(value)
        : parseJsonNumber(value instanceof ExactNumber ? value.text : String(value));
    if (decimal === undefined) return wrongValue('must be a plain decimal number such as "19.90"');
    const digits = rescale(decimal, field.scale);
    if (digits === undefined)
      return wrongValue(
        field.scale === 0
          ? 'must be a whole number'
          : `must have at most ${counted(field.scale, 'decimal place')}`,
      );
    const most = 10n ** BigInt(field.precision) - 1n;
    if (digits > most || digits < -most) {
      const bound = formatScaled(most, field.scale);
      return wrongValue(`must be between -${bound} and ${bound}`);
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
  sqlite: { column: () => 'INTEGER', form: 'scaled' },
  postgres: {
    column: ({ precision, scale }) => `numeric(${precision}, ${scale})`,
    form: 'numeric',
  },
  forms: { scaled, real, text, numeric: plain },
};

/**
 * A decimal inside an object: a string that can be compared for equality and has no order. See
 * docs/contract/1-specification-file.md#field-types, rule 14.
 */
export const decimalMember: FieldType = {
  ...decimalType,
  operators: operatorSets.equality,
  sortable: false,
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: () => 'text', form: 'plain' },
  forms: { plain },
};
