import type { Comparison } from '../../model/operators.ts';
import { fieldRef, type FieldRef, type Predicate, type Slot } from './predicate.ts';
import { costNote, costOfFilter, isTooDeep, type Path } from './path.ts';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import { resolveName } from './resolve.ts';
import { isGroup, leavesOf, type Group } from './group.ts';
import { isToMany, type Api, type Relation, type Resource } from '../../model/api.ts';
import { isFlag, operators } from '../../model/operators.ts';
import { visibleValues } from '../../model/validation/visible-values.ts';
import type { ResourceView } from '../../model/view.ts';
import { counted } from '../../model/values.ts';
import { maxSuggestions, type QueryProblem } from '../request/problem.ts';
import type { Condition } from '../request/query.ts';
import { collectionsOf, type ExpandNode } from '../read/expand.ts';

/** Conditions on one record, and on its related records. */
interface Conditions {
  readonly own: Predicate[];
  readonly related: Map<string, Related>;
  /** Conditions on one item of an array. */
  readonly items: Map<string, { readonly ref: FieldRef; readonly conditions: Conditions }>;
}

/** Conditions on one related record. Filters that share a relation prefix are about the same related record. */
interface Related {
  readonly relation: Relation;
  branches: readonly RelatedTarget[];
}

interface RelatedTarget {
  readonly target: Resource;
  readonly typeValue: string | undefined;
  readonly conditions: Conditions;
}

/** The input and output of resolving filters: `slots` and `problems` are added to. */
export interface FilterContext {
  readonly resourceView: ResourceView;
  readonly api: Api;
  readonly expand: readonly ExpandNode[];
  /** Names besides fields that are suggested for an unknown one. */
  readonly others: readonly string[];
  /** A read of one record, where filters apply only to expanded collections. */
  readonly isSingle: boolean;
  /** An access rule: its claims are bound for each caller. */
  readonly isRule?: boolean;
  readonly slots: Slot[];
  readonly problems: QueryProblem[];
}

const noConditions = (): Conditions => ({
  own: [],
  related: new Map(),
  items: new Map(),
});

/**
 * Resolves the filters of a request: returns the conditions on the records themselves, and sets `where` of the expanded
 * collections. See docs/contract/2-reading.md#filters-through-relations and
 * docs/contract/2-reading.md#filters-in-expanded-collections.
 */
export function planFilters(
  conditions: readonly Condition[],
  groups: readonly Group<Condition>[],
  context: FilterContext,
): readonly Predicate[] {
  const { resourceView, api, problems, expand, isSingle } = context;
  const records = noConditions();
  const within = new Map<ExpandNode, Conditions>();
  const { id } = resourceView.resource;
  const isPlainId = ({ name }: Condition): boolean => resourceView.fields.get(name)?.field === id;
  const ids = conditions.filter(isPlainId);
  const furtherOf = furtherRecords();
  let count = ids.length > 1 ? 1 : 0;
  for (const condition of conditions.filter((one) => ids.length < 2 || !isPlainId(one))) {
    const planned = planCondition(condition, context);
    if (planned === undefined) {
      count += 1;
      continue;
    }
    const { path, leaves } = planned;
    const { name } = condition;
    const further = furtherOf(name);
    const collections = collectionsOf(path, expand);
    count += Math.max(
      ...(collections.length === 0 ? [path] : collections.map(({ rest }) => rest)).map(
        costOfFilter,
      ),
    );
    for (const { node, rest } of collections) {
      add(getOrInsert(within, node, noConditions), rest, further, leaves);
    }
    if (collections.length === 0 && isSingle) problems.push(notOfSingle(name));
    else if (collections.length === 0) add(records, path, further, leaves);
  }
  // Repeated plain ids are a union. react-admin and refine send them for getMany.
  if (ids.length > 1) {
    if (isSingle) problems.push(notOfSingle('id'));
    const sources = ids.map(({ source }) => source);
    records.own.push(compare('id', sources, fieldRef(id), 'in', context));
  }
  for (const group of groups) {
    const planned = planGroup(group, context);
    if (group.kind === 'and') records.own.push(...planned.parts);
    else records.own.push({ kind: group.kind, parts: planned.parts });
    count += planned.count;
  }
  for (const [node, items] of within) node.where = predicatesOf(items);
  const written =
    conditions.length -
    Math.max(0, ids.length - 1) +
    groups.reduce((sum, one) => sum + leavesOf(one).length, 0);
  if (count > api.limits.filters)
    problems.push({
      parameter: conditions[0]?.name ?? `_${groups[0]?.kind ?? 'and'}`,
      code: 'LIMIT_EXCEEDED',
      message: `a request takes at most ${counted(api.limits.filters, 'filter')} (limits.filters); this one has ${written}${costNote(count, written)}`,
      max: api.limits.filters,
    });
  return predicatesOf(records);
}

/**
 * Plans a group, which applies to the records themselves. Conditions of an `and` that share a relation prefix are about
 * the same related record; those of `or` and `not` stand alone. See docs/contract/2-reading.md#groups.
 */
function planGroup(
  { kind, parts }: Group<Condition>,
  context: FilterContext,
): { readonly parts: readonly Predicate[]; readonly count: number } {
  const together = noConditions();
  const furtherOf = furtherRecords();
  const alone: Predicate[] = [];
  let count = 0;
  for (const part of parts) {
    if (isGroup(part)) {
      const nested = planGroup(part, context);
      count += nested.count;
      const predicate: Predicate = { kind: part.kind, parts: nested.parts };
      (kind === 'and' ? together.own : alone).push(predicate);
      continue;
    }
    const planned = planCondition(part, context, true);
    count += planned === undefined ? 1 : costOfFilter(planned.path);
    if (planned === undefined) continue;
    if (kind === 'and') add(together, planned.path, furtherOf(part.name), planned.leaves);
    else {
      const own = noConditions();
      add(own, planned.path, '', planned.leaves);
      alone.push(...predicatesOf(own));
    }
  }
  return { parts: kind === 'and' ? predicatesOf(together) : alone, count };
}

/**
 * Tells the related records apart that conditions of one name are about: a repeated name is about a further one, so it
 * gets a key of its own. See docs/contract/2-reading.md#filters-through-relations, rule 3.
 */
function furtherRecords(): (name: string) => string {
  const repeated = new Map<string, number>();
  return (name) => {
    const times = repeated.get(name) ?? 0;
    repeated.set(name, times + 1);
    return times === 0 ? '' : `#${name}#${times}`;
  };
}

function notOfSingle(parameter: string): QueryProblem {
  return {
    parameter,
    code: 'INVALID_PARAMETER',
    message: 'filters are for lists and for the collections that a single record expands',
  };
}

/** A resolved condition: its path, and the predicate at each of the path's ends. */
interface PlannedCondition {
  readonly path: Path;
  readonly leaves: ReadonlyMap<Path, Predicate>;
}

/** Resolves one condition, or one pair of a group; undefined if a problem was reported. */
function planCondition(
  condition: Condition,
  context: FilterContext,
  isPair = false,
): PlannedCondition | undefined {
  const { resourceView, api, problems } = context;
  const { name, value, source } = condition;
  const refuse = (code: QueryProblem['code'], message: string, max?: number): undefined => {
    problems.push({ parameter: name, code, message, max });
  };
  if (isTooDeep(name, api.limits))
    return refuse(
      'LIMIT_EXCEEDED',
      `a path has at most ${counted(api.limits.pathDepth, 'dot')} (limits.pathDepth)`,
      api.limits.pathDepth,
    );
  // A pair of a group is always a filter, so parameters are not suggested.
  const others = isPair ? [] : context.others;
  const resolved = resolveName(name, resourceView, others, problems.length < maxSuggestions);
  if (!resolved.ok)
    return refuse(
      resolved.error.kind === 'operator' ? 'INVALID_FILTER' : 'INVALID_PARAMETER',
      (isPair ? unquotedColon(name, resourceView) : undefined) ?? resolved.error.message,
    );
  const { path, operator } = resolved.value;
  const { isNegated = false, ofList } = operators[operator];
  if (isFlag(operator) && value !== 'true' && value !== 'false')
    return refuse('INVALID_FILTER', 'takes true or false');
  const isAsked = (value === 'true') !== isNegated;
  const leaves = new Map<Path, Predicate>();
  const sources = [source];
  // With `neq` through a morphTo, a target whose type does not accept the value counts as different from it. `nin` with
  // an empty list expresses that.
  const isClaim = context.isRule === true && value.includes('{');
  const listed = isNegated && !isClaim && countRefs(path) > 1 ? ofList : undefined;
  const visit = (end: Path): void => {
    if (end.kind === 'field') {
      const { ref } = end;
      leaves.set(
        end,
        isFlag(operator)
          ? { kind: 'null', ref, isNull: !isAsked }
          : compare(name, sources, ref, listed ?? operator, context, listed !== undefined),
      );
    } else if (end.kind === 'items') visit(end.next);
    else if (endsHere(end)) {
      const branches = end.branches.map(({ target, typeValue }) => ({
        target,
        typeValue,
        where: [],
      }));
      const { relation } = end;
      leaves.set(end, { kind: 'related', relation, branches, isNegated: !isAsked });
    } else for (const { next } of end.branches) if (next !== undefined) visit(next);
  };
  visit(path);
  return { path, leaves };
}

/** A hint for `at:14:05:00` in a group: the last colon separates, so the name would be `at:14:05`. */
function unquotedColon(name: string, resourceView: ResourceView): string | undefined {
  const colon = name.indexOf(':');
  const field = name.slice(0, Math.max(colon, 0));
  return field !== '' && resolveName(field, resourceView).ok
    ? `there is no field ${name}; a value with a colon is written in double quotes: ${field}:"…"`
    : undefined;
}

function compare(
  parameter: string,
  sources: readonly number[],
  ref: FieldRef,
  operator: Comparison,
  { resourceView, slots }: Pick<FilterContext, 'resourceView' | 'slots'>,
  isOne = false,
): Predicate {
  const field = ref.leaf;
  const index = slots.length;
  const visible = visibleValues(field, resourceView.view);
  const slot: Slot = { index, sources, parameter, field, operator, isOne, visibleValues: visible };
  slots.push(slot);
  return { kind: 'compare', ref, operator, slot };
}

/** The number of fields that a path leads to; several through a morphTo. */
function countRefs(path: Path): number {
  if (path.kind === 'field') return 1;
  if (path.kind === 'items') return countRefs(path.next);
  return path.branches.reduce(
    (sum, { next }) => sum + (next === undefined ? 0 : countRefs(next)),
    0,
  );
}

/** Whether a path ends with a relation. */
function endsHere(path: Path): boolean {
  return path.kind === 'relation' && path.branches.every(({ next }) => next === undefined);
}

/** Adds the predicates of a path to the conditions on the records that it starts from. */
function add(
  conditions: Conditions,
  path: Path,
  further: string,
  leaves: PlannedCondition['leaves'],
): void {
  const leaf = leaves.get(path);
  if (leaf !== undefined) conditions.own.push(leaf);
  if (leaf !== undefined || path.kind === 'field') return;
  if (path.kind === 'items') {
    const { ref, next } = path;
    const { field, members, isPivot } = ref;
    const name = [isPivot ? 'pivot' : '', field.name, ...members].join('.');
    const own = `${name}${goesToMany(next) ? '' : further}`;
    const one = getOrInsert(conditions.items, own, () => ({ ref, conditions: noConditions() }));
    add(one.conditions, next, further, leaves);
    return;
  }
  const { relation } = path;
  const isLastToMany =
    isToMany(relation) && !path.branches.some(({ next }) => next && goesToMany(next));
  const key = `${relation.name}${isLastToMany ? further : ''}`;
  const related = getOrInsert(conditions.related, key, (): Related => {
    const branches = path.branches.map(({ target, typeValue }) => ({
      target,
      typeValue,
      conditions: noConditions(),
    }));
    return { relation, branches };
  });
  // A morphTo target that lacks the field of one filter cannot satisfy all of them.
  related.branches = related.branches.filter(({ typeValue }) =>
    path.branches.some((other) => other.typeValue === typeValue),
  );
  for (const branch of related.branches) {
    const next = path.branches.find(({ typeValue }) => typeValue === branch.typeValue)?.next;
    if (next !== undefined) add(branch.conditions, next, further, leaves);
  }
}

/** Whether a path continues through a to-many relation. A final relation does not count. */
function goesToMany(path: Path): boolean {
  if (path.kind === 'items') return true;
  if (path.kind === 'field' || endsHere(path)) return false;
  return isToMany(path.relation) || path.branches.some(({ next }) => next && goesToMany(next));
}

function predicatesOf({ own, related, items }: Conditions): readonly Predicate[] {
  const others = [...related.values()].map(({ relation, branches }): Predicate => ({
    kind: 'related',
    relation,
    isNegated: false,
    branches: branches.map(({ target, typeValue, conditions }) => ({
      target,
      typeValue,
      where: predicatesOf(conditions),
    })),
  }));
  const ofItems = [...items.values()].map(({ ref, conditions }): Predicate => ({
    kind: 'items',
    ref,
    where: predicatesOf(conditions),
  }));
  return [...own, ...others, ...ofItems];
}
