import { cursorFor } from './cursors.ts';
import { send } from './http.ts';
import { guardedPatch, guardedPosts, type Shape } from './shapes.ts';

/** How many requests are under way while the posts are made what they are patched to. */
const atOnce = 20;

/** What the requests of a shape name of a server's own: the cursor of a page, the tags of posts; else empty. */
export function knownFor(shape: Shape, server: string, page: number): Promise<string> {
  return shape.isGuarded === true ? tagsOf(server) : cursorFor(shape, server, page);
}

/** The entity tags of the posts that are patched with `If-Match`, as JSON. They stay: each patch is the same again. */
async function tagsOf(server: string): Promise<string> {
  const tags: string[] = [];
  for (let first = 1; first <= guardedPosts; first += atOnce) {
    const answers = Array.from({ length: atOnce }, (_, index) =>
      send(server, guardedPatch(first + index)),
    );
    for (const { status, headers } of await Promise.all(answers)) {
      const tag = headers.get('etag');
      if (tag === undefined) throw new Error(`PATCH of a post: no tag, status ${status}`);
      tags.push(tag);
    }
  }
  return JSON.stringify(tags);
}
