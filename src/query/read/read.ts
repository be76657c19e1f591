import { fail, ok, type Result } from '../../errors.ts';
import type { Slot } from '../filter/predicate.ts';
import type { Api } from '../../model/api.ts';
import type { ResourceView } from '../../model/view.ts';
import type { Preferences } from '../request/headers.ts';
import { isOn, parameterNames, type ParameterName } from '../request/parameters.ts';
import { queryError, type QueryProblem } from '../request/problem.ts';
import type { Query } from '../request/query.ts';
import { bindQuery } from '../bind.ts';
import { planCollections } from './collections.ts';
import type { CursorText } from './cursor.ts';
import { planExpand } from './expand.ts';
import { planFilters } from '../filter/plan.ts';
import type { Paging, ReadPlan, SortKey } from '../plan.ts';
import { restrict } from '../access/restrict.ts';
import { planSelection } from './selection.ts';
import { planNulls, planSort, withId, type PlannedSort, type SortContext } from './sort.ts';

/** A list as the caller asks for it. */
export interface ListRequest {
  readonly query: Query;
  readonly resourceView: ResourceView;
  readonly version: number;
  readonly preferences: Preferences;
  /** Of a list in cursor mode. */
  readonly cursor: CursorText | undefined;
}

/**
 * Plans a list. Every problem of the query is reported at once, those of bound values included, although they are
 * no part of the plan.
 */
export function planList(request: ListRequest, api: Api): Result<ReadPlan> {
  const { query, resourceView, preferences } = request;
  const problems = [...query.problems];
  const { reserved } = query;
  const conflicts = pagingConflicts(reserved);
  // Beside another kind of paging it does not matter what a cursor says.
  const cursor = conflicts.length === 0 ? request.cursor : undefined;
  const expand = planExpand(resourceView, api, reserved, problems);
  const nulls = planNulls(reserved.get('nulls'), problems) ?? carriedNulls(cursor);
  const context = { limits: api.limits, expand, nulls, prefix: '', problems };
  const { sorted, carried } = planOrder({ ...request, cursor }, context);
  const { rest, paged } = planCollections(query.conditions, resourceView, sorted, context);
  const slots: Slot[] = [];
  const others = parametersOf('list');
  const filters = { resourceView, api, expand, others, isSingle: false, slots, problems };
  const where = planFilters(rest, query.groups, filters);
  const order = withId(sorted.keys, resourceView.resource);
  problems.push(...conflicts);
  const plan: ReadPlan = {
    kind: 'list',
    resource: resourceView.resource,
    selection: planSelection(resourceView, expand, reserved, problems),
    slots,
    ruleSlots: [],
    access: [],
    collections: paged,
    where,
    order,
    ...carried,
    paging: planPaging(query, cursor, order),
    count: cursor === undefined ? preferences.count : 'none',
  };
  return finish(plan, query, resourceView, api, problems, cursor);
}

/** Plans the read of one record by its id: a single read, or the body that a write gives back. */
export function planOne(query: Query, resourceView: ResourceView, api: Api): Result<ReadPlan> {
  const problems = [...query.problems];
  const { reserved } = query;
  const expand = planExpand(resourceView, api, reserved, problems);
  const nulls = planNulls(reserved.get('nulls'), problems);
  const context = { limits: api.limits, expand, nulls, prefix: '', problems };
  const sort = reserved.get('sort');
  const sorted = sort === undefined ? noSort : planSort(sort, resourceView, 'sort', context);
  if (sorted.keys.length > 0)
    problems.push({
      parameter: 'sort',
      code: 'INVALID_PARAMETER',
      message: 'sorts the expanded collections of a single record, nothing else',
    });
  const { rest, paged } = planCollections(query.conditions, resourceView, sorted, context);
  const slots: Slot[] = [];
  const others = parametersOf('read');
  // They filter the expanded collections, into which they are put; a filter of the record itself is a problem.
  planFilters(rest, [], { resourceView, api, expand, others, isSingle: true, slots, problems });
  const selection = planSelection(resourceView, expand, reserved, problems);
  const plan: ReadPlan = {
    kind: 'one',
    resource: resourceView.resource,
    selection,
    slots,
    ruleSlots: [],
    access: [],
    collections: paged,
  };
  return finish(plan, query, resourceView, api, problems);
}

/** The reserved parameters that have a sense on such a request: what an unknown name may have been meant to be. */
function parametersOf(kind: 'list' | 'read'): readonly ParameterName[] {
  return parameterNames.filter((name) => isOn(name, kind));
}

const noSort: PlannedSort = { keys: [], collections: new Map(), count: 0 };

/** Where a cursor says that nulls stand, in the list and in the collections that it comes with. */
function carriedNulls(cursor: CursorText | undefined): 'first' | 'last' | undefined {
  const nulls = typeof cursor === 'object' ? cursor.nulls : '';
  return nulls === 'first' || nulls === 'last' ? nulls : undefined;
}

/** What of the order a further cursor carries. */
interface CarriedOrder {
  readonly sort: string;
  readonly collectionSort: string;
  readonly nulls: string;
}

/** The order of a list: what `sort` and `nulls` say, and where they leave it out what the cursor carries. */
function planOrder(
  { query, resourceView, version, cursor }: ListRequest,
  context: SortContext,
): { sorted: PlannedSort; carried: CarriedOrder } {
  const { problems } = context;
  const { reserved } = query;
  const sort = reserved.get('sort');
  const written = sort === undefined ? noSort : planSort(sort, resourceView, 'sort', context);
  const carried = {
    sort: textOf(written.keys),
    collectionSort: textOf([...written.collections.values()].flat()),
    nulls: reserved.get('nulls') ?? '',
  };
  if (cursor === undefined || cursor === 'first') return { sorted: written, carried };
  const refuse = (message: string): void => {
    problems.push({ parameter: 'cursor', code: 'INVALID_CURSOR', message });
  };
  if (cursor === 'damaged')
    refuse('is damaged; take next_cursor or X-Next-Cursor of a list as it is');
  else if (cursor.resource !== resourceView.name || cursor.version !== version)
    refuse(`belongs to another resource or version`);
  else if (carried.sort !== '' && carried.sort !== cursor.sort)
    refuse('belongs to another sort; leave sort out, since a cursor carries its own');
  else if (carried.nulls !== '' && carried.nulls !== cursor.nulls)
    refuse('belongs to another place of nulls; leave nulls out, since a cursor carries it');
  else {
    const unread: QueryProblem[] = [];
    const list = planCarried(cursor.sort, resourceView, { ...context, problems: unread });
    const isPlaced = cursor.nulls === '' || carriedNulls(cursor) !== undefined;
    const collectionSort =
      sort === undefined ? (cursor.collectionSort ?? '') : carried.collectionSort;
    // Nothing is wrong with keys of a collection that this request does not expand.
    const others = planCarried(collectionSort, resourceView, { ...context, problems: [] });
    const isTooMuch = list.count + others.count > context.limits.sorts;
    if (unread.length > 0 || !isPlaced || isTooMuch)
      refuse('belongs to a sort that does not exist');
    return {
      sorted: { ...written, keys: list.keys, carried: others.collections },
      carried: { sort: cursor.sort, collectionSort, nulls: cursor.nulls },
    };
  }
  return { sorted: written, carried };
}

/** The keys of a sort that a cursor carries. */
function planCarried(sort: string, resourceView: ResourceView, context: SortContext): PlannedSort {
  return sort === '' ? noSort : planSort(sort, resourceView, 'cursor', context);
}

/** Keys as `sort` names them; below a morphTo one name means several. */
function textOf(keys: readonly SortKey[]): string {
  const names = keys.map(({ name, descending }) => `${descending ? '-' : ''}${name}`);
  return [...new Set(names)].join(',');
}

/** The plan with the caller's row rules in it; or all problems, those of the values that would be bound as well. */
function finish(
  plan: ReadPlan,
  query: Query,
  resourceView: ResourceView,
  api: Api,
  problems: QueryProblem[],
  cursor?: CursorText,
): Result<ReadPlan> {
  if (problems.length === 0) return ok(restrict(plan, resourceView));
  const isRead = !problems.some(({ code }) => code === 'INVALID_CURSOR');
  const bound = bindQuery(plan, query, api.limits, {}, isRead ? cursor : undefined);
  return fail(queryError(bound.ok ? problems : [...problems, ...bound.error]));
}

/** The problems of paging parameters that exclude each other. See docs/contract/2-reading.md#pagination, rule 3. */
function pagingConflicts(reserved: Query['reserved']): readonly QueryProblem[] {
  const pairs = [
    ['page', 'offset'],
    ['page', 'cursor'],
    ['offset', 'cursor'],
  ] as const;
  return pairs
    .filter((pair) => pair.every((name) => reserved.has(name)))
    .map(([a, parameter]) => ({
      parameter,
      code: 'PAGINATION_CONFLICT',
      message: `cannot be combined with ${a}`,
    }));
}

/** The paging that the request asks for; a `cursor` that is given here comes without page and offset. */
function planPaging(
  { sources }: Query,
  cursor: CursorText | undefined,
  order: readonly SortKey[],
): Paging {
  const limit = sources.get('limit');
  if (cursor !== undefined) {
    if (typeof cursor === 'string')
      return { mode: 'cursor', limit, after: undefined, isLong: false };
    const { values, long } = cursor;
    const after = order.map((_, index) => values[index] !== null);
    return { mode: 'cursor', limit, after, isLong: long !== undefined };
  }
  const offset = sources.get('offset');
  return offset === undefined
    ? { mode: 'page', page: sources.get('page'), limit }
    : { mode: 'offset', offset, limit };
}
