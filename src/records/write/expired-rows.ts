import { DatabaseFailure, type Database } from '../../databases/database.ts';
import { expiredPerRun } from '../../sql/compile/expired.ts';
import type { Statement } from '../../sql/statement.ts';

/** The time between two deletions, in ms. */
const interval = 60_000;

/** Deletes old rows of a table of the service while requests use it, some at a time. */
export class ExpiredRows {
  private readonly database: Database;
  private readonly statement: Statement;
  private deletedAt = 0;

  /** `statement` deletes up to `expiredPerRun` rows from before the bound time, and returns a row for each. */
  constructor(database: Database, statement: Statement) {
    this.database = database;
    this.statement = statement;
  }

  /** Deletes some rows from before a time, once per `interval` while there are no more. */
  async deleteBefore(time: string): Promise<void> {
    const now = performance.now();
    if (this.deletedAt !== 0 && now - this.deletedAt < interval) return;
    this.deletedAt = now;
    try {
      const gone = await this.database.writeOne(this.statement, { bound: [time] });
      if (gone.length === expiredPerRun) this.deletedAt = 0;
    } catch (error) {
      // The request must not fail because of this. The next attempt is in a minute.
      if (!(error instanceof DatabaseFailure)) throw error;
    }
  }
}
