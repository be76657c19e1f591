import { commentPage } from '../page.ts';
import type { CommentQuery } from '../query.ts';
import { commentColumns, type Comment } from '../records.ts';
import type { Page } from '../store.ts';
import type { Query } from './connect.ts';

/** The pages of comments by falling rating, nulls last. */
export function commentReads(query: Query): (request: CommentQuery) => Promise<Page> {
  const read = (where: string, values: readonly number[], most: number): Promise<Comment[]> =>
    query<Comment>(
      `select ${commentColumns} from comments${where}
       order by rating desc nulls last, id desc limit $${values.length + 1}`,
      [...values, most],
    );

  return async (request) => {
    const { after, limit } = request;
    const most = limit + 1;
    if (after === undefined) return commentPage(await read('', [], most), request);
    if (after.rating === null) {
      const where = ' where rating is null and id < $1';
      return commentPage(await read(where, [after.id], most), request);
    }
    const found = await read(' where (rating, id) < ($1, $2)', [after.rating, after.id], most);
    if (found.length < most)
      found.push(...(await read(' where rating is null', [], most - found.length)));
    return commentPage(found, request);
  };
}
