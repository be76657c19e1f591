import type { ListQuery } from './query.ts';
import type { Post } from './records.ts';

/** A related record and the post that it belongs to. */
export type Child = { readonly parent: number; readonly record: object };

const itemsPerParent = 100;
const itemsPerAnswer = 20_000;

/** How many records of a relation a post shows at most. */
export function capFor({ limit }: ListQuery): number {
  return Math.max(1, Math.min(itemsPerParent, Math.floor(itemsPerAnswer / limit)));
}

/** One more than the posts of a page may show together. */
export function mostOf(posts: readonly Post[], cap: number): number {
  return posts.length * cap + 1;
}

/** Gives each post its author. */
export function attachAuthors(posts: readonly Post[], authors: readonly { id: number }[]): void {
  const found = new Map(authors.map((author) => [author.id, author]));
  for (const post of posts) post['author'] = found.get(post.authorId) ?? null;
}

/** Gives each post its list, and returns the posts whose list has to be cut: all, if not all was read. */
export function attachMany(
  posts: readonly Post[],
  name: string,
  cap: number,
  children: readonly Child[],
): readonly Post[] {
  const lists = new Map<number, object[]>();
  for (const post of posts) {
    const list: object[] = [];
    post[name] = list;
    lists.set(post.id, list);
  }
  for (const { parent, record } of children) lists.get(parent)?.push(record);
  if (children.length === mostOf(posts, cap)) return posts;
  return posts.filter(({ id }) => (lists.get(id)?.length ?? 0) > cap);
}

/** Gives a post the first records of a list that has `total`, and says so when that is not all. */
export function attachCut(
  post: Post,
  name: string,
  cap: number,
  first: readonly Child[],
  total: number,
): void {
  post[name] = first.map(({ record }) => record);
  if (total <= cap) return;
  const cut = { page: 1, limit: cap, total, totalPages: Math.ceil(total / cap) };
  post['_pagination'] = Object.assign(post['_pagination'] ?? {}, { [name]: cut });
}
