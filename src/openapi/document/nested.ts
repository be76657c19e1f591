import { keyFields } from '../../model/field-types/composite-id.ts';
import { fieldNameIn, type RelationView, type ResourceView } from '../../model/view.ts';
import {
  isNestable,
  keysOfChild,
  operationsOf,
  targetOf,
  type NestedOperation,
} from '../../query/write/nested-rights.ts';
import type { WriteKind } from '../../query/plan.ts';

/** A relation whose records a body can write, and how. */
export interface Nestable {
  readonly view: RelationView;
  readonly target: ResourceView;
  readonly operations: readonly NestedOperation[];
  /** The members of a new record that follow from where it is nested. */
  readonly keys: readonly string[];
}

/** A field of keys that a body must have, unless it has the record that one of them points to. */
export interface KeyOrParent {
  readonly key: string;
  readonly relations: readonly string[];
}

/** The required fields of keys that a new record may come with the record for. */
export function keysOrParents(
  { inputs }: ResourceView,
  required: readonly string[],
  nested: readonly Nestable[],
): readonly KeyOrParent[] {
  const found = nested.flatMap(({ view: { relation, name } }) =>
    (relation.kind === 'belongsTo' ? keyFields(relation.key) : []).map((field) => ({
      key: fieldNameIn(inputs.values(), field) ?? '',
      name,
    })),
  );
  const byKey = Map.groupBy(found, ({ key }) => key);
  return [...byKey]
    .filter(([key]) => required.includes(key))
    .map(([key, all]) => ({ key, relations: all.map(({ name }) => name) }));
}

/** The relations whose records this caller can write with a record. */
export function nestables(resourceView: ResourceView, kind: WriteKind): readonly Nestable[] {
  return [...resourceView.relations.values()].flatMap((view) => {
    const target = targetOf(view);
    if (target === undefined) return [];
    const { offered, fields } = target;
    const isOffered = (operation: NestedOperation): boolean =>
      operation === 'create' || operation === 'update' ? offered.has(operation) : true;
    const operations = operationsOf(view.relation).filter(
      (one) => isOffered(one) && isNestable(view, resourceView, one, kind),
    );
    const keys = keysOfChild(view.relation).flatMap(
      (key) => fieldNameIn(fields.values(), key) ?? [],
    );
    return operations.length === 0 ? [] : { view, target, operations, keys };
  });
}
