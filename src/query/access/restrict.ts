import { withParts, type FieldRef, type Predicate } from '../filter/predicate.ts';
import type { ResourceView } from '../../model/view.ts';
import type { ExpandPlan, GroupsPlan, Member, ReadPlan, Selection, SortKey } from '../plan.ts';
import { ownMembers } from './own-members.ts';
import { RowRules } from './row-rules.ts';

/**
 * Adds the caller's row rules to a plan wherever it reads a resource: its own records, expansions and their links,
 * related records in filters and sorts. See docs/contract/5-access.md#row-rules.
 */
export function restrict(plan: ReadPlan, { view }: ResourceView): ReadPlan {
  const rules = new RowRules(view, plan.slots.length);
  const access = rules.rowsOf(plan.resource, 'read');
  const selection = restrictSelection(plan.selection, rules);
  const ruleSlots = rules.slots;
  if (plan.kind === 'one') return { ...plan, access, selection, ruleSlots };
  const where = plan.where.map((part) => restrictPredicate(part, rules));
  const order = plan.order.map((key) => restrictSteps(key, rules));
  // The database estimates the count over all rows, including hidden ones.
  const count = plan.count === 'estimated' && rules.any ? 'exact' : plan.count;
  return { ...plan, access, selection, ruleSlots, where, order, count };
}

/** As `restrict`, for a list in groups: a related record that is hidden counts as null. */
export function restrictGroups(plan: GroupsPlan, { view }: ResourceView): GroupsPlan {
  const rules = new RowRules(view, plan.slots.length);
  const access = rules.rowsOf(plan.resource, 'read');
  const where = plan.where.map((part) => restrictPredicate(part, rules));
  const columns = plan.columns.map((column) =>
    column.source === undefined
      ? column
      : { ...column, source: restrictSteps(column.source, rules) },
  );
  return { ...plan, access, where, columns, ruleSlots: rules.slots };
}

function restrictPredicate(predicate: Predicate, rules: RowRules): Predicate {
  if (predicate.kind === 'compare' || predicate.kind === 'null')
    return predicate.ref.field.computed === undefined
      ? predicate
      : { ...predicate, ref: restrictRef(predicate.ref, rules) };
  const restricted = withParts(predicate, (part) => restrictPredicate(part, rules));
  if (restricted.kind !== 'related') return restricted;
  const branches = restricted.branches.map((branch) => ({
    ...branch,
    where: [...branch.where, ...rules.behind(restricted.relation, branch.target)],
  }));
  return { ...restricted, branches };
}

function restrictRef(ref: FieldRef, rules: RowRules): FieldRef {
  const value = rules.computed(ref.field);
  return value === undefined ? ref : { ...ref, value };
}

function restrictSteps<Key extends Pick<SortKey, 'steps' | 'ref'>>(key: Key, rules: RowRules): Key {
  const { computed } = key.ref.field;
  if (key.steps.length === 0)
    return computed === undefined ? key : { ...key, ref: restrictRef(key.ref, rules) };
  const steps = key.steps.map((step) => ({
    ...step,
    where: rules.behind(step.relation, step.target),
  }));
  return { ...key, steps, ref: restrictRef(key.ref, rules) };
}

function restrictSelection(selection: Selection, rules: RowRules): Selection {
  const isComputed = selection.members.some(({ field }) => field.computed !== undefined);
  if (selection.expand.length === 0 && !isComputed) return selection;
  const own = isComputed ? ownMembers(selection.members, rules) : [];
  return {
    members: isComputed
      ? selection.members.map((member) => restrictMember(member, rules))
      : selection.members,
    ...(own.length === 0 ? {} : { own }),
    expand: selection.expand.map((one) => restrictExpand(one, rules)),
  };
}

function restrictMember(member: Member, rules: RowRules): Member {
  const value = rules.computed(member.field);
  return value === undefined ? member : { ...member, value };
}

function restrictExpand(expand: ExpandPlan, rules: RowRules): ExpandPlan {
  return {
    ...expand,
    where: expand.where.map((part) => restrictPredicate(part, rules)),
    order: expand.order.map((key) => restrictSteps(key, rules)),
    targets: expand.targets.map((target) => ({
      ...target,
      where: rules.behind(expand.relation, target.resource),
      selection: restrictSelection(target.selection, rules),
    })),
  };
}
