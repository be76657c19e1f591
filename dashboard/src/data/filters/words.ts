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
};

/** A condition in words: `country is one of Germany, France`. */
export function conditionWords({ path, operator, value }: Condition, model: Model): string {
  const operand = operandOf(operator, model);
  if (operand === 'flag') {
    const isNull = (operator === 'null') === (value === 'true');
    return `${path} ${isNull ? 'is null' : 'is there'}`;
  }
  const told =
    operand === 'list' ? (itemsOf(value)?.join(', ') ?? value) : value === '' ? '“”' : value;
  return `${path} ${signs[operator] ?? meaningOf(operator, model)} ${told}`;
}

/** A group in words: `any of: a = 1, b > 2`. */
export function groupWords({ kind, parts }: FilterGroup, model: Model): string {
  const told = parts.map((part) =>
    isGroup(part) ? `(${groupWords(part, model)})` : conditionWords(part, model),
  );
  const [only] = told;
  if (kind !== 'not' && told.length === 1 && only !== undefined) return only;
  return told.length === 1
    ? `not ${told.join('')}`
    : `${{ or: 'any', and: 'all', not: 'none' }[kind]} of: ${told.join(', ')}`;
}
