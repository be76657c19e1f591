import { targetsOf } from '../../query/filter/path.ts';
import {
  isToMany,
  type Api,
  type BelongsToMany,
  type Field,
  type Reference,
  type Version,
} from '../../model/api.ts';
import { keyFields } from '../../model/field-types/composite-id.ts';
import { filterOperators, operators } from '../../model/operators.ts';
import { visibleValues } from '../../model/validation/visible-values.ts';
import {
  fieldNameIn,
  linkedRelation,
  mayCarry,
  mayCreate,
  mayLink,
  mayUpdate,
  pivotInputs,
  type RelationView,
  type ResourceView,
  type View,
} from '../../model/view.ts';
import { collectionSortText, defaultSortText } from '../../query/read/default-sort.ts';
import { filterables, isSortable, sortables } from '../../openapi/document/parameters/filters.ts';
import type { Model, RelationInfo, ResourceInfo, ValueInfo } from './wire-model.ts';

/** The API as a caller sees it in one version, for the forms of the dashboard. `mount`: what goes before its paths. */
export function modelDocument(view: View, mount: string): Model {
  const { api, version } = view;
  return {
    name: api.name,
    description: api.description ?? null,
    path: mount + pathOf(api, version),
    version: version.number,
    versions: [...api.versions.keys()].sort((a, b) => a - b),
    limits: api.limits,
    operators: filterOperators().map((name) => {
      const { suffix, operand, meaning } = operators[name];
      return { name, suffix, operand, meaning };
    }),
    resources: view.resourceViews().map(resourceDocument),
  };
}

/** The path of a version's resources. */
function pathOf({ basePath }: Api, { number }: Version): string {
  return `${basePath}/v${number}`;
}

function resourceDocument(resourceView: ResourceView): ResourceInfo {
  const { limits } = resourceView.view.api;
  const { resource, offered } = resourceView;
  const names = new Set([...resourceView.fields.keys(), ...resourceView.inputs.keys()]);
  const sorts = new Set(sortables(resourceView, limits));
  return {
    name: resourceView.name,
    description: resource.description ?? null,
    pagination: resource.pagination,
    operations: [...offered],
    fields: [...names].flatMap((name) => {
      const input = resourceView.inputs.get(name);
      const field = input?.field ?? resourceView.fields.get(name)?.field;
      if (field === undefined) return [];
      const document = fieldDocument(field, resourceView.view);
      const [isCreatable, isUpdatable] =
        input === undefined ? [false, false] : [mayCreate(input), mayUpdate(input)];
      return [
        { name, isReadable: resourceView.fields.has(name), isCreatable, isUpdatable, ...document },
      ];
    }),
    relations: [...resourceView.relations.values()].map((relation) =>
      relationDocument(relation, resourceView),
    ),
    groups: Object.fromEntries(resourceView.groups),
    filters: filterables(resourceView, limits).flatMap(
      ({ path, kind, leaves: [leaf], operators: fit }) =>
        kind === 'related'
          ? []
          : [
              {
                path,
                kind,
                operators: fit,
                isSortable: kind !== 'item' && leaf !== undefined && isSortable(leaf),
                type: leaf?.type.name ?? null,
                values: (leaf && visibleValues(leaf, resourceView.view)) ?? null,
              },
            ],
    ),
    sorts: [...sorts],
    sort: defaultSortText(resourceView),
  };
}

/** The attributes of a field that forms use. */
const told = [
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
] as const;

function fieldDocument(field: Field, view: View): ValueInfo {
  const { attributes, reference, properties, items } = field;
  return {
    type: field.type.name,
    description: attributes.description ?? null,
    isNullable: field.nullable,
    isRequired: field.required && field.default === undefined,
    isUnique: field.unique,
    default: field.default?.kind === 'value' ? field.default.value : null,
    values: visibleValues(field, view) ?? null,
    constraints: Object.fromEntries(
      told.flatMap((name) => (attributes[name] === undefined ? [] : [[name, attributes[name]]])),
    ),
    ...(field.type.number === 'exact' && attributes.scale !== 'any'
      ? { precision: field.precision, scale: field.scale }
      : {}),
    ...(reference === undefined ? {} : referenceDocument(reference, view)),
    ...(items === undefined ? {} : { items: fieldDocument(items, view) }),
    ...(properties === undefined
      ? {}
      : {
          properties: [...properties].map(([name, part]) => ({
            name,
            ...fieldDocument(part, view),
          })),
        }),
  };
}

/** The target of a foreign key, if the caller may see it. */
function referenceDocument(
  { resource, field }: Reference,
  view: View,
): Pick<ValueInfo, 'reference'> {
  const resourceView = view.resource(resource.name);
  const name = nameOn(field, resourceView);
  return resourceView === undefined || name === null
    ? {}
    : { reference: { resource: resourceView.name, field: name } };
}

function nameOn(field: Field, resourceView: ResourceView | undefined): string | null {
  return fieldNameIn(resourceView?.fields.values() ?? [], field) ?? null;
}

function relationDocument(view: RelationView, resourceView: ResourceView): RelationInfo {
  const { relation } = view;
  const targets = targetsOf(view).map(({ resourceView: target }) => target.name);
  return {
    name: view.name,
    kind: relation.kind,
    description: relation.description ?? null,
    isToMany: isToMany(relation),
    sort: collectionSortText(view, resourceView),
    targets: [...new Set(targets)],
    ...linkOf(view, resourceView),
    ...pairOf(view, resourceView),
    ...foundBy(view, resourceView),
  };
}

/** The pivot fields of a link, if this caller may write links. */
function linkOf(view: RelationView, resourceView: ResourceView): Pick<RelationInfo, 'link'> {
  const linked = linkedRelation(view.name, resourceView);
  const isLinkable = (['create', 'update'] as const).some((one) =>
    mayLink(view, resourceView, one),
  );
  if (linked === undefined || !isLinkable) return {};
  const { relation } = linked;
  const pivot = [...pivotInputs(view).values()].filter((input) => mayCarry(relation, input));
  return {
    link: {
      id: fieldDocument(relation.target.id, resourceView.view),
      pivot: pivot.map(({ name, field }) => ({ name, ...fieldDocument(field, resourceView.view) })),
    },
  };
}

/** The two fields of a morphTo, and the resource of each type value. */
function pairOf(view: RelationView, resourceView: ResourceView): Pick<RelationInfo, 'pair'> {
  const { relation } = view;
  if (relation.kind !== 'morphTo') return {};
  const [type, id] = [
    nameOn(relation.typeField, resourceView),
    nameOn(relation.idField, resourceView),
  ];
  if (type === null || id === null) return {};
  const types = targetsOf(view).flatMap(({ resourceView: target, typeValue }) =>
    typeValue === undefined ? [] : [{ value: typeValue, resource: target.name }],
  );
  return { pair: { type, id, types } };
}

/** Filters of the target that find the records of a relation; a morphTo has its pair instead. */
function foundBy(view: RelationView, resourceView: ResourceView): Pick<RelationInfo, 'foundBy'> {
  const { relation } = view;
  if (relation.kind === 'morphTo') return {};
  const target = view.target(relation.target);
  /** The fields of a key on either side, in pairs. */
  const pairs = (there: Field, here: Field): Found | undefined => {
    const all = keyFields(there).map((field, index) => {
      const own = keyFields(here)[index];
      const [path, name] = [nameOn(field, target), own && nameOn(own, resourceView)];
      return path === null || name === null || name === undefined
        ? undefined
        : { path, field: name };
    });
    return all.every((pair) => pair !== undefined) ? all : undefined;
  };
  const found = (by: Found | undefined): { foundBy?: Found } =>
    by === undefined ? {} : { foundBy: by };
  switch (relation.kind) {
    case 'belongsTo':
      return found(pairs(relation.targetField, relation.key));
    case 'hasOne':
    case 'hasMany':
      return found(pairs(relation.key, relation.ownerField));
    case 'morphMany': {
      const { typeField, idField, typeValue, owner } = relation;
      const path = nameOn(typeField, target);
      const by = pairs(idField, owner.id);
      return path === null || by === undefined ? {} : found([{ path, value: typeValue }, ...by]);
    }
    case 'belongsToMany': {
      const back = [...(target?.relations.values() ?? [])].find(
        (one) => one.relation.kind === 'belongsToMany' && isOtherSide(one.relation, relation),
      );
      const field = nameOn(relation.ownerField, resourceView);
      return back === undefined || field === null
        ? {}
        : found([{ path: `${back.name}.${field}`, field }]);
    }
    default:
      return relation satisfies never;
  }
}

type Found = NonNullable<RelationInfo['foundBy']>;

/** Whether both relations use the same junction keys, from opposite sides. */
function isOtherSide(one: BelongsToMany, other: BelongsToMany): boolean {
  return one.ownerKey === other.targetKey && one.targetKey === other.ownerKey;
}
