import type { Claims } from '../model/access.ts';
import type { SqlValue } from '../model/values.ts';
import { ruleOperand } from '../query/access/claims.ts';
import type { RuleSlot } from '../query/plan.ts';
import { wantedValues, type SqlSyntax } from '../sql/dialect.ts';

/** The encoded values of a caller's last plan. A caller mostly repeats similar requests. */
interface Bound {
  readonly slots: readonly RuleSlot[];
  readonly dialect: SqlSyntax;
  readonly values: readonly SqlValue[];
}

const last = new WeakMap<Claims, Bound>();

/** The encoded values of access rule slots, for a caller with these claims. */
export function ruleValues(
  slots: readonly RuleSlot[],
  claims: Claims,
  dialect: SqlSyntax,
): readonly SqlValue[] {
  if (slots.length === 0) return none;
  const known = last.get(claims);
  if (known?.slots === slots && known.dialect === dialect) return known.values;
  const values = slots.map((slot) => valueFor(slot, claims, dialect));
  last.set(claims, { slots, dialect, values });
  return values;
}

const none: readonly never[] = [];

function valueFor(slot: RuleSlot, claims: Claims, dialect: SqlSyntax): SqlValue {
  const { operator, field, any } = slot;
  const value = ruleOperand(slot, claims);
  if (value === null) return null;
  if (!any) return dialect.operand(value, operator, field);
  return dialect.keys(wantedValues(value).map((item) => dialect.operand(item, operator, field)));
}
