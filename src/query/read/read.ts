import { fail, ok, type Result } from '../../errors.ts';
import type { Slot } from '../filter/predicate.ts';
import type { Api } from '../../model/api.ts';
import type { ResourceView } from '../../model/view.ts';
import { parsePrefer, type Preferences } from '../request/headers.ts';
import { isChoosing, isOn, parameterNames, type ParameterName } from '../request/parameters.ts';
import { queryError, type QueryProblem } from '../request/problem.ts';
import { emptyQuery, type Query } from '../request/query.ts';
import { bindQuery } from '../bind.ts';
import { planCollections } from './collections.ts';
import type { CursorText } from './cursor.ts';
import { defaultSort } from './default-sort.ts';
import { planExpand } from './expand.ts';
import { planFilters } from '../filter/plan.ts';
import type { Paging, ReadPlan, SortKey } from '../plan.ts';
import { planSearch } from '../search/search.ts';
import { restrict } from '../access/restrict.ts';
import { planSelection } from './selection.ts';
import { planNulls, planSort, withId, type PlannedSort, type SortContext } from './sort.ts';

/** The request for a list. */
export interface ListRequest {
  readonly query: Query;
  readonly resourceView: ResourceView;
  readonly version: number;
  readonly preferences: Preferences;
  /** Set for a list in cursor mode. */
  readonly cursor: CursorText | undefined;
  /** The order of the file does not matter. */
  readonly isUnordered?: boolean;
}

/**
 * Plans a list. Reports every problem of the query at once, including those of bound values, which are not part of the
 * plan.
 */
export function planList(request: ListRequest, api: Api): Result<ReadPlan> {
  const { query, resourceView, preferences } = request;
  const problems = [...query.problems];
  const { reserved } = query;
  const conflicts = [...pagingConflicts(reserved)];
  if (!resourceView.resource.hasKey && reserved.has('cursor'))
    conflicts.push({
      parameter: 'cursor',
      code: 'INVALID_PARAMETER',
      message: 'needs a key, which these records do not have; take page or offset',
    });
  // If the cursor conflicts with other paging parameters, its content is not checked.
  const cursor = conflicts.length === 0 ? request.cursor : undefined;
  const expand = planExpand(resourceView, api, reserved, problems);
  const nulls = planNulls(reserved.get('nulls'), problems) ?? cursorNulls(cursor);
  const context = { limits: api.limits, expand, nulls, prefix: '', problems };
  const { sorted, carried } = planOrder({ ...request, cursor }, context);
  const { rest, paged } = planCollections(query.conditions, sorted, context);
  const slots: Slot[] = [];
  const others = parametersOf('list');
  const filters = { resourceView, api, expand, others, isSingle: false, slots, problems };
  const where = [
    ...planFilters(rest, query.groups, filters),
    ...planSearch(query, resourceView, slots, problems),
  ];
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

/**
 * Plans the list whose records a PATCH or DELETE of a collection changes. What the request says of its answer, such as
 * `expand`, does not change what its filters mean.
 */
export function planTargets(
  { conditions, groups, problems, reserved, ...query }: Query,
  resourceView: ResourceView,
  version: number,
  api: Api,
): Result<ReadPlan> {
  const own = new Map([...reserved].filter(([name]) => isChoosing(name)));
  const list = { ...query, conditions, groups, reserved: own, problems };
  const preferences = parsePrefer({});
  const request = { query: list, resourceView, version, preferences, cursor: undefined };
  return planList({ ...request, isUnordered: true }, api);
}

/** What such a request says of its answer alone. */
export function answerQuery({ raw, reserved, texts, debug }: Query): Query {
  const own = [...reserved].filter(([name]) => !isChoosing(name));
  const planKey = own.map(([name, value]) => `&${name}=${encodeURIComponent(value)}`).join('');
  return { ...emptyQuery, raw, reserved: new Map(own), texts, debug, planKey };
}

/** The parameters that a streamed list rejects. See docs/contract/2-reading.md#csv-and-ndjson, rule 3. */
const notStreamed: readonly ParameterName[] = ['cursor', 'expand'];

/**
 * Plans a list that is streamed as CSV or NDJSON: always by page or offset, whatever pagination the resource has, and
 * without expansions. Reports every problem of the query at once.
 */
export function planExport(request: Omit<ListRequest, 'cursor'>, api: Api): Result<ReadPlan> {
  const { query } = request;
  const problems = notStreamed
    .filter((name) => query.reserved.has(name))
    .map((parameter): QueryProblem => ({
      parameter,
      code: 'INVALID_PARAMETER',
      message: 'cannot be combined with CSV and NDJSON, which are sent as they are read',
    }));
  // The cursor is rejected already, so its text is not checked.
  const reserved = new Map([...query.reserved].filter(([name]) => name !== 'cursor'));
  const cleared = { ...query, reserved, problems: [...query.problems, ...problems] };
  return planList({ ...request, query: cleared, cursor: undefined }, api);
}

/** Plans the read of one record by its id: a single read, or the response body of a write. */
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
  const { rest, paged } = planCollections(query.conditions, sorted, context);
  const slots: Slot[] = [];
  const others = parametersOf('read');
  // Sets `where` of the expanded collections. A filter of the record itself is reported as a problem.
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

/** The reserved parameters of this kind of request, as suggestions for an unknown name. */
export function parametersOf(kind: 'list' | 'read'): readonly ParameterName[] {
  return parameterNames.filter((name) => isOn(name, kind));
}

const noSort: PlannedSort = { keys: [], collections: new Map(), count: 0 };

/** The `nulls` of a cursor, for the list and its expanded collections. */
function cursorNulls(cursor: CursorText | undefined): 'first' | 'last' | undefined {
  const nulls = typeof cursor === 'object' ? cursor.nulls : '';
  return nulls === 'first' || nulls === 'last' ? nulls : undefined;
}

/** The part of the order that the next cursor carries. */
interface CursorOrder {
  readonly sort: string;
  readonly collectionSort: string;
  readonly nulls: string;
}

/** The order of a list: from `sort` and `nulls`, or else from the cursor, or else from the file. */
function planOrder(
  { query, resourceView, version, cursor, isUnordered = false }: ListRequest,
  context: SortContext,
): { sorted: PlannedSort; carried: CursorOrder } {
  const { problems } = context;
  const { reserved } = query;
  const sort = reserved.get('sort');
  const written = sort === undefined ? noSort : planSort(sort, resourceView, 'sort', context);
  const fromFile = isUnordered ? [] : defaultSort(resourceView, context);
  const carried = {
    sort: textOf(written.keys),
    collectionSort: textOf([...written.collections.values()].flat()),
    nulls: reserved.get('nulls') ?? '',
  };
  if (cursor === undefined || cursor === 'first') {
    const keys = written.keys.length > 0 ? written.keys : fromFile;
    return { sorted: { ...written, keys }, carried: { ...carried, sort: textOf(keys) } };
  }
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
    refuse('belongs to another order of nulls; leave nulls out, since a cursor carries it');
  else {
    const unread: QueryProblem[] = [];
    const list =
      cursor.sort === textOf(fromFile)
        ? { ...noSort, keys: fromFile }
        : planCursorSort(cursor.sort, resourceView, { ...context, problems: unread });
    const isPlaced = cursor.nulls === '' || cursorNulls(cursor) !== undefined;
    const collectionSort =
      sort === undefined ? (cursor.collectionSort ?? '') : carried.collectionSort;
    // Keys of collections that this request does not expand are ignored.
    const others = planCursorSort(collectionSort, resourceView, { ...context, problems: [] });
    const isTooMuch = list.count + others.count > context.limits.sorts;
    if (unread.length > 0 || !isPlaced || isTooMuch)
      refuse('belongs to a sort that does not exist');
    return {
      sorted: { ...written, keys: list.keys, fromCursor: others.collections },
      carried: { sort: cursor.sort, collectionSort, nulls: cursor.nulls },
    };
  }
  return { sorted: written, carried };
}

/** The keys of a cursor's sort. */
function planCursorSort(
  sort: string,
  resourceView: ResourceView,
  context: SortContext,
): PlannedSort {
  return sort === '' ? noSort : planSort(sort, resourceView, 'cursor', context);
}

/** Keys as text for `sort`. Below a morphTo several keys have the same name. */
function textOf(keys: readonly SortKey[]): string {
  const names = keys.map(({ name, descending }) => `${descending ? '-' : ''}${name}`);
  return [...new Set(names)].join(',');
}

/** Binding for the sake of problems runs no rule. */
export const noTime = (): Date => new Date(0);

/** The plan with the caller's row rules; or all problems, including those of bound values. */
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
  const bound = bindQuery(plan, query, api.limits, {}, noTime, isRead ? cursor : undefined);
  return fail(queryError(bound.ok ? problems : [...problems, ...bound.error], query.raw));
}

/** Problems of mutually exclusive paging parameters. See docs/contract/2-reading.md#pagination, rule 3. */
export function pagingConflicts(reserved: Query['reserved']): readonly QueryProblem[] {
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

/** The paging of the request. With a `cursor`, page and offset have been ruled out. */
export function planPaging(
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
