import type Driver from 'better-sqlite3';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import { BoundedCache } from '../../lib/bounded-cache.ts';
import { timesRead } from '../../lib/event-loop.ts';
import { valuesFor, type Statement, type Values } from '../../sql/statement.ts';
import type { Row } from '../database.ts';
import type { SqliteConnection } from './connection.ts';
import type { ServedKinds } from './existing/served-kinds.ts';

/** How many results of one counting statement are cached until something changes. */
const rememberedCounts = 200;

/**
 * The connection that reads. All reads in one turn of the event loop share a snapshot: a request sees its list, its
 * total and its expansions at one moment, and the file is locked once for all of them.
 */
export class ReadConnection {
  private readonly connection: SqliteConnection;
  private readonly served: ServedKinds;
  private counts = new WeakMap<Statement, BoundedCache<number>>();
  private readonly begin: Driver.Statement<[]>;
  private readonly commit: Driver.Statement<[]>;
  private readonly dataVersion: Driver.Statement<[], number>;
  private isOpen = false;
  /** The value of `timesRead` when the snapshot was opened. */
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

  /** Runs a read that prepares its own statement. */
  read<Answer>(work: (driver: Driver.Database) => Answer): Answer {
    this.openSnapshot();
    return work(this.connection.driver);
  }

  /** Changes with every commit to the file. */
  get version(): number {
    this.openSnapshot();
    return this.lastVersion;
  }

  /** Runs a counting statement and caches the result until anything in the file changes. */
  count(statement: Statement, values: Values): number {
    const { version } = this;
    const parameters = valuesFor(statement, values);
    const count = Number(this.connection.prepare(statement).get(...parameters)?.[0]);
    this.remember(statement, values, count, version);
    return count;
  }

  /** The cached result of a counting statement. */
  counted(statement: Statement, values: Values): number | undefined {
    this.openSnapshot();
    return this.counts.get(statement)?.get(countKey(statement, values));
  }

  /** Caches a result that was read at `version`, if that is still the latest. */
  remember(statement: Statement, values: Values, count: number, version: number): void {
    if (version !== this.version) return;
    const none = (): BoundedCache<number> => new BoundedCache(rememberedCounts);
    getOrInsert(this.counts, statement, none).set(countKey(statement, values), count);
  }

  /** Ends the snapshot after a commit, so that later reads see the commit. */
  endSnapshot(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { driver } = this.connection;
    try {
      // After some errors (I/O, a damaged file) SQLite has ended the transaction itself.
      if (driver.inTransaction) this.commit.run();
    } catch {
      // The commit may find a damaged file, but no request waits for it.
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
    // A snapshot left open between two turns: a client may know of later commits by another process.
    this.endSnapshot();
    this.begin.run();
    [this.isOpen, this.openedAt] = [true, now];
    setImmediate(() => this.endSnapshot());
    try {
      // Changes with every commit of another connection, in this process or another.
      const version = this.dataVersion.get() ?? -1;
      const isOther = version !== this.lastVersion;
      if (isOther) this.counts = new WeakMap();
      // If this throws, the next read checks again.
      this.served.check(this.connection, isOther);
      this.lastVersion = version;
    } catch (error) {
      this.endSnapshot();
      throw error;
    }
  }
}

/** The values of a counting statement as a cache key. Bound texts hold no NUL, so keys are distinct. */
function countKey(statement: Statement, values: Values): string {
  return valuesFor(statement, values)
    .map((value) => `${typeof value} ${String(value)}`)
    .join('\0');
}
