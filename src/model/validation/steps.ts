import type { JsonValue } from '../../specification/specification.ts';
import type { FieldType } from '../api.ts';
import { floorTo, formatScaled, parseJsonNumber, type Scaled } from '../exact-number.ts';

/** What says how far apart the values of a field are. */
interface Stepped {
  readonly type: Pick<FieldType, 'number'>;
  readonly attributes: { readonly multipleOf?: number | string; readonly scale?: number | 'any' };
  /** Of a decimal. */
  readonly scale: number;
}

/** Whether no value of the field lies from one bound to the other: no whole number, or no multiple. */
export function liesBetweenSteps(
  low: string,
  from: JsonValue,
  high: string,
  to: JsonValue,
  field: Stepped,
): boolean {
  const steps = stepsOf(field);
  const [least, most] = [parseJsonNumber(String(from)), parseJsonNumber(String(to))];
  if (steps.length === 0 || least === undefined || most === undefined) return false;
  const scale = Math.max(...[least, most, ...steps].map((number) => number.scale));
  const step = steps.map((number) => floorTo(number, scale)).reduce(leastCommonMultiple);
  const [first, last] = [floorTo(least, scale), floorTo(most, scale)];
  const below = quotient(low === 'exclusiveMinimum' ? first : first - 1n, step);
  return quotient(high === 'exclusiveMaximum' ? last - 1n : last, step) <= below;
}

/** What bounds a number, alone. */
export const numberBounds = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'] as const;
type NumberBound = (typeof numberBounds)[number];

/** The last number that a field of exact numbers holds on the side to which a bound keeps its values. */
export function endOf(
  bound: NumberBound,
  { type, attributes, precision, scale }: Stepped & { readonly precision: number },
): string | undefined {
  const isExact = type.number === 'whole' || (isScaled(type, attributes) && scale <= precision);
  if (!isExact) return undefined;
  const most =
    type.number === 'whole'
      ? String(Number.MAX_SAFE_INTEGER)
      : formatScaled(10n ** BigInt(precision) - 1n, scale);
  return isLow(bound) ? most : `-${most}`;
}

function isLow(bound: NumberBound): boolean {
  return bound === 'minimum' || bound === 'exclusiveMinimum';
}

/** Whether a field of exact numbers holds none within a bound. */
export function isBeyond(
  bound: NumberBound,
  value: JsonValue,
  field: Stepped & { readonly precision: number },
): boolean {
  const end = endOf(bound, field);
  if (end === undefined) return false;
  return isLow(bound)
    ? liesBetweenSteps(bound, value, 'maximum', end, field)
    : liesBetweenSteps('minimum', end, bound, value, field);
}

/** Whether all values have at most so many places. */
function isScaled({ number }: Stepped['type'], { scale }: Stepped['attributes']): boolean {
  return number === 'exact' && scale !== 'any';
}

/** What each value is a multiple of. */
function stepsOf({ type, attributes, scale }: Stepped): readonly Scaled[] {
  const { multipleOf } = attributes;
  const multiple = multipleOf === undefined ? undefined : parseJsonNumber(String(multipleOf));
  return [
    ...(type.number === 'whole' ? [{ digits: 1n, scale: 0 }] : []),
    ...(isScaled(type, attributes) ? [{ digits: 1n, scale }] : []),
    ...(multiple === undefined ? [] : [multiple]),
  ];
}

/** Rounded down; the divisor is positive. */
function quotient(dividend: bigint, divisor: bigint): bigint {
  const rest = dividend % divisor;
  return (dividend - rest) / divisor - (rest < 0n ? 1n : 0n);
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [divisor, rest] = [a, b];
  while (rest !== 0n) [divisor, rest] = [rest, divisor % rest];
  return (a / divisor) * b;
}
