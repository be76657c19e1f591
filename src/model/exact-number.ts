import type { JsonValue } from '../specification/specification.ts';

/** `JSON.rawJSON`, which the library of TypeScript does not know yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/**
 * A JSON number that no double stands for, with all its digits, and without an exponent unless it is very long. Inside a value of JSON it takes
 * the place of a number: what walks through such values has to ask `isJsonObject`, and JSON.stringify writes its digits.
 */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return rawJSON(this.text);
  }
}

/** The most characters of a number without an exponent that is kept exactly. */
export const longestNumber = 400;

/** Parses a JSON text. A number that its double does not stand for becomes an `ExactNumber`. Throws like JSON.parse. */
export function parseExactly(text: string): unknown {
  return inexact.test(text)
    ? JSON.parse(text, keepExact as (key: string, value: unknown) => unknown)
    : JSON.parse(text);
}

/**
 * A number that a double may not hold: with many digits or an exponent. A reviver takes six times as long, so digits in
 * strings, such as those of UUIDs, are not meant.
 */
const inexact = /(?:^|[:,[])\s*-?(?:[\d.]{16}|[\d.]+[eE])/u;

/** Parses a JSON text. A number that JSON.stringify would write otherwise becomes an `ExactNumber`: `1.0`, `1e3`. */
export function parseAsWritten(text: string): unknown {
  return rewritten.test(text)
    ? JSON.parse(text, keepWritten as (key: string, value: unknown) => unknown)
    : JSON.parse(text);
}

const rewritten =
  /(?:^|[:,[])\s*(?:-?(?:[\d.]{16}|[\d.]+[eE]|\d+\.\d*0(?!\d)|0\.0{6})|-0(?![\d.]))/u;

function keepWritten(
  _key: string,
  value: unknown,
  { source }: { readonly source?: string },
): unknown {
  return typeof value === 'number' && source !== undefined && String(value) !== source
    ? new ExactNumber(source)
    : value;
}

function keepExact(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  return typeof value === 'number' && context.source !== undefined
    ? exactNumber(context.source)
    : value;
}

/** The number that a JSON number's text is: its double if that stands for the same number. */
export function exactNumber(text: string): number | ExactNumber {
  const double = Number(text);
  if (String(double) === text) return double;
  const exact = parseJsonNumber(text);
  // Too large, or with more digits than are looked at.
  if (exact === undefined) return new ExactNumber(text);
  const nearest = parseJsonNumber(String(double));
  const isDouble = nearest !== undefined && compareDecimals(exact, nearest) === 0;
  if (isDouble) return double;
  const digits = shortestDigits(exact);
  return new ExactNumber(digits.length > longestNumber ? text : digits);
}

/** A decimal number as an integer of `scale` decimal places. */
export interface Scaled {
  readonly digits: bigint;
  readonly scale: number;
}

/** Reads plain decimal notation (no exponent, plus sign or blanks); undefined for anything else. */
export function parseDecimal(text: string): Scaled | undefined {
  const match = /^(-?)(\d{1,400})(?:\.(\d{1,400}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  return { digits: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length };
}

/** Reads a JSON number, with an exponent of at most three digits; undefined where it is larger than that. */
export function parseJsonNumber(text: string): Scaled | undefined {
  const [, mantissa = '', exponent = '0'] = /^([^eE]+)(?:[eE]([+-]?\d{1,3}))?$/u.exec(text) ?? [];
  const value = parseDecimal(mantissa);
  if (value === undefined) return undefined;
  const scale = value.scale - Number(exponent);
  if (scale >= 0) return { digits: value.digits, scale };
  return { digits: value.digits * 10n ** BigInt(-scale), scale: 0 };
}

/**
 * The digits of a filter's JSON number, without exponent and without zeros at the end of the fraction: `1e1` and `10.0`
 * are the whole number `10`. Undefined for any other text. A plus sign that was not percent-encoded has become a blank.
 */
export function plainDigits(text: string): string | undefined {
  const written = text.replace(/(?<=[eE]) /u, '+');
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u.test(written)) return undefined;
  const scaled = parseJsonNumber(written);
  return scaled && shortestDigits(scaled);
}

/** A number as people read it: never with an exponent. Other values as their text. */
export function plainText(value: JsonValue | ExactNumber): string {
  if (value instanceof ExactNumber) return value.text;
  const text = String(value);
  const scaled = typeof value === 'number' && /e/u.test(text) ? parseJsonNumber(text) : undefined;
  return scaled === undefined ? text : formatScaled(scaled.digits, scaled.scale);
}

/** A number without zeros at the end of its fraction. */
function shortestDigits({ digits, scale }: Scaled): string {
  for (; scale > 0 && digits % 10n === 0n; scale -= 1) digits /= 10n;
  return formatScaled(digits, scale);
}

/** Whether the double of a plain decimal number stands for the same number. */
export function isDouble(text: string): boolean {
  const exact = parseDecimal(text);
  const double = parseJsonNumber(String(Number(text)));
  return exact !== undefined && double !== undefined && compareDecimals(exact, double) === 0;
}

/** The same number at another scale, if it is exact there. */
export function rescale({ digits, scale }: Scaled, wanted: number): bigint | undefined {
  if (scale <= wanted) return digits * 10n ** BigInt(wanted - scale);
  const divisor = 10n ** BigInt(scale - wanted);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

/** The greatest integer at scale `wanted` that is not above the number. */
export function floorTo({ digits, scale }: Scaled, wanted: number): bigint {
  const exact = rescale({ digits, scale }, wanted);
  if (exact !== undefined) return exact;
  const divisor = 10n ** BigInt(scale - wanted);
  return digits / divisor - (digits < 0n ? 1n : 0n);
}

/** Which of two decimals is greater: negative, zero or positive as in a sort function. */
export function compareDecimals(a: Scaled, b: Scaled): number {
  const scale = Math.max(a.scale, b.scale);
  const difference =
    a.digits * 10n ** BigInt(scale - a.scale) - b.digits * 10n ** BigInt(scale - b.scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Writes a scaled integer with its `scale` decimal places: (1990, 2) → "19.90". */
export function formatScaled(digits: bigint | number | string, scale: number): string {
  const text = String(digits);
  if (scale === 0) return text;
  const negative = text.startsWith('-');
  const padded = (negative ? text.slice(1) : text).padStart(scale + 1, '0');
  const point = padded.length - scale;
  return `${negative ? '-' : ''}${padded.slice(0, point)}.${padded.slice(point)}`;
}
