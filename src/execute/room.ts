import { apiError } from '../errors.ts';
import type { Row } from './database.ts';
import { Refusal } from './refusal.ts';

/** Said of an answer that nobody could hold. */
export const tooLong = apiError(
  'LIMIT_EXCEEDED',
  'The answer would be too long: expand less at once, choose fields, or ask for fewer records',
);

/** How long the related records of one answer may be in all, in characters. */
const mostRelated = 128 * 1024 * 1024;
/** What a value takes beside its text. */
const perValue = 40;

/**
 * The room that one answer has for related records. `responseItems` bounds each relation that is expanded; a URL has place
 * for some hundreds of them side by side, and texts may be of any length.
 */
export class Room {
  private left = mostRelated;

  /** Counts rows that were read. Throws a `Refusal` where the room is used up. */
  take(rows: readonly Row[]): void {
    for (const row of rows)
      for (const value of row)
        this.left -= perValue + (typeof value === 'string' ? value.length : 0);
    this.check();
  }

  /** Throws a `Refusal` where the room is used up, so that nothing more is asked for an answer that nobody gets. */
  check(): void {
    if (this.left < 0) throw new Refusal(tooLong);
  }
}
