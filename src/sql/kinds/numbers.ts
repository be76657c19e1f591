import {
  formatScaled,
  parseDecimal,
  parseJsonNumber,
  rescale,
  type Scaled,
} from '../../model/exact-number.ts';
import { parseAnyDecimal } from '../../model/field-types/numbers/any-decimal.ts';
import { counted } from '../../model/values.ts';
import {
  exact,
  inForm,
  type ConvertedColumn,
  type ConvertedValue,
  type Kind,
  type StoredValue,
} from './kind.ts';
import { baseOf, digitsOf, type StoredKind } from './stored-kind.ts';

/** The texts that can become numbers, as they are written back: 007 would lose its zeros. */
const forms = {
  integer: String.raw`^(0|-?[1-9]\d{0,15})$`,
  bigint: String.raw`^(0|-?[1-9]\d{0,18})$`,
  number: String.raw`^-?\d{1,255}(\.\d{1,255})?$`,
};
const largest = '9007199254740991';
const bigints = `BETWEEN -9223372036854775808 AND 9223372036854775807`;

const hasForm = (form: keyof typeof forms, text: string): boolean =>
  new RegExp(forms[form], 'u').test(text);

/** Rounds halves away from zero, as PostgreSQL does. */
export function rounded(
  number: Scaled,
  scale: number,
): { readonly digits: bigint; readonly isExact: boolean } {
  const same = rescale(number, scale);
  if (same !== undefined) return { digits: same, isExact: true };
  const divisor = 10n ** BigInt(number.scale - scale);
  const half = number.digits < 0n ? -divisor / 2n : divisor / 2n;
  return { digits: (number.digits + half) / divisor, isExact: false };
}

/** A whole number that JavaScript tells apart (53), or of 64 bits. */
function toInteger(number: Scaled | undefined, bits: 53 | 64): ConvertedValue | undefined {
  if (number === undefined) return undefined;
  const { digits, isExact } = rounded(number, 0);
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  const fits =
    bits === 64 ? BigInt.asIntN(64, digits) === digits : digits <= most && digits >= -most;
  return fits ? { value: digits, isExact } : undefined;
}

function toDecimal(number: Scaled | undefined, to: StoredKind): ConvertedValue | undefined {
  const wanted = digitsOf(to);
  if (number === undefined || wanted === undefined) return undefined;
  const { digits, isExact } = rounded(number, wanted.scale);
  const most = 10n ** BigInt(wanted.precision);
  return digits >= most || digits <= -most ? undefined : { value: digits, isExact };
}

function toNumber(text: string, mustBeSame: boolean): ConvertedValue | undefined {
  const value = Number(text) + 0;
  const [back, number] = [parseJsonNumber(String(value)), parseDecimal(text)];
  if (back === undefined || number === undefined) return undefined;
  const scale = Math.max(back.scale, number.scale);
  const isExact = !mustBeSame || rescale(back, scale) === rescale(number, scale);
  return { value, isExact };
}

function toNumeric(text: string): ConvertedValue | undefined {
  const decimal = parseAnyDecimal(text);
  return decimal === undefined ? undefined : exact(decimal);
}

/** Converts the text of a number. */
function convert(text: string, to: StoredKind): ConvertedValue | undefined {
  const target = baseOf(to);
  if (target === 'integer') return toInteger(parseDecimal(text), 53);
  if (target === 'bigint') return toInteger(parseDecimal(text), 64);
  if (target === 'decimal') return toDecimal(parseDecimal(text), to);
  if (target === 'number') return toNumber(text, true);
  if (target === 'numeric') return toNumeric(text);
  return text === '0' || text === '1' ? exact(BigInt(text)) : undefined;
}

/** The SQL that converts a `numeric`. */
function fromNumeric(number: string, to: StoredKind): ConvertedColumn {
  const digits = digitsOf(to);
  const target = baseOf(to);
  if (target === 'numeric') return { value: `trim_scale(${number})` };
  if (target === 'number') {
    const value = `(${number})::double precision`;
    return { value, isInexact: `${value}::text::numeric <> ${number}` };
  }
  const scale = digits?.scale ?? 0;
  const whole = `round(${number}, ${scale})`;
  const fits =
    digits === undefined
      ? target === 'bigint'
        ? `${whole} ${bigints}`
        : `abs(${whole}) <= ${largest}`
      : `abs(${whole}) < ${10n ** BigInt(digits.precision)}::numeric / ${10n ** BigInt(scale)}`;
  const type = digits === undefined ? 'bigint' : `numeric(${digits.precision}, ${scale})`;
  return {
    value: `CASE WHEN ${fits} THEN ${whole}::${type} END`,
    isInexact: `${whole} <> ${number}`,
  };
}

function convertWhole(column: string, to: StoredKind): ConvertedColumn {
  return baseOf(to) === 'boolean'
    ? { value: `CASE ${column} WHEN 0 THEN false WHEN 1 THEN true END` }
    : fromNumeric(`${column}::numeric`, to);
}

/** Never with an exponent. */
function plainText(stored: StoredValue): string {
  const number = typeof stored === 'number' ? parseJsonNumber(String(stored)) : undefined;
  return number === undefined ? String(stored) : formatScaled(number.digits, number.scale);
}

const ofColumn = (column: string): string => `to_jsonb(${column})`;
const wholeNumbers = (): string => 'whole numbers';

export const integer: Kind = {
  becomes: ['bigint', 'number', 'decimal', 'numeric', 'boolean'],
  unit: wholeNumbers,
  sqlite: {
    column: 'INTEGER',
    text: plainText,
    json: (text) => text,
    fromText: (text) => (hasForm('integer', text) ? toInteger(parseDecimal(text), 53) : undefined),
    convert,
  },
  postgres: {
    column: () => 'bigint',
    json: ofColumn,
    fromText: (text) => ({
      value: inForm(
        forms.integer,
        text,
        `CASE WHEN abs(${text}::bigint) <= ${largest} THEN ${text}::bigint END`,
      ),
    }),
    convert: (column, to) =>
      baseOf(to) === 'bigint' ? { value: column } : convertWhole(column, to),
  },
};

export const bigint: Kind = {
  becomes: ['integer', 'number', 'decimal', 'numeric', 'boolean'],
  unit: wholeNumbers,
  sqlite: {
    column: 'INTEGER',
    text: plainText,
    fromText: (text) => (hasForm('bigint', text) ? toInteger(parseDecimal(text), 64) : undefined),
    convert,
  },
  postgres: {
    column: () => 'bigint',
    fromText: (text) => ({
      value: inForm(
        forms.bigint,
        text,
        `CASE WHEN ${text}::numeric ${bigints} THEN ${text}::bigint END`,
      ),
    }),
    convert: convertWhole,
  },
};

export const number: Kind = {
  becomes: ['integer', 'bigint', 'decimal', 'numeric'],
  unit: () => 'floating-point numbers',
  sqlite: {
    column: 'REAL',
    text: plainText,
    json: (text) => JSON.stringify(Number(text)),
    fromText: (text) => (hasForm('number', text) ? toNumber(text, false) : undefined),
    convert,
  },
  postgres: {
    column: () => 'double precision',
    text: (column) => `${column}::text::numeric::text`,
    json: ofColumn,
    fromText: (text) => ({ value: inForm(forms.number, text, `${text}::double precision + 0`) }),
    convert: (column, to) => fromNumeric(`${column}::text::numeric`, to),
  },
};

export const decimal: Kind = {
  becomes: ['integer', 'bigint', 'number', 'decimal', 'numeric'],
  unit: (kind) => {
    const scale = digitsOf(kind)?.scale ?? 0;
    return scale === 0 ? wholeNumbers() : counted(scale, 'decimal');
  },
  sqlite: {
    column: 'INTEGER',
    text: (stored, kind) => formatScaled(String(stored), digitsOf(kind)?.scale ?? 0),
    fromText: (text, to) =>
      hasForm('number', text) ? toDecimal(parseDecimal(text), to) : undefined,
    convert,
  },
  postgres: {
    column: (kind) => {
      const digits = digitsOf(kind);
      return digits === undefined ? 'numeric' : `numeric(${digits.precision},${digits.scale})`;
    },
    fromText: (text, to) => {
      const { value, isInexact = 'false' } = fromNumeric(`${text}::numeric`, to);
      return {
        value: inForm(forms.number, text, value),
        isInexact: inForm(forms.number, text, isInexact),
      };
    },
    convert: (column, to) => fromNumeric(`${column}::numeric`, to),
  },
};

/** Decimals with any number of digits. */
export const numeric: Kind = {
  becomes: ['integer', 'bigint', 'number', 'decimal'],
  unit: wholeNumbers,
  sqlite: {
    column: 'TEXT',
    text: plainText,
    fromText: (text) => (hasForm('number', text) ? toNumeric(text) : undefined),
    convert,
  },
  postgres: {
    column: () => 'numeric',
    fromText: (text) => ({ value: inForm(forms.number, text, `trim_scale(${text}::numeric)`) }),
    convert: (column, to) => fromNumeric(`${column}::numeric`, to),
  },
};
