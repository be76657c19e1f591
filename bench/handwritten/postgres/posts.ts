import { postPage } from '../page.ts';
import { conditionsOf } from '../query.ts';
import { postColumns, type Post } from '../records.ts';
import type { Store } from '../store.ts';
import type { Query } from './connect.ts';
import { expansions } from './expansions.ts';

/** The reads of posts. */
export function postReads(query: Query): Pick<Store, 'post' | 'posts'> {
  const expand = expansions(query);
  return {
    post: async (id, least) => {
      const byId = `select ${postColumns} from posts where id = $1`;
      const [post] = await (least === undefined
        ? query<Post>(byId, [id])
        : query<Post>(`${byId} and id >= $2`, [id, least]));
      return post && JSON.stringify(post);
    },
    posts: async (request) => {
      const { where, bound } = conditionsOf(request, (position) => `$${position}`);
      const order = request.byViews ? 'views desc, id desc' : 'id';
      const { length } = bound;
      const [posts, [counted]] = await Promise.all([
        query<Post>(
          `select ${postColumns} from posts${where} order by ${order} limit $${length + 1} offset $${length + 2}`,
          [...bound, request.limit, (request.page - 1) * request.limit],
        ),
        query<{ count: number }>(`select count(*) from posts${where}`, bound),
      ]);
      if (request.expand.size > 0) await expand(posts, request);
      return postPage(posts, request, counted?.count ?? 0);
    },
  };
}
