import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Field, Resource, Api } from '../../model/api.ts';
import { takes } from '../../model/operators.ts';
import { unknownName } from '../../model/build/names.ts';
import { ownerView, type ResourceView } from '../../model/view.ts';
import { counted } from '../../model/values.ts';
import type { Report } from '../../specification/problems.ts';
import { resolvePath, targetsOf, type Path } from '../filter/path.ts';
import type { Predicate, Slot } from '../filter/predicate.ts';
import type { QueryProblem } from '../request/problem.ts';
import type { Query } from '../request/query.ts';

/** The types of the fields that a search looks into where the file names none. */
const searched: ReadonlySet<string> = new Set(['string', 'text', 'email']);

const declared = new WeakMap<Resource, readonly Path[]>();

/** Checks the `search` of every resource. See docs/contract/1-specification-file.md#resources, rule 8. */
export function checkSearch(api: Api, report: Report): void {
  const owner = ownerView(api);
  for (const resource of api.resources.values()) {
    if (resource.search === undefined) continue;
    const view = owner.resource(resource.name);
    for (const [index, name] of resource.search.entries()) {
      const place = ['resources', resource.name, 'search', index];
      const path = view && resolvePath(name, view);
      if (path?.ok !== true)
        report(place, path?.error.message ?? unknownName('field', name, view?.fields.keys() ?? []));
      else if (!endsInText(path.value))
        report(place, `${name} cannot be searched: search takes text fields`);
    }
  }
}

function endsInText(path: Path): boolean {
  if (path.kind === 'field') return isText(path.ref.leaf);
  if (path.kind === 'items') return endsInText(path.next);
  return path.branches.every(({ next }) => next !== undefined && endsInText(next));
}

function isText({ type }: Field): boolean {
  return takes(type, 'like');
}

/** The paths that the file names, in the names of the storage. */
function declaredPaths(resource: Resource, names: readonly string[], api: Api): readonly Path[] {
  return getOrInsert(declared, resource, () => {
    const view = ownerView(api).resource(resource.name);
    return names.flatMap((name) => {
      const path = view && resolvePath(name, view);
      return path?.ok === true ? [path.value] : [];
    });
  });
}

/** The fields that a search of this caller looks into. See docs/contract/2-reading.md#search, rule 2. */
export function searchedPaths(resourceView: ResourceView): readonly Path[] {
  const { resource, view } = resourceView;
  if (resource.search === undefined)
    return [...resourceView.fields.values()].flatMap(({ field }): readonly Path[] => {
      const isSearched = searched.has(field.type.name) && isText(field);
      const ref = { field, members: [], leaf: field, isPivot: false };
      return isSearched ? [{ kind: 'field', ref }] : [];
    });
  return declaredPaths(resource, resource.search, view.api).flatMap(
    (path) => visiblePart(path, resourceView) ?? [],
  );
}

/** The branches of a path whose fields and relations the caller may read; undefined if there are none. */
function visiblePart(path: Path, resourceView: ResourceView): Path | undefined {
  if (path.kind !== 'relation')
    return [...resourceView.fields.values()].some(({ field }) => field === path.ref.field)
      ? path
      : undefined;
  const relationView = [...resourceView.relations.values()].find(
    ({ relation }) => relation === path.relation,
  );
  if (relationView === undefined) return undefined;
  const targets = targetsOf(relationView);
  const branches = path.branches.flatMap((branch) => {
    const { next } = branch;
    if (next === undefined) return [];
    if (next.kind !== 'relation' && next.ref.isPivot)
      return relationView.pivot.some(({ field }) => field === next.ref.field) ? [branch] : [];
    const target = targets.find(({ resourceView: one }) => one.resource === branch.target);
    const visible = target && visiblePart(next, target.resourceView);
    return visible === undefined ? [] : [{ ...branch, next: visible }];
  });
  return branches.length === 0 ? undefined : { ...path, branches };
}

/**
 * Plans `search`: of each word, at least one of the fields contains it. See docs/contract/2-reading.md#search.
 */
export function planSearch(
  { search }: Pick<Query, 'search'>,
  resourceView: ResourceView,
  slots: Slot[],
  problems: QueryProblem[],
): readonly Predicate[] {
  if (search.length === 0) return [];
  const { searchWords } = resourceView.view.api.limits;
  const refuse = (code: QueryProblem['code'], message: string, max?: number): readonly never[] => {
    problems.push({ parameter: 'search', code, message, max });
    return [];
  };
  const paths = searchedPaths(resourceView);
  if (paths.length === 0)
    return refuse('INVALID_PARAMETER', `${resourceView.name} has no text to search`);
  if (search.length > searchWords)
    return refuse(
      'LIMIT_EXCEEDED',
      `takes at most ${counted(searchWords, 'word')} (limits.searchWords)`,
      searchWords,
    );
  return search.map((source) => {
    const sources = [source];
    return { kind: 'or', parts: paths.map((path) => contains(path, sources, slots)) };
  });
}

function contains(path: Path, sources: readonly number[], slots: Slot[]): Predicate {
  if (path.kind === 'field') {
    const { ref } = path;
    const index = slots.length;
    const operator = 'search';
    const slot: Slot = { index, sources, parameter: 'search', field: ref.leaf, operator };
    slots.push(slot);
    return { kind: 'compare', ref, operator, slot };
  }
  if (path.kind === 'items')
    return { kind: 'items', ref: path.ref, where: [contains(path.next, sources, slots)] };
  const { relation } = path;
  const branches = path.branches.map(({ target, typeValue, next }) => ({
    target,
    typeValue,
    where: next === undefined ? [] : [contains(next, sources, slots)],
  }));
  return { kind: 'related', relation, branches, isNegated: false };
}
