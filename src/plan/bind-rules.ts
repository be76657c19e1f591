import { readClaim } from '../filter/operand.ts';
import { guarded } from '../filter/predicate.ts';
import { claimOf, type Claims } from '../model/access.ts';
import { operators } from '../model/operators.ts';
import type { JsonValue } from '../spec/specification.ts';
import type { RuleItem, RuleSlot } from './plan.ts';

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

/** One value, or a list where the slot holds one; null where a claim is missing or nothing of it fits. */
function valueOf(slot: ValueSlot, claims: Claims): JsonValue {
  const { operand, operator, any } = slot;
  if (operand.kind === 'constant') return operand.value;
  const isList = any || operators[operator].operand === 'list';
  const each = operand.items.map((item) => itemValues(item, slot, claims, isList));
  if (each.some((values) => values.length === 0)) return null;
  const all = each.flat();
  return isList ? all : (all[0] ?? null);
}

function itemValues(
  item: RuleItem,
  slot: ValueSlot,
  claims: Claims,
  isList: boolean,
): readonly JsonValue[] {
  if ('value' in item) return [item.value];
  const claim = claimOf(claims, item.claim) ?? null;
  if (claim === null || (Array.isArray(claim) && !isList)) return [];
  const items: readonly JsonValue[] = Array.isArray(claim) ? claim : [claim];
  return items.flatMap((one) => readClaim(one, slot) ?? []);
}
