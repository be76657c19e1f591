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
      const total = `select count(*) from posts${where}`;
      const found = await query<Post & { total: number | undefined }>(
        `select ${postColumns}, (${total}) as total from posts${where} order by ${order} limit $${length + 1} offset $${length + 2}`,
        [...bound, request.limit, (request.page - 1) * request.limit],
      );
      let count = found[0]?.total;
      if (count === undefined && request.page > 1) {
        const [counted] = await query<{ count: number }>(total, bound);
        count = counted?.count;
      }
      // JSON leaves it out. To delete it would make slow objects of the posts.
      for (const post of found) post.total = undefined;
      if (request.expand.size > 0) await expand(found, request);
      return postPage(found, request, count ?? 0);
    },
  };
}
