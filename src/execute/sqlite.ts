import Driver from 'better-sqlite3';
import { BoundedCache } from '../bounded-cache.ts';
import { sqlite } from '../sql/sqlite.ts';
import { valuesFor, type Statement, type Values } from '../sql/statement.ts';
import {
  ConstraintError,
  DatabaseFailure,
  type Database,
  type Row,
  type Transaction,
} from './database.ts';
import { WriteQueue } from './write-queue.ts';

type Prepared = Driver.Statement<unknown[], Row>;

/** How many totals are remembered until something changes. */
const rememberedCounts = 1_000;

/** What each failure of opening a file means to the one who named it. */
const openFailures: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: 'is not a SQLite database',
  SQLITE_CORRUPT: 'is damaged: SQLite cannot read it',
  SQLITE_CANTOPEN:
    'cannot be opened: check that the folder exists and that it may be read and written',
  SQLITE_READONLY: 'cannot be written to',
  SQLITE_PERM: 'cannot be opened: permission denied',
  SQLITE_BUSY: 'is locked by another process',
};

function codeOf(error: unknown): string {
  return error instanceof Driver.SqliteError ? error.code : '';
}

/** One connection with what keeps data safe; prepared statements live as long as their Statement. */
class Connection {
  readonly driver: Driver.Database;
  private readonly prepared = new WeakMap<Statement, Prepared>();

  constructor(file: string, options: Driver.Options) {
    this.driver = new Driver(file, { ...options, timeout: 0 });
    this.driver.pragma('trusted_schema = OFF');
    this.driver.pragma('foreign_keys = ON');
    this.driver.pragma('cell_size_check = ON');
  }

  prepare(statement: Statement): Prepared {
    let prepared = this.prepared.get(statement);
    if (prepared === undefined) {
      prepared = this.driver.prepare<unknown[], Row>(statement.sql);
      if (prepared.reader) prepared.raw();
      this.prepared.set(statement, prepared);
    }
    return prepared;
  }

  all(statement: Statement, values: Values): readonly Row[] {
    return this.prepare(statement).all(...valuesFor(statement, values));
  }
}

/** How writes treat the disk: `durable` survives power loss, `temporary` is for files gone at the end. */
export type Durability = 'durable' | 'temporary';

/**
 * Opens (or creates) a SQLite file with one connection that writes and one that reads, so that no reader sees half
 * of a transaction. Throws a `DatabaseFailure` that says in one sentence what is wrong with the file.
 */
export function openSqlite(file: string, durability: Durability = 'durable'): SqliteDatabase {
  try {
    return new SqliteDatabase(file, durability);
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

export class SqliteDatabase implements Database {
  readonly dialect = sqlite;
  private readonly writer: Connection;
  private readonly reader: Connection;
  private readonly queue: WriteQueue;
  private readonly counts = new BoundedCache<number>(rememberedCounts);
  private readonly dataVersion: Driver.Statement<[], number>;
  private countsVersion = -1;

  constructor(file: string, durability: Durability) {
    this.writer = new Connection(file, {});
    try {
      this.writer.driver.pragma('journal_mode = WAL');
      this.writer.driver.pragma(`synchronous = ${durability === 'durable' ? 'FULL' : 'OFF'}`);
      // Reads the file's header and schema: a file that is no database fails here, not at the first request.
      this.writer.driver.pragma('schema_version');
      this.writer.driver.prepare('SELECT count(*) FROM sqlite_schema').get();
      this.reader = new Connection(file, { readonly: true });
      this.dataVersion = this.reader.driver.prepare<[], number>('PRAGMA data_version').pluck();
    } catch (error) {
      this.writer.driver.close();
      throw error;
    }
    this.queue = new WriteQueue(this.writer.driver, this.transaction());
  }

  private transaction(): Transaction {
    return {
      all: async (statement, values) => this.writer.all(statement, values),
      run: async (statement, values) => {
        try {
          const result = this.writer.prepare(statement).run(...valuesFor(statement, values));
          return { rows: result.changes, insertedId: Number(result.lastInsertRowid) };
        } catch (error) {
          throw constraintError(error);
        }
      },
    };
  }

  all(statement: Statement, values: Values): Promise<readonly Row[]> {
    return Promise.resolve(this.reader.all(statement, values));
  }

  count(statement: Statement, values: Values): Promise<number> {
    // Changes with every commit of another connection, the own writer and other processes included.
    const version = this.dataVersion.get() ?? -1;
    if (version !== this.countsVersion) {
      this.counts.clear();
      this.countsVersion = version;
    }
    const parameters = valuesFor(statement, values);
    const key = `${statement.sql}\n${parameters.map((value) => `${typeof value}${String(value)}`).join('\n')}`;
    let count = this.counts.get(key);
    if (count === undefined) {
      count = Number(this.reader.prepare(statement).get(...parameters)?.[0]);
      this.counts.set(key, count);
    }
    return Promise.resolve(count);
  }

  write<Value>(work: (transaction: Transaction) => Promise<Value>): Promise<Value> {
    return this.queue.add(work);
  }

  ping(): Promise<boolean> {
    return Promise.resolve(this.reader.driver.prepare('SELECT 1').get() !== undefined);
  }

  /** For looking at and changing the schema, outside any transaction of the queue. */
  get schemaConnection(): Driver.Database {
    return this.writer.driver;
  }

  async close(): Promise<void> {
    await this.queue.idle();
    this.reader.driver.close();
    this.writer.driver.close();
  }
}

function constraintError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY')
    return new ConstraintError('unique', { cause: error });
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY' || code === 'SQLITE_CONSTRAINT_TRIGGER')
    return new ConstraintError('foreignKey', { cause: error });
  if (code.startsWith('SQLITE_CONSTRAINT')) return new ConstraintError('other', { cause: error });
  return error;
}
