import { TimeSlice } from '../lib/event-loop.ts';
import { DatabaseFailure } from './database.ts';

/**
 * The pace of a transaction of many steps. SQLite has no deadline for one, and answers without a turn of the event loop. See
 * docs/contract/3-writing.md#answers-of-writes, rule 7.
 */
export class Pace {
  private readonly end: number;
  private readonly slice = new TimeSlice();

  /** `longest`: how long the steps may take together, in ms. */
  constructor(longest: number) {
    this.end = performance.now() + longest;
  }

  /** To be called before each step: lets other requests run, and fails if the steps take too long. */
  async next(): Promise<void> {
    if (performance.now() > this.end)
      throw new DatabaseFailure('The transaction took too long.', { kind: 'timeout' });
    if (this.slice.isOver) await this.slice.yield();
  }
}
