import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Api, Relation, Resource } from '../../model/api.ts';
import {
  fieldNameIn,
  ownerView,
  type FieldView,
  type RelationView,
  type ResourceView,
} from '../../model/view.ts';
import type { Report } from '../../specification/problems.ts';
import { resolvePath, targetsOf, type Path } from '../filter/path.ts';
import type { FieldRef } from '../filter/predicate.ts';
import { splitNames } from '../filter/text.ts';
import type { SortKey } from '../plan.ts';
import type { QueryProblem } from '../request/problem.ts';
import { expandNode, type ExpandNode } from './expand.ts';
import { planSort, type PlannedSort, type SortContext } from './sort.ts';

/** One key of an order in the file. */
interface DefaultKey {
  readonly path: Path;
  readonly descending: boolean;
}

/** The order that the file names for the lists of a resource, as far as the caller may read its keys. */
export function defaultSort(resourceView: ResourceView, context: SortContext): readonly SortKey[] {
  const text = defaultSortText(resourceView);
  // A path through a relation that the request expands is still about the records of the list.
  return text === '' ? [] : planText(text, resourceView, { ...context, expand: [] }).keys;
}

/** The order that the file names for a collection. */
export function defaultCollectionSort(node: ExpandNode, context: SortContext): readonly SortKey[] {
  const { relation, owner } = node;
  const text = collectionSortText(relation, owner);
  if (text === '') return [];
  const alone = expandNode(relation, owner, () => []);
  const prefix = `${relation.name}.`;
  const planned = planText(text, owner, { ...context, expand: [alone], prefix });
  return planned.collections.get(alone) ?? [];
}

/** The default order of a list as `sort` would say it, in the names of a view; empty for the order by id. */
export function defaultSortText(resourceView: ResourceView): string {
  const { resource, view } = resourceView;
  return textIn(resourceView, keysOf(resource, resource, '', view.api));
}

/** The default order of a collection, as its own `sort` parameter would say it. */
export function collectionSortText(
  { name, relation }: RelationView,
  resourceView: ResourceView,
): string {
  const { owner } = relation;
  const keys = keysOf(relation, owner, `${relation.name}.`, resourceView.view.api);
  return textIn(resourceView, keys, `${name}.`.length);
}

/** Checks the `sort` of every resource and relation. See docs/contract/1-specification-file.md#resources, rule 9. */
export function checkSorts(api: Api, report: Report): void {
  const owner = ownerView(api, true);
  for (const { name, sort, relations } of api.resources.values()) {
    const view = owner.resource(name);
    if (view === undefined) continue;
    const place = ['resources', name];
    for (const message of problemsOf(sort, view, '', [])) report([...place, 'sort'], message);
    for (const relation of relations.values()) {
      const relationView = view.relations.get(relation.name);
      if (relationView === undefined) continue;
      const node = expandNode(relationView, view, () => []);
      for (const message of problemsOf(relation.sort, view, `${relation.name}.`, [node]))
        report([...place, 'fields', relation.name, 'sort'], message);
    }
  }
}

/** What is wrong with an order in the file. */
function problemsOf(
  text: string | undefined,
  resourceView: ResourceView,
  prefix: string,
  expand: readonly ExpandNode[],
): readonly string[] {
  if (text === undefined) return [];
  const problems: QueryProblem[] = [];
  const { limits } = resourceView.view.api;
  const context = { limits, expand, nulls: undefined, prefix, problems };
  const { keys, collections } = planText(text, resourceView, context);
  const unread = [...keys, ...[...collections.values()].flat()].flatMap(({ name, ref }) =>
    ref.field.writeOnly ? [`${name} is writeOnly, so no order may tell of it`] : [],
  );
  return [...problems.map(({ message }) => message), ...unread];
}

/** Limits bound requests, not the author of the file. */
function planText(text: string, resourceView: ResourceView, context: SortContext): PlannedSort {
  const none = Number.POSITIVE_INFINITY;
  const limits = { ...context.limits, sorts: none, pathDepth: none };
  return planSort(text, resourceView, 'sort', { ...context, limits });
}

const known = new WeakMap<Resource | Relation, readonly DefaultKey[]>();

/** The keys of an order in the file; `start` is put before each of their names. */
function keysOf(
  of: Resource | Relation,
  { name: owner }: Resource,
  start: string,
  api: Api,
): readonly DefaultKey[] {
  return getOrInsert(known, of, () => {
    const view = ownerView(api, true).resource(owner);
    const names = splitNames(of.sort ?? '');
    if (of.sort === undefined || view === undefined || !names.ok) return [];
    return names.value.flatMap((item): readonly DefaultKey[] => {
      const descending = item.startsWith('-');
      const path = resolvePath(`${start}${descending ? item.slice(1) : item}`, view);
      return path.ok ? [{ path: path.value, descending }] : [];
    });
  });
}

/** Keys as text, in the names of a view without their first `skipped` characters. Unreadable ones are left out. */
function textIn(resourceView: ResourceView, keys: readonly DefaultKey[], skipped = 0): string {
  return keys
    .flatMap(({ path, descending }) => {
      const name = nameIn(resourceView, path);
      return name === undefined ? [] : [`${descending ? '-' : ''}${name.slice(skipped)}`];
    })
    .join(',');
}

/** What a path is called in a view; undefined if the caller may not read some part of it. */
function nameIn(resourceView: ResourceView, path: Path): string | undefined {
  if (path.kind === 'field') return fieldIn(resourceView.fields.values(), path.ref);
  if (path.kind === 'items') return undefined;
  const relationView = [...resourceView.relations.values()].find(
    ({ relation }) => relation === path.relation,
  );
  const [branch] = path.branches;
  if (relationView === undefined || branch?.next === undefined) return undefined;
  const { target, next } = branch;
  if (next.kind === 'field' && next.ref.isPivot) {
    const pivot = fieldIn(relationView.pivot, next.ref);
    return pivot === undefined ? undefined : `${relationView.name}.pivot.${pivot}`;
  }
  const there = targetsOf(relationView).find(({ resourceView: one }) => one.resource === target);
  const below = there && nameIn(there.resourceView, next);
  return below === undefined ? undefined : `${relationView.name}.${below}`;
}

function fieldIn(views: Iterable<FieldView>, { field, members }: FieldRef): string | undefined {
  const name = fieldNameIn(views, field);
  return name === undefined ? undefined : [name, ...members].join('.');
}
