import { targetsOf } from '../../query/filter/path.ts';
import { isToMany } from '../../model/api.ts';
import { isIncrementable } from '../../query/write/revisions.ts';
import {
  outlastsReplacing,
  type InputView,
  type RelationView,
  type ResourceView,
} from '../../model/view.ts';
import { readSchema, selectedSchema, writeSchema } from './field-schemas.ts';
import { changeInputs, creatableInputs, requiredInputs } from './inputs.ts';
import { isBareLink, linkable, links, newLinks, newPivot } from './links.ts';
import { keysOrParents, nestables, type Nestable } from './nested.ts';
import { pascal } from './names.ts';
import { ref, type JsonSchema } from './schema.ts';

/** What the schemas of a resource are made with. */
export interface Naming {
  /** The name of one record of each resource that this caller sees. */
  readonly names: ReadonlyMap<string, string>;
}

/** The schemas of a resource by their names in the document. */
export function recordSchemas(
  resourceView: ResourceView,
  naming: Naming,
): Readonly<Record<string, JsonSchema>> {
  const name = nameOf(resourceView, naming);
  const schemas: Record<string, JsonSchema> = {};
  const { offered } = resourceView;
  const isWritten = offered.has('create') || offered.has('update');
  if (resourceView.fields.size > 0) {
    schemas[name] = record(resourceView, naming, 'whole');
    schemas[`${name}Selection`] = record(resourceView, naming, 'selection');
    for (const view of pivoted(resourceView)) {
      schemas[`${name}${pascal(view.name)}Item`] = pivotItem(view, naming, 'whole');
      schemas[`${name}${pascal(view.name)}ItemSelection`] = pivotItem(view, naming, 'selection');
    }
  }
  if (offered.has('read')) {
    schemas[`${name}List`] = {
      type: 'array',
      description: `Records of ${resourceView.name}. Without fields and exclude each is a ${name}.`,
      items: shown(name),
    };
    schemas[`${name}Page`] = {
      type: 'object',
      description: 'A page behind a cursor.',
      properties: {
        data: ref(`schemas/${name}List`),
        next_cursor: { type: ['string', 'null'], description: 'The next page; null on the last.' },
      },
      required: ['data', 'next_cursor'],
      additionalProperties: false,
    };
  }
  if (offered.has('create')) schemas[`${name}Create`] = body(resourceView, 'create', naming);
  if (offered.has('create') && !offered.has('read'))
    schemas[`${name}Id`] = {
      type: 'object',
      description: 'The id of a record that this caller may create, but not read.',
      properties: { id: readSchema(resourceView.resource.id, resourceView.view) },
      required: ['id'],
      additionalProperties: false,
    };
  if (offered.has('update')) {
    schemas[`${name}Replace`] = body(resourceView, 'replace', naming);
    schemas[`${name}Update`] = body(resourceView, 'update', naming);
    if (hasObjects(resourceView))
      schemas[`${name}MergePatch`] = body(resourceView, 'merge', naming);
  }
  if (!isWritten) return schemas;
  const nested = new Map(
    [...nestables(resourceView, 'update'), ...nestables(resourceView, 'create')].map(
      (one) => [one.view, one] as const,
    ),
  );
  for (const one of nested.values()) {
    const { kind } = one.view.relation;
    const base = `${name}${pascal(one.view.name)}`;
    if (kind === 'belongsTo') continue;
    if (one.operations.includes('create'))
      schemas[`${base}Create`] = childBody(one, resourceView, naming);
    if (kind !== 'belongsToMany') schemas[`${base}Write`] = childWrites(one, resourceView, naming);
  }
  for (const view of linkable(resourceView)) {
    const own = nested.get(view);
    const more = own === undefined ? {} : childOperations(own, resourceView, naming);
    const isBare = isBareLink(view);
    if (isBare || view.updatable)
      schemas[`${name}${pascal(view.name)}Links`] = links(view, resourceView.view, more);
    if (!isBare && view.creatable)
      schemas[`${name}${pascal(view.name)}NewLinks`] = newLinks(view, resourceView.view, more);
  }
  return schemas;
}

/** A record as a request shows it: whole, or what `fields` and `exclude` leave of it. */
export function shown(name: string): JsonSchema {
  return { anyOf: [ref(`schemas/${name}`), ref(`schemas/${name}Selection`)] };
}

export function nameOf({ name }: { readonly name: string }, { names }: Naming): string {
  return names.get(name) ?? pascal(name);
}

/** Whether a merge patch differs from a plain one for this resource. */
export function hasObjects(resourceView: ResourceView): boolean {
  return [...resourceView.inputs.values()].some(
    ({ field, updatable }) => updatable && field.type.json === 'object' && !field.immutable,
  );
}

type Extent = 'whole' | 'selection';

const pages: JsonSchema = {
  type: 'object',
  properties: {
    page: { type: 'integer' },
    limit: { type: 'integer' },
    total: { type: 'integer' },
    totalPages: { type: 'integer' },
  },
  required: ['page', 'limit', 'total', 'totalPages'],
  additionalProperties: false,
};

function record(resourceView: ResourceView, naming: Naming, extent: Extent): JsonSchema {
  const { description } = resourceView.resource;
  return {
    type: 'object',
    description:
      extent === 'whole'
        ? (description ?? `A record of ${resourceView.name}.`)
        : `What fields and exclude leave of a ${nameOf(resourceView, naming)}.`,
    ...members(resourceView, naming, extent, {}),
  };
}

function members(
  resourceView: ResourceView,
  naming: Naming,
  extent: Extent,
  more: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const fields = [...resourceView.fields.values()];
  const relations = [...resourceView.relations.values()].filter(
    (view) => targetsOf(view).length > 0,
  );
  const collections = relations.filter((view) => isToMany(view.relation));
  const always = extent === 'whole' ? fields.map(({ name }) => name) : ['id'];
  return {
    properties: {
      ...Object.fromEntries(
        fields.map(({ name, field }) => [
          name,
          (extent === 'whole' ? readSchema : selectedSchema)(field, resourceView.view),
        ]),
      ),
      ...Object.fromEntries(
        relations.map((view) => [view.name, expanded(view, resourceView, naming, extent)]),
      ),
      ...(collections.length === 0
        ? {}
        : {
            _pagination: {
              type: 'object',
              description: 'Of the expanded collections that are paged or were cut.',
              properties: Object.fromEntries(collections.map(({ name }) => [name, pages])),
              additionalProperties: false,
            },
          }),
      ...more,
    },
    required: [
      ...always.filter((name) => resourceView.fields.has(name)),
      ...(extent === 'whole' ? Object.keys(more) : []),
    ],
    additionalProperties: false,
  };
}

/** A relation as `expand` shows it. */
function expanded(
  view: RelationView,
  owner: ResourceView,
  naming: Naming,
  extent: Extent,
): JsonSchema {
  const { relation } = view;
  const suffix = extent === 'whole' ? '' : 'Selection';
  const note = relation.description ?? `There where expand names ${view.name}.`;
  const one = (name: string): JsonSchema => ref(`schemas/${name}${suffix}`);
  const targets = targetsOf(view).map(({ resourceView }) =>
    view.pivot.length > 0
      ? one(`${nameOf(owner, naming)}${pascal(view.name)}Item`)
      : one(nameOf(resourceView, naming)),
  );
  const kinds = [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()];
  const [first = {}] = kinds;
  if (isToMany(relation)) return { type: 'array', description: note, items: first };
  return { description: note, anyOf: [...kinds, { type: 'null' }] };
}

function pivoted(resourceView: ResourceView): readonly RelationView[] {
  return [...resourceView.relations.values()].filter(
    (view) => view.pivot.length > 0 && targetsOf(view).length > 0,
  );
}

/** A related record with what the junction says of the link. */
function pivotItem(view: RelationView, naming: Naming, extent: Extent): JsonSchema {
  const [target] = targetsOf(view);
  if (target === undefined) throw new TypeError(`${view.name} leads nowhere`);
  const pivot = {
    type: 'object',
    description: 'What the junction says of the link.',
    properties: Object.fromEntries(
      view.pivot.map(({ name, field }) => [name, readSchema(field, target.resourceView.view)]),
    ),
    ...(extent === 'whole' ? { required: view.pivot.map(({ name }) => name) } : {}),
    additionalProperties: false,
  };
  return {
    type: 'object',
    description: `A record of ${target.resourceView.name} with its link.`,
    ...members(target.resourceView, naming, extent, { pivot }),
  };
}

type BodyKind = 'create' | 'replace' | 'update' | 'merge';

/** What a PATCH gives for a number to add to the stored one. */
export const increment: JsonSchema = {
  type: 'object',
  description: 'A number to add to the stored value; a decimal may be a string.',
  properties: { increment: { type: ['number', 'string'] } },
  required: ['increment'],
  additionalProperties: false,
};

/** The schema of a member of a PATCH, which may increment a number that the caller can read. */
function orIncrement(
  input: InputView,
  kind: BodyKind,
  { fields }: ResourceView,
  schema: JsonSchema,
): JsonSchema {
  const isChange = kind === 'update' || kind === 'merge';
  return isChange && isIncrementable(input) && fields.has(input.name)
    ? { anyOf: [schema, ref('schemas/Increment')] }
    : schema;
}

/** A record that is created with the one that it belongs to, or that is linked with it. */
function childBody(
  { view, target, keys }: Nestable,
  owner: ResourceView,
  naming: Naming,
): JsonSchema {
  const { properties, required, allOf, ...schema } = body(target, 'create', naming);
  const either = (
    (allOf ?? []) as readonly { readonly anyOf: readonly [Required, Required] }[]
  ).filter(
    ({
      anyOf: [
        {
          required: [key = ''],
        },
      ],
    }) => !keys.includes(key),
  );
  const without = Object.entries(properties as object).filter(([member]) => !keys.includes(member));
  const needed = ((required ?? []) as readonly string[]).filter((member) => !keys.includes(member));
  const pivot = view.relation.kind === 'belongsToMany' ? newPivot(view, owner.view) : undefined;
  const all = [...needed, ...(pivot?.isNeeded === true ? ['pivot'] : [])];
  return {
    ...schema,
    properties: {
      ...Object.fromEntries(without),
      ...(pivot === undefined ? {} : { pivot: pivot.schema }),
    },
    ...(all.length === 0 ? {} : { required: all }),
    ...(either.length === 0 ? {} : { allOf: either }),
  };
}

interface Required {
  readonly required: readonly string[];
}

/** What a body can do with the records of a relation, as members of an object. */
function childOperations(
  { view, target, operations }: Nestable,
  owner: ResourceView,
  naming: Naming,
): Readonly<Record<string, JsonSchema>> {
  const isOne = view.relation.kind === 'hasOne';
  const id = writeSchema(target.resource.id, target.view);
  const named = {
    anyOf: [
      id,
      { type: 'object', properties: { id }, required: ['id'], additionalProperties: false },
    ],
  };
  const change = ref(
    `schemas/${nameOf(target, naming)}${hasObjects(target) ? 'MergePatch' : 'Update'}`,
  );
  const items: Readonly<Record<(typeof operations)[number], JsonSchema>> = {
    create: ref(`schemas/${nameOf(owner, naming)}${pascal(view.name)}Create`),
    update: isOne ? change : { allOf: [change, { type: 'object', required: ['id'] }] },
    delete: isOne ? { const: true } : id,
    add: named,
    remove: named,
  };
  return Object.fromEntries(
    operations.map((one) => [one, isOne ? items[one] : { type: 'array', items: items[one] }]),
  );
}

function childWrites(nestable: Nestable, owner: ResourceView, naming: Naming): JsonSchema {
  return {
    type: 'object',
    description: `What to do with the records of ${nestable.target.name} that belong to the record.`,
    properties: childOperations(nestable, owner, naming),
    additionalProperties: false,
  };
}

/** What a body has for the records of a relation. */
function nestedMember({ view, target }: Nestable, owner: ResourceView, naming: Naming): JsonSchema {
  if (view.relation.kind !== 'belongsTo')
    return ref(`schemas/${nameOf(owner, naming)}${pascal(view.name)}Write`);
  const create = ref(`schemas/${nameOf(target, naming)}Create`);
  return {
    type: 'object',
    properties: { create },
    required: ['create'],
    additionalProperties: false,
  };
}

function body(resourceView: ResourceView, kind: BodyKind, naming: Naming): JsonSchema {
  const name = nameOf(resourceView, naming);
  const nested = nestables(resourceView, kind === 'merge' ? 'update' : kind).filter(
    ({ view }) => view.relation.kind !== 'belongsToMany' && !resourceView.inputs.has(view.name),
  );
  const inputs = kind === 'create' ? creatableInputs(resourceView) : changeInputs(resourceView);
  const needed =
    kind === 'create' || kind === 'replace'
      ? requiredInputs(resourceView, kind).map((input) => input.name)
      : [];
  const either = keysOrParents(resourceView, needed, nested);
  const always = needed.filter((member) => !either.some(({ key }) => key === member));
  const about = {
    create: `What creates a record of ${resourceView.name}.`,
    replace: `What replaces a record of ${resourceView.name}: what is left out takes its default, else null.`,
    update: `What changes a record of ${resourceView.name}: what is left out stays.`,
    merge: `What changes a record of ${resourceView.name}: objects in it are merged into those that are there.`,
  };
  return {
    type: 'object',
    description: about[kind],
    properties: {
      ...Object.fromEntries(
        inputs.map((input) => {
          const { field, updatable } = input;
          // What a GET gave can be sent back: it is ignored, or has to be as it is.
          const isFixed =
            kind !== 'create' &&
            (field === resourceView.resource.id || field.immutable || !updatable);
          return [
            input.name,
            isFixed
              ? { ...readSchema(field, resourceView.view), readOnly: true }
              : orIncrement(
                  input,
                  kind,
                  resourceView,
                  writeSchema(field, resourceView.view, {
                    merges: kind === 'merge',
                    stays:
                      kind === 'replace'
                        ? outlastsReplacing(resourceView, input)
                        : kind !== 'create',
                  }),
                ),
          ];
        }),
      ),
      ...Object.fromEntries(
        nested.map((one) => [one.view.name, nestedMember(one, resourceView, naming)]),
      ),
      ...Object.fromEntries(
        linkable(resourceView, [kind === 'create' ? kind : 'update']).map((view) => {
          const isNew = kind === 'create' && !isBareLink(view);
          return [view.name, ref(`schemas/${name}${pascal(view.name)}${isNew ? 'New' : ''}Links`)];
        }),
      ),
    },
    ...(always.length === 0 ? {} : { required: always }),
    ...(either.length === 0
      ? {}
      : {
          allOf: either.map(({ key, relations }) => ({
            anyOf: [key, ...relations].map((member) => ({
              properties: { [member]: {} },
              required: [member],
            })),
          })),
        }),
    additionalProperties: false,
  };
}
