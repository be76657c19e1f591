import { createHash } from 'node:crypto';
import { foldingDigest } from '../../lib/text/search-folding.ts';
import type { Field, Resource } from '../../model/api.ts';
import { indexedTexts } from '../../model/search-index.ts';
import { longestName } from '../../specification/parsers/names.ts';
import { cutName } from './cut-name.ts';
import { servicePrefix } from '../../model/service-table.ts';
import type { SearchSchema } from './table.ts';

/** What the names of search indexes begin with. */
export const searchPrefix = `${servicePrefix}search_`;

const schemas = new WeakMap<Resource, SearchSchema>();

/** The search index of a resource; undefined if it has none. */
export function searchIndexOf(resource: Resource): SearchSchema | undefined {
  const known = schemas.get(resource);
  if (known !== undefined) return known;
  const texts = indexedTexts(resource);
  if (texts.length === 0) return undefined;
  const { table, id } = resource;
  const columns = texts.map(({ column }) => column);
  const isInteger = id.type.sqlite.column(id).startsWith('INTEGER');
  const digest = createHash('sha256')
    .update(JSON.stringify([foldingDigest(), table, id.column, isInteger, columns]))
    .digest('hex')
    .slice(0, 8);
  const room = longestName - searchPrefix.length - digest.length - 1;
  const name = `${searchPrefix}${cutName(table.toLowerCase(), room)}_${digest}`;
  const schema = { name, columns, id: id.column, isInteger };
  schemas.set(resource, schema);
  return schema;
}

/** The position of a text in the search index of its resource. */
export function placeIn({ columns }: SearchSchema, { column }: Field): number {
  return columns.indexOf(column);
}
