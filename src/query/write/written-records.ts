import { keyFields, keyValues } from '../../model/field-types/composite-id.ts';
import type { Field, Resource } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type {
  ChildWrites,
  FieldValues,
  MovedRecord,
  NestedWrites,
  NewRecord,
  PlannedChange,
  WritePlan,
} from '../plan.ts';
import { readValue } from '../../model/validation/read-value.ts';
import { clearedKeys, keysOfChild } from './nested-rights.ts';

/** One record that a plan writes. */
export type WrittenRecord = { readonly resource: Resource; readonly path: string } & (
  | {
      readonly kind: 'create';
      readonly record: NewRecord;
      /** The keys that follow from the records that it is written with. */
      readonly given: readonly Field[];
    }
  | {
      readonly kind: 'update';
      /** Undefined for the record of a hasOne that the body does not name. */
      readonly id: JsonValue | undefined;
      readonly change: PlannedChange;
      /** The keys in the change that follow from the record that it comes to belong to, or belonged to. */
      readonly given?: readonly Field[];
    }
  | { readonly kind: 'delete'; readonly id: JsonValue | undefined }
);

/** Tells the records of a plan apart. */
export function keyOf({ kind, path }: Pick<WrittenRecord, 'kind' | 'path'>): string {
  return `${kind} ${path}`;
}

/**
 * The records that a plan writes: those that another points to before it, and those that point to it after it. A link is
 * no record of its own. `existing`: for an upsert, the ids of the records that exist.
 */
export function writtenRecords(
  plan: WritePlan,
  existing: readonly (JsonValue | undefined)[] = [],
): readonly WrittenRecord[] {
  const { resource } = plan;
  switch (plan.kind) {
    case 'create':
      return plan.records.flatMap((record, index) => {
        const id = existing[index];
        if (plan.upsert === undefined || id === undefined) return ofNew(record, resource);
        const change = plan.upsert.changes[index];
        return change === undefined ? [] : ofChange(id, change);
      });
    case 'update':
      return ofChange(plan.id, plan);
    case 'delete':
      return [{ kind: 'delete', resource, id: plan.id, path: '' }];
    default:
      return plan satisfies never;
  }
}

function ofNew(
  record: NewRecord,
  resource: Resource,
  keys: readonly Field[] = [],
): readonly WrittenRecord[] {
  const { path, nested } = record;
  const given = [...keys, ...nested.parents.flatMap(({ relation }) => keyFields(relation.key))];
  return [
    ...ofParents(nested),
    { kind: 'create', resource, record, path, given },
    ...ofChildren(nested.children, record.values.get(resource.id), record.values),
  ];
}

/** The records that a change of a record writes. */
export function ofChange(
  id: JsonValue | undefined,
  change: PlannedChange,
): readonly WrittenRecord[] {
  const { path, nested, resource, values } = change;
  return [
    ...ofParents(nested),
    { kind: 'update', resource, id, change, path },
    ...ofChildren(nested.children, id, values),
  ];
}

function ofParents({ parents }: NestedWrites): readonly WrittenRecord[] {
  return parents.flatMap(({ relation, record }) => ofNew(record, relation.target));
}

/** `owner` is the id of the record that they belong to, and `values` is what is written of it, as far as both are known. */
function ofChildren(
  children: readonly ChildWrites[],
  owner: JsonValue | undefined,
  values: FieldValues,
): readonly WrittenRecord[] {
  return children.flatMap(({ relation, creates, updates, deletes, added, removed }) => {
    const { target } = relation;
    const moved = (keys: FieldValues, { id, change }: MovedRecord): WrittenRecord => ({
      kind: 'update',
      resource: target,
      id,
      path: change.path,
      change: { ...change, values: new Map([...keys, ...change.values]) },
      given: [...keys.keys()],
    });
    const keys = keysTo(relation, owner, values);
    const cleared = new Map(clearedKeys(relation).map((key) => [key, null]));
    return [
      ...deletes.map(({ id, path }) => ({ kind: 'delete', resource: target, id, path }) as const),
      ...removed.map((one) => moved(cleared, one)),
      ...updates.flatMap(({ id, change }) => ofChange(id, change)),
      ...added.map((one) => moved(keys, one)),
      ...creates.flatMap((record) => ofNew(record, target, keysOfChild(relation))),
    ];
  });
}

/** The values by which a record belongs to its owner, as far as they are known before the owner is written. */
function keysTo(
  relation: ChildWrites['relation'],
  owner: JsonValue | undefined,
  values: FieldValues,
): FieldValues {
  if (relation.kind === 'belongsToMany') return new Map();
  if (relation.kind === 'morphMany') {
    const { typeField, idField, typeValue } = relation;
    const id = owner === undefined ? undefined : readValue(owner, idField);
    return new Map<Field, JsonValue>([
      [typeField, typeValue],
      ...(id?.ok === true ? [[idField, id.value] as const] : []),
    ]);
  }
  const { ownerField, key } = relation;
  const value = ownerField === ownerField.resource.id ? owner : values.get(ownerField);
  return new Map(value === undefined ? [] : keyValues(key, value, ownerField));
}

/** How the values of one record are different from those of its plan. */
export type Replace = {
  readonly create: (record: NewRecord, resource: Resource) => FieldValues;
  readonly update: (
    change: PlannedChange,
  ) => Pick<PlannedChange, 'values' | 'unchanged' | 'revised'>;
};

/** A plan with other values of its records. */
export function withValues<Plan extends WritePlan>(plan: Plan, replace: Replace): Plan {
  if (plan.kind === 'create') {
    const { upsert } = plan;
    const changes = upsert?.changes.map((change) => change && changeWith(change, replace));
    const sent = plan.records.map(({ values }) => values);
    return {
      ...plan,
      records: plan.records.map((record) => newWith(record, plan.resource, replace)),
      upsert: upsert && { ...upsert, sent, changes: changes ?? [] },
    };
  }
  if (plan.kind === 'update') return { ...plan, ...changeWith(plan, replace) };
  return plan;
}

function newWith(record: NewRecord, resource: Resource, replace: Replace): NewRecord {
  return {
    ...record,
    values: replace.create(record, resource),
    nested: nestedWith(record.nested, replace),
  };
}

/** A change with other values. */
export function changeWith(change: PlannedChange, replace: Replace): PlannedChange {
  return { ...change, ...replace.update(change), nested: nestedWith(change.nested, replace) };
}

function nestedWith(nested: NestedWrites, replace: Replace): NestedWrites {
  const { parents, children } = nested;
  if (parents.length + children.length === 0) return nested;
  return {
    parents: parents.map(({ relation, record }) => ({
      relation,
      record: newWith(record, relation.target, replace),
    })),
    children: children.map((one) => ({
      ...one,
      creates: one.creates.map((record) => newWith(record, one.relation.target, replace)),
      updates: one.updates.map((update) => ({
        ...update,
        change: changeWith(update.change, replace),
      })),
      added: one.added.map((moved) => ({ ...moved, change: changeWith(moved.change, replace) })),
      removed: one.removed.map((moved) => ({
        ...moved,
        change: changeWith(moved.change, replace),
      })),
    })),
  };
}
