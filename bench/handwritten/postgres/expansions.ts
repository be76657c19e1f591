import type { ListQuery } from '../query.ts';
import { commentColumns, userColumns, type Comment, type Post } from '../records.ts';
import { attachAuthors, attachCut, attachMany, capFor, mostOf, type Child } from '../relations.ts';
import type { Query } from './connect.ts';

type Tag = { postId: number; id: number; name: string; slug: string };
type Count = { count: number };
type ReadMany = (ids: readonly number[], most: number) => Promise<Child[]>;

/** Gives the function that adds what is asked for to posts: one statement a relation, all at once. */
export function expansions(query: Query): (posts: Post[], request: ListQuery) => Promise<void> {
  const readAuthors = (ids: readonly number[]): Promise<{ id: number }[]> =>
    query<{ id: number }>(`select ${userColumns} from users where id = any($1)`, [ids]);
  const readComments: ReadMany = async (ids, most) => {
    const found = await query<Comment>(
      `select ${commentColumns} from comments
       where "postId" = any($1) order by "postId", id limit $2`,
      [ids, most],
    );
    return found.map((record) => ({ parent: record.postId, record }));
  };
  const readTags: ReadMany = async (ids, most) => {
    const found = await query<Tag>(
      `select l."postId", t.id, t.name, t.slug from "post-tags" l join tags t on t.id = l."tagId"
       where l."postId" = any($1) order by l."postId", l."tagId" limit $2`,
      [ids, most],
    );
    return found.map(({ postId, id, name, slug }) => ({
      parent: postId,
      record: { id, name, slug },
    }));
  };
  const many = [
    { name: 'comments', table: 'comments', read: readComments },
    { name: 'tags', table: '"post-tags"', read: readTags },
  ];

  return async (posts, request) => {
    const cap = capFor(request);
    const ids = posts.map(({ id }) => id);
    const wanted = many.filter(({ name }) => request.expand.has(name));
    const [authors, ...lists] = await Promise.all([
      request.expand.has('author') ? readAuthors(posts.map(({ authorId }) => authorId)) : undefined,
      ...wanted.map(({ read }) => read(ids, mostOf(posts, cap))),
    ]);
    if (authors !== undefined) attachAuthors(posts, authors);
    for (const [index, { name, table, read }] of wanted.entries()) {
      for (const post of attachMany(posts, name, cap, lists[index] ?? [])) {
        const [first, [counted]] = await Promise.all([
          read([post.id], cap),
          query<Count>(`select count(*) from ${table} where "postId" = $1`, [post.id]),
        ]);
        attachCut(post, name, cap, first, counted?.count ?? 0);
      }
    }
  };
}
