import type { Database, Statement } from 'better-sqlite3';
import { postPage } from '../page.ts';
import { conditionsOf } from '../query.ts';
import { postColumns, type Post } from '../records.ts';
import type { Store } from '../store.ts';
import { expansions } from './expansions.ts';
import { steady } from './steady.ts';

type Pair = {
  readonly count: Statement<unknown[], number>;
  readonly rows: Statement<unknown[], Post>;
};

/** Prepares the reads of posts on a connection. */
export function postReads(database: Database): Pick<Store, 'post' | 'posts'> {
  const byId = database.prepare<[number], Post>(`select ${postColumns} from posts where id = ?`);
  const byRule = database.prepare<[number, number], Post>(
    `select ${postColumns} from posts where id = ? and id >= ?`,
  );
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
    post: (id, least) => {
      const post = least === undefined ? byId.get(id) : byRule.get(id, least);
      return post && JSON.stringify(post);
    },
    posts: (query) => {
      const { where, bound } = conditionsOf(query, () => '?');
      const { count, rows } = pairFor(where, query.byViews ? 'views desc, id desc' : 'id');
      const posts = rows.all(...bound, query.limit, (query.page - 1) * query.limit);
      const full = posts.length === query.limit || query.page > 1;
      const total = full ? (count.get(...bound) ?? 0) : posts.length;
      if (query.expand.size > 0) expand(posts, query);
      return postPage(posts, query, total);
    },
  };
}
