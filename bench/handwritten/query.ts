/** What a list request of posts asks for, and its URL cut where `page` stands. */
export type ListQuery = {
  page: number;
  limit: number;
  status: string | undefined;
  minimumViews: number | undefined;
  byViews: boolean;
  expand: ReadonlySet<string>;
  beforePage: string;
  afterPage: string;
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
    byViews: false,
    expand: nothing,
    beforePage: '',
    afterPage: '',
  };
  const mark = url.indexOf('?');
  if (mark === -1) return { ...query, beforePage: `${url}?page=` };
  let start = mark + 1;
  while (start < url.length) {
    const found = url.indexOf('&', start);
    const end = found === -1 ? url.length : found;
    const equals = url.indexOf('=', start);
    if (equals === -1 || equals > end) return 'a parameter without a value';
    const problem = apply(query, url.slice(start, equals), decode(url.slice(equals + 1, end)));
    if (problem !== undefined) return problem;
    if (url.startsWith('page=', start)) {
      query.beforePage = url.slice(0, equals + 1);
      query.afterPage = url.slice(end);
    }
    start = end + 1;
  }
  if (query.beforePage === '') query.beforePage = `${url}&page=`;
  return query;
}

function decode(text: string): string {
  return text.includes('%') || text.includes('+')
    ? decodeURIComponent(text.replaceAll('+', ' '))
    : text;
}

function apply(query: ListQuery, name: string, value: string): string | undefined {
  switch (name) {
    case 'page':
    case 'limit':
      query[name] = wholeNumber.test(value) ? Number(value) : 0;
      if (query[name] === 0 || query.limit > maxLimit) return `a bad ${name}`;
      return undefined;
    case 'status':
      query.status = value;
      return statuses.has(value) ? undefined : 'no such status';
    case 'views_gte':
      query.minimumViews = Number(value);
      return wholeNumber.test(value) ? undefined : 'a bad number of views';
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
