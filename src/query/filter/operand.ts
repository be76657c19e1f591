import { fail, ok, type Result } from '../../errors.ts';
import type { Field, Limits } from '../../model/api.ts';
import type { ClaimValue } from '../../model/access.ts';
import { ExactNumber, isDouble, plainDigits, plainText } from '../../model/exact-number.ts';
import { codePoints } from '../../model/validation/constraints.ts';
import { isNumbered } from '../../model/field-types/id.ts';
import { isComposite, wholeIds } from '../../model/field-types/composite-id.ts';
import { parseText } from '../../model/field-types/texts/string.ts';
import { operators, takes } from '../../model/operators.ts';
import { counted, oneOf } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { Comparison } from '../../model/operators.ts';
import type { Slot } from './predicate.ts';
import { readNow, takesNow, valueAt } from './now.ts';
import { splitList } from './text.ts';

/** Why a filter's value is rejected. */
export interface OperandProblem {
  readonly code: 'INVALID_FILTER' | 'LIMIT_EXCEEDED';
  readonly message: string;
  /** What a limit allows. */
  readonly max?: number | undefined;
}

/**
 * Parses the texts of one slot by its field's type: a value, or an array for operators that take a list. `others` are
 * the other slots of the same condition (the other targets of a morphTo). A list item that does not fit this slot but
 * fits one of them is left out here, since no value of this field can equal it. `now` is the time of the request.
 */
export function readOperand(
  texts: readonly string[],
  slot: Slot,
  limits: Limits,
  now?: Date,
  others: readonly Slot[] = [],
): Result<JsonValue, OperandProblem> {
  const isList = operators[slot.operator].operand === 'list';
  if (!isList) {
    const text = texts[0] ?? '';
    if (isTooLong(text, slot))
      return limitExceeded(
        `takes at most ${operators[slot.operator].longest} characters`,
        operators[slot.operator].longest,
      );
    return readItem(text, slot, now);
  }
  let items = texts;
  if (slot.sources.length === 1 && slot.isOne !== true) {
    const split = splitList(texts[0] ?? '');
    if (!split.ok) return fail({ code: 'INVALID_FILTER', message: split.error });
    const field = comparedField(slot);
    items = isComposite(field) ? wholeIds(split.value, field) : split.value;
  }
  if (items.length > limits.inItems)
    return limitExceeded(
      `takes at most ${counted(limits.inItems, 'item')} (limits.inItems)`,
      limits.inItems,
    );
  const values: JsonValue[] = [];
  for (const item of items) {
    const value = readItem(item, slot, now);
    if (value.ok) values.push(value.value);
    else if (
      operators[slot.operator].items === 'all' ||
      !others.some((other) => readItem(item, other, now).ok)
    )
      return value;
  }
  return ok(values);
}

/** Parses one value, or one item of a list; `now` is the time of the request, if the text may refer to it. */
export function readItem(
  text: string,
  slot: ComparedSlot,
  now?: Date,
): Result<JsonValue, OperandProblem> {
  const value = parse(text, slot, now);
  return value === undefined ? misfit(text, slot) : ok(value);
}

/** The parts of a slot that decide how a value is parsed. */
type ComparedSlot = Pick<Slot, 'field' | 'operator' | 'visibleValues'> &
  Partial<Pick<Slot, 'parameter'>>;

function isTooLong(text: string, { operator }: ComparedSlot): boolean {
  const { longest } = operators[operator];
  return longest !== undefined && text.length > longest && codePoints(text) > longest;
}

/**
 * Parses a claim's value, or an item of it, like the same text in a filter; undefined if it does not fit. See
 * docs/contract/5-access.md#claims.
 */
export function readClaim(claim: ClaimValue, slot: ComparedSlot): JsonValue | undefined {
  const field = comparedField(slot);
  if (!isFitting(claim, slot, field)) return undefined;
  const text = plainText(claim);
  return isTooLong(text, slot) || isRounded(text, field) ? undefined : parse(text, slot);
}

/** Whether a claim has a JSON type that a field can be compared with. */
function isFitting(
  claim: ClaimValue,
  { operator }: ComparedSlot,
  field: Field,
): claim is string | number | boolean | ExactNumber {
  const { json } = field.type;
  // Every text contains an empty one, and none is less: only equality tells its owner from others.
  if (claim === '') return operator === 'eq' || operator === 'in';
  if (typeof claim === 'string') return true;
  if (typeof claim === 'boolean') return json === 'boolean' || json === 'any';
  const isNumber = typeof claim === 'number' || claim instanceof ExactNumber;
  return isNumber && (isNumeric(field) || json === 'any');
}

/** A double tells at least this many digits apart. */
const digitsOfDouble = 15;

/** Whether a field is compared as a double that stands for other numbers as well as for the claim's. */
function isRounded(text: string, { type, attributes }: Field): boolean {
  if (text.length <= digitsOfDouble) return false;
  const { storedAs } = attributes;
  if (storedAs === 'real' || storedAs === 'text')
    return text.replaceAll(/\D|^-?0\.0*/gu, '').length > digitsOfDouble;
  return type.number === 'double' && !isDouble(text);
}

/** Whether a number fits. */
function isNumeric(field: Field): boolean {
  return field.type.number !== undefined || isNumbered(field);
}

/** The compared field; for an array, the field of its items. */
export function comparedField({ field }: Pick<ComparedSlot, 'field'>): Field {
  return field.items ?? field;
}

/** Whether a filter's value can be compared with values of a field. Lists and objects cannot. */
export function isLookedFor({ type }: Field): boolean {
  return type.json !== 'array' && type.json !== 'object';
}

/** The values that a filter accepts, for a field that lists its values. */
function allowedValues(slot: ComparedSlot): readonly JsonValue[] | undefined {
  return takesAnyValue(slot.operator) ? undefined : comparedField(slot).values;
}

/** Whether an operator accepts every value of the type even if the field lists its values, as comparisons and search do. */
export function takesAnyValue(operator: Comparison): boolean {
  return operators[operator].comparesWith !== 'listed';
}

function parse(text: string, slot: ComparedSlot, now?: Date): JsonValue | undefined {
  const field = comparedField(slot);
  // A json value has no declared type. The database compares the text by the type of the stored value.
  if (field.type.json === 'any' || operators[slot.operator].comparesWith === 'part')
    return parseText(text);
  if (now !== undefined && takesNow(field)) {
    const shift = readNow(text);
    if (shift !== undefined) return valueAt(now, shift, field);
  }
  const written = isNumeric(field) ? plainDigits(text) : text;
  if (written === undefined || !takes(field.type, 'eq')) return undefined;
  const value = field.type.parse(written, field);
  const allowed = allowedValues(slot);
  return value === undefined || allowed?.includes(value) === false ? undefined : value;
}

function limitExceeded(message: string, max: number | undefined): Result<never, OperandProblem> {
  return fail({ code: 'LIMIT_EXCEEDED', message, max });
}

function misfit(text: string, slot: ComparedSlot): Result<never, OperandProblem> {
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
      allowed === undefined
        ? type.expects(comparedField(slot))
        : oneOf(slot.visibleValues ?? allowed)
    }${advice}`,
  });
}

/** A hint for a value that does not fit. */
function adviceOn(text: string, { field, operator, parameter }: ComparedSlot): string {
  const { type } = comparedField({ field });
  // A plus sign in a query string decodes to a space.
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
