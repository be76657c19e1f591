import type { PageNumbers } from '../../query/bind.ts';

/** What a list's address is made of, for links to its other pages. */
export interface ListAddress {
  /** What links start with: empty, or the server's public URL. */
  readonly origin: string;
  readonly path: string;
  /** The raw query string, without `?`. */
  readonly query: string;
}

/** What was found on a page: how many records, whether more follow, and how many there are where that was asked for. */
export interface PageResult {
  readonly count: number;
  readonly hasMore: boolean;
  readonly total: number | undefined;
  /** The cursor that goes on behind this page. */
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
  const pages = total === undefined ? undefined : Math.ceil(total / page.limit);
  const headers: Record<string, string> = {
    'x-page': String(page.page),
    'x-limit': String(page.limit),
  };
  if (total !== undefined) {
    headers['x-total-count'] = String(total);
    headers['x-total-pages'] = String(pages);
  }
  addCursor(headers, result.next);
  const isNothing = total === 0 || (page.offset === 0 && result.count === 0);
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
    // Clients take about 16 KiB of headers: of a very long address only the way on is told.
    const isLong = written.reduce((sum, { length }) => sum + length, 0) > longestLinks;
    const told = isLong ? written.filter((link) => link.endsWith('rel="next"')) : written;
    if (told.length > 0) headers['link'] = told.join(', ');
  }
  return headers;
}

/** How many characters of links a header may have that tells all of them. */
const longestLinks = 8_192;

/** A cursor this long carries a sort by very long paths; it stands in the body of a cursor's page alone. */
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
  // Past the end the page before is the last one, which is not known without a total.
  if (count === 0 && pages !== undefined) links.push(['prev', pages]);
  if (hasMore) links.push(['next', page + 1]);
  if (pages !== undefined) links.push(['last', pages]);
  return links;
}

function offsetLinks({ offset, limit }: PageNumbers, { count, total, hasMore }: PageResult): Links {
  const last = total === undefined ? undefined : Math.floor((total - 1) / limit) * limit;
  const links: (readonly ['first' | 'prev' | 'next' | 'last', number])[] = [['first', 0]];
  if (count > 0 && offset > 0) links.push(['prev', Math.max(0, offset - limit)]);
  // Past the end the page before is the last one, which is not known without a total.
  if (count === 0 && last !== undefined) links.push(['prev', last]);
  if (hasMore) links.push(['next', offset + limit]);
  if (last !== undefined) links.push(['last', last]);
  return links;
}

/** The address before and after the value of one parameter; the others stay as they were written. */
function around(address: ListAddress, name: string): readonly [string, string] {
  const { origin, path } = address;
  const query = withoutBlanks(address.query);
  const [begin, end] = findParameter(query, name);
  const joint = begin === query.length && query !== '' ? '&' : '';
  const before = `${query.slice(0, begin)}${joint}${name}=`;
  return [`${origin}${path}?${linkable(before)}`, linkable(query.slice(end))];
}

/** A query string without pieces that say nothing. */
function withoutBlanks(query: string): string {
  const isPlain = !query.startsWith('&') && !query.endsWith('&') && !query.includes('&&');
  if (isPlain) return query;
  return query
    .split('&')
    .filter((piece) => piece !== '')
    .join('&');
}

/** Where a parameter begins and ends in a query string; twice its end where it is not there. */
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

/** What a link may not hold as it is was percent-encoded by the client, or is now. */
function linkable(text: string): string {
  // Looking first takes half of the time, and next to nothing is found.
  if (!notLinkable.test(text)) return text;
  return text.replaceAll(new RegExp(notLinkable, 'gu'), encodeURIComponent);
}
