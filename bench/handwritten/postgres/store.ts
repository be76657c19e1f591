import type { Store } from '../store.ts';
import { commentReads } from './comments.ts';
import { connect } from './connect.ts';
import { postReads } from './posts.ts';
import { guarded, writes } from './writes.ts';

/** Opens a PostgreSQL database of the blog. */
export function openStore(url: string, connections: number): Store {
  const { query, transaction, close } = connect(url, connections);
  return {
    ...postReads(query),
    comments: commentReads(query),
    ...writes(query),
    ...guarded(query, transaction),
    close,
  };
}
