import type { Field, Relation } from '../../model/api.ts';
import { keyFields } from '../../model/field-types/composite-id.ts';
import {
  fieldNameIn,
  mayLink,
  mayWriteThrough,
  type RelationView,
  type ResourceView,
} from '../../model/view.ts';
import type { WriteKind } from '../plan.ts';

/** What a body may do with the records that a relation leads to. */
export const nestedOperations = ['create', 'update', 'delete', 'add', 'remove'] as const;
export type NestedOperation = (typeof nestedOperations)[number];

const ofOne: readonly NestedOperation[] = ['create', 'update', 'delete'];

/** The operations that a body may name for a relation; none for a morphTo. */
export function operationsOf({ kind }: Relation): readonly NestedOperation[] {
  switch (kind) {
    case 'belongsTo':
      return ['create'];
    case 'hasOne':
      return ofOne;
    case 'hasMany':
    case 'morphMany':
    case 'belongsToMany':
      return nestedOperations;
    case 'morphTo':
      return [];
    default:
      return kind satisfies never;
  }
}

/** The relation of this name, if the body of a record can write the records that it leads to. */
export function nestedRelation(
  name: string,
  { inputs, relations }: ResourceView,
): RelationView | undefined {
  const view = inputs.has(name) ? undefined : relations.get(name);
  return view === undefined || operationsOf(view.relation).length === 0 ? undefined : view;
}

/** The fields of a related record that say which record it belongs to. */
export function keysOfChild(relation: Relation): readonly Field[] {
  switch (relation.kind) {
    case 'hasOne':
    case 'hasMany':
      return keyFields(relation.key);
    case 'morphMany':
      return [relation.typeField, relation.idField];
    case 'belongsTo':
    case 'belongsToMany':
    case 'morphTo':
      return [];
    default:
      return relation satisfies never;
  }
}

/** The resource of the records that a relation leads to, as the caller sees it. */
export function targetOf({ relation, target }: RelationView): ResourceView | undefined {
  return relation.kind === 'morphTo' ? undefined : target(relation.target);
}

/** Whether the caller has the rights for an operation on the records of a relation, and on the key that joins them. */
export function mayNest(
  view: RelationView,
  owner: ResourceView,
  operation: NestedOperation,
  kind: WriteKind,
): boolean {
  const { relation } = view;
  const target = targetOf(view);
  const right = kind === 'create' ? kind : 'update';
  if (target === undefined || !mayWriteThrough(view, right)) return false;
  if (relation.kind === 'belongsToMany' && !mayLink(view, owner, right)) return false;
  const { rules } = target;
  const isChange = operation === 'add' || operation === 'remove';
  if (isChange && relation.kind === 'belongsToMany') return true;
  if (rules[isChange ? 'update' : operation].length === 0) return false;
  const isNew = operation === 'create';
  if (relation.kind === 'belongsTo')
    return keyFields(relation.key).every((key) => mayWrite(owner, key, kind === 'create'));
  return !(isNew || isChange) || keysOfChild(relation).every((key) => mayWrite(target, key, isNew));
}

/** Whether access rules let the caller write a field; whether the field can change is another question. */
function mayWrite({ inputs, resource }: ResourceView, field: Field, isNew: boolean): boolean {
  if (field.readOnly || field.resource !== resource) return true;
  const input = [...inputs.values()].find((one) => one.field === field);
  return input !== undefined && (isNew ? input.creatable : input.updatable);
}

/** Why an operation cannot write the key that joins a record to its owner; undefined if it can. */
export function keyObstacle(
  view: RelationView,
  owner: ResourceView,
  operation: NestedOperation,
  kind: WriteKind,
): string | undefined {
  const { relation } = view;
  const target = targetOf(view);
  if (operation === 'update' || operation === 'delete' || target === undefined) return undefined;
  const isParent = relation.kind === 'belongsTo';
  const keys = isParent ? keyFields(relation.key) : keysOfChild(relation);
  const isNew = isParent ? kind === 'create' : operation === 'create';
  const nameOf = (key: Field): string => nameIn(isParent ? owner : target, key);
  for (const key of keys) if (key.readOnly) return `its key ${nameOf(key)} is read-only`;
  const fixed = isNew ? [] : keys.filter(({ immutable }) => immutable);
  const [first] = fixed;
  // The other fields of a key may move a record among owners that have the fixed ones in common, such as a tenant.
  if (first !== undefined && (isParent || fixed.length === keys.length))
    return `its key ${nameOf(first)} is immutable`;
  const needed = keys.find(({ nullable }) => !nullable);
  if (operation === 'remove' && needed !== undefined && clearedKeys(relation).length === 0)
    return `its key ${nameOf(needed)} must not be null; delete it`;
  return undefined;
}

/** The fields of a related record that become null when it no longer belongs to its owner: of a key, all that can. */
export function clearedKeys(relation: Relation): readonly Field[] {
  return keysOfChild(relation).filter(({ nullable, immutable }) => nullable && !immutable);
}

function nameIn({ fields }: ResourceView, field: Field): string {
  return fieldNameIn(fields.values(), field) ?? field.name;
}

/** Whether a body can do an operation with the records of a relation, as documents tell. */
export function isNestable(
  view: RelationView,
  owner: ResourceView,
  operation: NestedOperation,
  kind: WriteKind,
): boolean {
  return (
    operationsOf(view.relation).includes(operation) &&
    mayNest(view, owner, operation, kind) &&
    keyObstacle(view, owner, operation, kind) === undefined
  );
}
