import type { Api, Field, Resource } from '../../model/api.ts';
import { foreignKeysOf, keyFields } from '../../model/field-types/composite-id.ts';

/** The order in which resources are filled, without those that nothing is written to, and the keys that are set after all rows are inserted. */
export interface ImportOrder {
  readonly resources: readonly Resource[];
  /** Nullable keys that close a cycle or reference their own table. */
  readonly deferred: ReadonlySet<Field>;
  /** The same kind of keys, but NOT NULL. */
  readonly stuck: ReadonlySet<Field>;
}

/**
 * Orders resources so that referenced ones come first and, as far as that leaves the order open, those that `alsoFirst`
 * returns. See docs/contract/6-operation.md#import-and-export, rule 6.
 */
export function importOrder(
  api: Api,
  alsoFirst: (resource: Resource) => Iterable<Resource> = () => [],
): ImportOrder {
  const all = ordered(api, (resource) => [
    ...targetsOf(resource, () => true),
    ...alsoFirst(resource),
  ]);
  const isMet = (order: readonly Resource[]): boolean =>
    laterKeys(order).every(
      ({ nullable, reference, resource }) => nullable || reference?.resource === resource,
    );
  // In a cycle, nullable keys are set later.
  const resources = isMet(all)
    ? all
    : ordered(api, (resource) => targetsOf(resource, ({ nullable }) => !nullable));
  const later = laterKeys(resources);
  return {
    resources: resources.filter(({ isReadOnly }) => !isReadOnly),
    deferred: new Set(later.filter(({ nullable }) => nullable)),
    stuck: new Set(later.filter(({ nullable }) => !nullable)),
  };
}

/** Why the target of a `stuck` key does not exist yet, and what helps. */
export function circleOf({ resource, reference }: Field): string {
  const target = reference?.resource ?? resource;
  return target === resource
    ? `where that one comes later, put it first, or let the key be null`
    : `records of ${resource.name} and ${target.name} would each need the other to be there first; let one of the keys be null`;
}

function targetsOf(resource: Resource, isCounted: (key: Field) => boolean): readonly Resource[] {
  return foreignKeysOf(resource).flatMap((field) =>
    field.reference !== undefined && isCounted(field) ? [field.reference.resource] : [],
  );
}

/** The resources, with those that `before` returns first, as far as cycles allow. */
function ordered(
  api: Api,
  before: (resource: Resource) => Iterable<Resource>,
): readonly Resource[] {
  const done: Resource[] = [];
  const met = new Set<Resource>();
  const visit = (resource: Resource): void => {
    if (met.has(resource)) return;
    met.add(resource);
    for (const other of before(resource)) visit(other);
    done.push(resource);
  };
  for (const resource of api.resources.values()) visit(resource);
  return done;
}

/** What is null as long as a key refers to nothing: the key, or those fields of several that may be null. */
function emptied(key: Field): readonly Field[] {
  return key.nullable ? keyFields(key).filter(({ nullable }) => nullable) : [key];
}

/** The keys that reference their own table or a later one. */
function laterKeys(resources: readonly Resource[]): readonly Field[] {
  const before = new Set<Resource>();
  return resources.flatMap((resource) => {
    const later = foreignKeysOf(resource).filter(
      ({ reference }) => reference !== undefined && !before.has(reference.resource),
    );
    before.add(resource);
    return later.flatMap(emptied);
  });
}
