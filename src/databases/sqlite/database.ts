import { performance } from 'node:perf_hooks';
import type Driver from 'better-sqlite3';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Api } from '../../model/api.ts';
import { databaseDefaults } from '../../specification/keys/server.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { searchIndexOf } from '../../sql/schema/search-index.ts';
import { overExisting } from './existing/dialect.ts';
import { valuesFor, type Statement, type Values } from '../../sql/statement.ts';
import {
  DatabaseFailure,
  type Database,
  type Row,
  type Take,
  type Transaction,
} from '../database.ts';
import { OwnTime } from '../../lib/cpu-time.ts';
import { ReaderProcesses } from './slow-reads/reader-processes.ts';
import { unguardedColumns } from './catalog.ts';
import { collatedColumns } from './catalog.ts';
import { SqliteConnection } from './connection.ts';
import { ReadCosts } from './slow-reads/read-costs.ts';
import { codeOf, isBusy, meaningOf, onceFree } from './errors.ts';
import { OpenFile } from './file.ts';
import { GivenStatements, refusalOf, taken } from './given-sql.ts';
import type { GivenAnswer } from '../given-sql.ts';
import { ReadConnection } from './read-connection.ts';
import { SearchIndexes } from './search/index-upkeep.ts';
import { ServedKinds } from './existing/served-kinds.ts';
import { streamRows } from './stream.ts';
import { WriteQueue } from './write-queue.ts';

/** The failures of opening a file, for users. */
const openFailures: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'is not a SQLite database',
  SQLITE_CORRUPT: 'is damaged: SQLite cannot read it',
  SQLITE_CANTOPEN:
    'cannot be opened: check that the folder exists and that it may be read and written',
  SQLITE_READONLY: 'cannot be written to: check the permissions of the file and of its folder',
  SQLITE_PERM: 'cannot be opened: permission denied',
  SQLITE_BUSY: 'is locked by another process',
};

/** The page cache of a temporary file, in bytes: there may be many such files. */
const temporaryCache = 16 * 1024 * 1024;

/** The page cache of each of a file's two connections, in bytes, within so much memory of the process. */
function cacheWithin(memory = Infinity): number {
  return Math.floor(Math.min(128 * 1024 * 1024, memory / 16));
}

/**
 * The size to which the write-ahead log is truncated when it restarts, in bytes. While reads overlap it cannot
 * restart, and SQLite would keep the size that it reached meanwhile until the file is closed.
 */
const keptLog = 16 * 1024 * 1024;

/**
 * `durable` survives power loss; `temporary` is for files that are deleted at the end; `read` never writes and leaves
 * the file unchanged, its journal mode included.
 */
export type Durability = 'durable' | 'temporary' | 'read';

export interface SqliteOptions {
  /** The deadline of a read, in ms. */
  readonly statementTimeout?: number | undefined;
  /** The memory limit of this process and its reader processes, in bytes. Absent: no limit is known. */
  readonly memory?: number;
  /** Reader processes that several files share, with a deadline of their own. Absent: the file gets its own. */
  readonly readers?: ReaderProcesses;
  /** Takes lines for the log. */
  readonly report?: (line: string) => void;
}

/**
 * Opens or creates a SQLite file with one connection that writes and one that reads, so that reads never see half of
 * a transaction. Throws a `DatabaseFailure` whose message is one sentence.
 */
export function openSqlite(
  file: string,
  durability: Durability = 'durable',
  options: SqliteOptions = {},
): SqliteDatabase {
  try {
    return new SqliteDatabase(file, durability, options);
  } catch (error) {
    const reason =
      openFailures[codeOf(error)] ??
      openFailures[codeOf(error).split('_').slice(0, 2).join('_')] ??
      (/directory does not exist/u.test(String(error))
        ? openFailures['SQLITE_CANTOPEN']
        : undefined);
    if (reason === undefined) throw error;
    throw new DatabaseFailure(`The database file ${file} ${reason}.`, { cause: error });
  }
}

/**
 * Throws if no write can begin, for example because of a side file that another user owns. Locks of other writers do
 * not matter.
 */
function mustTakeWrites(driver: Driver.Database): void {
  try {
    driver.exec('BEGIN IMMEDIATE; ROLLBACK');
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

const ping: Statement = { sql: 'SELECT 1', parameters: [] };

export class SqliteDatabase implements Database {
  readonly dialect: Dialect;
  readonly asksAtOnce = false;
  private readonly file: string;
  private readonly openFile: OpenFile;
  private readonly writer: SqliteConnection;
  private readonly readConnection: ReadConnection;
  private readonly served = new ServedKinds();
  private readonly costs: ReadCosts;
  private readonly processes: ReaderProcesses;
  private readonly sharesProcesses: boolean;
  private readonly queue: WriteQueue;
  private readonly searches: SearchIndexes;
  private readonly given: GivenStatements;
  private readonly isRead: boolean;
  private isKeeping = false;
  private isClosing = false;
  /** The last id, where the driver has rounded it. */
  private readonly lastDigits: Driver.Statement<[], string>;

  constructor(file: string, durability: Durability, options: SqliteOptions) {
    this.file = file;
    const cache = durability === 'temporary' ? temporaryCache : cacheWithin(options.memory);
    const isRead = durability === 'read';
    this.isRead = isRead;
    this.writer = new SqliteConnection(file, { readonly: isRead }, cache);
    try {
      if (!isRead) {
        this.writer.driver.pragma('journal_mode = WAL');
        this.writer.driver.pragma(`journal_size_limit = ${keptLog}`);
        mustTakeWrites(this.writer.driver);
      }
      this.writer.driver.pragma(`synchronous = ${durability === 'temporary' ? 'OFF' : 'FULL'}`);
      // Reads the header and the schema, so that a file that is no database fails here and not at the first request.
      this.writer.driver.pragma('schema_version');
      this.writer.driver.prepare('SELECT count(*) FROM sqlite_schema').get();
      this.lastDigits = this.writer.driver
        .prepare<[], string>('SELECT CAST(last_insert_rowid() AS TEXT)')
        .pluck();
      const connection = new SqliteConnection(file, { readonly: true }, cache);
      this.readConnection = new ReadConnection(connection, this.served);
      this.costs = new ReadCosts(connection.driver);
      this.dialect = overExisting({
        collated: collatedColumns(connection.driver),
        unguarded: unguardedColumns(connection.driver),
      });
      this.openFile = new OpenFile(file, !isRead);
    } catch (error) {
      this.writer.driver.close();
      throw error;
    }
    const deadline = options.statementTimeout ?? databaseDefaults.statementTimeout;
    this.sharesProcesses = options.readers !== undefined;
    this.processes = options.readers ?? new ReaderProcesses(file, deadline, options.memory);
    this.searches = new SearchIndexes(this.writer.driver, (line) => options.report?.(line));
    this.given = new GivenStatements(this.dialect);
    this.queue = new WriteQueue(this.writer.driver, this.transaction(), {
      onBegin: () => this.openFile.check(),
      onBegun: () => this.served.check(this.writer, true),
      onEnd: () => this.keepSearches(),
      onCommit: () => this.readConnection.endSnapshot(),
    });
  }

  private transaction(): Transaction {
    const work: Pick<Transaction, 'all' | 'run'> = {
      all: async (statement, values) => {
        try {
          return this.writer.all(statement, values);
        } catch (error) {
          throw meaningOf(error);
        }
      },
      run: async (statement, values) => {
        try {
          const prepared = this.writer.prepare(statement);
          const parameters = valuesFor(statement, values);
          if (prepared.reader) {
            const returned = prepared.all(...parameters);
            return { rows: returned.length, insertedId: returned[0]?.at(-1) ?? null, returned };
          }
          const { changes, lastInsertRowid } = prepared.run(...parameters);
          const isExact = Number.isSafeInteger(lastInsertRowid);
          const insertedId = isExact ? Number(lastInsertRowid) : (this.lastDigits.get() ?? null);
          return { rows: changes, insertedId, returned: [] };
        } catch (error) {
          throw meaningOf(error);
        }
      },
    };
    return {
      ...work,
      asksAtOnce: false,
      runGiven: async (statement, values) => this.given.run(this.writer.driver, statement, values),
      service: work,
      rehearse: async (work) => {
        const { driver } = this.writer;
        driver.exec('SAVEPOINT rehearsal');
        try {
          return await work();
        } finally {
          // An error may have ended the whole transaction.
          if (driver.inTransaction) driver.exec('ROLLBACK TO rehearsal; RELEASE rehearsal');
        }
      },
      // `ON CONFLICT FAIL` and `RAISE(FAIL)` keep the rows that the statement wrote before.
      attempt: async (work) => {
        const { driver } = this.writer;
        driver.exec('SAVEPOINT attempt');
        try {
          const value = await work();
          driver.exec('RELEASE attempt');
          return value;
        } catch (error) {
          if (driver.inTransaction) driver.exec('ROLLBACK TO attempt; RELEASE attempt');
          throw error;
        }
      },
    };
  }

  all(statement: Statement, values: Values): MaybePromise<readonly Row[]> {
    return onceFree(
      () =>
        this.readHere(statement, values, () => this.readConnection.all(statement, values)) ??
        this.readInProcess(statement, values),
    );
  }

  async stream(
    statement: Statement,
    values: Values,
    signal: AbortSignal,
    take: Take,
  ): Promise<void> {
    this.openFile.check();
    const isSlow = await onceFree(() =>
      this.costs.mayStreamSlowly(statement, values, this.readConnection.version),
    );
    if (!isSlow) return streamRows(this.file, statement, values, signal, take);
    const { file } = this;
    const job = { file, sql: statement.sql, parameters: valuesFor(statement, values) };
    await this.processes.read(job, take, { signal, requester: values.requester });
  }

  count(statement: Statement, values: Values): MaybePromise<number> {
    return onceFree(
      () =>
        this.readConnection.counted(statement, values) ??
        this.readHere(statement, values, () => this.readConnection.count(statement, values)) ??
        this.countInProcess(statement, values, this.readConnection.version),
    );
  }

  /** Runs a read on this thread; undefined if it may be slow and has to run in a reader process. */
  private readHere<Answer>(
    statement: Statement,
    values: Values,
    read: () => Answer,
  ): Answer | undefined {
    const begin = performance.now();
    if (this.costs.mayBeSlow(statement, values, begin, this.readConnection.version))
      return undefined;
    const own = this.costs.isSuspected(statement) ? new OwnTime() : undefined;
    const answer = read();
    const end = performance.now();
    const timedBy = own === undefined ? 'clock' : 'cpu';
    this.costs.ran(statement, values, end, { took: own?.passed ?? end - begin, timedBy });
    return answer;
  }

  private async countInProcess(
    statement: Statement,
    values: Values,
    version: number,
  ): Promise<number> {
    const [row] = await this.readInProcess(statement, values);
    const count = Number(row?.[0]);
    await onceFree(() => this.readConnection.remember(statement, values, count, version));
    return count;
  }

  /** Runs a read in a reader process, which is killed at the deadline. */
  private async readInProcess(statement: Statement, values: Values): Promise<readonly Row[]> {
    this.openFile.check();
    const begin = performance.now();
    const rows: Row[] = [];
    const job = { file: this.file, sql: statement.sql, parameters: valuesFor(statement, values) };
    try {
      const take = (portion: readonly Row[]): boolean => {
        for (const row of portion) if (values.budget?.take(row) !== false) rows.push(row);
        return true;
      };
      const took = await this.processes.read(job, take, { requester: values.requester });
      this.costs.ran(statement, values, performance.now(), { took, timedBy: 'process' });
    } catch (error) {
      const end = performance.now();
      const isLate = error instanceof DatabaseFailure && error.kind === 'timeout';
      if (isLate) this.costs.ran(statement, values, end, { took: end - begin, timedBy: 'process' });
      throw error;
    }
    return rows;
  }

  async runGiven(statement: Statement, values: Values): Promise<GivenAnswer> {
    const { driver } = this.writer;
    const { isRead, columns } = await onceFree(() => this.given.prepare(driver, statement));
    if (!isRead) return this.write(({ runGiven }) => runGiven(statement, values));
    const here = await onceFree(() =>
      this.readHere(statement, values, () =>
        this.readConnection.read((reader) => this.given.run(reader, statement, values)),
      ),
    );
    if (here !== undefined) return here;
    this.openFile.check();
    const rows: Row[] = [];
    const take = (portion: readonly Row[]): boolean => {
      for (const row of taken(portion, values)) rows.push(row);
      return true;
    };
    const { file } = this;
    const { sql } = statement;
    const job = { file, sql, parameters: valuesFor(statement, values), isExact: true };
    try {
      await this.processes.read(job, take, { requester: values.requester });
    } catch (error) {
      throw refusalOf(error, sql);
    }
    return { columns, rows, count: rows.length };
  }

  write<Value>(work: (transaction: Transaction) => Promise<Value>): Promise<Value> {
    return this.queue.add(work);
  }

  writeOne(statement: Statement, values: Values): Promise<readonly Row[]> {
    return this.queue.add(({ all }) => all(statement, values), 'statement');
  }

  async ping(): Promise<boolean> {
    this.openFile.check();
    return this.readConnection.all(ping, { bound: [] }).length === 1;
  }

  serve(api: Api): void {
    this.served.serve(this.writer.driver, api);
    this.given.serve(api);
    this.searches.serve(
      [...api.resources.values()].flatMap((resource) => {
        const schema = searchIndexOf(resource);
        return schema === undefined ? [] : [{ table: resource.table, schema }];
      }),
    );
    // Other programs, and commands that do not serve, leave stale rows.
    if (this.searches.areStale) this.keepSearchesLater();
  }

  /** Indexes what was written, within a bounded time. */
  private keepSearches(): void {
    if (this.searches.any && this.searches.keep()) this.keepSearchesLater();
  }

  /** Indexes stale rows in a transaction of its own, after the writes that wait. */
  private keepSearchesLater(): void {
    if (this.isKeeping || this.isRead) return;
    this.isKeeping = true;
    setImmediate(() => {
      this.isKeeping = false;
      // If it fails, the next write tries it again.
      if (!this.isClosing)
        this.queue.add(async () => undefined, 'statement').catch(() => undefined);
    });
  }

  /** The connection for examining and changing the schema, outside of the write queue. */
  get schemaConnection(): Driver.Database {
    return this.writer.driver;
  }

  /**
   * Changes the schema over `schemaConnection` while no write runs or waits, since both use the same connection.
   * Later reads see the change.
   */
  async changeSchema<Value>(work: () => Promise<Value>): Promise<Value> {
    await this.queue.idle();
    try {
      return await work();
    } finally {
      this.readConnection.endSnapshot();
    }
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await this.queue.idle();
    await (this.sharesProcesses ? this.processes.leave(this.file) : this.processes.close());
    this.readConnection.close();
    this.writer.driver.close();
  }
}
