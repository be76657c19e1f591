import type { Comparison } from '../../model/operators.ts';
import { placeOf, type Place, type Predicate, type Slot } from './predicate.ts';
import { isTooDeep, type Path } from './path.ts';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import { resolveName } from './resolve.ts';
import { isToMany, type Api, type Relation, type Resource } from '../../model/api.ts';
import { isFlag, operators } from '../../model/operators.ts';
import { toldValues } from '../../model/told-values.ts';
import type { ResourceView } from '../../model/view.ts';
import { counted } from '../../model/values.ts';
import { mostGuesses, type QueryProblem } from '../request/problem.ts';
import type { Condition } from '../request/query.ts';
import { collectionsOf, type ExpandNode } from '../read/expand.ts';

/** Conditions on one record, and on the records that are related to it. */
interface Conditions {
  readonly own: Predicate[];
  readonly related: Map<string, Related>;
}

/** Conditions on one related record: filters that share a relation prefix are about the same one. */
interface Related {
  readonly relation: Relation;
  branches: readonly RelatedTarget[];
}

interface RelatedTarget {
  readonly target: Resource;
  readonly typeValue: string | undefined;
  readonly conditions: Conditions;
}

/** What filters are resolved with. */
export interface FilterContext {
  readonly resourceView: ResourceView;
  readonly api: Api;
  readonly expand: readonly ExpandNode[];
  /** What an unknown name may have been meant to be beside a field. */
  readonly others: readonly string[];
  /** A single record: only the collections that it expands can be filtered. */
  readonly isSingle: boolean;
  /** An access rule, whose claims are bound for each caller by the operators that are written. */
  readonly isRule?: boolean;
  readonly slots: Slot[];
  readonly problems: QueryProblem[];
}

const noConditions = (): Conditions => ({ own: [], related: new Map() });

/**
 * Resolves the filters of a request: returns what the records themselves must satisfy, and tells the expanded
 * collections what their items must. See docs/contract/2-reading.md#filters-through-relations and
 * docs/contract/2-reading.md#filters-in-expanded-collections.
 */
export function planFilters(
  conditions: readonly Condition[],
  groups: readonly (readonly Condition[])[],
  context: FilterContext,
): readonly Predicate[] {
  const { resourceView, api, problems, expand, isSingle } = context;
  const records = noConditions();
  const within = new Map<ExpandNode, Conditions>();
  const { id } = resourceView.resource;
  const isPlainId = ({ name }: Condition): boolean => resourceView.fields.get(name)?.field === id;
  const ids = conditions.filter(isPlainId);
  const repeated = new Map<string, number>();
  for (const condition of conditions.filter((one) => ids.length < 2 || !isPlainId(one))) {
    const planned = planCondition(condition, context);
    if (planned === undefined) continue;
    const { path, leaves } = planned;
    const { name } = condition;
    const times = repeated.get(name) ?? 0;
    repeated.set(name, times + 1);
    // The further record that a repeated parameter asks for has to be told from that of every other filter.
    const further = times === 0 ? '' : `#${name}#${times}`;
    const collections = collectionsOf(path, expand);
    for (const { node, rest } of collections) {
      add(getOrInsert(within, node, noConditions), rest, further, leaves);
    }
    if (collections.length === 0 && isSingle) problems.push(notOfSingle(name));
    else if (collections.length === 0) add(records, path, further, leaves);
  }
  // What react-admin and refine send for getMany: a union.
  if (ids.length > 1) {
    if (isSingle) problems.push(notOfSingle('id'));
    const sources = ids.map(({ source }) => source);
    records.own.push(compare('id', sources, placeOf(id), 'in', context));
  }
  for (const group of groups) records.own.push({ kind: 'or', parts: planGroup(group, context) });
  for (const [node, items] of within) node.where = predicatesOf(items);
  const count =
    conditions.length -
    Math.max(0, ids.length - 1) +
    groups.reduce((sum, one) => sum + one.length, 0);
  if (count > api.limits.filters)
    problems.push({
      parameter: conditions[0]?.name ?? '_or',
      code: 'LIMIT_EXCEEDED',
      message: `a request takes at most ${counted(api.limits.filters, 'filter')} (limits.filters); this one has ${count}`,
    });
  return predicatesOf(records);
}

/** Each pair of an `_or` stands alone, and filters the records themselves. */
function planGroup(group: readonly Condition[], context: FilterContext): readonly Predicate[] {
  return group.flatMap((condition) => {
    const planned = planCondition(condition, context, true);
    if (planned === undefined) return [];
    const alone = noConditions();
    add(alone, planned.path, '', planned.leaves);
    return predicatesOf(alone);
  });
}

function notOfSingle(parameter: string): QueryProblem {
  return {
    parameter,
    code: 'INVALID_PARAMETER',
    message: 'filters are for lists and for the collections that a single record expands',
  };
}

/** A resolved condition: its path, and what it says at each end of it. */
interface PlannedCondition {
  readonly path: Path;
  readonly leaves: ReadonlyMap<Path, Predicate>;
}

/** Resolves one condition, or one pair of an `_or`; undefined where a problem was reported. */
function planCondition(
  condition: Condition,
  context: FilterContext,
  isPair = false,
): PlannedCondition | undefined {
  const { resourceView, api, problems } = context;
  const { name, value, source } = condition;
  const refuse = (code: QueryProblem['code'], message: string): undefined => {
    problems.push({ parameter: name, code, message });
  };
  if (isTooDeep(name, api.limits))
    return refuse(
      'LIMIT_EXCEEDED',
      `a path has at most ${counted(api.limits.pathDepth, 'dot')} (limits.pathDepth)`,
    );
  // A pair of an `_or` is a filter, never a parameter.
  const others = isPair ? [] : context.others;
  const resolved = resolveName(name, resourceView, others, problems.length < mostGuesses);
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
  // What a value does not fit the type of is different from it, behind a morphTo that leads to others which it fits: a
  // list says that when it is empty there.
  const isClaim = context.isRule === true && value.includes('{');
  const listed = isNegated && !isClaim && placesOf(path) > 1 ? ofList : undefined;
  const visit = (end: Path): void => {
    if (end.kind === 'place') {
      const { place } = end;
      leaves.set(
        end,
        isFlag(operator)
          ? { kind: 'null', place, isNull: !isAsked }
          : compare(name, sources, place, listed ?? operator, context, listed !== undefined),
      );
    } else if (endsHere(end)) {
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

/** What to say of `at:14:05:00` in an `_or`, whose last colon separates: `at:14:05` is no field. */
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
  place: Place,
  operator: Comparison,
  { resourceView, slots }: Pick<FilterContext, 'resourceView' | 'slots'>,
  isOne = false,
): Predicate {
  const field = place.leaf;
  const index = slots.length;
  const told = toldValues(field, resourceView.view);
  const slot: Slot = { index, sources, parameter, field, operator, isOne, told };
  slots.push(slot);
  return { kind: 'compare', place, operator, slot };
}

/** How many fields a path leads to: several behind a morphTo. */
function placesOf(path: Path): number {
  if (path.kind === 'place') return 1;
  return path.branches.reduce(
    (sum, { next }) => sum + (next === undefined ? 0 : placesOf(next)),
    0,
  );
}

/** Whether a path ends with its relation. */
function endsHere(path: Path): boolean {
  return path.kind === 'relation' && path.branches.every(({ next }) => next === undefined);
}

/** Adds what a path says to the conditions on the records that it starts from. */
function add(
  conditions: Conditions,
  path: Path,
  further: string,
  leaves: PlannedCondition['leaves'],
): void {
  const leaf = leaves.get(path);
  if (leaf !== undefined) conditions.own.push(leaf);
  if (leaf !== undefined || path.kind === 'place') return;
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
  // An owner behind a morphTo that lacks the field of one of the filters cannot satisfy them all.
  related.branches = related.branches.filter(({ typeValue }) =>
    path.branches.some((other) => other.typeValue === typeValue),
  );
  for (const branch of related.branches) {
    const next = path.branches.find(({ typeValue }) => typeValue === branch.typeValue)?.next;
    if (next !== undefined) add(branch.conditions, next, further, leaves);
  }
}

/** Whether a path goes on through a to-many relation; one that it only ends with is asked about, not gone through. */
function goesToMany(path: Path): boolean {
  if (path.kind === 'place' || endsHere(path)) return false;
  return isToMany(path.relation) || path.branches.some(({ next }) => next && goesToMany(next));
}

function predicatesOf({ own, related }: Conditions): readonly Predicate[] {
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
  return [...own, ...others];
}
