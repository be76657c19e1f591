import { performance } from 'node:perf_hooks';
import type Driver from 'better-sqlite3';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Api } from '../../model/api.ts';
import { databaseDefaults } from '../../specification/keys/server.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { overExisting } from './existing.ts';
import { valuesFor, type Statement, type Values } from '../../sql/statement.ts';
import {
  DatabaseFailure,
  type Database,
  type Row,
  type Take,
  type Transaction,
} from '../database.ts';
import { OwnTime } from '../../lib/cpu-time.ts';
import { ReaderProcesses } from './slow-reads/processes.ts';
import { unguardedColumns } from './catalog.ts';
import { collatedColumns } from './collations.ts';
import { SqliteConnection } from './connection.ts';
import { ReadCosts } from './slow-reads/costs.ts';
import { codeOf, isBusy, meaningOf, onceFree } from './errors.ts';
import { OpenFile } from './file.ts';
import { SqliteReader } from './reader.ts';
import { ServedKinds } from './served.ts';
import { streamRows } from './stream.ts';
import { WriteQueue } from './write-queue.ts';

/** What each failure of opening a file means to the one who named it. */
const openFailures: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'is not a SQLite database',
  SQLITE_CORRUPT: 'is damaged: SQLite cannot read it',
  SQLITE_CANTOPEN:
    'cannot be opened: check that the folder exists and that it may be read and written',
  SQLITE_READONLY: 'cannot be written to: check the permissions of the file and of its folder',
  SQLITE_PERM: 'cannot be opened: permission denied',
  SQLITE_BUSY: 'is locked by another process',
};

/** Pages that a connection to a temporary file may keep, in bytes: there may be many of them. */
const temporaryCache = 16 * 1024 * 1024;

/**
 * What of the log beside a file is kept when it begins anew, in bytes. As long as reads overlap it cannot begin anew, and what it
 * has grown to meanwhile SQLite would keep until the file is closed.
 */
const keptLog = 16 * 1024 * 1024;

/**
 * How writes treat the disk: `durable` survives power loss, `temporary` is for files gone at the end. With `read` there
 * are none, and nothing of the file is changed, its journal mode included.
 */
export type Durability = 'durable' | 'temporary' | 'read';

export interface SqliteOptions {
  /** What a read may take, in ms. */
  readonly statementTimeout?: number | undefined;
  /** What this process and those that read for it may take, in bytes. Absent: no bound is known. */
  readonly memory?: number;
  /** What reads for several files whatever may take long, with a deadline of its own. Absent: what is made for this one. */
  readonly readers?: ReaderProcesses;
}

/**
 * Opens (or creates) a SQLite file with one connection that writes and one that reads, so that no reader sees half
 * of a transaction. Throws a `DatabaseFailure` that says in one sentence what is wrong with the file.
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

/** Throws where no write could begin, as over a file beside it that somebody else has left; others may be writing. */
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
  private readonly open: OpenFile;
  private readonly writer: SqliteConnection;
  private readonly reader: SqliteReader;
  private readonly served = new ServedKinds();
  private readonly costs: ReadCosts;
  private readonly processes: ReaderProcesses;
  private readonly isShared: boolean;
  private readonly queue: WriteQueue;

  constructor(file: string, durability: Durability, options: SqliteOptions) {
    this.file = file;
    const cache = durability === 'temporary' ? temporaryCache : undefined;
    const isRead = durability === 'read';
    this.writer = new SqliteConnection(file, { readonly: isRead }, cache);
    try {
      if (!isRead) {
        this.writer.driver.pragma('journal_mode = WAL');
        this.writer.driver.pragma(`journal_size_limit = ${keptLog}`);
        mustTakeWrites(this.writer.driver);
      }
      this.writer.driver.pragma(`synchronous = ${durability === 'temporary' ? 'OFF' : 'FULL'}`);
      // Reads the file's header and schema: a file that is no database fails here, not at the first request.
      this.writer.driver.pragma('schema_version');
      this.writer.driver.prepare('SELECT count(*) FROM sqlite_schema').get();
      const connection = new SqliteConnection(file, { readonly: true }, cache);
      this.reader = new SqliteReader(connection, this.served);
      this.costs = new ReadCosts(connection.driver);
      this.dialect = overExisting({
        collated: collatedColumns(connection.driver),
        unguarded: unguardedColumns(connection.driver),
      });
      this.open = new OpenFile(file, !isRead);
    } catch (error) {
      this.writer.driver.close();
      throw error;
    }
    const deadline = options.statementTimeout ?? databaseDefaults.statementTimeout;
    this.isShared = options.readers !== undefined;
    this.processes = options.readers ?? new ReaderProcesses(file, deadline, options.memory);
    this.queue = new WriteQueue(this.writer.driver, this.transaction(), {
      onBegin: () => this.open.mustBeThere(),
      onBegun: () => this.served.mustBeKept(this.writer, true),
      onCommit: () => this.reader.endSnapshot(),
    });
  }

  private transaction(): Transaction {
    return {
      asksAtOnce: false,
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
            return { rows: returned.length, insertedId: Number(returned[0]?.at(-1)), returned };
          }
          const result = prepared.run(...parameters);
          return { rows: result.changes, insertedId: Number(result.lastInsertRowid), returned: [] };
        } catch (error) {
          throw meaningOf(error);
        }
      },
    };
  }

  all(statement: Statement, values: Values): MaybePromise<readonly Row[]> {
    return onceFree(
      () =>
        this.unlessSlow(statement, values, () => this.reader.all(statement, values)) ??
        this.allApart(statement, values),
    );
  }

  async stream(
    statement: Statement,
    values: Values,
    signal: AbortSignal,
    take: Take,
  ): Promise<void> {
    this.open.mustBeThere();
    const isSlow = await onceFree(() =>
      this.costs.mayStreamSlowly(statement, values, performance.now(), this.reader.version),
    );
    if (!isSlow) return streamRows(this.file, statement, values, signal, take);
    const { file } = this;
    const job = { file, sql: statement.sql, parameters: valuesFor(statement, values) };
    await this.processes.read(job, take, signal);
  }

  count(statement: Statement, values: Values): MaybePromise<number> {
    return onceFree(
      () =>
        this.reader.counted(statement, values) ??
        this.unlessSlow(statement, values, () => this.reader.count(statement, values)) ??
        this.countApart(statement, values, this.reader.version),
    );
  }

  /** What a read gives that cannot take long; undefined where it may, so that it has to run apart. */
  private unlessSlow<Answer>(
    statement: Statement,
    values: Values,
    read: () => Answer,
  ): Answer | undefined {
    const begin = performance.now();
    if (this.costs.mayBeSlow(statement, values, begin, this.reader.version)) return undefined;
    const own = this.costs.isSuspected(statement) ? new OwnTime() : undefined;
    const answer = read();
    const end = performance.now();
    this.costs.ran(statement, end, own?.passed ?? end - begin, own !== undefined);
    return answer;
  }

  private async countApart(statement: Statement, values: Values, version: number): Promise<number> {
    const [row] = await this.allApart(statement, values);
    const count = Number(row?.[0]);
    await onceFree(() => this.reader.remember(statement, values, count, version));
    return count;
  }

  /** Runs a read in a process of its own, which is ended at the deadline. */
  private async allApart(statement: Statement, values: Values): Promise<readonly Row[]> {
    this.open.mustBeThere();
    const begin = performance.now();
    const rows: Row[] = [];
    const job = { file: this.file, sql: statement.sql, parameters: valuesFor(statement, values) };
    try {
      const took = await this.processes.read(job, (portion) => {
        for (const row of portion) if (values.budget?.take(row) !== false) rows.push(row);
        return true;
      });
      this.costs.ran(statement, performance.now(), took, true);
    } catch (error) {
      const end = performance.now();
      const isLate = error instanceof DatabaseFailure && error.kind === 'timeout';
      if (isLate) this.costs.ran(statement, end, end - begin, true);
      throw error;
    }
    return rows;
  }

  write<Value>(work: (transaction: Transaction) => Promise<Value>): Promise<Value> {
    return this.queue.add(work);
  }

  writeOne(statement: Statement, values: Values): Promise<readonly Row[]> {
    return this.queue.add(({ all }) => all(statement, values), 'statement');
  }

  async ping(): Promise<boolean> {
    this.open.mustBeThere();
    return this.reader.all(ping, { bound: [] }).length === 1;
  }

  serve(api: Api): void {
    this.served.serve(this.writer.driver, api);
  }

  /** For looking at and changing the schema, outside any transaction of the queue. */
  get schemaConnection(): Driver.Database {
    return this.writer.driver;
  }

  /**
   * Runs what changes the schema over `schemaConnection`: when no write runs or waits, since both share a connection,
   * and what is read from then on sees it.
   */
  async changeSchema<Value>(work: () => Promise<Value>): Promise<Value> {
    await this.queue.idle();
    try {
      return await work();
    } finally {
      this.reader.endSnapshot();
    }
  }

  async close(): Promise<void> {
    await this.queue.idle();
    await (this.isShared ? this.processes.leave(this.file) : this.processes.close());
    this.reader.close();
    this.writer.driver.close();
  }
}
