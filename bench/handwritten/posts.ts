import type { Database, Statement } from 'better-sqlite3';
import { pageLinks, type ListQuery } from './query.ts';
import { expansions } from './expansions.ts';
import { postColumns, steady, type Post } from './post.ts';

/** A page of posts as text, with the headers that only lists have. */
export type PostPage = { readonly body: string; readonly headers: readonly string[] };

/** The prepared reads of posts. */
export type PostReads = {
  readonly one: (id: number) => string | undefined;
  readonly page: (query: ListQuery) => PostPage;
};

type Pair = {
  readonly count: Statement<unknown[], number>;
  readonly rows: Statement<unknown[], Post>;
};

/** Prepares the reads of posts on a connection. */
export function postReads(database: Database): PostReads {
  const byId = database.prepare<[number], Post>(`select ${postColumns} from posts where id = ?`);
  const expand = expansions(database);
  const pairs = new Map<string, Pair>();
  const pairFor = (where: string, order: string): Pair => {
    const key = where + order;
    let pair = pairs.get(key);
    if (pair === undefined) {
      pair = {
        count: database.prepare<unknown[], number>(`select count(*) from posts${where}`).pluck(),
        rows: database.prepare<unknown[], Post>(
          `select ${postColumns} from posts${where} order by ${order} limit ${steady} offset ${steady}`,
        ),
      };
      pairs.set(key, pair);
    }
    return pair;
  };

  return {
    one: (id) => {
      const post = byId.get(id);
      return post && JSON.stringify(post);
    },
    page: (query) => {
      const conditions: string[] = [];
      const bound: unknown[] = [];
      if (query.status !== undefined) {
        // One of three words, so a statement each: bound, it would plan the ordered list each time.
        conditions.push(`status = '${query.status}'`);
      }
      if (query.minimumViews !== undefined) {
        conditions.push('views >= ?');
        bound.push(query.minimumViews);
      }
      const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
      const { count, rows } = pairFor(where, query.byViews ? 'views desc, id desc' : 'id');
      const posts = rows.all(...bound, query.limit, (query.page - 1) * query.limit);
      const full = posts.length === query.limit || query.page > 1;
      const total = full ? (count.get(...bound) ?? 0) : posts.length;
      if (query.expand.size > 0) expand(posts, query);
      return { body: JSON.stringify(posts), headers: listHeaders(query, total) };
    },
  };
}

function listHeaders(query: ListQuery, total: number): string[] {
  const pages = Math.ceil(total / query.limit);
  const headers = [
    'X-Total-Count',
    String(total),
    'X-Total-Pages',
    String(pages),
    'X-Page',
    String(query.page),
    'X-Limit',
    String(query.limit),
  ];
  if (pages > 0) headers.push('Link', pageLinks(query, pages));
  return headers;
}
