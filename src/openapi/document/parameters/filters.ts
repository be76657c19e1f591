import { isLookedFor } from '../../../query/filter/operand.ts';
import { targetsOf, isTooDeep, resolvePath, type Path } from '../../../query/filter/path.ts';
import { isToMany, type Field, type Limits } from '../../../model/api.ts';
import {
  filterOperators,
  operators,
  operatorsOf,
  type Operator,
} from '../../../model/operators.ts';
import type { RelationView, ResourceView } from '../../../model/view.ts';
import { isParameter } from '../../../query/request/parameters.ts';

/** One thing that a list can be filtered by: a path, and what can be asked there. */
export interface Filterable {
  readonly path: string;
  /** What is compared: several behind a morphTo, none where the path ends with a relation. */
  readonly leaves: readonly Field[];
  readonly operators: readonly Operator[];
  /**
   * Whether it is a field of the resource itself, a member of one, a member of the items of an array, a relation, something
   * that a relation's links carry, or a field behind a relation.
   */
  readonly kind: 'field' | 'member' | 'item' | 'relation' | 'pivot' | 'related';
}

/**
 * What the records of a resource can be filtered by, as this caller sees it: every field, every declared member of an
 * object, every relation, and one step behind the relations.
 */
export function filterables(resourceView: ResourceView, limits: Limits): readonly Filterable[] {
  const own = [...resourceView.fields.values()].flatMap(({ name, field }) =>
    pathsOf(name, field).map(
      (path) => ({ path, kind: path === name ? 'field' : 'member' }) as const,
    ),
  );
  const relations = [...resourceView.relations.values()].flatMap((relation) => [
    ...[relation.name, ...targetNames(relation)].map(
      (path) => ({ path, kind: 'relation' }) as const,
    ),
    ...related(relation).map((path) => ({ path, kind: 'related' }) as const),
    ...relation.pivot.flatMap(({ name, field }) =>
      pathsOf(`${relation.name}.pivot.${name}`, field).map(
        (path) => ({ path, kind: 'pivot' }) as const,
      ),
    ),
  ]);
  const paths = new Map([...own, ...relations].map(({ path, kind }) => [path, kind]));
  return [...paths].flatMap(([path, kind]) => {
    const resolved = isTooDeep(path, limits) ? undefined : resolvePath(path, resourceView);
    if (resolved?.ok !== true) return [];
    const isOfItems = resolved.value.kind === 'items';
    const takes = operatorsAt(resolved.value);
    // What is a path itself, such as that of a field level_gt, is no level with an operator.
    const fit = filterOperators().filter(
      (one) => takes.has(one) && !paths.has(filterName(path, one)),
    );
    return [
      { path, kind: isOfItems ? 'item' : kind, leaves: endsOf(resolved.value), operators: fit },
    ];
  });
}

/** What leaves out items of the collections that a record comes with, as filters of single reads do. */
export function itemFilterables(resourceView: ResourceView, limits: Limits): readonly Filterable[] {
  const starts = [...resourceView.relations.values()].flatMap(({ name, relation }) =>
    isToMany(relation) ? [`${name}.`] : [],
  );
  return filterables(resourceView, limits).filter(({ path }) =>
    starts.some((start) => path.startsWith(start)),
  );
}

/** What can be asked of anything. */
const flags: ReadonlySet<Operator> = new Set(operatorsOf('none'));

/** The operators that the end of a path takes, on any of its branches. */
function operatorsAt(path: Path): ReadonlySet<Operator> {
  if (path.kind === 'field') {
    const { type, items } = path.ref.leaf;
    return items === undefined || isLookedFor(items)
      ? new Set(operatorsOf(type.comparison))
      : flags;
  }
  if (path.kind === 'items') return operatorsAt(path.next);
  return new Set(
    path.branches.flatMap(({ next }) => [...(next === undefined ? flags : operatorsAt(next))]),
  );
}

/** The name of the parameter that asks this of a path. */
export function filterName(path: string, operator: Operator): string {
  return `${path}${operators[operator].suffix}`;
}

/** Whether a path alone is a filter for equality: a reserved parameter of that name comes first. */
export function isBareFilter({ path, operators: fit }: Filterable): boolean {
  return fit.includes('eq') && !isParameter(path);
}

/** The names of what a list can be sorted by: fields, members and to-one paths of one step. */
export function sortables(resourceView: ResourceView, limits: Limits): readonly string[] {
  const own = [...resourceView.fields.values()].flatMap(({ name, field }) => pathsOf(name, field));
  const through = [...resourceView.relations.values()].flatMap((relation) =>
    relation.relation.kind === 'morphTo'
      ? []
      : targetsOf(relation).flatMap(({ resourceView: target }) =>
          [...target.fields.keys()].map((name) => `${relation.name}.${name}`),
        ),
  );
  return [...own, ...through].filter((path) => {
    const resolved = isTooDeep(path, limits) ? undefined : resolvePath(path, resourceView);
    return (
      resolved?.ok === true &&
      resolved.value.kind !== 'items' &&
      endsOf(resolved.value).some(isSortable)
    );
  });
}

/** Whether records can be sorted by a value like this. */
export function isSortable({ type, items }: Field): boolean {
  return (
    type.sortable && (items === undefined || (items.type.sortable && items.items === undefined))
  );
}

/** The paths of a field and of the declared members below it, those of the items of an array too. */
function pathsOf(path: string, { properties, items }: Field): readonly string[] {
  return [
    path,
    ...[...(properties ?? items?.properties ?? [])].flatMap(([name, member]) =>
      pathsOf(`${path}.${name}`, member),
    ),
  ];
}

/** `owner:posts`, for each of the resources that a morphTo leads to. */
function targetNames(view: RelationView): readonly string[] {
  if (view.relation.kind !== 'morphTo') return [];
  return [
    ...new Set(targetsOf(view).map(({ resourceView }) => `${view.name}:${resourceView.name}`)),
  ];
}

function related(view: RelationView): readonly string[] {
  const isMorph = view.relation.kind === 'morphTo';
  return targetsOf(view).flatMap(({ resourceView }) =>
    [...resourceView.fields.keys()].flatMap((name) => [
      `${view.name}.${name}`,
      ...(isMorph ? [`${view.name}:${resourceView.name}.${name}`] : []),
    ]),
  );
}

function endsOf(path: Path): readonly Field[] {
  if (path.kind === 'field') return [path.ref.leaf];
  if (path.kind === 'items') return endsOf(path.next);
  return path.branches.flatMap(({ next }) => (next === undefined ? [] : endsOf(next)));
}
