/** What a list request of posts asks for, and its URL cut where `page` stands. */
export type ListQuery = {
  page: number;
  limit: number;
  status: string | undefined;
  minimumViews: number | undefined;
  /** Posts with a comment that has at least this rating. */
  minimumRating: number | undefined;
  byViews: boolean;
  expand: ReadonlySet<string>;
  beforePage: string;
  afterPage: string;
};

/** Rating and id of the comment that a page of comments begins behind. */
export type Position = { readonly rating: number | null; readonly id: number };

/** What a list request of comments asks for, and its URL cut where `cursor` stands. */
export type CommentQuery = {
  limit: number;
  after: Position | undefined;
  beforeCursor: string;
  afterCursor: string;
};

const relations = new Set(['author', 'comments', 'tags']);
const statuses = new Set(['draft', 'published', 'archived']);
const nothing: ReadonlySet<string> = new Set();
const wholeNumber = /^\d{1,15}$/;
const maxLimit = 1_000;

/** Reads the query string of a list of posts; the text of the problem when it is wrong. */
export function parseListQuery(url: string): ListQuery | string {
  const query: ListQuery = {
    page: 1,
    limit: 20,
    status: undefined,
    minimumViews: undefined,
    minimumRating: undefined,
    byViews: false,
    expand: nothing,
    beforePage: '',
    afterPage: '',
  };
  if (!url.includes('?')) return { ...query, beforePage: `${url}?page=` };
  const problem = eachParameter(url, (name, value, before, after) => {
    if (name === 'page') {
      query.beforePage = before;
      query.afterPage = after;
    }
    return applyToPosts(query, name, value);
  });
  if (problem !== undefined) return problem;
  if (query.beforePage === '') query.beforePage = `${url}&page=`;
  return query;
}

/** Reads the query string of a list of comments, which is by falling rating and by cursor alone. */
export function parseCommentQuery(url: string): CommentQuery | string {
  const query: CommentQuery = { limit: 20, after: undefined, beforeCursor: '', afterCursor: '' };
  const problem = eachParameter(url, (name, value, before, after) => {
    if (name === 'limit') return applyCount(query, name, value);
    if (name === 'sort') return value === '-rating' ? undefined : 'no such sort';
    if (name !== 'cursor') return `no parameter ${name}`;
    query.beforeCursor = before;
    query.afterCursor = after;
    if (value === '') return undefined;
    query.after = readCursor(value);
    return query.after === undefined ? 'no such cursor' : undefined;
  });
  if (problem !== undefined) return problem;
  return query.beforeCursor === '' ? 'no cursor' : query;
}

/** Takes a query string apart; `before` and `after` are the URL around the value. Ends at a problem. */
function eachParameter(
  url: string,
  apply: (name: string, value: string, before: string, after: string) => string | undefined,
): string | undefined {
  const mark = url.indexOf('?');
  let start = mark === -1 ? url.length : mark + 1;
  while (start < url.length) {
    const found = url.indexOf('&', start);
    const end = found === -1 ? url.length : found;
    const equals = url.indexOf('=', start);
    if (equals === -1 || equals > end) return 'a parameter without a value';
    const problem = apply(
      url.slice(start, equals),
      decode(url.slice(equals + 1, end)),
      url.slice(0, equals + 1),
      url.slice(end),
    );
    if (problem !== undefined) return problem;
    start = end + 1;
  }
  return undefined;
}

function decode(text: string): string {
  return text.includes('%') || text.includes('+')
    ? decodeURIComponent(text.replaceAll('+', ' '))
    : text;
}

function applyToPosts(query: ListQuery, name: string, value: string): string | undefined {
  switch (name) {
    case 'page':
    case 'limit':
      return applyCount(query, name, value);
    case 'status':
      query.status = value;
      return statuses.has(value) ? undefined : 'no such status';
    case 'views_gte':
      query.minimumViews = Number(value);
      return wholeNumber.test(value) ? undefined : 'a bad number of views';
    case 'comments.rating_gte':
      query.minimumRating = Number(value);
      return wholeNumber.test(value) ? undefined : 'a bad rating';
    case 'sort':
      query.byViews = value === '-views';
      return query.byViews ? undefined : 'no such sort';
    case 'expand':
      query.expand = new Set(value.split(','));
      return value.split(',').every((item) => relations.has(item)) ? undefined : 'no such relation';
    default:
      return `no parameter ${name}`;
  }
}

function applyCount<Name extends 'page' | 'limit'>(
  query: Record<Name, number>,
  name: Name,
  value: string,
): string | undefined {
  const count = wholeNumber.test(value) ? Number(value) : 0;
  query[name] = count;
  return count === 0 || (name === 'limit' && count > maxLimit) ? `a bad ${name}` : undefined;
}

function readCursor(text: string): Position | undefined {
  try {
    const keys: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!Array.isArray(keys) || keys.length !== 2) return undefined;
    const [rating, id] = keys as unknown[];
    const isRating = rating === null || Number.isSafeInteger(rating);
    return isRating && Number.isSafeInteger(id)
      ? { rating: rating as number | null, id: id as number }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The conditions of a list of posts in SQL, with the values for its placeholders. */
export function conditionsOf(
  query: ListQuery,
  placeholder: (position: number) => string,
): { readonly where: string; readonly bound: readonly number[] } {
  const conditions: string[] = [];
  const bound: number[] = [];
  if (query.status !== undefined) {
    // One of three words, so a statement each: bound, it would plan the ordered list each time.
    conditions.push(`status = '${query.status}'`);
  }
  if (query.minimumViews !== undefined) {
    bound.push(query.minimumViews);
    conditions.push(`views >= ${placeholder(bound.length)}`);
  }
  if (query.minimumRating !== undefined) {
    bound.push(query.minimumRating);
    const rating = `rating >= ${placeholder(bound.length)}`;
    conditions.push(`exists (select 1 from comments where "postId" = posts.id and ${rating})`);
  }
  return { where: conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`, bound };
}

/** The `Link` header of a page: first, prev, next, last, where such a page exists. */
export function pageLinks(query: ListQuery, pages: number): string {
  const { page } = query;
  const link = (target: number, rel: string): string =>
    `<${query.beforePage}${target}${query.afterPage}>; rel="${rel}"`;
  let text = link(1, 'first');
  if (page > 1) text += `, ${link(Math.min(page - 1, pages), 'prev')}`;
  if (page < pages) text += `, ${link(page + 1, 'next')}`;
  return `${text}, ${link(pages, 'last')}`;
}
