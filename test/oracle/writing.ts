import type { World } from '../support/oracle-model.ts';
import {
  nameOf,
  type Condition,
  type Expansion,
  type Group,
  type Paging,
  type Query,
  type SortKey,
} from '../support/oracle-query.ts';
import { lists } from './conditions.ts';
import type { Draw } from './draw.ts';

/** A request as it is sent. */
export interface Written {
  readonly query: Query;
  /** The path with the query string. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

function item(draw: Draw, value: string, special: RegExp): string {
  return draw.chance(20) || value === '' || special.test(value)
    ? `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"`
    : value;
}

function valueOf(draw: Draw, { operator, operands }: Condition): string {
  return lists.has(operator)
    ? operands.map((one) => item(draw, one, /[",]/u)).join(',')
    : (operands[0] ?? '');
}

function sortText(draw: Draw, sort: readonly SortKey[]): string {
  return sort
    .map((key) => `${key.descending ? '-' : ''}${nameOf(key)}`)
    .join(draw.chance(80) ? ',' : ' , ');
}

type Piece = readonly [name: string, value: string];

function pagingPieces(
  draw: Draw,
  prefix: string,
  { mode, start, limit }: Paging,
  isByCursor = false,
): Piece[] {
  const isDefault = isByCursor ? mode === 'cursor' : mode === 'page' && start === 1;
  const isWritten = draw.chance(50) || !isDefault;
  return [
    ...(limit === undefined ? [] : ([[`${prefix}limit`, String(limit)]] as const)),
    ...(isWritten ? ([[`${prefix}${mode}`, mode === 'cursor' ? '' : String(start)]] as const) : []),
  ];
}

/** The parameters of expanded collections and the paths that `expand` has to name. */
function expansionPieces(
  draw: Draw,
  expand: readonly Expansion[],
  above: string,
): { readonly paths: string[]; readonly pieces: Piece[] } {
  const [paths, pieces]: [string[], Piece[]] = [[], []];
  for (const { relation, paging, sort, below } of expand) {
    const path = `${above}${relation}`;
    const deeper = expansionPieces(draw, below, `${path}.`);
    if (below.length === 0 || draw.chance(30)) paths.push(path);
    paths.push(...deeper.paths);
    if (paging !== undefined) pieces.push(...pagingPieces(draw, `${path}.`, paging));
    if (sort.length > 0) pieces.push([`${path}.sort`, sortText(draw, sort)]);
    pieces.push(...deeper.pieces);
  }
  return { paths, pieces };
}

function groupText(draw: Draw, { parts }: Group): string {
  return parts
    .map((part) =>
      'parts' in part
        ? `${part.kind}(${groupText(draw, part)})`
        : `${nameOf(part, part.operator)}:${item(draw, valueOf(draw, part), /[",:()]/u)}`,
    )
    .join(',');
}

function searchText(draw: Draw, words: readonly string[]): string {
  return words
    .map((word) =>
      draw.chance(20) || /[\s"]/u.test(word)
        ? `"${word.replaceAll(/["\\]/gu, String.raw`\$&`)}"`
        : word,
    )
    .join(draw.chance(80) ? ' ' : '  ');
}

function encode(draw: Draw, text: string): string {
  const encoded = encodeURIComponent(text).replaceAll("'", '%27');
  return draw.chance(50) ? encoded.replaceAll('%20', '+') : encoded;
}

/**
 * Writes a request in one of the ways in which it can be written: quotes, blanks and the order of the parameters. The same draw
 * writes requests that differ in values alone in the same way.
 */
export function writeQuery(draw: Draw, world: World, query: Query, base = '/v1'): Written {
  const { resource, id, conditions, groups, search, ids, sort, nulls, paging } = query;
  const { expand, maxDepth, fields, exclude, isCounted } = query;
  const { paths, pieces: ofExpansions } = expansionPieces(draw, expand, '');
  const optional = (name: string, value: string | undefined): Piece[] =>
    value === undefined ? [] : [[name, value]];
  const pieces: Piece[] = [
    ...conditions.map((one): Piece => [nameOf(one, one.operator), valueOf(draw, one)]),
    ...groups.map((group): Piece => [`_${group.kind}`, groupText(draw, group)]),
    ...optional('search', search.length === 0 ? undefined : searchText(draw, search)),
    ...ids.map((one): Piece => ['id', one]),
    ...optional('sort', sort.length === 0 ? undefined : sortText(draw, sort)),
    ...optional('nulls', nulls),
    ...(id === undefined
      ? pagingPieces(draw, '', paging, world.resource(resource).isByCursor)
      : []),
    ...optional('expand', expand.length === 0 ? undefined : paths.join(',')),
    ...ofExpansions,
    ...optional('maxDepth', maxDepth === undefined ? undefined : String(maxDepth)),
    ...optional('fields', fields?.map((one) => one.join('.')).join(',')),
    ...optional('exclude', exclude?.map((one) => one.join('.')).join(',')),
  ];
  // Parameters of one name keep their order: the first is the one that others are about.
  const places = new Map(pieces.map(([name]) => [name, draw.below(100)]));
  const text = pieces
    .toSorted(([a], [b]) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
    .map(([name, value]) => `${encode(draw, name)}=${encode(draw, value)}`)
    .join('&');
  const path = `${base}/${resource}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;
  return {
    query,
    target: text === '' ? path : `${path}?${text}`,
    headers: isCounted ? {} : { prefer: 'count=none' },
  };
}
