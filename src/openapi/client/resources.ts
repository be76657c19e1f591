import { decide } from '../../model/access.ts';
import { isToMany, type Field, type Limits } from '../../model/api.ts';
import { fieldNameIn, type RelationView, type ResourceView } from '../../model/view.ts';
import { targetsOf } from '../../query/filter/path.ts';
import { aggregables } from '../document/parameters/aggregables.ts';
import { filterables, isBareFilter, sortables } from '../document/parameters/filters.ts';
import { nameOf } from '../document/records.ts';
import { resourceTypes } from './bodies.ts';
import { indent, key, memberOf, union, type DeclaredTypes } from './declarations.ts';
import { nestedName, readType, type Scope } from './field-types.ts';
import type { ClientNaming } from './naming.ts';

/** What a client has of a resource. */
export interface ResourceTexts {
  /** The types of its records and bodies, and of the objects in them. */
  readonly types: readonly string[];
  /** Its members in `Resources`, by name. */
  readonly members: ReadonlyMap<string, string>;
}

/** The texts of resources, by name. */
export function resourceTexts(
  resourceViews: readonly ResourceView[],
  naming: ClientNaming,
  declared: DeclaredTypes,
): ReadonlyMap<string, ResourceTexts> {
  return new Map(
    resourceViews.map((one) => {
      const types = resourceTypes(one, naming, declared);
      const members = resourceMembers(one, naming, declared);
      return [one.name, { types: [...types, ...declared.take()], members }];
    }),
  );
}

function resourceMembers(
  resourceView: ResourceView,
  naming: ClientNaming,
  declared: DeclaredTypes,
): ReadonlyMap<string, string> {
  const { limits } = resourceView.view.api;
  const name = nameOf(resourceView, naming);
  const { offered, resource } = resourceView;
  const objects = [...resourceView.fields.values()].filter(({ field }) =>
    ['object', 'any'].includes(field.type.json),
  );
  const groups = [...resourceView.groups].map(([group, members]) =>
    memberOf(group, union(members), false),
  );
  const texts = [
    `id: ${resource.hasKey ? readType(resource.id, { declared, base: `${name}Id` }) : 'never'};`,
    `record: ${name};`,
    `objects: ${union(objects.map((one) => one.name))};`,
    `relations: {\n${indent([...resourceView.relations.values()].map((view) => relationType(view, resourceView, { declared, base: name }, naming)).join('\n'))}\n};`,
    `expand: ${union(expandPaths(resourceView, limits))};`,
    `groups: { ${groups.join(' ')} };`,
    `operations: ${union([...offered])};`,
    `create: ${offered.has('create') ? `${name}Create` : 'never'};`,
    `replace: ${offered.has('update') ? `${name}Replace` : 'never'};`,
    `update: ${offered.has('update') ? `${name}Update` : 'never'};`,
    `where: Filters<{\n${indent(filterTypes(resourceView, limits).join('\n'))}\n}, ${union([...resourceView.relations.keys()])}, ${union(freeJson(resourceView, limits))}>;`,
    `sort: ${union(sortables(resourceView, limits))};`,
    ...aggregateTypes(resourceView, limits, { declared, base: name }),
  ];
  return new Map(texts.map((text) => [text.slice(0, text.indexOf(':')), text]));
}

/** The paths to expand, level by level, as long as they stay few enough for the compiler and the reader. */
function expandPaths(resourceView: ResourceView, { defaultDepth }: Limits): readonly string[] {
  const paths: string[] = [];
  let level = [{ path: '', resourceViews: [resourceView] }];
  for (let depth = 0; depth < defaultDepth; depth += 1) {
    level = level.flatMap(({ path, resourceViews }) => {
      const views = resourceViews.flatMap((one) => [...one.relations.values()]);
      return [...new Set(views.map(({ name }) => name))].map((name) => ({
        path: `${path}${name}.`,
        resourceViews: views.flatMap((view) =>
          view.name === name ? targetsOf(view).map((target) => target.resourceView) : [],
        ),
      }));
    });
    if (paths.length + level.length > mostPaths && depth > 0) break;
    paths.push(...level.map(({ path }) => path.slice(0, -1)));
  }
  return paths;
}

const mostPaths = 500;

function relationType(
  view: RelationView,
  owner: ResourceView,
  { declared, base }: Scope,
  { keyOf }: ClientNaming,
): string {
  const targets = [...new Set(targetsOf(view).map(({ resourceView }) => keyOf(resourceView.name)))];
  const scope = { declared, base: nestedName(base, `${view.name}Pivot`) };
  const pivot = view.pivot.map(({ name, field }) => memberOf(name, readType(field, scope), false));
  const added = pivot.length === 0 ? 'unknown' : `{ pivot: { ${pivot.join(' ')} } }`;
  return `${key(view.name)}: { to: ${union(targets)}; many: ${isToMany(view.relation)}; null: ${mayBeNull(view)}; pivot: ${added}; by: ${narrowing(view, owner, keyOf)} };`;
}

/** Whether a single record may be missing: not where a key has to lead to one that the caller may read whatever it is. */
function mayBeNull(view: RelationView): boolean {
  const { relation } = view;
  if (relation.kind !== 'belongsTo' || relation.key.nullable) return true;
  const [target] = targetsOf(view);
  return target === undefined || decide(target.resourceView.rules.read).allowed !== 'all';
}

/** The field whose value tells which resource a morphTo leads to, and the resource of each value. */
function narrowing(view: RelationView, owner: ResourceView, keyOf: ClientNaming['keyOf']): string {
  const { relation } = view;
  if (relation.kind !== 'morphTo') return 'unknown';
  const field = fieldNameIn(owner.fields.values(), relation.typeField);
  if (field === undefined) return 'unknown';
  const types = targetsOf(view).map(
    ({ resourceView, typeValue = '' }) =>
      `${key(typeValue)}: ${JSON.stringify(keyOf(resourceView.name))};`,
  );
  return `{ field: ${JSON.stringify(field)}; types: { ${types.join(' ')} }; null: ${relation.typeField.nullable} }`;
}

/** Of each path what it is compared with, its operators, and whether its name alone is a filter. */
function filterTypes(resourceView: ResourceView, limits: Limits): readonly string[] {
  return filterables(resourceView, limits).map((filter) => {
    const { path, leaves, kind, operators: fit } = filter;
    const isApart = ['related', 'pivot', 'item'].includes(kind);
    const several = isApart || leaves[0] === resourceView.resource.id;
    const bare = isBareFilter(filter) ? (several ? 'many' : 'one') : 'none';
    return `${key(path)}: [${filterType(leaves)}, ${union(fit)}, ${JSON.stringify(bare)}];`;
  });
}

/** Where keys are that only the values know. */
function freeJson(resourceView: ResourceView, limits: Limits): readonly string[] {
  return filterables(resourceView, limits).flatMap(({ path, leaves, kind }) =>
    kind !== 'related' && kind !== 'pivot' && leaves.some(isFree) ? [path] : [],
  );
}

function isFree({ isOpen, items }: Field): boolean {
  return isOpen || (items !== undefined && items.items === undefined && isFree(items));
}

/** What groups records, and what functions give for which paths. */
function aggregateTypes(
  resourceView: ResourceView,
  limits: Limits,
  scope: Scope,
): readonly string[] {
  const { keys, dates, moments, sums, extremes, distinct } = aggregables(resourceView, limits);
  const keyTypes = keys.map(({ name, field }) => memberOf(name, readType(field, scope), false));
  const numbers = (types: Readonly<Record<(typeof sums)[number]['sum'], string>>): string =>
    sums.map(({ name, sum }) => `${key(name)}: ${types[sum]} | null;`).join(' ');
  return [
    `keys: {\n${indent(keyTypes.join('\n'))}\n};`,
    `dates: ${union(dates)};`,
    `moments: ${union(moments)};`,
    `sums: { ${numbers({ whole: 'number | string', exact: 'string', double: 'number' })} };`,
    `averages: { ${numbers({ whole: 'string', exact: 'string', double: 'number' })} };`,
    `extremes: ${union(extremes)};`,
    `distinct: ${union(distinct)};`,
  ];
}

/** Behind a morphTo the fields of a name may be of several types. */
function filterType(leaves: readonly Field[]): string {
  return leaves.length === 0 ? 'never' : [...new Set(leaves.map(comparedType))].join(' | ');
}

function comparedType(leaf: Field): string {
  if (leaf.type.json === 'array') return filterType(leaf.items === undefined ? [] : [leaf.items]);
  const plain = leaf.values?.map((value) => JSON.stringify(value)).join(' | ');
  if (plain !== undefined) return plain;
  const type = scalarTypes.get(leaf.type.json) ?? 'string';
  if (leaf.type.takesNumbers === true) return 'string | number';
  return type;
}

/** What filters compare with, where it is no text. */
const scalarTypes: ReadonlyMap<string, string> = new Map([
  ['integer', 'number'],
  ['number', 'number'],
  ['boolean', 'boolean'],
]);
