import { getOrInsert } from '../../lib/get-or-insert.ts';
import { fieldRef, withParts, type ComputedValue, type Predicate } from '../filter/predicate.ts';
import {
  decide,
  matchingRules,
  type Claims,
  type Operation,
  type Rule,
} from '../../model/access.ts';
import type { CodeNeeds, Field, Relation, Resource } from '../../model/api.ts';
import type { View } from '../../model/view.ts';
import { isClosed, isEmpty, slotFor } from './claims.ts';
import type { RuleSlot } from '../plan.ts';
import { rowRule, type RowRule } from './rule-parser.ts';

/** Matches no row: an OR of no alternatives is false. */
const nothing: Predicate = { kind: 'or', parts: [] };
/** Matches every row. */
const everything: Predicate = { kind: 'and', parts: [] };

/** The row rules that apply to one plan for the caller of a view, with their slots. */
export class RowRules {
  readonly slots: RuleSlot[] = [];
  private readonly view: View;
  /** The index of the first rule slot in the plan. */
  private readonly first: number;
  private readonly known = new Map<string, readonly Predicate[]>();

  constructor(view: View, first: number) {
    this.view = view;
    this.first = first;
  }

  /** Whether any row rule applies to the plan. */
  get any(): boolean {
    return [...this.known.values()].some((rows) => rows.length > 0);
  }

  /** The conditions that records of a resource must satisfy for the caller to perform an operation on them. */
  rowsOf(resource: Resource, operation: Operation): readonly Predicate[] {
    const key = `${operation} ${resource.name}`;
    return getOrInsert(this.known, key, () => this.alternatives(resource, operation));
  }

  /** The conditions on the records that a relation leads to, and on the links to them. */
  behind(relation: Relation, target: Resource): readonly Predicate[] {
    const rows = this.rowsOf(target, 'read');
    const links = relation.kind === 'belongsToMany' ? this.rowsOf(relation.through, 'read') : [];
    return links.length === 0 ? rows : [...rows, { kind: 'link', where: links }];
  }

  /** How a field without a column is computed for the caller; undefined for other fields. */
  computed({ computed, resource }: Field): ComputedValue | undefined {
    switch (computed?.kind) {
      case undefined:
      case 'code':
        return undefined;
      case 'join':
        return computed;
      case 'where':
        return { kind: 'where', where: this.filters(resource, computed.where) };
      case 'related': {
        const { function: name, relation, field, isPivot, where } = computed;
        const { target } = relation;
        const filters = where === undefined ? [] : this.filters(target, where);
        const ref = field && fieldRef(field, isPivot);
        const all = [...filters, ...this.behind(relation, target)];
        return { kind: 'related', function: name, relation, ref, where: all };
      }
      default:
        return computed satisfies never;
    }
  }

  /** What a field that own code computes is made of. */
  needsOf(field: Field): CodeNeeds | undefined {
    return this.view.api.codeNeeds?.get(field);
  }

  /** Filters of the file, which say nothing of callers. */
  private filters(resource: Resource, rule: Rule): readonly Predicate[] {
    return this.predicates(rowRule(resource, rule, this.view.api));
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

  /** The predicates of a rule, renumbered to slots of this plan. */
  private predicates({ where, slots }: RowRule): readonly Predicate[] {
    const start = this.first + this.slots.length;
    for (const [at, slot] of slots.entries())
      this.slots.push({ ...slotFor(slot, this.claims), index: start + at });
    return where.map((part) => this.moved(part, start, slots));
  }

  /**
   * The claims of one of the callers who share the view. Planning depends only on what `claimsKey` covers, which is the
   * same for all of them.
   */
  private get claims(): Claims {
    return this.view.subject.claims ?? {};
  }

  /**
   * A predicate of a rule whose slots begin at index `start` in this plan. A comparison without a value matches no row;
   * inside a `not` (`isDenied`) it matches every row, so that the rule opens none.
   */
  private moved(
    predicate: Predicate,
    start: number,
    slots: RowRule['slots'],
    isDenied = false,
  ): Predicate {
    if (predicate.kind !== 'compare')
      return withParts(predicate, (part) =>
        this.moved(part, start, slots, isDenied !== (predicate.kind === 'not')),
      );
    const index = start + predicate.slot.index;
    const slot = this.slots[index - this.first];
    const written = slots[predicate.slot.index];
    if (slot === undefined || written === undefined)
      throw new TypeError('A rule compares with a slot of its own');
    if (isEmpty(written, this.claims)) return isDenied ? everything : nothing;
    return { ...predicate, operator: slot.operator, any: slot.any, slot: { index } };
  }
}

/** The rows of a resource on which the caller of a view may perform an operation. */
export interface RowsPlan {
  readonly resource: Resource;
  readonly access: readonly Predicate[];
  readonly ruleSlots: readonly RuleSlot[];
}

const planned = new WeakMap<View, Map<string, RowsPlan | undefined>>();

/** Plans the check which rows the caller may perform an operation on; undefined if it may on all rows. */
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
