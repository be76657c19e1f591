import type { Draw } from './draw.ts';

/** Valid names that something may take for something else. See docs/contract/1-specification-file.md#names. */

export const resourceNames = [
  ['posts', 'people', 'news', 'media', 'children', 'aliases', 'series', 'boxes', 'Status', 'A'],
  ['order', 'group', 'select', 'user', 'index', 'table', 'value', 'from', 'where', 'limit'],
  ['order-lines', 'order_lines2', 'a-b', 'a_c', 'x9', 'pivot', 'page', 'null', 'true', 'default'],
  ['constructor', 'toString', 'data', 'id', 'all', 'references', 'V1', 'vv1', 'v1a', 'z-'],
  `long-${'name'.repeat(14)}`,
].flat();

export const fieldNames = [
  ['name', 'title', 'a', 'b', 'x1', 'camelCase', 'snake_case', 'Upper', 'UPPER', 'z_', 'z__a'],
  ['order', 'group', 'select', 'user', 'index', 'table', 'value', 'from', 'where', 'key', 'all'],
  ['limit', 'page', 'sort', 'offset', 'cursor', 'fields', 'exclude', 'expand', 'nulls', 'maxDepth'],
  ['price', 'price_gt', 'price_in', 'price_gt_in', 'is_null', 'x_exists', 'a_contains', 'a_eq'],
  ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'length', 'then', 'type', 'count'],
  ['rowid', 'oid', 'data', 'links', 'total', 'items', 'json', 'rank', 'row', 'n', 't', 't0', 'k'],
  ['created', 'parentId', 'ownerId', 'null', 'true', 'integer', 'excluded', 'old', 'new', 'v'],
  'p'.repeat(63),
  'p'.repeat(62),
].flat();

export const relationNames = [
  ['owner', 'parent', 'children', 'friends', 'order', 'group', 'x', 'author', 'tags', 'limit'],
  ['comments', 'main_part', 'Peer', 'from', 'select', 'rel1', 'rel2', 'rel3', 'q', 'w', 'e', 'sub'],
  ['things', 'price', 'price_in', 'self', 'data', 'toString', 'valueOf', 'page', 'links', 'any'],
  `r${'el'.repeat(29)}`,
].flat();

export const keyNames = [
  ['ref', 'link_in', 'to', 'target', 'fk', 'foreign', 'primary', 'unique', 'code', 'other_eq'],
  ['sideA', 'sideB', 'left', 'right', 'kind', 'subject', 'about', 'sort_key', 'with', 'as'],
].flat();

/** Takes names out of lists so that none comes twice, whatever its case. */
export class Names {
  private readonly taken: Set<string>;
  private readonly draw: Draw;

  constructor(draw: Draw, taken: readonly string[]) {
    this.draw = draw;
    this.taken = new Set(taken.map((name) => name.toLowerCase()));
  }

  /** A name of the list that is not taken yet, most often one of the wanted ones where there are some. */
  from(list: readonly string[], wanted: readonly string[] = []): string {
    const isFree = (name: string): boolean => !this.taken.has(name.toLowerCase());
    const first = wanted.filter((name) => /^[A-Za-z]\w{0,62}$/u.test(name) && isFree(name));
    const free = first.length > 0 && this.draw.chance(60) ? first : list.filter(isFree);
    const name = free.length === 0 ? `more${this.taken.size}` : this.draw.pick(free);
    this.taken.add(name.toLowerCase());
    return name;
  }
}
