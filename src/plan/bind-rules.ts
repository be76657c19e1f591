import { readClaim } from '../filter/operand.ts';
import { guarded } from '../filter/predicate.ts';
import { claimOf, type Claims } from '../model/access.ts';
import { operators } from '../model/operators.ts';
import type { JsonValue } from '../spec/specification.ts';
import type { RuleSlot } from './plan.ts';

/**
 * The values of the slots of access rules for a caller with these claims; `first` is the index of the first slot. What
 * fits no slot is null, and the guard of its rule closed. Contract 3, Authorization.
 */
export function bindRules(
  slots: readonly RuleSlot[],
  first: number,
  claims: Claims,
): readonly JsonValue[] {
  if (slots.length === 0) return none;
  const values: JsonValue[] = [];
  for (const slot of slots)
    if (slot.kind === 'value') values.push(valueOf(slot, claims));
    else {
      const isOpen = slot.claims.every((held) =>
        held.some((index) => (values[index - first] ?? null) !== null),
      );
      values.push(isOpen ? guarded : null);
    }
  return values;
}

const none: readonly JsonValue[] = [];

type ValueSlot = Extract<RuleSlot, { kind: 'value' }>;

/**
 * One value, or a list where the slot holds one; null where a claim is missing or nothing of it fits. Each request of
 * such a caller comes here, and lists that are mapped and flattened cost more than all of the rest.
 */
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
