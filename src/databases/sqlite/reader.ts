import type Driver from 'better-sqlite3';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import { BoundedCache } from '../../lib/bounded-cache.ts';
import { timesRead } from '../../lib/event-loop.ts';
import { valuesFor, type Statement, type Values } from '../../sql/statement.ts';
import type { Row } from '../database.ts';
import type { SqliteConnection } from './connection.ts';
import type { ServedKinds } from './served.ts';

/** How many totals of one statement are remembered until something changes. */
const rememberedCounts = 200;

/**
 * The connection that reads. The reads of one turn of the event loop share a snapshot: a request sees its list, its
 * total and its expansions at one moment, and the file is locked once for all of them instead of once for each
 * statement.
 */
export class SqliteReader {
  private readonly connection: SqliteConnection;
  private readonly served: ServedKinds;
  private counts = new WeakMap<Statement, BoundedCache<number>>();
  private readonly begin: Driver.Statement<[]>;
  private readonly commit: Driver.Statement<[]>;
  private readonly dataVersion: Driver.Statement<[], number>;
  private isOpen = false;
  /** What `timesRead` gave when it was opened. */
  private openedAt = -1;
  private lastVersion = -1;

  constructor(connection: SqliteConnection, served: ServedKinds) {
    this.connection = connection;
    this.served = served;
    const { driver } = connection;
    this.begin = driver.prepare('BEGIN');
    this.commit = driver.prepare('COMMIT');
    this.dataVersion = driver.prepare<[], number>('PRAGMA data_version').pluck();
  }

  all(statement: Statement, values: Values): readonly Row[] {
    this.openSnapshot();
    return this.connection.all(statement, values);
  }

  /** Tells of every commit in the file. */
  get version(): number {
    this.openSnapshot();
    return this.lastVersion;
  }

  /** The result of a counting statement, remembered until anything in the file changes. */
  count(statement: Statement, values: Values): number {
    const { version } = this;
    const parameters = valuesFor(statement, values);
    const count = Number(this.connection.prepare(statement).get(...parameters)?.[0]);
    this.remember(statement, values, count, version);
    return count;
  }

  /** The remembered result of a counting statement. */
  counted(statement: Statement, values: Values): number | undefined {
    this.openSnapshot();
    return this.counts.get(statement)?.get(countKey(statement, values));
  }

  /** Remembers a result that was read in a version of the file, where that is still the last one. */
  remember(statement: Statement, values: Values, count: number, version: number): void {
    if (version !== this.version) return;
    const none = (): BoundedCache<number> => new BoundedCache(rememberedCounts);
    getOrInsert(this.counts, statement, none).set(countKey(statement, values), count);
  }

  /** After a commit: what is read from now on sees it. */
  endSnapshot(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { driver } = this.connection;
    try {
      // Some errors (I/O, a damaged file) have ended it already.
      if (driver.inTransaction) this.commit.run();
    } catch {
      // A file that was damaged meanwhile is found so here, where nobody waits for an answer.
      if (driver.inTransaction) driver.exec('ROLLBACK');
    }
  }

  close(): void {
    this.endSnapshot();
    this.connection.driver.close();
  }

  private openSnapshot(): void {
    const now = timesRead();
    if (this.isOpen && now === this.openedAt) return;
    // Left from what ran between two turns: who asks now may know of later commits, which another process has made.
    this.endSnapshot();
    this.begin.run();
    [this.isOpen, this.openedAt] = [true, now];
    setImmediate(() => this.endSnapshot());
    try {
      // Changes with every commit of another connection, the own writer and other processes included.
      const version = this.dataVersion.get() ?? -1;
      const isOther = version !== this.lastVersion;
      if (isOther) this.counts = new WeakMap();
      // Where it throws, the next one asks again.
      this.served.mustBeKept(this.connection, isOther);
      this.lastVersion = version;
    } catch (error) {
      this.endSnapshot();
      throw error;
    }
  }
}

/** The values of a counting statement as one text. No bound text holds a NUL, so that two cannot look like one. */
function countKey(statement: Statement, values: Values): string {
  return valuesFor(statement, values)
    .map((value) => `${typeof value} ${String(value)}`)
    .join('\0');
}
