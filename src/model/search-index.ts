import type { Field, Resource } from './api.ts';
import { takes } from './operators.ts';

/** The types of the fields that a search looks into if the file names none. */
export const searchedTypes: ReadonlySet<string> = new Set(['string', 'text', 'email']);

/** The kinds of ids by which an index names records. */
const keys: ReadonlySet<string> = new Set(['integer', 'bigint', 'string', 'uuid']);

/** A shorter word has no trigram, by which indexes find texts. */
export const shortestIndexed = 3;

/**
 * The fields that the search index of a resource keeps: those that a search looks into, whoever may read them, if they
 * have a column of text. Empty without an index.
 */
export function indexedTexts(resource: Resource): readonly Field[] {
  const { hasSearchIndex, isManaged, id, fields, search } = resource;
  if (!hasSearchIndex || !isManaged || !keys.has(id.type.kind) || id.parts !== undefined) return [];
  return [...fields.values()].filter(
    ({ name, type, items, writeOnly }) =>
      (search === undefined ? searchedTypes.has(type.name) : search.includes(name)) &&
      type.kind === 'string' &&
      items === undefined &&
      !writeOnly &&
      takes(type, 'like'),
  );
}
