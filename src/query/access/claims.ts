import { hash } from 'node:crypto';
import { comparedField, readClaim } from '../filter/operand.ts';
import { valueAt } from '../filter/now.ts';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import {
  claimOf,
  matchingRules,
  operations,
  type Claims,
  type ClaimValue,
  type Rule,
  type Subject,
} from '../../model/access.ts';
import type { Api } from '../../model/api.ts';
import { operators } from '../../model/operators.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { RuleItem, RuleSlot } from '../plan.ts';
import { rowRule, type RowRule, type RowRuleSlot } from './rule-parser.ts';

/**
 * The part of a view's key that depends on the caller's claims: which row rules match no row for these claims, and which
 * of their slots are empty or hold a list instead of one value. Usually an empty string.
 */
export function claimsKey(api: Api, subject: Subject): string {
  const { claims = {} } = subject;
  const texts: string[] = [];
  for (const [index, { rule, row }] of rulesWithClaims(api).entries()) {
    if (matchingRules([rule], subject).length === 0) continue;
    if (isClosed(row, claims)) texts.push(`${index}-`);
    else
      for (const [at, slot] of row.slots.entries())
        if (isEmpty(slot, claims)) texts.push(`${index}.${at}-`);
        else if (holdsList(slot, claims)) texts.push(`${index}.${at}`);
  }
  const text = texts.join(',');
  return text.length > longestKey ? hash('sha256', text) : text;
}

/** The key is part of the plan key of every request, so a longer text is replaced by its digest. */
const longestKey = 64;

const withClaims = new WeakMap<Api, readonly { readonly rule: Rule; readonly row: RowRule }[]>();

/** The row rules of all resources that compare with claims, each once. */
function rulesWithClaims(api: Api): readonly { readonly rule: Rule; readonly row: RowRule }[] {
  return getOrInsert(withClaims, api, () => {
    const found = new Map<RowRule, Rule>();
    for (const resource of api.resources.values())
      for (const rule of operations.flatMap((operation) => resource.access[operation])) {
        if (rule.where === undefined) continue;
        const row = rowRule(resource, rule, api);
        if (row.slots.some(({ operand }) => operand.kind === 'request')) found.set(row, rule);
      }
    return [...found].map(([row, rule]) => ({ rule, row }));
  });
}

/**
 * Whether a rule matches no row for a caller with these claims, because one of its conditions has no value to compare
 * with. A condition through a morphTo has none if no target has one. See docs/contract/5-access.md#claims, rule 4.
 */
export function isClosed({ slots }: RowRule, claims: Claims): boolean {
  const held = new Map<object, boolean>();
  for (const slot of slots) {
    const { condition } = slot;
    held.set(condition, held.get(condition) === true || !isEmpty(slot, claims));
  }
  return [...held.values()].includes(false);
}

/** Whether a claim that a slot compares with is missing or does not fit the field. Such a condition matches no row. */
export function isEmpty(slot: RowRuleSlot, claims: Claims): boolean {
  return (
    slot.operand.kind === 'request' && ruleOperand(slotFor(slot, claims), claims, anyTime) === null
  );
}

/** Whether there is a value does not depend on the time. */
const anyTime = new Date(0);

/** Whether a slot compares with the time of the request. */
export function comparesWithNow({ operand }: Pick<RuleSlot, 'operand'>): boolean {
  return operand.kind === 'request' && operand.items.some((item) => 'isNow' in item);
}

/** A slot of a rule with the operator that these claims call for. */
export function slotFor(slot: RowRuleSlot, claims: Claims): Omit<RuleSlot, 'index'> {
  const { field, operator, operand } = slot;
  if (!holdsList(slot, claims)) return { field, operator, any: false, operand };
  const listed = operators[operator].ofList;
  return { field, operator: listed ?? operator, any: listed === undefined, operand };
}

/** Whether the operator takes one value and the claim is a list, so that any item may match. */
function holdsList({ operator, operand }: RowRuleSlot, claims: Claims): boolean {
  return (
    operand.kind === 'request' &&
    operators[operator].operand === 'value' &&
    operand.items.some((item) => 'claim' in item && Array.isArray(claimOf(claims, item.claim)))
  );
}

/**
 * The value that a slot is bound to for a caller with these claims, in a request at `now`: one value or a list; null if a
 * claim is missing or does not fit. Runs for every request of a caller with row rules.
 */
export function ruleOperand(slot: Omit<RuleSlot, 'index'>, claims: Claims, now: Date): JsonValue {
  const { operand, operator, any } = slot;
  if (operand.kind === 'constant') return operand.value;
  if (!any && operators[operator].operand !== 'list') {
    const [item] = operand.items;
    if (item === undefined) return null;
    return 'claim' in item
      ? fitting(claimOf(claims, item.claim) ?? null, slot)
      : plainItem(item, slot, now);
  }
  const values: JsonValue[] = [];
  for (const item of operand.items) {
    const before = values.length;
    if (!('claim' in item)) values.push(plainItem(item, slot, now));
    else {
      const claim = claimOf(claims, item.claim) ?? null;
      const items: readonly ClaimValue[] = Array.isArray(claim) ? claim : [claim];
      for (const one of items) {
        const value = fitting(one, slot);
        if (value !== null) values.push(value);
      }
    }
    if (values.length === before) return null;
  }
  return values;
}

/** An item that is no claim. */
function plainItem(
  item: Exclude<RuleItem, { readonly claim: string }>,
  slot: Omit<RuleSlot, 'index'>,
  now: Date,
): JsonValue {
  if ('value' in item) return item.value;
  return valueAt(now, item.shift, comparedField(slot)) ?? null;
}

/** One claim value as it is compared; null if it does not fit. */
function fitting(claim: ClaimValue, slot: Omit<RuleSlot, 'index'>): JsonValue {
  return readClaim(claim, slot) ?? null;
}
