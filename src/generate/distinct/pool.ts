import type { Field } from '../../model/api.ts';
import { floorTo, formatScaled, parseJsonNumber, type Scaled } from '../../model/exact-number.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { largestPermutation } from '../random.ts';

/** A list of different values by place. Permuting the places makes draws distinct. */
export interface Pool {
  readonly size: number;
  readonly at: (place: number) => JsonValue;
}

/** The values of a list. */
export function listPool(list: readonly JsonValue[]): Pool {
  return { size: list.length, at: (place) => list[place] ?? null };
}

/** The usual range of a number; `step` counts from `min`. */
export interface NaturalRange {
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  /** Decimal places of a `number`. */
  readonly scale?: number;
}

/** The number of values of an unbounded range of a unique field. */
const distinctValues = 10_000_000n;
/** The length of an unbounded range otherwise, in whole units. */
const usualSpan = 1_000n;

interface Bounds {
  readonly low: bigint | undefined;
  readonly high: bigint | undefined;
}

/** The numbers that a field allows, within the usual range (`natural`) if that leaves any. Undefined if it allows none. */
export function numberPool(
  field: Field,
  natural: NaturalRange,
  isUnique: boolean,
): Pool | undefined {
  const { multipleOf } = field.attributes;
  const divisor = multipleOf === undefined ? undefined : exact(multipleOf);
  const scales =
    field.type.number === 'double'
      ? [Math.max(natural.scale ?? 2, divisor?.scale ?? 0), 6, 9, 12]
      : [field.type.number === 'exact' ? field.scale : 0];
  for (const scale of scales) {
    const pool = poolAt(field, natural, isUnique, scale, divisor);
    if (pool !== undefined) return pool;
  }
  return undefined;
}

function poolAt(
  field: Field,
  natural: NaturalRange,
  isUnique: boolean,
  scale: number,
  divisor: Scaled | undefined,
): Pool | undefined {
  const unit = 10n ** BigInt(scale);
  const limit =
    field.type.number === 'exact'
      ? 10n ** BigInt(field.precision) - 1n
      : BigInt(Number.MAX_SAFE_INTEGER);
  const declared = declaredBounds(field, scale);
  const usual = {
    low: ceilAt(exact(natural.min), scale),
    high: floorTo(exact(natural.max), scale),
  };
  const least = larger(declared.low, -limit);
  const most = smaller(declared.high, limit);
  const candidates: (readonly [bigint, bigint, bigint])[] = [];
  const step = divisor === undefined ? 1n : stepOf(divisor, scale);
  if (!isUnique) {
    const [low, high] = [larger(usual.low, least), smaller(usual.high, most)];
    const naturalStep = natural.step === undefined ? 1n : floorTo(exact(natural.step), scale);
    if (divisor === undefined && naturalStep > 1n)
      candidates.push([low + mod(usual.low - low, naturalStep), high, naturalStep]);
    candidates.push([low, high, step]);
  }
  const span = isUnique ? distinctValues * step : usualSpan * unit;
  const isUsual = declared.high === undefined && usual.low <= most;
  const from = declared.low ?? (isUsual ? larger(usual.low, least) : larger(most - span, least));
  candidates.push([from, smaller(most, declared.high === undefined ? from + span : most), step]);
  // If the usual range leaves only a few of the allowed values, the field has another unit.
  const few = 10n;
  const isRich = ([low, high, by]: readonly [bigint, bigint, bigint]): boolean =>
    (high - low) / by >= few;
  if (
    !candidates.slice(0, -1).some(isRich) &&
    candidates.slice(-1).some(isRich) &&
    declared.low !== undefined &&
    declared.high !== undefined
  )
    candidates.reverse();
  for (const [from, to, by] of candidates) {
    const start = by === step && divisor !== undefined ? from + mod(-from, by) : from;
    const size = start > to ? 0n : (to - start) / by + 1n;
    if (size > 0n) return latticeOf(field, start, by, size, scale);
  }
  return undefined;
}

/** A range of numbers; without a step they have any number of decimal places. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly step?: number | undefined;
}

/** The numbers of a range that a field allows; undefined if there are none, or they cannot be listed. */
export function rangePool(field: Field, { min, max, step }: NumberRange): Pool | undefined {
  const { type, attributes } = field;
  const steps = [step, attributes.multipleOf].flatMap((one) =>
    one === undefined ? [] : exact(one),
  );
  if (type.number === 'double' && steps.length === 0) return undefined;
  const finest = Math.max(0, ...steps.map(({ scale }) => scale));
  if (type.number === undefined) return undefined;
  const scale = { whole: 0, exact: field.scale, double: finest }[type.number];
  const by = steps
    .map((one) => larger(floorTo(one, scale), 1n))
    .reduce((all, one) => (all * one) / gcd(all, one), 1n);
  const declared = declaredBounds(field, scale);
  const low = larger(declared.low, ceilAt(exact(min), scale));
  const high = smaller(declared.high, floorTo(exact(max), scale));
  const start = low + mod(-low, by);
  return start > high ? undefined : latticeOf(field, start, by, (high - start) / by + 1n, scale);
}

function latticeOf(field: Field, start: bigint, step: bigint, count: bigint, scale: number): Pool {
  const size = count > BigInt(largestPermutation) ? largestPermutation : Number(count);
  const isSafe =
    Number.isSafeInteger(Number(start)) && Number.isSafeInteger(Number(start + step * count));
  const [first, by] = [Number(start), Number(step)];
  const digits = (place: number): bigint | number =>
    isSafe ? first + place * by : start + step * BigInt(place);
  const { number } = field.type;
  if (number === 'whole') return { size, at: (place) => Number(digits(place)) };
  if (number === 'double')
    return { size, at: (place) => Number(formatScaled(digits(place), scale)) };
  return { size, at: (place) => formatScaled(digits(place), scale) };
}

/** The bounds in the file, in units of the scale. */
function declaredBounds({ attributes }: Field, scale: number): Bounds {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = attributes;
  const lows: bigint[] = [];
  const highs: bigint[] = [];
  if (minimum !== undefined) lows.push(ceilAt(exact(minimum), scale));
  if (exclusiveMinimum !== undefined) lows.push(floorTo(exact(exclusiveMinimum), scale) + 1n);
  if (maximum !== undefined) highs.push(floorTo(exact(maximum), scale));
  if (exclusiveMaximum !== undefined) highs.push(ceilAt(exact(exclusiveMaximum), scale) - 1n);
  return {
    low: lows.length === 0 ? undefined : lows.reduce(larger),
    high: highs.length === 0 ? undefined : highs.reduce(smaller),
  };
}

/** The distance between neighbouring multiples of the divisor at this scale. */
function stepOf(divisor: Scaled, scale: number): bigint {
  const fine = Math.max(scale, divisor.scale);
  const unit = 10n ** BigInt(fine - scale);
  const wanted = floorTo(divisor, fine);
  return (wanted * unit) / gcd(wanted, unit) / unit;
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}

function exact(value: number | string): Scaled {
  const scaled = parseJsonNumber(String(value));
  if (scaled === undefined) throw new TypeError(`${value} is no number`);
  return scaled;
}

function ceilAt({ digits, scale }: Scaled, wanted: number): bigint {
  return -floorTo({ digits: -digits, scale }, wanted);
}

/** The non-negative remainder. */
function mod(value: bigint, by: bigint): bigint {
  return ((value % by) + by) % by;
}

function larger(a: bigint | undefined, b: bigint): bigint {
  return a === undefined || b > a ? b : a;
}

function smaller(a: bigint | undefined, b: bigint): bigint {
  return a === undefined || b < a ? b : a;
}
