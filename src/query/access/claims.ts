import { hash } from 'node:crypto';
import { readClaim } from '../filter/operand.ts';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import {
  claimOf,
  matchingRules,
  operations,
  type Claims,
  type Rule,
  type Subject,
} from '../../model/access.ts';
import type { Api } from '../../model/api.ts';
import { operators } from '../../model/operators.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { RuleSlot } from '../plan.ts';
import { rowRule, type RowRule, type RowRuleSlot } from './rules.ts';

/**
 * What planning depends on of a caller's claims, as a part of the key of its view: which of the row rules that speak of it
 * match no row for it, and which of their slots are empty, or ask of a list what others ask of one value. Mostly empty.
 */
export function claimShape(api: Api, subject: Subject): string {
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
  return text.length > longestShape ? hash('sha256', text) : text;
}

/** It stands in the shape of every request: a longer one does with its digest. */
const longestShape = 64;

const withClaims = new WeakMap<Api, readonly { readonly rule: Rule; readonly row: RowRule }[]>();

/** The rules of all resources that compare with claims, each once. */
function rulesWithClaims(api: Api): readonly { readonly rule: Rule; readonly row: RowRule }[] {
  return getOrInsert(withClaims, api, () => {
    const found = new Map<RowRule, Rule>();
    for (const resource of api.resources.values())
      for (const rule of operations.flatMap((operation) => resource.access[operation])) {
        if (rule.where === undefined) continue;
        const row = rowRule(resource, rule, api);
        if (row.slots.some(({ operand }) => operand.kind === 'claims')) found.set(row, rule);
      }
    return [...found].map(([row, rule]) => ({ rule, row }));
  });
}

/**
 * Whether a rule matches no row for a caller with these claims, since one of its conditions has nothing to compare
 * with. Behind a morphTo that is so when no target has anything to compare with. See
 * docs/contract/5-access.md#claims, rule 4.
 */
export function isClosed({ slots }: RowRule, claims: Claims): boolean {
  const held = new Map<object, boolean>();
  for (const slot of slots) {
    const { condition } = slot;
    held.set(condition, held.get(condition) === true || !isEmpty(slot, claims));
  }
  return [...held.values()].includes(false);
}

/** Whether a claim that a slot compares with is missing or has nothing that fits: it matches no row then. */
export function isEmpty(slot: RowRuleSlot, claims: Claims): boolean {
  return slot.operand.kind === 'claims' && ruleOperand(slotFor(slot, claims), claims) === null;
}

/** A slot of a rule as it is asked for a caller with these claims. */
export function slotFor(slot: RowRuleSlot, claims: Claims): Omit<RuleSlot, 'index'> {
  const { field, operator, operand } = slot;
  if (!holdsList(slot, claims)) return { field, operator, any: false, operand };
  const listed = operators[operator].ofList;
  return { field, operator: listed ?? operator, any: listed === undefined, operand };
}

/** Whether a claim is a list where one value is asked for: any of its items will do. */
function holdsList({ operator, operand }: RowRuleSlot, claims: Claims): boolean {
  return (
    operand.kind === 'claims' &&
    operators[operator].operand === 'value' &&
    operand.items.some((item) => 'claim' in item && Array.isArray(claimOf(claims, item.claim)))
  );
}

/**
 * What a slot holds for a caller with these claims: one value, or a list where it is asked for one; null where a claim is
 * missing or nothing of it fits. Each request of a caller under row rules comes here.
 */
export function ruleOperand(slot: Omit<RuleSlot, 'index'>, claims: Claims): JsonValue {
  const { operand, operator, any } = slot;
  if (operand.kind === 'constant') return operand.value;
  if (!any && operators[operator].operand !== 'list') {
    const [item] = operand.items;
    if (item === undefined) return null;
    return 'value' in item ? item.value : fitting(claimOf(claims, item.claim) ?? null, slot);
  }
  const values: JsonValue[] = [];
  for (const item of operand.items) {
    const before = values.length;
    if ('value' in item) values.push(item.value);
    else {
      const claim = claimOf(claims, item.claim) ?? null;
      const items: readonly JsonValue[] = Array.isArray(claim) ? claim : [claim];
      for (const one of items) {
        const value = fitting(one, slot);
        if (value !== null) values.push(value);
      }
    }
    if (values.length === before) return null;
  }
  return values;
}

/** One value of a claim as it is compared; null where there is none that fits. */
function fitting(claim: JsonValue, slot: Omit<RuleSlot, 'index'>): JsonValue {
  return readClaim(claim, slot) ?? null;
}
