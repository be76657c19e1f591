import type Driver from 'better-sqlite3';
import { parseAnyDecimal } from '../../model/field-types/numbers/any-decimal.ts';
import { isBase64 } from '../../model/field-types/bytes.ts';
import { isDate } from '../../model/field-types/date.ts';
import { momentText, parseDatetime } from '../../model/field-types/datetime.ts';
import { readStored } from '../../model/field-types/json.ts';
import {
  formatScaled,
  parseDecimal,
  parseJsonNumber,
  rescale,
  type Scaled,
} from '../../model/exact-number.ts';
import {
  baseOf,
  canBecome,
  digitsOf,
  momentForm,
  precisionOf,
  textForms,
  type StoredKind,
} from '../../sql/stored-kind.ts';

/** A value as SQLite passes it to a function. */
type Stored = string | number | bigint | Buffer | null;

/** A converted value, and whether it keeps its meaning. */
interface Converted {
  readonly value: string | number | bigint | Buffer;
  readonly isExact: boolean;
}

const exact = (value: Converted['value']): Converted => ({ value, isExact: true });
const forms = Object.fromEntries(
  Object.entries(textForms).map(([name, source]) => [name, new RegExp(source, 'u')]),
) as Readonly<Record<keyof typeof textForms, RegExp>>;

/** The names of the migration's functions in SQL. */
export const valueFunction = '_plinth_value';
export const inexactFunction = '_plinth_inexact';

/** Adds `_plinth_value(from, to, value)` to a connection; it gives null if the value cannot be converted. */
export function addValueFunctions(driver: Driver.Database): void {
  const options = { deterministic: true, directOnly: true, safeIntegers: true };
  const convert = (from: unknown, to: unknown, value: unknown): Converted | undefined =>
    convertValue(String(from) as StoredKind, String(to) as StoredKind, value as Stored);
  driver.function(valueFunction, options, (from: unknown, to: unknown, value: unknown) => {
    const converted = convert(from, to, value)?.value;
    return converted ?? null;
  });
  driver.function(inexactFunction, options, (from: unknown, to: unknown, value: unknown) =>
    convert(from, to, value)?.isExact === false ? 1n : 0n,
  );
}

/** Converts a stored value of one kind to another as SQLite stores it; undefined if it cannot be. */
export function convertValue(
  from: StoredKind,
  to: StoredKind,
  stored: Stored,
): Converted | undefined {
  if (stored === null || Buffer.isBuffer(stored) !== (from === 'bytes')) return undefined;
  if (from === 'any') return convertAny(to, stored as string | number | bigint);
  if (!canBecome(from, to)) return undefined;
  const text = textOf(from, stored);
  if (text === undefined) return undefined;
  const base = baseOf(to);
  if (base === 'json') return exact(jsonOf(from, text));
  if (baseOf(from) === 'json') return fromJson(to, text);
  if (baseOf(from) === 'boolean' && ['integer', 'bigint', 'number'].includes(base))
    return exact(text === 'true' ? 1n : 0n);
  return fromText(from, to, text);
}

/** Converts a value of an undeclared kind by what it looks like. */
function convertAny(to: StoredKind, stored: string | number | bigint): Converted | undefined {
  const from: StoredKind =
    typeof stored === 'bigint' ? 'integer' : typeof stored === 'number' ? 'number' : 'string';
  const base = baseOf(to);
  if (from !== 'string') return from === to ? exact(stored) : convertValue(from, to, stored);
  if (base === 'string') return exact(stored);
  if (base === 'object' || base === 'array') return fromJson(to, String(stored));
  const moment = String(stored).replace(/^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/u, '$1T$2Z');
  return convertValue('string', to, base === 'datetime' ? moment : stored);
}

/** A value as text on the wire. */
function textOf(kind: StoredKind, stored: Exclude<Stored, null>): string | undefined {
  if (Buffer.isBuffer(stored)) return stored.toString('base64');
  const digits = digitsOf(kind);
  if (digits !== undefined) return formatScaled(String(stored), digits.scale);
  if (kind === 'boolean') return Number(stored) === 0 ? 'false' : 'true';
  // Never with an exponent.
  const number = typeof stored === 'number' ? parseJsonNumber(String(stored)) : undefined;
  return number === undefined ? String(stored) : formatScaled(number.digits, number.scale);
}

function fromText(from: StoredKind, to: StoredKind, text: string): Converted | undefined {
  const isNumber = ['integer', 'bigint', 'number', 'decimal', 'numeric'].includes(baseOf(from));
  switch (baseOf(to)) {
    case 'string':
      return exact(text);
    case 'integer':
      return isNumber || forms.integer.test(text) ? toInteger(parseDecimal(text), 53) : undefined;
    case 'bigint':
      return isNumber || forms.bigint.test(text) ? toInteger(parseDecimal(text), 64) : undefined;
    case 'decimal':
      return isNumber || forms.number.test(text) ? toDecimal(parseDecimal(text), to) : undefined;
    case 'number':
      return isNumber || forms.number.test(text) ? toNumber(text, isNumber) : undefined;
    case 'boolean':
      if (from === 'integer' || from === 'bigint')
        return text === '0' || text === '1' ? exact(BigInt(text)) : undefined;
      return text === 'true' || text === 'false' ? exact(text === 'true' ? 1n : 0n) : undefined;
    case 'date':
      if (baseOf(from) === 'datetime')
        return { value: text.slice(0, 10), isExact: /T00:00:00(?:\.0+)?Z$/u.test(text) };
      return isDate(text) ? exact(text) : undefined;
    case 'time':
      if (baseOf(from) === 'datetime') return { value: text.slice(11, 19), isExact: false };
      return forms.time.test(text) ? exact(text) : undefined;
    case 'datetime': {
      const precision = precisionOf(to);
      if (baseOf(from) === 'datetime') return roundedMoment(text, precision);
      if (from === 'date') return exact(momentText(`${text}T00:00:00.000Z`, precision));
      const isMoment = new RegExp(momentForm(precision), 'u').test(text);
      const moment = isMoment ? parseDatetime(text, precision) : undefined;
      return moment === undefined ? undefined : exact(moment);
    }
    case 'numeric': {
      const decimal = isNumber || forms.number.test(text) ? parseAnyDecimal(text) : undefined;
      return decimal === undefined ? undefined : exact(decimal);
    }
    case 'bytes':
      return isBase64(text) ? exact(Buffer.from(text, 'base64')) : undefined;
    case 'uuid':
      return forms.uuid.test(text) ? exact(text.toLowerCase()) : undefined;
    case 'any':
    case 'json':
    case 'object':
    case 'array':
      break;
  }
  return undefined;
}

/** Rounds halves away from zero, as PostgreSQL does. */
function rounded(
  number: Scaled,
  scale: number,
): { readonly digits: bigint; readonly isExact: boolean } {
  const same = rescale(number, scale);
  if (same !== undefined) return { digits: same, isExact: true };
  const divisor = 10n ** BigInt(number.scale - scale);
  const half = number.digits < 0n ? -divisor / 2n : divisor / 2n;
  return { digits: (number.digits + half) / divisor, isExact: false };
}

/** 2000-01-01, from which PostgreSQL counts. */
const epoch = BigInt(Date.UTC(2000, 0, 1) / 1000);

/** A moment with so many digits behind the second, the nearest one as PostgreSQL rounds; undefined for other texts. */
function roundedMoment(text: string, precision: number): Converted | undefined {
  const finest = 9;
  const moment = parseDatetime(text, finest);
  if (moment === undefined) return undefined;
  const unit = 10n ** BigInt(finest);
  const seconds = BigInt(Date.parse(`${moment.slice(0, 19)}Z`) / 1000) - epoch;
  const number = { digits: seconds * unit + BigInt(moment.slice(20, -1)), scale: finest };
  const { digits, isExact } = rounded(number, precision);
  const most = 10n ** BigInt(precision);
  const fraction = ((digits % most) + most) % most;
  const second = new Date(Number((digits - fraction) / most + epoch) * 1000).toISOString();
  const end = precision === 0 ? '' : `.${String(fraction).padStart(precision, '0')}`;
  return { value: `${second.slice(0, 19)}${end}Z`, isExact };
}

/** A whole number that JavaScript tells apart (53), or of 64 bits. */
function toInteger(number: Scaled | undefined, bits: 53 | 64): Converted | undefined {
  if (number === undefined) return undefined;
  const { digits, isExact } = rounded(number, 0);
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  const fits =
    bits === 64 ? BigInt.asIntN(64, digits) === digits : digits <= most && digits >= -most;
  return fits ? { value: digits, isExact } : undefined;
}

function toDecimal(number: Scaled | undefined, to: StoredKind): Converted | undefined {
  const wanted = digitsOf(to);
  if (number === undefined || wanted === undefined) return undefined;
  const { digits, isExact } = rounded(number, wanted.scale);
  const most = 10n ** BigInt(wanted.precision);
  return digits >= most || digits <= -most ? undefined : { value: digits, isExact };
}

function toNumber(text: string, mustBeSame: boolean): Converted | undefined {
  const value = Number(text) + 0;
  const [back, number] = [parseJsonNumber(String(value)), parseDecimal(text)];
  if (back === undefined || number === undefined) return undefined;
  const scale = Math.max(back.scale, number.scale);
  const isExact = !mustBeSame || rescale(back, scale) === rescale(number, scale);
  return { value, isExact };
}

function jsonOf(from: StoredKind, text: string): string {
  const base = baseOf(from);
  if (base === 'object' || base === 'array' || base === 'boolean' || base === 'integer')
    return text;
  return JSON.stringify(base === 'number' ? Number(text) : text);
}

function fromJson(to: StoredKind, text: string): Converted | undefined {
  const value = readStored(text);
  const base = baseOf(to);
  if (base === 'string') return typeof value === 'string' ? exact(value) : undefined;
  const isArray = Array.isArray(value);
  const fits = base === 'array' ? isArray : typeof value === 'object' && value !== null && !isArray;
  return fits ? exact(text) : undefined;
}
