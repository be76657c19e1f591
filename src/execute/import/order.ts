import type { Api, Field, Resource } from '../../model/api.ts';

/** In which order resources are filled, and which keys have to wait until all rows are there. */
export interface ImportOrder {
  readonly resources: readonly Resource[];
  /** Keys that close a cycle or point to their own table, and may be null at first. */
  readonly deferred: ReadonlySet<Field>;
}

/**
 * Orders resources so that what a key points to comes first, and where that leaves it open what `alsoFirst` names.
 * Contract 3, Command line, import.
 */
export function importOrder(
  api: Api,
  alsoFirst: (resource: Resource) => Iterable<Resource> = () => [],
): ImportOrder {
  const ordered: Resource[] = [];
  const deferred = new Set<Field>();
  const state = new Map<Resource, 'open' | 'done'>();
  const visit = (resource: Resource): void => {
    state.set(resource, 'open');
    for (const field of resource.fields.values()) {
      const target = field.reference?.resource;
      if (target === undefined) continue;
      const isBack = target === resource || state.get(target) === 'open';
      if (isBack && field.nullable) deferred.add(field);
      else if (!isBack && state.get(target) === undefined) visit(target);
    }
    for (const other of alsoFirst(resource)) if (!state.has(other)) visit(other);
    state.set(resource, 'done');
    ordered.push(resource);
  };
  for (const resource of api.resources.values()) if (!state.has(resource)) visit(resource);
  return { resources: ordered, deferred };
}
