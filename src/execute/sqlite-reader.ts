import type Driver from 'better-sqlite3';
import { BoundedCache } from '../bounded-cache.ts';
import { valuesFor, type Statement, type Values } from '../sql/statement.ts';
import type { Row } from './database.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** How many totals are remembered until something changes. */
const rememberedCounts = 1_000;

/**
 * The connection that reads. The reads of one turn of the event loop share a snapshot: a request sees its list, its
 * total and its expansions at one moment, and the file is locked once for all of them instead of once for each
 * statement.
 */
export class SqliteReader {
  private readonly connection: SqliteConnection;
  private readonly counts = new BoundedCache<number>(rememberedCounts);
  private readonly begin: Driver.Statement<[]>;
  private readonly commit: Driver.Statement<[]>;
  private readonly dataVersion: Driver.Statement<[], number>;
  private isOpen = false;
  private version = -1;

  constructor(connection: SqliteConnection) {
    this.connection = connection;
    const { driver } = connection;
    this.begin = driver.prepare('BEGIN');
    this.commit = driver.prepare('COMMIT');
    this.dataVersion = driver.prepare<[], number>('PRAGMA data_version').pluck();
  }

  all(statement: Statement, values: Values): readonly Row[] {
    this.openSnapshot();
    return this.connection.all(statement, values);
  }

  /** The result of a counting statement, remembered until anything in the file changes. */
  count(statement: Statement, values: Values): number {
    this.openSnapshot();
    const parameters = valuesFor(statement, values);
    const texts = parameters.map((value) => `${typeof value} ${String(value)}`);
    // No bound text holds a NUL, so that it cannot look like two.
    const key = [statement.sql, ...texts].join('\0');
    let count = this.counts.get(key);
    if (count === undefined) {
      count = Number(this.connection.prepare(statement).get(...parameters)?.[0]);
      this.counts.set(key, count);
    }
    return count;
  }

  /** After a commit: what is read from now on sees it. */
  endSnapshot(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    // Some errors (I/O, a damaged file) have ended it already.
    if (this.connection.driver.inTransaction) this.commit.run();
  }

  close(): void {
    this.endSnapshot();
    this.connection.driver.close();
  }

  private openSnapshot(): void {
    if (this.isOpen) return;
    this.begin.run();
    this.isOpen = true;
    setImmediate(() => this.endSnapshot());
    try {
      // Changes with every commit of another connection, the own writer and other processes included.
      const version = this.dataVersion.get() ?? -1;
      if (version !== this.version) this.counts.clear();
      this.version = version;
    } catch (error) {
      this.endSnapshot();
      throw error;
    }
  }
}
