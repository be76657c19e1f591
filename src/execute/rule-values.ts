import type { Claims } from '../model/access.ts';
import type { SqlValue } from '../model/values.ts';
import { ruleOperand } from '../plan/claims.ts';
import type { RuleSlot } from '../plan/plan.ts';
import { wantedValues, type Dialect } from '../sql/dialect.ts';

/** What the driver takes for the slots of access rules, for a caller with these claims. */
export function ruleValues(
  slots: readonly RuleSlot[],
  claims: Claims,
  dialect: Dialect,
): readonly SqlValue[] {
  return slots.length === 0 ? none : slots.map((slot) => valueFor(slot, claims, dialect));
}

const none: readonly never[] = [];

function valueFor(slot: RuleSlot, claims: Claims, dialect: Dialect): SqlValue {
  const { operator, field, any } = slot;
  const value = ruleOperand(slot, claims);
  if (value === null) return null;
  if (!any) return dialect.operand(value, operator, field);
  return dialect.keys(wantedValues(value).map((item) => dialect.operand(item, operator, field)));
}
