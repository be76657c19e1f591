import { getOrInsert } from '../../lib/get-or-insert.ts';
import { withParts, type Predicate } from '../filter/predicate.ts';
import { decide, matchingRules, type Claims, type Operation } from '../../model/access.ts';
import type { Relation, Resource } from '../../model/api.ts';
import type { View } from '../../model/view.ts';
import { isClosed, isEmpty, slotFor } from './claims.ts';
import type { RuleSlot } from '../plan.ts';
import { rowRule, type RowRule } from './rules.ts';

/** Without an alternative there is no row. */
const nothing: Predicate = { kind: 'or', parts: [] };

/** The row rules that one plan meets for the caller of a view, with their slots. */
export class RowRules {
  readonly slots: RuleSlot[] = [];
  private readonly view: View;
  /** The index of the first slot. */
  private readonly first: number;
  private readonly known = new Map<string, readonly Predicate[]>();

  constructor(view: View, first: number) {
    this.view = view;
    this.first = first;
  }

  /** Whether the plan meets any of them. */
  get areMet(): boolean {
    return [...this.known.values()].some((rows) => rows.length > 0);
  }

  /** What the records of a resource have to satisfy so that an operation is left to the caller. */
  rowsOf(resource: Resource, operation: Operation): readonly Predicate[] {
    const key = `${operation} ${resource.name}`;
    return getOrInsert(this.known, key, () => this.alternatives(resource, operation));
  }

  /** What the records have to satisfy that a relation leads to, and the links to them. */
  behind(relation: Relation, target: Resource): readonly Predicate[] {
    const rows = this.rowsOf(target, 'read');
    const links = relation.kind === 'belongsToMany' ? this.rowsOf(relation.through, 'read') : [];
    return links.length === 0 ? rows : [...rows, { kind: 'link', where: links }];
  }

  private alternatives(resource: Resource, operation: Operation): readonly Predicate[] {
    const { api, subject } = this.view;
    const { allowed, rules } = decide(matchingRules(resource.access[operation], subject));
    if (allowed === 'all') return [];
    const parts = rules
      .map((rule) => rowRule(resource, rule, api))
      .filter((rule) => !isClosed(rule, this.claims))
      .map((rule) => this.predicates(rule));
    const [only] = parts;
    if (only !== undefined && parts.length === 1) return only;
    if (parts.length === 0) return [nothing];
    return [{ kind: 'or', parts: parts.map((part) => ({ kind: 'and', parts: part })) }];
  }

  /** The predicates of a rule, with slots of this plan in the place of its own. */
  private predicates({ where, slots }: RowRule): readonly Predicate[] {
    const start = this.first + this.slots.length;
    for (const [at, slot] of slots.entries())
      this.slots.push({ ...slotFor(slot, this.claims), index: start + at });
    return where.map((part) => this.moved(part, start, slots));
  }

  /** Of one of those who have the view: of claims, planning depends on no more than all of them have alike. */
  private get claims(): Claims {
    return this.view.subject.claims ?? {};
  }

  /** A predicate of a rule with these slots, which begin at `start` in this plan. */
  private moved(predicate: Predicate, start: number, slots: RowRule['slots']): Predicate {
    if (predicate.kind !== 'compare')
      return withParts(predicate, (part) => this.moved(part, start, slots));
    const index = start + predicate.slot.index;
    const slot = this.slots[index - this.first];
    const written = slots[predicate.slot.index];
    if (slot === undefined || written === undefined)
      throw new TypeError('A rule compares with a slot of its own');
    if (isEmpty(written, this.claims)) return nothing;
    return { ...predicate, operator: slot.operator, any: slot.any, slot: { index } };
  }
}

/** Which rows of a resource an operation is left on to the caller of a view. */
export interface RowsPlan {
  readonly resource: Resource;
  readonly access: readonly Predicate[];
  readonly ruleSlots: readonly RuleSlot[];
}

const planned = new WeakMap<View, Map<string, RowsPlan | undefined>>();

/** Plans the question which rows an operation is left on; undefined where it is on all of them. */
export function planRows(
  view: View,
  resource: Resource,
  operation: Operation,
): RowsPlan | undefined {
  const plans = getOrInsert(planned, view, () => new Map<string, RowsPlan | undefined>());
  const key = `${operation} ${resource.name}`;
  if (!plans.has(key)) {
    const rules = new RowRules(view, 0);
    const access = rules.rowsOf(resource, operation);
    const plan = { resource, access, ruleSlots: rules.slots };
    plans.set(key, access.length === 0 ? undefined : plan);
  }
  return plans.get(key);
}
