import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Field, Resource, Api } from '../../model/api.ts';
import { takes } from '../../model/operators.ts';
import { indexedTexts, searchedTypes } from '../../model/search-index.ts';
import { unknownName } from '../../model/build/names.ts';
import { ownerView, type ResourceView } from '../../model/view.ts';
import { counted } from '../../model/values.ts';
import type { Report } from '../../specification/problems.ts';
import { resolvePath, targetsOf, type Path } from '../filter/path.ts';
import type { Predicate, Slot } from '../filter/predicate.ts';
import type { QueryProblem } from '../request/problem.ts';
import type { Query } from '../request/query.ts';

const declared = new WeakMap<Resource, readonly Path[]>();

/** Checks the `search` of every resource. See docs/contract/1-specification-file.md#resources, rule 8. */
export function checkSearch(api: Api, report: Report): void {
  const owner = ownerView(api);
  for (const resource of api.resources.values()) {
    if (resource.hasSearchIndex) checkIndex(resource, owner.resource(resource.name), report);
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

/** Checks `searchIndex` of a resource. See docs/contract/1-specification-file.md#resources, rule 10. */
function checkIndex(resource: Resource, view: ResourceView | undefined, report: Report): void {
  const { name, isManaged, table } = resource;
  const place = ['resources', name, 'searchIndex'];
  if (!isManaged) {
    const message = `${name} is not managed: Plinth makes no index of ${table}; leave out searchIndex`;
    report(place, message);
    return;
  }
  const kept = indexedTexts(resource);
  if (kept.length === 0) {
    report(place, `${name} has no texts of its own that search looks into; leave out searchIndex`);
    return;
  }
  const others = view === undefined ? [] : searchedNames(view, kept);
  if (others.length > 0)
    report(
      place,
      `search of ${name} looks into ${others.join(' and ')} too, which no index keeps: it reads every record; name fields with a column in search`,
      'warning',
    );
}

/** The names of what a search looks into beside these fields, as the file says it. */
function searchedNames({ resource, fields }: ResourceView, kept: readonly Field[]): string[] {
  const names =
    resource.search ??
    [...fields].flatMap(([name, { field }]) =>
      searchedTypes.has(field.type.name) && isText(field) ? [name] : [],
    );
  return names.filter((name) => !kept.some((field) => field.name === name));
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
      const isSearched = searchedTypes.has(field.type.name) && isText(field);
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
 * Plans `search`: of each word, at least one of the fields contains it. See docs/contract/2-reading.md#search. Words that
 * are long enough are found by an index, if there is one of all of the fields.
 */
export function planSearch(
  { search, longWords }: Pick<Query, 'search' | 'longWords'>,
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
  const words = search.map((source) => {
    const sources = [source];
    return {
      sources,
      plain: { kind: 'or', parts: paths.map((path) => contains(path, sources, slots)) } as const,
    };
  });
  const texts = textsByIndex(paths, resourceView.resource);
  const indexed = texts === undefined ? [] : words.slice(0, longWords);
  const [first] = texts ?? [];
  if (texts === undefined || first === undefined || indexed.length === 0)
    return words.map(({ plain }) => plain);
  return [
    {
      kind: 'indexed',
      resource: resourceView.resource,
      texts,
      words: indexed.map(({ sources }) => slotOf(first, sources, 'indexedSearch', slots)),
      plain: indexed.map(({ plain }) => plain),
    },
    ...words.slice(longWords).map(({ plain }) => plain),
  ];
}

/** The texts at the end of these paths, if the search index of the resource keeps all of them. */
function textsByIndex(paths: readonly Path[], resource: Resource): readonly Field[] | undefined {
  const kept = indexedTexts(resource);
  const texts = paths.map((path) =>
    path.kind === 'field' && path.ref.members.length === 0 && !path.ref.isPivot
      ? path.ref.field
      : undefined,
  );
  return texts.every((text) => text !== undefined && kept.includes(text))
    ? texts.filter((text) => text !== undefined)
    : undefined;
}

function slotOf(
  field: Field,
  sources: readonly number[],
  operator: Slot['operator'],
  slots: Slot[],
): Slot {
  const slot: Slot = { index: slots.length, sources, parameter: 'search', field, operator };
  slots.push(slot);
  return slot;
}

function contains(path: Path, sources: readonly number[], slots: Slot[]): Predicate {
  if (path.kind === 'field') {
    const { ref } = path;
    const operator = 'search';
    return { kind: 'compare', ref, operator, slot: slotOf(ref.leaf, sources, operator, slots) };
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
