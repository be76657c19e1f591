import type { Database, Statement } from 'better-sqlite3';
import type { ListQuery } from '../query.ts';
import { commentColumns, userColumns, type Comment, type Post } from '../records.ts';
import { attachAuthors, attachCut, attachMany, capFor, mostOf, type Child } from '../relations.ts';
import { steady } from './steady.ts';

type User = { id: number; active: unknown };

const parents = '(select value from json_each(?))';

/** Prepares one statement a relation, and gives the function that adds what is asked for to posts. */
export function expansions(database: Database): (posts: Post[], query: ListQuery) => void {
  const authors = database.prepare<[string], User>(
    `select ${userColumns} from users where id in ${parents}`,
  );
  const comments = database.prepare<[string, number], Comment>(
    `select ${commentColumns} from comments
     where postId in ${parents} order by postId, id limit ${steady}`,
  );
  const countComments = database
    .prepare<[number], number>('select count(*) from comments where postId = ?')
    .pluck();
  const tags = database
    .prepare<[string, number], [number, number, string, string]>(
      `select l.postId, t.id, t.name, t.slug from "post-tags" l join tags t on t.id = l.tagId
       where l.postId in ${parents} order by l.postId, l.tagId limit ${steady}`,
    )
    .raw();
  const countTags = database
    .prepare<[number], number>('select count(*) from "post-tags" where postId = ?')
    .pluck();

  const readAuthors = (ids: string): User[] =>
    authors.all(ids).map((author) => {
      author.active = author.active === 1;
      return author;
    });
  const readComments = (ids: string, most: number): Child[] =>
    comments.all(ids, most).map((record) => {
      record.approved = record.approved === 1;
      return { parent: record.postId, record };
    });
  const readTags = (ids: string, most: number): Child[] =>
    tags.all(ids, most).map(([parent, id, name, slug]) => ({ parent, record: { id, name, slug } }));

  return (posts, query) => {
    const cap = capFor(query);
    if (query.expand.has('author')) attachAuthors(posts, readAuthors(idList(posts, 'authorId')));
    if (query.expand.has('comments')) addMany(posts, 'comments', cap, readComments, countComments);
    if (query.expand.has('tags')) addMany(posts, 'tags', cap, readTags, countTags);
  };
}

function addMany(
  posts: Post[],
  name: string,
  cap: number,
  read: (ids: string, most: number) => Child[],
  count: Statement<[number], number>,
): void {
  const children = read(idList(posts, 'id'), mostOf(posts, cap));
  for (const post of attachMany(posts, name, cap, children))
    attachCut(post, name, cap, read(`[${post.id}]`, cap), count.get(post.id) ?? 0);
}

function idList(posts: readonly Post[], key: 'id' | 'authorId'): string {
  let text = '';
  for (const post of posts) text += text === '' ? post[key] : `,${post[key]}`;
  return `[${text}]`;
}
