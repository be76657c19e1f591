import type { Database } from 'better-sqlite3';
import { commentPage } from '../page.ts';
import type { CommentQuery, Position } from '../query.ts';
import { commentColumns, type Comment } from '../records.ts';
import type { Page } from '../store.ts';
import { steady } from './steady.ts';

/**
 * Prepares the pages of comments by falling rating, nulls last. A page begins with the rest of the rating where the
 * one before ended: `(rating, id) < (?, ?)` would read all of that rating again.
 */
export function commentReads(database: Database): (query: CommentQuery) => Page {
  const prepare = (where: string): ((...values: (number | null)[]) => Comment[]) => {
    const statement = database.prepare<(number | null)[], Comment>(
      `select ${commentColumns} from comments${where} order by rating desc, id desc limit ${steady}`,
    );
    return (...values) => statement.all(...values);
  };
  const first = prepare('');
  const sameRating = prepare(' where rating is ? and id < ?');
  const lowerRating = prepare(' where rating < ?');
  const unrated = prepare(' where rating is null');

  const behind = ({ rating, id }: Position, most: number): Comment[] => {
    const found = sameRating(rating, id, most);
    if (rating === null || found.length === most) return found;
    found.push(...lowerRating(rating, most - found.length));
    if (found.length < most) found.push(...unrated(most - found.length));
    return found;
  };
  return (query) => {
    const most = query.limit + 1;
    const found = query.after === undefined ? first(most) : behind(query.after, most);
    for (const comment of found) comment.approved = comment.approved === 1;
    return commentPage(found, query);
  };
}
