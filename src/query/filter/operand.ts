import { fail, ok, type Result } from '../../errors.ts';
import type { Field, Limits } from '../../model/api.ts';
import { plainText } from '../../model/exact-number.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import { parseText } from '../../model/field-types/string.ts';
import { operators, takes } from '../../model/operators.ts';
import { counted, oneOf } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { Comparison } from '../../model/operators.ts';
import type { Slot } from './predicate.ts';
import { splitList } from './text.ts';

/** Why a filter's value is refused. */
export interface OperandProblem {
  readonly code: 'INVALID_FILTER' | 'LIMIT_EXCEEDED';
  readonly message: string;
}

/**
 * Reads the texts of one slot by its field's type: a value, or an array for operators that take a list. `others` are the
 * further slots of its condition: an item of a list that one of them takes is left out where it does not fit, since
 * nothing there is equal to it.
 */
export function readOperand(
  texts: readonly string[],
  slot: Slot,
  limits: Limits,
  others: readonly Slot[] = [],
): Result<JsonValue, OperandProblem> {
  const isList = operators[slot.operator].operand === 'list';
  if (!isList) {
    const text = texts[0] ?? '';
    if (isTooLong(text, slot))
      return limitExceeded(`takes at most ${operators[slot.operator].longest} characters`);
    return readItem(text, slot);
  }
  let items = texts;
  if (slot.sources.length === 1 && slot.isOne !== true) {
    const split = splitList(texts[0] ?? '');
    if (!split.ok) return fail({ code: 'INVALID_FILTER', message: split.error });
    items = split.value;
  }
  if (items.length > limits.inItems)
    return limitExceeded(`takes at most ${counted(limits.inItems, 'item')} (limits.inItems)`);
  const values: JsonValue[] = [];
  for (const item of items) {
    const value = readItem(item, slot);
    if (value.ok) values.push(value.value);
    else if (
      operators[slot.operator].items === 'all' ||
      !others.some((other) => readItem(item, other).ok)
    )
      return value;
  }
  return ok(values);
}

/** Reads one value, or one item of a list that is split already. */
export function readItem(text: string, asked: Asked): Result<JsonValue, OperandProblem> {
  const value = parse(text, asked);
  return value === undefined ? misfit(text, asked) : ok(value);
}

/** What a value is asked with: the operator, and the field that it is compared with. */
type Asked = Pick<Slot, 'field' | 'operator' | 'told'> & Partial<Pick<Slot, 'parameter'>>;

function isTooLong(text: string, { operator }: Asked): boolean {
  const { longest } = operators[operator];
  return longest !== undefined && text.length > longest;
}

/** Reads one value of a claim, or an item of one, as a text of it would be read; undefined where it does not fit. */
export function readClaim(claim: JsonValue, asked: Asked): JsonValue | undefined {
  const field = comparedField(asked);
  const { type } = field;
  const isFitting =
    typeof claim === 'string' ||
    (typeof claim === 'number' && (isNumeric(field) || type.json === 'any')) ||
    (typeof claim === 'boolean' && (type.json === 'boolean' || type.json === 'any'));
  if (!isFitting) return undefined;
  const text = plainText(claim);
  return isTooLong(text, asked) ? undefined : parse(text, asked);
}

/** Whether a number fits. */
function isNumeric(field: Field): boolean {
  return field.type.number !== undefined || isGenerated(field);
}

/** What is compared: the field, or the items of an array. */
function comparedField({ field }: Asked): Field {
  return field.items ?? field;
}

/** Whether a value as a filter gives it can be compared with those of a field or of items: lists and objects cannot. */
export function isLookedFor({ type }: Field): boolean {
  return type.json !== 'array' && type.json !== 'object';
}

/** The values that can be asked for, where not every value of the type is one. */
function allowedValues(slot: Asked): readonly JsonValue[] | undefined {
  return takesAnyValue(slot.operator) ? undefined : comparedField(slot).values;
}

/** Whether an operator takes every value of a type, also of a field that lists its values: order and search do. */
export function takesAnyValue(operator: Comparison): boolean {
  return operators[operator].comparesWith !== 'listed';
}

function parse(text: string, slot: Asked): JsonValue | undefined {
  const field = comparedField(slot);
  // Without a type the text itself is asked for; the database compares it by the type that it finds.
  if (field.type.json === 'any' || operators[slot.operator].comparesWith === 'part')
    return parseText(text);
  const value = takes(field.type, 'eq') ? field.type.parse(text, field) : undefined;
  const allowed = allowedValues(slot);
  return value === undefined || allowed?.includes(value) === false ? undefined : value;
}

function limitExceeded(message: string): Result<never, OperandProblem> {
  return fail({ code: 'LIMIT_EXCEEDED', message });
}

function misfit(text: string, slot: Asked): Result<never, OperandProblem> {
  const { type } = comparedField(slot);
  if (!isLookedFor(comparedField(slot)))
    return fail({
      code: 'INVALID_FILTER',
      message: `items of type ${type.name} cannot be looked for`,
    });
  const allowed = allowedValues(slot);
  const advice = adviceOn(text, slot);
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return fail({
    code: 'INVALID_FILTER',
    message: `${JSON.stringify(shown)} does not fit: it takes ${
      allowed === undefined ? type.expects(comparedField(slot)) : oneOf(slot.told ?? allowed)
    }${advice}`,
  });
}

/** What a value that does not fit was most likely meant to be. */
function adviceOn(text: string, { field, operator, parameter }: Asked): string {
  const { type } = comparedField({ field, operator });
  // A plus sign is a blank in a query string.
  if (type.kind === 'datetime' && / \d\d:\d\d$/u.test(text)) return '; write + as %2B';
  const isWhole = type.json === 'integer';
  if (isWhole && /^-?\d+$/u.test(text) && type.parse(text, field) === undefined)
    return ` from ${-Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;
  const isOne = operator === 'eq' || operator === 'neq';
  const items = isOne && parameter !== undefined ? text.split(',') : [];
  if (items.length < 2 || items.some((item) => parse(item, { field, operator }) === undefined))
    return '';
  const name = parameter?.replace(/_n?eq$/u, '');
  return `; for any of several write ${name}${operator === 'eq' ? '_in' : '_nin'}`;
}
