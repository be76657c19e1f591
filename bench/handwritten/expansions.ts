import type { Database, Statement } from 'better-sqlite3';
import { steady, type Post } from './post.ts';
import type { ListQuery } from './query.ts';

type Flagged = { id: number; postId: number; active: unknown; approved: unknown };
type Child = { readonly parent: number; readonly record: object };

const itemsPerParent = 100;
const itemsPerAnswer = 20_000;
const parents = '(select value from json_each(?))';

/** Prepares one statement a relation, and gives the function that adds what is asked for to posts. */
export function expansions(database: Database): (posts: Post[], query: ListQuery) => void {
  const authors = database.prepare<[string], Flagged>(
    `select id,name,email,role,active,joinedAt from users where id in ${parents}`,
  );
  const comments = database.prepare<[string, number], Flagged>(
    `select id,postId,authorId,body,rating,approved,writtenAt from comments
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

  const readComments = (ids: string, most: number): Child[] =>
    comments.all(ids, most).map((record) => {
      record.approved = record.approved === 1;
      return { parent: record.postId, record };
    });
  const readTags = (ids: string, most: number): Child[] =>
    tags.all(ids, most).map(([parent, id, name, slug]) => ({ parent, record: { id, name, slug } }));

  return (posts, query) => {
    const cap = Math.max(1, Math.min(itemsPerParent, Math.floor(itemsPerAnswer / query.limit)));
    if (query.expand.has('author')) addAuthors(posts, authors);
    if (query.expand.has('comments')) addMany(posts, 'comments', cap, readComments, countComments);
    if (query.expand.has('tags')) addMany(posts, 'tags', cap, readTags, countTags);
  };
}

function addAuthors(posts: Post[], authors: Statement<[string], Flagged>): void {
  const found = new Map<number, object>();
  for (const author of authors.all(idList(posts, 'authorId'))) {
    author.active = author.active === 1;
    found.set(author.id, author);
  }
  for (const post of posts) post['author'] = found.get(post.authorId) ?? null;
}

function addMany(
  posts: Post[],
  name: string,
  cap: number,
  read: (ids: string, most: number) => Child[],
  count: Statement<[number], number>,
): void {
  const most = posts.length * cap + 1;
  const children = read(idList(posts, 'id'), most);
  const lists = new Map<number, object[]>();
  for (const post of posts) {
    const list: object[] = [];
    post[name] = list;
    lists.set(post.id, list);
  }
  for (const child of children) lists.get(child.parent)?.push(child.record);
  for (const post of posts) {
    const list = lists.get(post.id) ?? [];
    if (children.length < most && list.length <= cap) continue;
    const own = children.length < most ? list : read(`[${post.id}]`, cap).map((one) => one.record);
    post[name] = own.slice(0, cap);
    addCut(post, name, cap, count.get(post.id) ?? 0);
  }
}

function addCut(post: Post, name: string, limit: number, total: number): void {
  if (total <= limit) return;
  const cut = { page: 1, limit, total, totalPages: Math.ceil(total / limit) };
  post['_pagination'] = Object.assign(post['_pagination'] ?? {}, { [name]: cut });
}

function idList(posts: readonly Post[], key: 'id' | 'authorId'): string {
  let text = '';
  for (const post of posts) text += text === '' ? post[key] : `,${post[key]}`;
  return `[${text}]`;
}
