import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { joined, reachOf } from './paths.ts';

/** An expanded collection: where it is, and what its items can be sorted and filtered by. */
export interface Collection {
  readonly path: string;
  readonly sorts: readonly string[];
  readonly filters: readonly string[];
}

/** The relations that names of `expand` bring along: those that lead to others as well. */
function expandedBy(expand: readonly string[]): readonly string[] {
  const paths = expand.flatMap((name) => {
    const parts = name.split('.');
    return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
  });
  return [...new Set(paths)];
}

/** The collections among them. */
export function collectionsIn(
  expand: readonly string[],
  resource: ResourceInfo,
  model: Model,
): readonly Collection[] {
  return expandedBy(expand).flatMap((path) => {
    const reach = reachOf(path, resource, model);
    if (!reach.isToMany) return [];
    const sorts = [...reach.faces.flatMap((face) => face.sorts), ...reach.sortedLinks];
    const filters = reach.faces.flatMap((face) => face.filters.map((filter) => filter.path));
    return { path, sorts: [...new Set(sorts)], filters: [...new Set(filters)] };
  });
}

/** What `expand` can name: relations, and behind those that it names further ones, as deep as a request may. */
export function expandable(
  expand: readonly string[],
  resource: ResourceInfo,
  model: Model,
): readonly string[] {
  const behind = expandedBy(expand).filter(
    (path) => path.split('.').length < model.limits.defaultDepth,
  );
  const paths = ['', ...behind].flatMap((path) => {
    const faces = path === '' ? [resource] : reachOf(path, resource, model).faces;
    return faces.flatMap(({ relations }) => relations.map(({ name }) => joined(path, name)));
  });
  return [...new Set(paths)];
}

/**
 * The collection whose items a filter at this path restricts: the deepest one on the path. See
 * docs/contract/2-reading.md#filters-in-expanded-collections, rule 1.
 */
export function restrictedBy<Item extends Pick<Collection, 'path'>>(
  path: string,
  collections: readonly Item[],
): Item | undefined {
  // Where it names one target of a morphTo, the expansion does not.
  const plain = path.replaceAll(/:[^.]*/gu, '');
  const above = collections.filter((one) => plain.startsWith(`${one.path}.`));
  return above.toSorted((a, b) => b.path.length - a.path.length)[0];
}
