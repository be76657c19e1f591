import {
  mayCarry,
  mayLink,
  pivotInputs,
  type InputView,
  type RelationView,
  type ResourceView,
  type View,
} from '../../model/view.ts';
import { keyFields } from '../../model/field-types/composite-id.ts';
import { readSchema, writeSchema } from './field-schemas.ts';
import { requiredInputs } from './inputs.ts';
import type { JsonSchema } from './schema.ts';

const writes = ['create', 'update'] as const;

/** The belongsToMany relations whose links this caller may write with a record, by one of some operations. */
export function linkable(
  resourceView: ResourceView,
  by: readonly (typeof writes)[number][] = writes,
): readonly RelationView[] {
  return [...resourceView.relations.values()].filter((view) =>
    by.some((operation) => mayLink(view, resourceView, operation)),
  );
}

function throughOf({ relation, target }: RelationView): ResourceView | undefined {
  return relation.kind === 'belongsToMany' ? target(relation.through) : undefined;
}

/** The links of a record that is there: what keeps its link keeps what the junction says of it. */
export function links(view: RelationView, beheld: View, more: Members): JsonSchema {
  const id = linkedId(view, beheld);
  return linksOf(view, id, { anyOf: [id, linkSchema(view, id, beheld, [])] }, more);
}

/** The links that a record is made with: each has to say what the junction cannot be without. */
export function newLinks(view: RelationView, beheld: View, more: Members): JsonSchema {
  const needed = neededPivot(view);
  const id = linkedId(view, beheld);
  if (needed !== undefined) return linksOf(view, id, linkSchema(view, id, beheld, needed), more);
  const through = throughOf(view)?.name ?? view.name;
  return {
    type: 'array',
    description: `None: they need more than a link can carry, and are created in ${through}.`,
    items: id,
    maxItems: 0,
  };
}

function linksOf(
  { relation }: RelationView,
  id: JsonSchema,
  link: JsonSchema,
  more: Members,
): JsonSchema {
  if (relation.kind !== 'belongsToMany') throw new TypeError(`${relation.name} has no links`);
  const list = { type: 'array', items: link };
  const named = {
    type: 'object',
    properties: { id },
    required: ['id'],
    additionalProperties: false,
  };
  const removed = { type: 'array', items: { anyOf: [id, named] } };
  return {
    description: `The links to ${relation.target.name}: all of them as a list, or what is done with them.`,
    anyOf: [
      list,
      {
        type: 'object',
        properties: { ...more, add: list, remove: removed },
        additionalProperties: false,
      },
    ],
  };
}

function linkedId({ name, relation }: RelationView, beheld: View): JsonSchema {
  if (relation.kind !== 'belongsToMany') throw new TypeError(`${name} has no links`);
  return writeSchema(relation.target.id, beheld);
}

/** Whether a new link can be just an id. */
export function isBareLink(view: RelationView): boolean {
  return neededPivot(view)?.length === 0;
}

/** The pivot that a new link cannot be without; undefined where it needs more than a link can carry. */
export function neededPivot(view: RelationView): readonly InputView[] | undefined {
  const { relation } = view;
  const through = throughOf(view);
  if (relation.kind !== 'belongsToMany' || through === undefined) return [];
  const { ownerKey, targetKey, pivot } = relation;
  const needed = requiredInputs(through, 'create').filter(
    ({ field }) => ![ownerKey, targetKey].flatMap(keyFields).includes(field),
  );
  return needed.every(({ field }) => pivot.includes(field)) ? needed : undefined;
}

/** Further members of the object that changes links in parts. */
type Members = Readonly<Record<string, JsonSchema>>;

/** The pivot beside the members of a record that is created and linked. */
export function newPivot(
  view: RelationView,
  beheld: View,
): { readonly schema: unknown; readonly isNeeded: boolean } | undefined {
  const needed = neededPivot(view) ?? [];
  const { properties } = linkSchema(view, {}, beheld, needed) as {
    properties: { pivot: JsonSchema };
  };
  return { schema: properties.pivot, isNeeded: needed.length > 0 };
}

function linkSchema(
  view: RelationView,
  id: JsonSchema,
  beheld: View,
  needed: readonly InputView[],
): JsonSchema {
  const pivot = [...pivotInputs(view).values()];
  return {
    type: 'object',
    properties: {
      id,
      pivot: {
        type: 'object',
        properties: Object.fromEntries(
          pivot.map((input) => [
            input.name,
            // What a GET gave can be sent back to change a record.
            mayCarry(view.relation, input)
              ? writeSchema(input.field, beheld, { stays: true })
              : { ...readSchema(input.field, beheld), readOnly: true },
          ]),
        ),
        ...(needed.length === 0 ? {} : { required: needed.map(({ name }) => name) }),
        additionalProperties: false,
      },
    },
    required: needed.length === 0 ? ['id'] : ['id', 'pivot'],
    additionalProperties: false,
  };
}
