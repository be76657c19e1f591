import { performance } from 'node:perf_hooks';
import { readPosition, unreachable, type Position } from '../../position.ts';
import type { PostgresDatabase } from '../database.ts';
import { identity } from './identity.ts';
import type { LogHistory } from './log-history.ts';
import { Watch } from './watch.ts';

/** A standby has no end of its log, and fails when it is asked for one. */
const question = `SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_insert_lsn()::text END, ${identity}`;

/** The primary of a database with replicas: the end of its log, as it was asked for last. */
export class WatchedPrimary {
  /** Whether it has answered last. */
  isUp = true;
  /** What tells the database from all others; undefined until it is known. */
  identity: string | undefined;
  private readonly watch: Watch;
  private readonly history: LogHistory;
  private readonly onRewound: (position: Position) => void;
  /** The question that is sent next, for all who ask before that. */
  private next: Promise<Position> | undefined;
  private current: Promise<Position> = Promise.resolve(0);

  constructor(
    database: PostgresDatabase,
    history: LogHistory,
    onRewound: (position: Position) => void,
  ) {
    this.watch = new Watch(() => database.beside());
    this.history = history;
    this.onRewound = onRewound;
  }

  /** A position behind all that is committed now. Many who ask at once share a question. */
  position(): Promise<Position> {
    this.next ??= this.current.then(() => {
      this.next = undefined;
      this.current = this.ask();
      return this.current;
    });
    return this.next;
  }

  private async ask(): Promise<Position> {
    const at = performance.now();
    try {
      const [position, found] = await this.watch.ask(question);
      this.isUp = true;
      this.identity = String(found);
      if (typeof position !== 'string') return unreachable;
      const read = readPosition(position);
      if (this.history.add(at, read)) this.onRewound(read);
      return read;
    } catch {
      this.isUp = false;
      return unreachable;
    }
  }

  end(): void {
    this.watch.end();
  }
}
