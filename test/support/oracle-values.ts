import type { Kind, Shape, Value } from './oracle-model.ts';

/** How the oracle compares single values: nothing here knows of records or relations. */

function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** A decimal as a whole number of 10⁻³⁰. */
function scaled(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/u.exec(text) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(30, '0')}`);
}

function momentOf(value: Value): number {
  const text = String(value).toUpperCase();
  return Date.parse(text.includes('T') ? text : `${text}T00:00:00Z`);
}

/** Compares two values that are not null: one stored, the other stored or written by a client. */
export function compare(kind: Kind, a: Value, b: Value): number {
  switch (kind) {
    case 'number':
      return Number(a) - Number(b);
    case 'boolean':
      return Number(String(a) === 'true') - Number(String(b) === 'true');
    case 'decimal': {
      const [left, right] = [scaled(String(a)), scaled(String(b))];
      return left < right ? -1 : left > right ? 1 : 0;
    }
    case 'datetime':
      return momentOf(a) - momentOf(b);
    case 'uuid':
      return byCodePoint(String(a).toLowerCase(), String(b).toLowerCase());
    case 'text':
      return byCodePoint(String(a), String(b));
    case 'found':
      throw new Error('What has no type has no order');
    default:
      return kind satisfies never;
  }
}

/**
 * Folds case as Unicode's CaseFolding does, C and S; regular expressions with these flags do the same. See
 * docs/contract/2-reading.md#filters, rule 6.
 */
function includesFolded(text: string, part: string): boolean {
  return folded(part).test(text);
}

function folded(text: string, before = '', after = ''): RegExp {
  const literal = text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
  return new RegExp(`${before}${literal}${after}`, 'iu');
}

function isWithin(operator: string, difference: number): boolean {
  switch (operator) {
    case '_gt':
      return difference > 0;
    case '_gte':
      return difference >= 0;
    case '_lt':
      return difference < 0;
    case '_lte':
      return difference <= 0;
    default:
      throw new Error(`The oracle does not know ${operator}`);
  }
}

/** A member that is not declared, against one operand: by the JSON type that is there; undefined where they never meet. */
function differenceFound(value: Value, operand: string): number | undefined {
  if (typeof value === 'string') return compare('text', value, operand);
  if (typeof value === 'number')
    return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/u.test(operand) ? value - Number(operand) : undefined;
  // Booleans are equal or not; they have no order.
  if (typeof value === 'boolean') return String(value) === operand ? 0 : undefined;
  return undefined;
}

/** Whether a value (null where there is none) passes a filter on a field of this shape. */
export function passes(
  shape: Shape,
  value: Value,
  operator: string,
  operands: readonly string[],
): boolean {
  const { kind, items } = shape;
  const [operand = ''] = operands;
  if (operator === '_exists') return (value !== null) === (operand === 'true');
  if (operator === '_null') return (value === null) === (operand === 'true');
  if (operator === '_neq') return !passes(shape, value, '_in', operands);
  if (operator === '_nin') return !passes(shape, value, '_in', operands);
  if (operator === '_nlike') return !passes(shape, value, '_like', operands);
  if (operator === '_nilike') return !passes(shape, value, '_ilike', operands);
  if (value === null) return false;
  const difference = (one: string): number | undefined =>
    kind === 'found' ? differenceFound(value, one) : compare(kind, value, one);
  const isItem = (one: Value, wanted: string): boolean =>
    items?.kind === 'found'
      ? differenceFound(one, wanted) === 0
      : one !== null && compare(items?.kind ?? 'text', one, wanted) === 0;
  const has = (wanted: string): boolean =>
    Array.isArray(value) && value.some((one: Value) => isItem(one, wanted));
  switch (operator) {
    case '':
    case '_eq':
    case '_in':
      return operands.some((one) => difference(one) === 0);
    case '_like':
      return typeof value === 'string' && value.includes(operand);
    case '_ilike':
      return typeof value === 'string' && includesFolded(value, operand);
    case '_startsWith':
      return typeof value === 'string' && value.startsWith(operand);
    case '_endsWith':
      return typeof value === 'string' && value.endsWith(operand);
    case '_ieq':
      return typeof value === 'string' && folded(operand, '^', '$').test(value);
    case '_contains':
    case '_containsAny':
      return operands.some(has);
    case '_containsAll':
      return operands.every(has);
    default: {
      const found =
        kind === 'found' && typeof value === 'boolean' ? undefined : difference(operand);
      return found !== undefined && isWithin(operator, found);
    }
  }
}

export interface Direction {
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | undefined;
}

/** Compares what two records sort by, nulls in their place. */
export function compareKeys(
  kind: Kind,
  a: Value,
  b: Value,
  { descending, nulls }: Direction,
): number {
  if (a === null && b === null) return 0;
  if (a === null || b === null) {
    const isFirst = nulls === undefined ? !descending : nulls === 'first';
    return (a === null) === isFirst ? -1 : 1;
  }
  const difference = compare(kind, a, b);
  return descending ? -difference : difference;
}
