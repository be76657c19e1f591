import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { FieldSpecification, JsonValue } from '../../specification/specification.ts';
import type { Field } from '../api.ts';
import {
  compareDecimals,
  floorTo,
  parseJsonNumber,
  plainText,
  type Scaled,
} from '../exact-number.ts';
import { matches } from '../../lib/text/pattern.ts';
import { breaks, ruleTable, type BrokenRule, type Rule } from '../../problem-rules.ts';
import { counted, oneOf, type ValueIssue } from '../values.ts';

type Check = (value: JsonValue, limit: never, field: Field) => string | undefined;

/** The length of a string in Unicode code points. */
export function codePoints(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** The decimal that a number or decimal is written as, with an exponent or without. */
function exact(value: JsonValue): Scaled {
  const scaled = parseJsonNumber(String(value));
  if (scaled === undefined) throw new TypeError(`${String(value)} is no number`);
  return scaled;
}

/** Compares numbers and decimals exactly: a double counts as the decimal that it is written as. */
export function compareNumbers(a: JsonValue, b: JsonValue): number {
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : compareDecimals(exact(a), exact(b));
}

/** Whether a number or decimal is exactly a multiple of another. */
export function isMultiple(value: JsonValue, of: number | string): boolean {
  const [dividend, divisor] = [exact(value), exact(of)];
  const scale = Math.max(dividend.scale, divisor.scale);
  return floorTo(dividend, scale) % floorTo(divisor, scale) === 0n;
}

function bound(
  holds: (order: number) => boolean,
  words: string,
): (value: JsonValue, limit: number | string) => string | undefined {
  return (value, limit) =>
    holds(compareNumbers(value, limit)) ? undefined : `must be ${words} ${plainText(limit)}`;
}

/**
 * Each constraint attribute and what a value must satisfy under it. See
 * docs/contract/1-specification-file.md#constraint-attributes.
 */
const checks = {
  minLength: (value: string, limit: number) =>
    codePoints(value) >= limit ? undefined : `must have at least ${counted(limit, 'character')}`,
  maxLength: (value: string, limit: number) =>
    value.length <= limit || codePoints(value) <= limit
      ? undefined
      : `must have at most ${counted(limit, 'character')}`,
  minimum: bound((order) => order >= 0, 'at least'),
  maximum: bound((order) => order <= 0, 'at most'),
  exclusiveMinimum: bound((order) => order > 0, 'greater than'),
  exclusiveMaximum: bound((order) => order < 0, 'less than'),
  multipleOf: (value: JsonValue, limit: number | string) =>
    isMultiple(value, limit) ? undefined : `must be a multiple of ${plainText(limit)}`,
  pattern: (value: string, limit: string, field: Field) => {
    const isMatch = field.pattern === undefined || matches(field.pattern, value);
    if (isMatch === undefined)
      return `takes too long to be tried against the pattern ${limit}, with what else the body has tried`;
    return isMatch ? undefined : `must match the pattern ${limit}`;
  },
  minItems: (value: readonly JsonValue[], limit: number) =>
    value.length >= limit ? undefined : `must have at least ${counted(limit, 'item')}`,
  maxItems: (value: readonly JsonValue[], limit: number) =>
    value.length <= limit ? undefined : `must have at most ${counted(limit, 'item')}`,
  uniqueItems: (value: readonly JsonValue[], wanted: boolean) =>
    !wanted || new Set(value.map((item) => JSON.stringify(item))).size === value.length
      ? undefined
      : 'must not have the same item twice',
} satisfies Partial<Record<keyof FieldSpecification, unknown>>;

type Constraint = keyof typeof checks;
const constraints = Object.keys(checks) as Constraint[];

/** The rule that a value breaks which a constraint does not allow: the limit is its param, if it has one. */
function brokenBy(rule: Constraint & Rule, limit: unknown): BrokenRule {
  const [name] = Object.keys(ruleTable[rule].params);
  return { rule, params: name === undefined ? {} : { [name]: limit } };
}

/** The constraints that a field declares, found once per field. */
const declared = new WeakMap<Field, readonly Constraint[]>();

function declaredBy({ attributes }: Field): readonly Constraint[] {
  return constraints.filter((name) => attributes[name] !== undefined);
}

/** An issue for every constraint that the value (of the right type, not null) breaks; `told` are the values to name. */
export function constraintIssues(
  value: JsonValue,
  field: Field,
  told = field.values,
): readonly ValueIssue[] {
  const names = getOrInsert(declared, field, declaredBy);
  const issues: ValueIssue[] = [];
  const note = (message: string, rule: BrokenRule): void => {
    issues.push({ kind: 'value', message, path: '', ...rule });
  };
  for (const name of names) {
    const check = checks[name] as unknown as Check;
    const message = check(value, field.attributes[name] as never, field);
    if (message !== undefined) note(message, brokenBy(name, field.attributes[name]));
  }
  if (field.values !== undefined && !field.values.includes(value))
    note(
      `must be ${oneOf(told ?? field.values)}`,
      breaks('enum', { values: told ?? field.values }),
    );
  return issues;
}
