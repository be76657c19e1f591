/**
 * An independent reading of docs/contract/2-reading.md: filters, order, pages and their headers, expansion and
 * selection, over records in memory. It shares no code with the service, takes the simplest way to each answer, and
 * knows nothing of SQL.
 */
import type { Item, Relation, Row, Value, World } from './oracle-model.ts';
import { below, collectionOf, filterOf, inOrder } from './oracle-paths.ts';
import type { Condition, Expansion, Group, Paging, Query, SortKey } from './oracle-query.ts';
import { isFound } from './oracle-search.ts';
import { selectFields, selectionBelow, selectPivot, type Selection } from './oracle-selection.ts';
import { compare } from './oracle-values.ts';

export interface Expected {
  /** The record of a single read, or those of the page. */
  readonly body: Value;
  /** Of a list; a header that is not sent is null. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** What `page` or `offset` is in each link; in cursor mode, 0. */
  readonly links: Readonly<Record<string, number>>;
  /** Whether records follow those of the page. */
  readonly hasMore: boolean;
}

/** What of a request is about the records of one collection, the steps before it taken off. */
interface About {
  readonly resource: string;
  readonly conditions: readonly Condition[];
  readonly sort: readonly SortKey[];
  readonly nulls: Query['nulls'];
  readonly selection: Selection;
  /** Records that the response may have at this level: the page's limit times the caps above. */
  readonly parents: number;
}

/** Those of a path's conditions and keys that are about the records themselves. */
function own<P extends Condition | SortKey>(
  world: World,
  { resource }: About,
  expand: readonly Expansion[],
  paths: readonly P[],
): readonly P[] {
  return paths.filter(({ steps }) => collectionOf(world, resource, expand, steps) === 0);
}

/** Those that are about a collection below this relation, seen from it. */
function passedOn<P extends Condition | SortKey>(
  world: World,
  { resource }: About,
  expand: readonly Expansion[],
  { name }: Relation,
  paths: readonly P[],
): readonly P[] {
  return paths
    .filter(
      ({ steps }) =>
        steps[0]?.relation === name && collectionOf(world, resource, expand, steps) > 0,
    )
    .map((path) => below(path, 1));
}

function start({ mode, start: first }: Paging, limit: number): number {
  return mode === 'page' ? (first - 1) * limit : mode === 'offset' ? first : 0;
}

/** A record with its relations, as it is shown. */
function shown(world: World, row: Row, expand: readonly Expansion[], about: About): Item {
  const { resource, selection } = about;
  const pivot = row.pivot && selectPivot(row.pivot, selection);
  const members: Record<string, Value> = {
    ...selectFields(world, row.resource, row.item, selection),
    ...(pivot === undefined || Object.keys(row.pivot ?? {}).length === 0 ? {} : { pivot }),
  };
  const pagination: Record<string, Value> = {};
  for (const expansion of expand) {
    const relation = world.resource(row.resource).relations.get(expansion.relation);
    const inner = selectionBelow(world, row.resource, expansion.relation, selection);
    if (relation === undefined || inner === undefined) continue;
    const { value, pages } = related(world, row, expand, expansion, relation, {
      ...about,
      resource,
      selection: inner,
    });
    members[relation.name] = value;
    if (pages !== undefined) pagination[relation.name] = pages;
  }
  if (Object.keys(pagination).length > 0) members['_pagination'] = pagination;
  return members;
}

/** What an expanded relation shows of one record. */
function related(
  world: World,
  row: Row,
  level: readonly Expansion[],
  { paging, sort, below: expand }: Expansion,
  relation: Relation,
  about: About,
): { readonly value: Value; readonly pages: Value | undefined } {
  const rows = world.related(row, relation.name);
  const cap =
    paging?.limit ??
    Math.max(
      1,
      Math.min(
        world.limit('expandedItems'),
        Math.floor(world.limit('responseItems') / about.parents / askedBelow(expand)),
      ),
    );
  const conditions = passedOn(world, about, level, relation, about.conditions);
  const keys = [...sort, ...passedOn(world, about, level, relation, about.sort)];
  const inner = (resource: string): About => ({
    ...about,
    resource,
    conditions,
    sort: keys,
    parents: relation.isMany ? about.parents * cap : about.parents,
  });
  if (!relation.isMany) {
    const [one] = rows;
    return {
      value: one === undefined ? null : shown(world, one, expand, inner(one.resource)),
      pages: undefined,
    };
  }
  const [resource = ''] = relation.targets;
  const collection = inner(resource);
  const kept = rows.filter(
    filterOf(world, [resource], own(world, collection, expand, conditions), relation),
  );
  const asked = own(world, collection, expand, keys);
  const order = asked.length > 0 ? asked : relation.sort;
  const ordered = inOrder(world, kept, order, about.nulls, relation);
  const first = paging === undefined ? 0 : start(paging, cap);
  const totalPages = Math.ceil(kept.length / cap);
  return {
    value: ordered.slice(first, first + cap).map((one) => shown(world, one, expand, collection)),
    pages:
      paging === undefined && kept.length <= cap
        ? undefined
        : { page: Math.floor(first / cap) + 1, limit: cap, total: kept.length, totalPages },
  };
}

/** How many records the limits written below a collection make of one of its records. */
function askedBelow(expand: readonly Expansion[]): number {
  return Math.max(
    1,
    ...expand.map(({ paging, below }) => (paging?.limit ?? 1) * askedBelow(below)),
  );
}

/** The links of a page; a link to a place that does not exist is not there. */
function linksOf(
  { mode, start: place }: Paging,
  limit: number,
  isCounted: boolean,
  total: number,
): Record<string, number> {
  const offset = start({ mode, start: place, limit }, limit);
  const hasMore = offset + limit < total;
  if (mode === 'cursor') return hasMore ? { next: 0 } : {};
  const links: Record<string, number> = {};
  if (total === 0 && (isCounted || offset === 0)) return links;
  const pages = Math.ceil(total / limit);
  const at = (page: number): number => (mode === 'page' ? page : (page - 1) * limit);
  links['first'] = at(1);
  if (offset > 0 && offset < total)
    links['prev'] = mode === 'page' ? place - 1 : Math.max(0, offset - limit);
  if (offset >= total && isCounted) links['prev'] = at(pages);
  if (hasMore) links['next'] = mode === 'page' ? place + 1 : offset + limit;
  if (isCounted) links['last'] = at(pages);
  return links;
}

/** The records of a group: conditions of an `and` are about the same related record, others stand alone. */
export function groupOf(
  world: World,
  resource: string,
  { kind, parts }: Group,
): (row: Row) => boolean {
  const conditions = parts.filter((part): part is Condition => !('parts' in part));
  const nested = parts
    .filter((part): part is Group => 'parts' in part)
    .map((part) => groupOf(world, resource, part));
  if (kind === 'and') {
    const isKept = filterOf(world, [resource], conditions);
    return (row) => isKept(row) && nested.every((isIn) => isIn(row));
  }
  const all = [...conditions.map((one) => filterOf(world, [resource], [one])), ...nested];
  return (row) => all.some((isIn) => isIn(row)) === (kind === 'or');
}

/** What a read gives; `skipped`: how many records a cursor has passed. */
export function answerOf(world: World, query: Query, skipped = 0): Expected {
  const { resource, id, conditions, groups, search, ids, sort, nulls, expand, isCounted } = query;
  const { paging, fields, exclude } = query;
  const limit = paging.limit ?? world.limit('defaultLimit');
  const about: About = {
    resource,
    conditions,
    sort,
    nulls,
    selection: { fields, exclude },
    parents: id === undefined ? limit : 1,
  };
  const all = world.rowsOf(resource);
  if (id !== undefined) {
    const row = all.find(({ item }) => String(item['id']) === id);
    if (row === undefined) throw new Error(`The oracle has no ${resource}/${id}`);
    return { body: shown(world, row, expand, about), headers: {}, links: {}, hasMore: false };
  }
  const kind = world.resource(resource).fields.get('id')?.kind ?? 'number';
  const isKept = filterOf(world, [resource], own(world, about, expand, conditions));
  const inGroups = groups.map((group) => groupOf(world, resource, group));
  const found = all.filter(
    (row) =>
      isKept(row) &&
      inGroups.every((isIn) => isIn(row)) &&
      isFound(world, row, search) &&
      (ids.length === 0 || ids.some((one) => compare(kind, row.item['id'] ?? '', one) === 0)),
  );
  const offset = start(paging, limit) + skipped;
  const asked = own(world, about, expand, sort);
  const order = asked.length > 0 ? asked : world.resource(resource).sort;
  const body = inOrder(world, found, order, nulls)
    .slice(offset, offset + limit)
    .map((row) => shown(world, row, expand, about));
  const hasTotals = isCounted && paging.mode !== 'cursor';
  return {
    body,
    headers: {
      'x-limit': String(limit),
      'x-page': paging.mode === 'cursor' ? null : String(Math.floor(offset / limit) + 1),
      'x-total-count': hasTotals ? String(found.length) : null,
      'x-total-pages': hasTotals ? String(Math.ceil(found.length / limit)) : null,
    },
    links: linksOf(paging, limit, isCounted, found.length - skipped),
    hasMore: offset + limit < found.length,
  };
}
