import { breaks } from '../../../problem-rules.ts';
import type { Codec, Field, FieldType } from '../../api.ts';
import type { JsonSchema } from '../../json-schema.ts';
import {
  ExactNumber,
  formatScaled,
  parseDecimal,
  parseJsonNumber,
  type Scaled,
} from '../../exact-number.ts';
import { accept, wrongType, wrongValue } from '../../values.ts';
import { boundsSchema, decimalMember, exampleNumbers } from './numbers.ts';
import { plain } from '../plain.ts';

/** Without zeros that say nothing, so that equal numbers are equal texts. */
function canonical({ digits, scale }: Scaled): string {
  let [rest, places] = [digits, scale];
  for (; places > 0 && rest % 10n === 0n; places -= 1) rest /= 10n;
  return formatScaled(rest, places);
}

/** The decimal that a text is, as it is stored; undefined for other texts. */
export function parseAnyDecimal(text: string): string | undefined {
  const value = parseDecimal(text);
  return value && canonical(value);
}

/** A letter for each digit, so that larger digits come first: `j` for 0, `a` for 9. */
const letters = Array.from({ length: 10 }, (_, digit) => String.fromCodePoint(106 - digit));
const inverse = (digits: string): string =>
  digits.replaceAll(/\d/gu, (digit) => letters[Number(digit)] ?? '');

const most = 9_999;

/**
 * A text of which the order by code point is that of the decimals: a sign, the number of digits before the point, the
 * digits. Those of a negative number count backwards. See docs/decisions/0035-exact-values.md.
 */
function orderKey(decimal: string): string {
  const isNegative = decimal.startsWith('-');
  const digits = isNegative ? decimal.slice(1) : decimal;
  const [whole = ''] = digits.split('.');
  const length = (isNegative ? most - whole.length : whole.length).toString().padStart(4, '0');
  return isNegative ? `m${length}${inverse(digits)}~` : `p${length}${digits}`;
}

/** The SQL of that key on SQLite. */
export function orderKeySql(text: string): string {
  const length = (digits: string): string => `instr(${digits} || '.', '.') - 1`;
  const digits = `substr(${text}, 2)`;
  const inverted = letters.reduce(
    (sql, letter, digit) => `replace(${sql}, '${digit}', '${letter}')`,
    digits,
  );
  return (
    `(CASE WHEN ${text} GLOB '-*' THEN 'm' || printf('%04d', ${most} - (${length(digits)})) || ${inverted} || '~'` +
    ` ELSE 'p' || printf('%04d', ${length(text)}) || ${text} END)`
  );
}

/** The decimal of a key; any other text as it is. */
function fromOrderKey(stored: string): string {
  if (stored.startsWith('p')) return stored.slice(5);
  if (!stored.startsWith('m')) return stored;
  return `-${stored.slice(5, -1).replaceAll(/[a-j]/gu, (letter) => String(letters.indexOf(letter)))}`;
}

/** Compared for equality as it is, and for order by its key. */
const digitsText: Codec = {
  decode: (stored) => fromOrderKey(String(stored)),
  comparand: (value, operator) =>
    ['gt', 'gte', 'lt', 'lte'].includes(operator) ? orderKey(String(value)) : String(value),
};

function sentSchema(field: Field): JsonSchema {
  return {
    type: ['string', 'number'],
    pattern: String.raw`^-?\d{1,400}(\.\d{1,400})?$`,
    ...boundsSchema(field),
  };
}

/** A decimal without what it has as a column of its own. */
const base: Omit<FieldType, 'member'> = {
  name: 'decimal',
  attributes: ['described', 'column', 'scalar', 'drawnValues', 'template', 'decimal'],
  json: 'string',
  kind: 'numeric',
  number: 'exact',
  // Those of generated values.
  digits: { precision: 400, scale: 2 },
  takesNumbers: true,
  comparison: 'order',
  sortable: true,
  read: (value) => {
    if (typeof value !== 'string' && typeof value !== 'number' && !(value instanceof ExactNumber))
      return wrongType(
        'must be a decimal in a string, such as "19.90", or a number',
        breaks('type', { expected: 'decimal' }),
      );
    const decimal =
      typeof value === 'string'
        ? parseDecimal(value)
        : parseJsonNumber(value instanceof ExactNumber ? value.text : String(value));
    const text = decimal && canonical(decimal);
    // A number with an exponent may have more.
    return text === undefined || parseDecimal(text) === undefined
      ? wrongValue(
          'must be a plain decimal number such as "19.90", with at most 400 digits before and behind the point',
          breaks('format', { format: 'decimal' }),
        )
      : accept(text);
  },
  parse: parseAnyDecimal,
  expects: () => 'a plain decimal number such as 19.90',
  sqlite: { column: () => 'TEXT', form: 'digitsText', itemOrder: orderKeySql },
  postgres: {
    column: () => 'numeric',
    form: 'numeric',
    itemOrder: (text) =>
      String.raw`(CASE WHEN ${text} ~ '^-?\d+(\.\d+)?$' THEN ${text}::numeric END)`,
  },
  forms: { digitsText, numeric: plain },
  longest: () => 802,
  schema: () => ({ type: 'string', format: 'decimal', pattern: String.raw`^-?\d+(\.\d+)?$` }),
  sentSchema,
  note: () => 'An exact decimal in a string, with any number of digits.',
  wireName: () => 'decimal with any places',
  examples: (field) => exampleNumbers(field).map(String),
  generated: 'number',
  fromDefault: parseAnyDecimal,
};

/** `scale: any` of a decimal. See docs/contract/1-specification-file.md#field-types, rule 18. */
export const anyDecimalType: FieldType = {
  ...base,
  member: decimalMember(base),
};

/** What such a decimal is sorted by, as a value of its own: on SQLite the text with an order. */
export const decimalKeyType: FieldType = {
  ...base,
  kind: 'decimal',
  forms: {
    digitsText: { ...digitsText, comparand: (value) => orderKey(String(value)) },
    numeric: plain,
  },
};
