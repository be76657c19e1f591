import type { PageNumbers } from '../plan/bind.ts';

/** What a list's address is made of, for links to its other pages. */
export interface ListAddress {
  /** What links start with: empty, or the server's public URL. */
  readonly origin: string;
  readonly path: string;
  /** The raw query string, without `?`. */
  readonly query: string;
}

/** The headers of a page: numbers, and links to the pages around it. Contract 2, Pagination. */
export function paginationHeaders(
  mode: 'page' | 'offset',
  page: PageNumbers,
  total: number | undefined,
  isFull: boolean,
  address: ListAddress,
): Record<string, string> {
  const pages = total === undefined ? undefined : Math.ceil(total / page.limit);
  const headers: Record<string, string> = {
    'x-page': String(page.page),
    'x-limit': String(page.limit),
  };
  if (total !== undefined) {
    headers['x-total-count'] = String(total);
    headers['x-total-pages'] = String(pages);
  }
  const links = mode === 'page' ? pageLinks(page, pages, isFull) : offsetLinks(page, total, isFull);
  if (links.length > 0)
    headers['link'] = links
      .map(([relation, number]) => `<${withParameter(address, mode, number)}>; rel="${relation}"`)
      .join(', ');
  return headers;
}

type Links = readonly (readonly ['first' | 'prev' | 'next' | 'last', number])[];

function pageLinks({ page }: PageNumbers, pages: number | undefined, isFull: boolean): Links {
  if (pages === 0) return [];
  const links: (readonly ['first' | 'prev' | 'next' | 'last', number])[] = [['first', 1]];
  // Past the end the page before is the last one.
  if (page > 1) links.push(['prev', Math.min(page - 1, pages ?? page - 1)]);
  if (pages === undefined ? isFull : page < pages) links.push(['next', page + 1]);
  if (pages !== undefined) links.push(['last', pages]);
  return links;
}

function offsetLinks(
  { offset, limit }: PageNumbers,
  total: number | undefined,
  isFull: boolean,
): Links {
  if (total === 0) return [];
  const last = total === undefined ? undefined : Math.floor((total - 1) / limit) * limit;
  const links: (readonly ['first' | 'prev' | 'next' | 'last', number])[] = [['first', 0]];
  if (offset > 0)
    links.push(['prev', Math.max(0, Math.min(offset - limit, last ?? offset - limit))]);
  if (total === undefined ? isFull : offset + limit < total) links.push(['next', offset + limit]);
  if (last !== undefined) links.push(['last', last]);
  return links;
}

/** The address with one parameter set; the others stay as they were written. */
function withParameter({ origin, path, query }: ListAddress, name: string, value: number): string {
  const others = query.split('&').filter((piece) => piece !== '');
  const own = others.findIndex((piece) => piece.startsWith(`${name}=`));
  const piece = `${name}=${value}`;
  const pieces = own === -1 ? [...others, piece] : others.with(own, piece);
  // What a link may not hold as it is was percent-encoded by the client, or is now.
  const text = pieces.join('&').replaceAll(/[^\w\-.~!$&'()*+,;=:@/?%]/gu, encodeURIComponent);
  return `${origin}${path}?${text}`;
}
