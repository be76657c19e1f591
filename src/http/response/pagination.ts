import { pagesOf, type PageNumbers } from '../../query/bind.ts';

/** The address of a list, for links to its other pages. */
export interface ListAddress {
  /** The prefix of links: empty, or the server's public URL. */
  readonly origin: string;
  readonly path: string;
  /** The raw query string, without `?`. */
  readonly query: string;
}

/** The number of records on a page, whether more follow, and the total if it was counted. */
export interface PageResult {
  readonly count: number;
  readonly hasMore: boolean;
  readonly total: number | undefined;
  /** The cursor of the next page. */
  readonly next: string | undefined;
}

/**
 * The headers of a page: its numbers, and links to the pages around it. See docs/contract/2-reading.md#page-headers.
 */
export function paginationHeaders(
  mode: 'page' | 'offset',
  page: PageNumbers,
  result: PageResult,
  address: ListAddress,
): Record<string, string> {
  const { total } = result;
  const pages = total === undefined ? undefined : pagesOf(total, page.limit);
  const headers: Record<string, string> = {
    'x-page': String(page.page),
    'x-limit': String(page.limit),
  };
  if (total !== undefined) {
    headers['x-total-count'] = String(total);
    headers['x-total-pages'] = String(pages);
  }
  addCursor(headers, result.next);
  const isNothing = total === 0 || page.limit === 0 || (page.offset === 0 && result.count === 0);
  const links = isNothing
    ? []
    : mode === 'page'
      ? pageLinks(page, pages, result)
      : offsetLinks(page, result);
  if (links.length > 0) {
    const [before, after] = around(address, mode);
    const written = links.map(
      ([relation, number]) => `<${before}${number}${after}>; rel="${relation}"`,
    );
    // Clients accept about 16 KiB of headers, so a very long address gets `next` only.
    const isLong = written.reduce((sum, { length }) => sum + length, 0) > longestLinks;
    const told = isLong ? written.filter((link) => link.endsWith('rel="next"')) : written;
    if (told.length > 0) headers['link'] = told.join(', ');
  }
  return headers;
}

/** The longest `Link` header with all links, in characters. */
const longestLinks = 8_192;

/** Longer cursors, of sorts by very long paths, are in the body only. */
const longestCursor = 4_096;

function addCursor(headers: Record<string, string>, next: string | undefined): boolean {
  if (next === undefined || next.length > longestCursor) return false;
  headers['x-next-cursor'] = next;
  return true;
}

/** The headers of a page in cursor mode: no totals. See docs/contract/2-reading.md#cursors, rule 2. */
export function cursorHeaders(
  { limit }: PageNumbers,
  next: string | undefined,
  address: ListAddress,
): Record<string, string> {
  const headers: Record<string, string> = { 'x-limit': String(limit) };
  if (next !== undefined && addCursor(headers, next)) {
    const [before, after] = around(address, 'cursor');
    const link = `<${before}${next}${after}>; rel="next"`;
    if (link.length <= longestLinks) headers['link'] = link;
  }
  return headers;
}

type Links = readonly (readonly ['first' | 'prev' | 'next' | 'last', number])[];

function pageLinks(
  { page }: PageNumbers,
  pages: number | undefined,
  { count, hasMore }: PageResult,
): Links {
  const links: (readonly ['first' | 'prev' | 'next' | 'last', number])[] = [['first', 1]];
  if (count > 0 && page > 1) links.push(['prev', page - 1]);
  // Past the end, `prev` is the last page, which is unknown without a total.
  if (count === 0 && pages !== undefined) links.push(['prev', pages]);
  if (hasMore) links.push(['next', page + 1]);
  if (pages !== undefined) links.push(['last', pages]);
  return links;
}

function offsetLinks({ offset, limit }: PageNumbers, { count, total, hasMore }: PageResult): Links {
  const last = total === undefined ? undefined : Math.floor((total - 1) / limit) * limit;
  const links: (readonly ['first' | 'prev' | 'next' | 'last', number])[] = [['first', 0]];
  if (count > 0 && offset > 0) links.push(['prev', Math.max(0, offset - limit)]);
  // Past the end, `prev` is the last page, which is unknown without a total.
  if (count === 0 && last !== undefined) links.push(['prev', last]);
  if (hasMore) links.push(['next', offset + limit]);
  if (last !== undefined) links.push(['last', last]);
  return links;
}

/** The address before and after the value of a parameter; other parameters stay as they were sent. */
function around(address: ListAddress, name: string): readonly [string, string] {
  const { origin, path } = address;
  const query = withoutBlanks(address.query);
  const [begin, end] = findParameter(query, name);
  const joint = begin === query.length && query !== '' ? '&' : '';
  const before = `${query.slice(0, begin)}${joint}${name}=`;
  return [`${origin}${path}?${linkable(before)}`, linkable(query.slice(end))];
}

/** A query string without empty pieces (`&&`). */
function withoutBlanks(query: string): string {
  const isPlain = !query.startsWith('&') && !query.endsWith('&') && !query.includes('&&');
  if (isPlain) return query;
  return query
    .split('&')
    .filter((piece) => piece !== '')
    .join('&');
}

/** Where a parameter begins and ends in a query string; both are the string's end if it is missing. */
function findParameter(query: string, name: string): readonly [number, number] {
  for (let begin = 0; begin < query.length;) {
    const mark = query.indexOf('&', begin);
    const end = mark === -1 ? query.length : mark;
    const written = query.slice(begin, end).split('=', 1)[0] ?? '';
    const isIt = written.includes('%') ? decodeURIComponent(written) === name : written === name;
    if (isIt) return [begin, end];
    begin = end + 1;
  }
  return [query.length, query.length];
}

const notLinkable = /[^\w\-.~!$&'()*+,;=:@/?%]/u;

/** Percent-encodes what a link must not hold. */
function linkable(text: string): string {
  // Testing first takes half the time, since there is almost never anything to encode.
  if (!notLinkable.test(text)) return text;
  return text.replaceAll(new RegExp(notLinkable, 'gu'), encodeURIComponent);
}
