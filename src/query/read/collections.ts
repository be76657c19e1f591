import { collectionParameters } from '../request/parameters.ts';
import { fieldRef } from '../filter/predicate.ts';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import { isToMany, type Resource } from '../../model/api.ts';
import { counted } from '../../model/values.ts';
import type { QueryProblem } from '../request/problem.ts';
import type { Condition } from '../request/query.ts';
import { allNodes, collectionsNamed, type ExpandNode, type NamedCollection } from './expand.ts';
import type { CollectionPaging, SortKey } from '../plan.ts';
import { defaultCollectionSort } from './default-sort.ts';
import { orderedFields, planSort, withId, type PlannedSort, type SortContext } from './sort.ts';

type CollectionParameter = (typeof collectionParameters)[number];

/** The parameters for the expanded collections of one path: `comments.limit`, `comments.sort`. */
interface PathParameters {
  readonly collections: readonly NamedCollection[];
  readonly parameters: Map<CollectionParameter, Condition>;
}

/**
 * Plans the paging and the order of the expanded collections; returns the other conditions as `rest`. `comments.limit` is
 * a collection parameter only if `comments` is expanded, and otherwise a field. See
 * docs/contract/2-reading.md#expanded-collections, rule 1.
 */
export function planCollections(
  conditions: readonly Condition[],
  sort: PlannedSort,
  context: SortContext,
): { readonly rest: readonly Condition[]; readonly paged: readonly CollectionPaging[] } {
  const { problems, expand } = context;
  const named = new Map<string, PathParameters>();
  const rest = conditions.filter((condition) => {
    const dot = condition.name.lastIndexOf('.');
    const parameter = collectionParameters.find((name) => name === condition.name.slice(dot + 1));
    if (dot < 1 || parameter === undefined || expand.length === 0) return true;
    const path = condition.name.slice(0, dot);
    const collections = collectionsNamed(path.split('.'), expand);
    if (collections.length === 0) return true;
    const known = getOrInsert(named, path, () => ({ collections, parameters: new Map() }));
    if (known.parameters.has(parameter))
      problems.push({
        parameter: condition.name,
        code: 'INVALID_PARAMETER',
        message: 'is given more than once',
      });
    known.parameters.set(parameter, condition);
    return false;
  });
  for (const [node, keys] of sort.collections) node.order = keys;
  const own = [...named.values()].flatMap(({ collections, parameters }) => {
    const condition = parameters.get('sort');
    if (condition === undefined) return [];
    return [{ name: condition.name, count: sortCollections(condition, collections, context) }];
  });
  refuseManyKeys(sort.count, own, context);
  for (const [node, keys] of sort.fromCursor ?? []) if (node.order.length === 0) node.order = keys;
  for (const node of allNodes(expand)) {
    if (node.order.length === 0) node.order = defaultCollectionSort(node, context);
    node.order = collectionOrder(node);
  }
  return { rest, paged: planPaging(named, problems) };
}

/**
 * Rejects too many keys in all sorts of a request together. planSort rejects too many in one. See
 * docs/contract/2-reading.md#sorting, rule 12.
 */
function refuseManyKeys(
  count: number,
  own: readonly { readonly name: string; readonly count: number }[],
  { limits: { sorts }, problems }: SortContext,
): void {
  const counts = [count, ...own.map((one) => one.count)];
  const last = own.at(-1);
  if (last === undefined || counts.some((one) => one > sorts)) return;
  if (counts.reduce((sum, one) => sum + one, 0) > sorts)
    problems.push({
      parameter: last.name,
      code: 'LIMIT_EXCEEDED',
      message: `the sorts of a request take at most ${counted(sorts, 'key')} together (limits.sorts)`,
      max: sorts,
    });
}

/** Plans `comments.sort` for each resource that has the collection (several below a morphTo); returns its number of keys. */
function sortCollections(
  { name, value }: Condition,
  collections: readonly NamedCollection[],
  context: SortContext,
): number {
  let count = 0;
  const failures: (readonly QueryProblem[])[] = [];
  for (const { node } of collections) {
    const problems: QueryProblem[] = [];
    if (node.order.length > 0)
      problems.push({
        parameter: name,
        code: 'INVALID_SORT',
        message: 'is sorted by sort already',
      });
    const prefix = `${node.relation.name}.`;
    const planned = planSort(value, node.owner, name, {
      ...context,
      expand: [node],
      prefix,
      problems,
    });
    ({ count } = planned);
    for (const [sorted, keys] of planned.collections) sorted.order = keys;
    if (problems.length > 0) failures.push(problems);
  }
  if (failures.length === collections.length) context.problems.push(...(failures[0] ?? []));
  return count;
}

/** The order of a collection, made total by an id; empty for a to-one relation. */
function collectionOrder({ relation, order, targets }: ExpandNode): readonly SortKey[] {
  const { relation: stored } = relation;
  const target: Resource | undefined = targets[0]?.resourceView.resource;
  if (!isToMany(stored) || target === undefined) return [];
  const keys = withId(order, target);
  if (stored.kind !== 'belongsToMany') return keys;
  const { through, ownerKey, targetKey } = stored;
  const isUnique = through.unique.some(
    (fields) => fields.length === 2 && fields.includes(ownerKey) && fields.includes(targetKey),
  );
  if (isUnique) return keys;
  // Without a unique pair of keys the same record may be linked twice, so its id is not enough.
  const last = orderedFields(through.id).map((field): SortKey => {
    const ref = fieldRef(field, true);
    return { name: 'pivot.id', steps: [], ref, descending: false, nulls: undefined };
  });
  return [...keys, ...last];
}

/** The requested pages. Shallower paths come first, because deeper ones refer to them. */
function planPaging(
  named: ReadonlyMap<string, PathParameters>,
  problems: QueryProblem[],
): readonly CollectionPaging[] {
  const paged: CollectionPaging[] = [];
  const byDepth = [...named].sort(([a], [b]) => a.split('.').length - b.split('.').length);
  for (const [path, { collections, parameters }] of byDepth) {
    const [page, limit, offset] = (['page', 'limit', 'offset'] as const).map(
      (name) => parameters.get(name)?.source,
    );
    if (page === undefined && limit === undefined && offset === undefined) continue;
    if (page !== undefined && offset !== undefined)
      problems.push({
        parameter: `${path}.offset`,
        code: 'PAGINATION_CONFLICT',
        message: `cannot be combined with ${path}.page`,
      });
    for (const { node, trail } of collections) {
      const within = trail.flatMap((above) => above.paging?.index ?? []);
      node.paging = { index: paged.length, path, page, limit, offset, within };
      paged.push(node.paging);
    }
  }
  return paged;
}
