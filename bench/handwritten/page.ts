import type { Comment, Post } from './records.ts';
import { pageLinks, type CommentQuery, type ListQuery } from './query.ts';
import type { Page } from './store.ts';

/** A page of posts with its numbers, the links around it and the cursor behind it. */
export function postPage(posts: readonly Post[], query: ListQuery, total: number): Page {
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
  const last = posts.at(-1);
  if (last !== undefined && query.page < pages)
    headers.push('X-Next-Cursor', cursorOf(query.byViews ? [last.views, last.id] : [last.id]));
  return { body: JSON.stringify(posts), headers };
}

/** A page of comments read by cursor; `found` has one more where another page follows. */
export function commentPage(found: readonly Comment[], query: CommentQuery): Page {
  const data = found.slice(0, query.limit);
  const last = found.length > query.limit ? data.at(-1) : undefined;
  const cursor = last === undefined ? null : cursorOf([last.rating, last.id]);
  const headers = ['X-Limit', String(query.limit)];
  if (cursor !== null) {
    const link = `<${query.beforeCursor}${cursor}${query.afterCursor}>; rel="next"`;
    headers.push('X-Next-Cursor', cursor, 'Link', link);
  }
  return { body: JSON.stringify({ data, next_cursor: cursor }), headers };
}

function cursorOf(keys: readonly (number | null)[]): string {
  return Buffer.from(JSON.stringify(keys)).toString('base64url');
}
