import type { Predicate } from '../filter/predicate.ts';
import { decide } from '../model/access.ts';
import type { Relation, Resource } from '../model/api.ts';
import { operators } from '../model/operators.ts';
import type { ResourceView, View } from '../model/view.ts';
import type { ExpandPlan, ReadPlan, RuleSlot, Selection, SortKey } from './plan.ts';
import { rowRule, type RowRule } from './rules.ts';

/**
 * Adds to a plan which records there are for the caller whose view it was planned against, wherever it enters a
 * resource: its own records, expansions and their links, related records of filters and sorts. A plan that meets no row
 * rule stays as it is. Contract 3, Authorization.
 */
export function restrict(plan: ReadPlan, { view }: ResourceView): ReadPlan {
  const rules = new RowRules(view, plan.slots.length);
  const access = rules.rowsOf(plan.resource);
  const selection = restrictSelection(plan.selection, rules);
  const ruleSlots = rules.slots;
  if (plan.kind === 'one') return { ...plan, access, selection, ruleSlots };
  const where = plan.where.map((part) => restrictPredicate(part, rules));
  const order = plan.order.map((key) => restrictKey(key, rules));
  // A guess at the number of records is made from all of them.
  const count = plan.count === 'estimated' && rules.areMet ? 'exact' : plan.count;
  return { ...plan, access, selection, ruleSlots, where, order, count };
}

/** The row rules that one plan meets, and their slots. */
class RowRules {
  readonly slots: RuleSlot[] = [];
  private readonly view: View;
  /** The index of the first slot. */
  private readonly first: number;
  private readonly known = new Map<Resource, readonly Predicate[]>();

  constructor(view: View, first: number) {
    this.view = view;
    this.first = first;
  }

  /** Whether the plan meets any of them. */
  get areMet(): boolean {
    return [...this.known.values()].some((rows) => rows.length > 0);
  }

  /** What the records of a resource have to satisfy to be there. */
  rowsOf(resource: Resource): readonly Predicate[] {
    let rows = this.known.get(resource);
    if (rows === undefined) {
      rows = this.alternatives(resource);
      this.known.set(resource, rows);
    }
    return rows;
  }

  /** What the records have to satisfy that a relation leads to, and the links to them. */
  behind(relation: Relation, target: Resource): readonly Predicate[] {
    const rows = this.rowsOf(target);
    const links = relation.kind === 'belongsToMany' ? this.rowsOf(relation.through) : [];
    return links.length === 0 ? rows : [...rows, { kind: 'link', where: links }];
  }

  private alternatives(resource: Resource): readonly Predicate[] {
    // What the caller does not see at all is not met here; if it were, it would have no records.
    const matching = this.view.resource(resource.name)?.rules.read ?? [];
    const { allowed, rules } = decide(matching);
    if (allowed === 'all') return [];
    const parts = rules.map((rule) => this.predicates(rowRule(resource, rule, this.view)));
    const [only] = parts;
    if (only !== undefined && parts.length === 1) return only;
    return [{ kind: 'or', parts: parts.map((part) => ({ kind: 'and', parts: part })) }];
  }

  /** The predicates of a rule, with slots of this plan in the place of its own. */
  private predicates({ where, slots }: RowRule): readonly Predicate[] {
    const start = this.first + this.slots.length;
    const isMany = (claim: string): boolean => this.view.listClaims.has(claim);
    const held = new Map<object, number[]>();
    for (const [at, { field, operator: written, operand, condition }] of slots.entries()) {
      const index = start + at;
      const isList =
        operand.kind === 'claims' &&
        operators[written].operand === 'value' &&
        operand.items.some((item) => 'claim' in item && isMany(item.claim));
      const listed = isList ? listOperators[written] : undefined;
      const operator = listed ?? written;
      const any = isList && listed === undefined;
      this.slots.push({ kind: 'value', index, field, operator, any, operand });
      if (operand.kind === 'claims') held.set(condition, [...(held.get(condition) ?? []), index]);
    }
    const own = where.map((part) => this.moved(part, start));
    if (held.size === 0) return own;
    const index = this.first + this.slots.length;
    this.slots.push({ kind: 'guard', index, claims: [...held.values()] });
    return [{ kind: 'guard', slot: { index } }, ...own];
  }

  private moved(predicate: Predicate, start: number): Predicate {
    switch (predicate.kind) {
      case 'compare': {
        const index = start + predicate.slot.index;
        const slot = this.slots[index - this.first];
        if (slot?.kind !== 'value') throw new TypeError('A rule compares with a slot of its own');
        return { ...predicate, operator: slot.operator, any: slot.any, slot: { index } };
      }
      case 'null':
      case 'guard':
        return predicate;
      case 'or':
      case 'and':
        return { ...predicate, parts: predicate.parts.map((part) => this.moved(part, start)) };
      case 'link':
        return { ...predicate, where: predicate.where.map((part) => this.moved(part, start)) };
      case 'related':
        return {
          ...predicate,
          branches: predicate.branches.map((branch) => ({
            ...branch,
            where: branch.where.map((part) => this.moved(part, start)),
          })),
        };
      default:
        return predicate satisfies never;
    }
  }
}

/** The operators that ask of a list what these ask of one value. */
const listOperators: Readonly<Partial<Record<string, 'in' | 'nin' | 'containsAny'>>> = {
  eq: 'in',
  neq: 'nin',
  contains: 'containsAny',
};

function restrictPredicate(predicate: Predicate, rules: RowRules): Predicate {
  switch (predicate.kind) {
    case 'compare':
    case 'null':
    case 'guard':
    case 'link':
      return predicate;
    case 'or':
    case 'and':
      return {
        ...predicate,
        parts: predicate.parts.map((part) => restrictPredicate(part, rules)),
      };
    case 'related': {
      const { relation } = predicate;
      const branches = predicate.branches.map((branch) => ({
        ...branch,
        where: [
          ...branch.where.map((part) => restrictPredicate(part, rules)),
          ...rules.behind(relation, branch.target),
        ],
      }));
      return { ...predicate, branches };
    }
    default:
      return predicate satisfies never;
  }
}

function restrictKey(key: SortKey, rules: RowRules): SortKey {
  if (key.steps.length === 0) return key;
  const steps = key.steps.map((step) => ({
    ...step,
    where: rules.behind(step.relation, step.target),
  }));
  return { ...key, steps };
}

function restrictSelection(selection: Selection, rules: RowRules): Selection {
  if (selection.expand.length === 0) return selection;
  return { ...selection, expand: selection.expand.map((one) => restrictExpand(one, rules)) };
}

function restrictExpand(expand: ExpandPlan, rules: RowRules): ExpandPlan {
  return {
    ...expand,
    where: expand.where.map((part) => restrictPredicate(part, rules)),
    order: expand.order.map((key) => restrictKey(key, rules)),
    targets: expand.targets.map((target) => ({
      ...target,
      where: rules.behind(expand.relation, target.resource),
      selection: restrictSelection(target.selection, rules),
    })),
  };
}
