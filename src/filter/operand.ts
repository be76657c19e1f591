import { fail, ok, type Result } from '../errors.ts';
import type { Limits } from '../model/api.ts';
import { operators } from '../model/operators.ts';
import type { JsonValue } from '../spec/specification.ts';
import type { Slot } from './predicate.ts';
import { splitList } from './text.ts';

/** Why a filter's value is refused. */
export interface OperandProblem {
  readonly code: 'INVALID_FILTER' | 'LIMIT_EXCEEDED';
  readonly message: string;
}

/** The longest value of `_like` and `_ilike`, in characters: databases bound the length of patterns. */
const patternLength = 1_000;

/** Reads the texts of one slot by its field's type: a value, or an array for operators that take a list. */
export function readOperand(
  texts: readonly string[],
  slot: Slot,
  limits: Limits,
): Result<JsonValue, OperandProblem> {
  const { field, operator } = slot;
  const isPattern = operator === 'like' || operator === 'ilike';
  const isList = operators[operator].operand === 'list';
  if (!isList) {
    const text = texts[0] ?? '';
    if (isPattern && text.length > patternLength)
      return limitExceeded(`takes at most ${patternLength} characters`);
    const value = field.type.parse(text, field);
    return value === undefined ? misfit(text, slot) : ok(value);
  }
  let items = texts;
  if (slot.sources.length === 1) {
    const split = splitList(texts[0] ?? '');
    if (!split.ok) return fail({ code: 'INVALID_FILTER', message: split.error });
    items = split.value;
  }
  if (items.length > limits.inItems)
    return limitExceeded(`takes at most ${limits.inItems} items (limits.inItems)`);
  const values: JsonValue[] = [];
  for (const item of items) {
    const value = field.type.parse(item, field);
    if (value === undefined) return misfit(item, slot);
    values.push(value);
  }
  return ok(values);
}

function limitExceeded(message: string): Result<never, OperandProblem> {
  return fail({ code: 'LIMIT_EXCEEDED', message });
}

function misfit(text: string, { field }: Slot): Result<never, OperandProblem> {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return fail({
    code: 'INVALID_FILTER',
    message: `${JSON.stringify(shown)} does not fit: it takes ${field.type.expects(field)}`,
  });
}
