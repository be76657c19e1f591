import { isGroup } from '../../../../src/query/filter/group.ts';
import type { Model } from '../../../../src/http/dashboard/wire-model.ts';
import { itemsOf, type Condition, type FilterGroup } from '../query.ts';
import { meaningOf, operandOf } from './conditions.ts';

/** Signs that are read faster than their words. */
const signs: Readonly<Record<string, string>> = {
  eq: '=',
  neq: '≠',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  // Whether case matters is said by those operators that mind it.
  ilike: 'contains',
  nilike: 'does not contain',
  ieq: 'equals',
};

/** What is said of a key at a path: what leads to its record, and what that is called, as far as it is known. */
export type Told = (
  path: string,
) => { readonly called: string; readonly label: (key: string) => string | undefined } | undefined;

/** Operators of keys whose records are named. */
const said: Readonly<Record<string, string>> = {
  eq: 'is',
  neq: 'is not',
  in: 'is one of',
  nin: 'is none of',
};

/** The keys that a condition names; none if it asks for something else than records. */
export function keysOf({ operator, value }: Condition): readonly string[] {
  if (said[operator] === undefined) return [];
  return operator === 'in' || operator === 'nin' ? (itemsOf(value) ?? []) : [value];
}

/** A condition in words: `country one of Germany, France`, and `customer is Ada` for a key. */
export function conditionWords(condition: Condition, model: Model, told: Told): string {
  const { path, operator, value } = condition;
  const operand = operandOf(operator, model);
  const key = told(path);
  const names = keysOf(condition).map((one) => ({ one, label: key?.label(one) }));
  if (key !== undefined && names.some(({ label }) => label !== undefined))
    return `${key.called} ${said[operator]} ${names.map(({ one, label }) => label ?? one).join(', ')}`;
  if (operand === 'flag') {
    const isNull = (operator === 'null') === (value === 'true');
    return `${path} ${isNull ? 'is null' : 'is there'}`;
  }
  const shown =
    operand === 'list' ? (itemsOf(value)?.join(', ') ?? value) : value === '' ? '“”' : value;
  return `${path} ${signs[operator] ?? meaningOf(operator, model)} ${shown}`;
}

/** A group in words: `any of: a = 1, b > 2`. */
export function groupWords({ kind, parts }: FilterGroup, model: Model, told: Told): string {
  const words = parts.map((part) =>
    isGroup(part) ? `(${groupWords(part, model, told)})` : conditionWords(part, model, told),
  );
  const [only] = words;
  if (kind !== 'not' && words.length === 1 && only !== undefined) return only;
  return words.length === 1
    ? `not ${words.join('')}`
    : `${{ or: 'any', and: 'all', not: 'none' }[kind]} of: ${words.join(', ')}`;
}
