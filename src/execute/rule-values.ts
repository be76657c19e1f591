import { readClaim } from '../filter/operand.ts';
import { guarded } from '../filter/predicate.ts';
import { claimOf, type Claims } from '../model/access.ts';
import { operators } from '../model/operators.ts';
import type { SqlValue } from '../model/values.ts';
import type { RuleSlot } from '../plan/plan.ts';
import type { JsonValue } from '../spec/specification.ts';
import { wantedValues, type Dialect } from '../sql/dialect.ts';

/**
 * What the driver takes for the slots of access rules, for a caller with these claims. What fits no slot is null, and
 * the guard of its rule closed. Contract 3, Authorization. Each request of a caller under such rules comes here, and
 * lists that are mapped and flattened cost more than all of the rest.
 */
export function ruleValues(
  slots: readonly RuleSlot[],
  claims: Claims,
  dialect: Dialect,
): readonly SqlValue[] {
  const [start] = slots;
  if (start === undefined) return none;
  const values: SqlValue[] = [];
  const isHeld = (index: number): boolean => (values[index - start.index] ?? null) !== null;
  for (const slot of slots)
    if (slot.kind === 'value') values.push(encoded(valueOf(slot, claims), slot, dialect));
    else values.push(slot.claims.every((held) => held.some(isHeld)) ? guarded : null);
  return values;
}

const none: readonly never[] = [];

type ValueSlot = Extract<RuleSlot, { kind: 'value' }>;

function encoded(
  value: JsonValue,
  { operator, field, any }: ValueSlot,
  dialect: Dialect,
): SqlValue {
  if (value === null) return null;
  if (!any) return dialect.operand(value, operator, field);
  return dialect.keys(wantedValues(value).map((item) => dialect.operand(item, operator, field)));
}

/** One value, or a list where the slot holds one; null where a claim is missing or nothing of it fits. */
function valueOf(slot: ValueSlot, claims: Claims): JsonValue {
  const { operand, operator, any } = slot;
  if (operand.kind === 'constant') return operand.value;
  const isList = any || operators[operator].operand === 'list';
  const values: JsonValue[] = [];
  for (const item of operand.items) {
    const before = values.length;
    if ('value' in item) values.push(item.value);
    else addClaim(claimOf(claims, item.claim) ?? null, slot, isList, values);
    if (values.length === before) return null;
  }
  return isList ? values : (values[0] ?? null);
}

/** Adds what fits of a claim: one value, or of a list each where a list is wanted. */
function addClaim(claim: JsonValue, slot: ValueSlot, isList: boolean, values: JsonValue[]): void {
  if (claim === null || (Array.isArray(claim) && !isList)) return;
  const items: readonly JsonValue[] = Array.isArray(claim) ? claim : [claim];
  for (const item of items) {
    const value = readClaim(item, slot);
    if (value !== undefined) values.push(value);
  }
}
