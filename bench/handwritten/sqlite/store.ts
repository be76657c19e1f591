import Database from 'better-sqlite3';
import type { Store } from '../store.ts';
import { commentReads } from './comments.ts';
import { postReads } from './posts.ts';
import { writes } from './writes.ts';

/** Opens a database file of the blog. */
export function openStore(file: string): Store {
  const database = new Database(file, { fileMustExist: true });
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma('busy_timeout = 5000');
  // Not `mmap_size`: each mapped page is looked up in the WAL again, so reads after writes are slow.
  database.pragma('cache_size = -131072');
  return {
    ...postReads(database),
    comments: commentReads(database),
    ...writes(database),
    close: () => void database.close(),
  };
}
