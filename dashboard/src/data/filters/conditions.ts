import type { Model, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { leafAt } from '../paths.ts';
import type { Condition } from '../query.ts';

/** What can be asked where a path leads nowhere. */
export const nowhere = { operators: ['eq'], type: null, values: null } as const;

/** A condition to fill in. */
export function newCondition(path: string, resource: ResourceInfo, model: Model): Condition {
  return conditionAt(path, { path, operator: '', value: '' }, resource, model);
}

/** A condition at another path: it keeps its operator where that fits, and is asked for a value. */
export function conditionAt(
  path: string,
  { operator }: Condition,
  resource: ResourceInfo,
  model: Model,
): Condition {
  const takes = leafAt(path, resource, model)?.operators ?? nowhere.operators;
  const isKept = takes.includes(operator) && operandOf(operator, model) !== 'flag';
  const next = isKept ? operator : (takes[0] ?? 'eq');
  return { path, operator: next, value: operandOf(next, model) === 'flag' ? 'true' : '' };
}

/** A condition with another operator, and with its value where that can mean the same. */
export function conditionWith(operator: string, condition: Condition, model: Model): Condition {
  const [was, is] = [operandOf(condition.operator, model), operandOf(operator, model)];
  const isKept = (was === 'flag') === (is === 'flag');
  return { ...condition, operator, value: isKept ? condition.value : is === 'flag' ? 'true' : '' };
}

export function operandOf(operator: string, { operators }: Model): 'value' | 'list' | 'flag' {
  return operators.find(({ name }) => name === operator)?.operand ?? 'value';
}

export function meaningOf(operator: string, { operators }: Model): string {
  return operators.find(({ name }) => name === operator)?.meaning ?? operator;
}
