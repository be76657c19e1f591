import type { Claims } from '../model/access.ts';
import type { SqlValue } from '../model/values.ts';
import { comparesWithNow, ruleOperand } from '../query/access/claims.ts';
import type { RuleSlot } from '../query/plan.ts';
import { wantedValues, type SqlSyntax } from '../sql/dialect.ts';

/** The encoded values of a caller's last plan. A caller mostly repeats similar requests. */
interface Bound {
  readonly slots: readonly RuleSlot[];
  readonly dialect: SqlSyntax;
  readonly values: readonly SqlValue[];
}

const last = new WeakMap<Claims, Bound>();

/** The encoded values of access rule slots, for a caller with these claims in a request at the time `now`. */
export function ruleValues(
  slots: readonly RuleSlot[],
  claims: Claims,
  now: () => Date,
  dialect: SqlSyntax,
): readonly SqlValue[] {
  if (slots.length === 0) return none;
  const known = last.get(claims);
  if (known?.slots === slots && known.dialect === dialect) return known.values;
  const isTimed = slots.some(comparesWithNow);
  const moment = isTimed ? now() : noTime;
  const values = slots.map((slot) => valueFor(slot, claims, moment, dialect));
  if (!isTimed) last.set(claims, { slots, dialect, values });
  return values;
}

const none: readonly never[] = [];
const noTime = new Date(0);

function valueFor(slot: RuleSlot, claims: Claims, now: Date, dialect: SqlSyntax): SqlValue {
  const { operator, field, any } = slot;
  const value = ruleOperand(slot, claims, now);
  if (value === null) return null;
  if (!any) return dialect.operand(value, operator, field);
  return dialect.keys(wantedValues(value).map((item) => dialect.operand(item, operator, field)));
}
