import { nearest } from '../../lib/text/nearest.ts';
import { either, type Definition } from '../parsers/definition.ts';
import { choice, text } from '../parsers/scalars.ts';

/** What the text of a string may have to be. */
export const stringFormats = [
  'email',
  'url',
  'slug',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
  'base64',
] as const;

/** Types of PostgreSQL whose texts a string of an unmanaged table may hold. */
export const nativeFormats = [
  'inet',
  'cidr',
  'macaddr',
  'macaddr8',
  'interval',
  'timetz',
  'bit',
  'varbit',
  'box',
  'circle',
  'line',
  'lseg',
  'path',
  'point',
  'polygon',
  'xml',
  'tsvector',
  'tsquery',
  'ltree',
  'pg_lsn',
  'geometry',
  'geography',
  'vector',
  'int4range',
  'int8range',
  'numrange',
  'tsrange',
  'tstzrange',
  'daterange',
  'int4multirange',
  'int8multirange',
  'nummultirange',
  'tsmultirange',
  'tstzmultirange',
  'datemultirange',
  'oid',
  'jsonpath',
  'lquery',
  'cube',
  'seg',
  'halfvec',
  'sparsevec',
  'raster',
] as const;

const listed: ReadonlySet<string> = new Set([...stringFormats, ...nativeFormats]);

/** Whether a format can only be the name of a type that others have made in the database. */
export function isOtherType(format: string): boolean {
  return !listed.has(format);
}

/** The name of a type as SQL writes it, perhaps with its schema. */
const typeName = /^(?:(?:[\p{L}_][\p{L}\p{N}_$]*|"[^"]+")\.)?(?:[\p{L}_][\p{L}\p{N}_$]*|"[^"]+")$/u;

/** Whether a name would be taken for a misspelt format of strings. Quotes or a schema make it the name of a type. */
function isMisspelt(name: string): boolean {
  return isOtherType(name) && /^\w+$/u.test(name) && nearest(name, stringFormats) !== undefined;
}

/** The format for a type of this name, as SQL writes it. */
export function formatOfType(name: string): string {
  const isTaken = stringFormats.some((format) => format === name) || isMisspelt(name);
  return isTaken ? `"${name}"` : name;
}

const description =
  'What the text has to be; `uuid` makes it the type `uuid`, and `base64` makes it bytes. In a table that Plinth does not manage also a type of PostgreSQL, such as `inet` or `sales.weight`.';

const known = choice([...stringFormats, ...nativeFormats], { description });
const other = text({ description, pattern: typeName });

/** Messages name the formats that most need. */
export const stringFormat: Definition<string> = {
  ...known,
  check: (node, path, collector, wanted = either(stringFormats)) => {
    const value = node.kind === 'scalar' ? node.value : undefined;
    const isName = typeof value === 'string' && typeName.test(value) && !isMisspelt(value);
    return (isName ? other : known).check(node, path, collector, wanted);
  },
  schema: (define) => ({ anyOf: [known, other].map(({ schema }) => schema(define)), description }),
};
