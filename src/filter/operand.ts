import { fail, ok, type Result } from '../errors.ts';
import type { Field, Limits } from '../model/api.ts';
import { parseText } from '../model/field-types/string.ts';
import { operators } from '../model/operators.ts';
import type { JsonValue } from '../spec/specification.ts';
import type { Comparison, Slot } from './predicate.ts';
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
  const { operator } = slot;
  const isPattern = operator === 'like' || operator === 'ilike';
  const isList = operators[operator].operand === 'list';
  if (!isList) {
    const text = texts[0] ?? '';
    if (isPattern && text.length > patternLength)
      return limitExceeded(`takes at most ${patternLength} characters`);
    const value = parse(text, slot);
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
    const value = parse(item, slot);
    if (value === undefined) return misfit(item, slot);
    values.push(value);
  }
  return ok(values);
}

/** What is compared: the field, or the items of an array. */
function comparedField({ field }: Slot): Field {
  return field.items ?? field;
}

/** The values that can be asked for, where not every value of the type is one: order and search take any. */
function allowedValues(slot: Slot): readonly JsonValue[] | undefined {
  return anyValue.has(slot.operator) ? undefined : comparedField(slot).values;
}

const anyValue: ReadonlySet<Comparison> = new Set(['gt', 'gte', 'lt', 'lte', 'like', 'ilike']);

function parse(text: string, slot: Slot): JsonValue | undefined {
  const field = comparedField(slot);
  // Without a type the text itself is asked for; the database compares it by the type that it finds.
  if (field.type.name === 'json') return parseText(text);
  const value = field.type.operators.has('eq') ? field.type.parse(text, field) : undefined;
  const allowed = allowedValues(slot);
  return value === undefined || allowed?.includes(value) === false ? undefined : value;
}

function limitExceeded(message: string): Result<never, OperandProblem> {
  return fail({ code: 'LIMIT_EXCEEDED', message });
}

function misfit(text: string, slot: Slot): Result<never, OperandProblem> {
  const { type } = comparedField(slot);
  if (type.name === 'array' || type.name === 'object')
    return fail({
      code: 'INVALID_FILTER',
      message: `items of type ${type.name} cannot be looked for`,
    });
  const expected = allowedValues(slot);
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return fail({
    code: 'INVALID_FILTER',
    message: `${JSON.stringify(shown)} does not fit: it takes ${
      expected === undefined ? type.expects(comparedField(slot)) : `one of ${expected.join(', ')}`
    }`,
  });
}
