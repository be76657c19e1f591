import { setTimeout as delay } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { databaseDefaults } from '../../specification/keys/server.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { citus, postgres, postgresAlike } from './dialect.ts';
import { valuesFor, type Statement, type Values } from '../../sql/statement.ts';
import {
  ConstraintError,
  DatabaseFailure,
  rowsFrom,
  type ConnectionCounts,
  type Database,
  type Row,
  type Take,
  type Transaction,
} from '../database.ts';
import { readPostgresUrl, type PostgresAddress } from './address.ts';
import {
  isFull,
  isInterruption,
  isLoss,
  isPassing,
  isUnsupported,
  meaningOf,
  OutdatedSession,
  oldestVersion,
  openFailure,
  outcomeUnknown,
} from './errors.ts';
import { noAnswer, type Connection } from './connection.ts';
import { brief, Pool, type PoolOptions, type Sharing } from './pool.ts';
import { NeedsChecks, NeedsSavepoints, OpenTransaction, type Care } from './transaction.ts';

export interface PostgresOptions {
  /** Connections at most; 10. */
  readonly poolSize?: number | undefined;
  /** The deadline of a statement, in ms; 10 s. */
  readonly statementTimeout?: number | undefined;
  /** `transaction`: a pooler such as pgbouncer stands in between, so nothing may outlive a transaction. */
  readonly pooler?: 'transaction' | undefined;
}

/** How often a transaction is run again that another one has got in the way of. */
const retries = 3;
/** How many statements keep a name on the server, and from which use on. Names are never given back. */
const namedStatements = 200;
const namedFromUse = 3;
/** How long it may take to say that it can be used, in ms: a pooler has tried a server that was away again by then. */
const checkTimeout = 20_000;
/** An answer that is no older, in ms, tells that the server is there. */
const justNow = 1_000;
/** After this time others may be the hottest statements, in ms: as long as a connection lives. */
const namingPeriod = 30 * 60_000;

/** What else but PostgreSQL itself the server is: another database that speaks as it does, or one with Citus. */
const kindOfServer =
  `CASE WHEN EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN 'citus'` +
  ` WHEN version() NOT LIKE 'PostgreSQL %' OR version() LIKE '%-YB-%' THEN 'alike' END`;

/**
 * Lets a transaction take as long as it does, and the server name types and columns as they are compared, for a role that
 * has all names put in quotes. PostgreSQL knows a deadline of transactions from 17 on.
 */
const unboundedSettings =
  `SELECT set_config(name, CASE name WHEN 'quote_all_identifiers' THEN 'off' ELSE '0' END, true)` +
  ` FROM pg_settings WHERE name IN ('quote_all_identifiers', 'statement_timeout', 'transaction_timeout')`;

/**
 * Connects to a PostgreSQL database. Rejects with a `DatabaseFailure` that says in one sentence what is wrong with
 * it, without the password.
 */
export async function openPostgres(
  database: string | PostgresAddress,
  options: PostgresOptions = {},
): Promise<PostgresDatabase> {
  const address = typeof database === 'string' ? readPostgresUrl(database) : database;
  // The driver would try one after the other, and lose errors on the way.
  if (address.target.host?.some((host) => host.includes(',')) === true)
    throw new DatabaseFailure('The URL of the database, or PGHOST, names several hosts; name one.');
  const opened = new PostgresDatabase(address, {
    size: options.poolSize ?? databaseDefaults.poolSize,
    statementTimeout: options.statementTimeout ?? databaseDefaults.statementTimeout,
    isPooled: options.pooler === 'transaction',
  });
  try {
    await opened.check();
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

export class PostgresDatabase implements Database {
  /** Known once it was checked. */
  dialect: Dialect = postgresAlike;
  readonly asksAtOnce = true;
  private readonly pool: Pool;
  private readonly canName: boolean;
  private uses = new WeakMap<Statement, number>();
  private named = 0;
  /** How long a statement took when it was last run, in ms. */
  private readonly durations = new WeakMap<Statement, number>();
  private namingSince = performance.now();

  constructor(address: PostgresAddress, options: PoolOptions) {
    this.pool = new Pool(address, options);
    this.canName = !options.isPooled;
  }

  async all(statement: Statement, values: Values): Promise<readonly Row[]> {
    const parameters = valuesFor(statement, values);
    const isNamed = this.isNamed(statement);
    return this.asking(
      async (connection) => {
        const since = performance.now();
        const { sql } = statement;
        const { rows } = await connection.query(sql, parameters, isNamed, values.budget);
        this.durations.set(statement, performance.now() - since);
        return rows;
      },
      this.isBrief(statement, 'read'),
    );
  }

  stream(statement: Statement, values: Values, signal: AbortSignal, take: Take): Promise<void> {
    const parameters = valuesFor(statement, values);
    let isFresh = true;
    const takeOver: Take = (rows) => {
      isFresh = false;
      return take(rows);
    };
    return this.asking(
      async (connection) => {
        const stop = (): void => connection.giveUp();
        signal.throwIfAborted();
        signal.addEventListener('abort', stop);
        try {
          await connection.stream(statement.sql, parameters, takeOver);
        } finally {
          signal.removeEventListener('abort', stop);
        }
      },
      false,
      () => isFresh && !signal.aborted,
    );
  }

  async count(statement: Statement, values: Values): Promise<number> {
    const [row] = await this.all(statement, values);
    return Number(row?.[0]);
  }

  async write<Value>(work: (transaction: Transaction) => Promise<Value>): Promise<Value> {
    const isSequential = this.dialect === citus;
    let care: Care = { keepsSavepoints: false, checksAtOnce: false, isSequential };
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.attempt(work, care);
      if ('value' in outcome) return outcome.value;
      const { error } = outcome;
      if (error instanceof NeedsSavepoints)
        care = { keepsSavepoints: true, checksAtOnce: care.checksAtOnce, isSequential };
      else if (error instanceof NeedsChecks)
        care = { keepsSavepoints: true, checksAtOnce: true, isSequential };
      else if (attempt < retries && isPassing(error)) await pause(attempt);
      else if (attempt === 0 && isInterruption(error)) this.pool.renew();
      else if (!this.mayWait(error, attempt)) throw meaningOf(error);
    }
  }

  /**
   * The statement commits itself: it goes out and comes back in one trip, perhaps with others on one connection. One of
   * several parts is refused by a table with rules (CREATE RULE), so that these are to be run one by one.
   */
  async writeOne(statement: Statement, values: Values): Promise<readonly Row[]> {
    const parameters = valuesFor(statement, values);
    for (let attempt = 0; ; attempt += 1) {
      const lent = this.isBrief(statement, 'write') ? this.pool.share('write') : this.pool.lend();
      const connection = lent instanceof Promise ? await lent : lent;
      const since = performance.now();
      let isSent = false;
      try {
        // What fails before the session is open has changed nothing.
        if (!connection.isOpen) await connection.command('SELECT 1');
        isSent = true;
        const isNamed = this.isNamed(statement);
        return (await connection.query(statement.sql, parameters, isNamed)).rows;
      } catch (error) {
        if (attempt < retries && isPassing(error)) await pause(attempt);
        else if (
          attempt === 0 &&
          isInterruption(error) &&
          (!isSent || error instanceof OutdatedSession)
        )
          this.pool.renew();
        else if (isUnsupported(error)) throw new ConstraintError('other', '', { cause: error });
        else if (!this.mayWait(error, attempt))
          throw isSent && isLoss(error) ? outcomeUnknown(error) : meaningOf(error);
      } finally {
        this.durations.set(statement, performance.now() - since);
        this.pool.giveBack(connection);
      }
    }
  }

  private async attempt<Value>(
    work: (transaction: Transaction) => Promise<Value>,
    care: Care,
  ): Promise<{ readonly value: Value } | { readonly error: unknown }> {
    const connection = await this.pool.lend();
    const isNamed = (statement: Statement): boolean => this.isNamed(statement);
    const transaction = new OpenTransaction(connection, isNamed, care);
    try {
      await transaction.begin();
      const value = await work(transaction);
      await transaction.commit();
      return { value };
    } catch (thrown) {
      const error = transaction.failure ?? thrown;
      await transaction.rollback();
      return { error };
    } finally {
      this.pool.giveBack(connection);
    }
  }

  async ping(): Promise<boolean> {
    // While there is much to do, whoever asks would wait behind it.
    if (performance.now() - this.pool.answeredAt < justNow) return true;
    try {
      return (await rowsFrom(this, 'SELECT 1')).length === 1;
    } catch {
      return false;
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  connections(): ConnectionCounts {
    return this.pool.counts;
  }

  /** Runs `work` in a transaction without a deadline, in which the schema is changed. */
  changing<Value>(work: (ask: Ask) => Promise<Value>): Promise<Value> {
    return this.unbounded([], work);
  }

  /** Runs `work`, which only looks, without a deadline and on one state of the database. */
  looking<Value>(work: (ask: Ask) => Promise<Value>): Promise<Value> {
    return this.unbounded(['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY'], work);
  }

  /** The settings end with the transaction. */
  private unbounded<Value>(
    settings: readonly string[],
    work: (ask: Ask) => Promise<Value>,
  ): Promise<Value> {
    return this.write(async (transaction) => {
      const ask: Ask = (sql, bound = []) =>
        transaction.all({ sql, parameters: bound.map((_, index) => index) }, { bound });
      for (const sql of [...settings, unboundedSettings]) await ask(sql);
      return work(ask);
    });
  }

  /** Whether it answers, and is one that can be used. */
  async check(): Promise<void> {
    const connection = await this.pool.lend();
    const { name } = connection;
    // A pooler lets a session begin, and may then have no server for it for as long as it likes.
    const timer = setTimeout(() => connection.lose(noAnswer(name)), checkTimeout);
    try {
      const { rows } = await connection.query(
        `SELECT current_setting('server_version_num')::int / 10000, getdatabaseencoding(),` +
          ` current_setting('DateStyle'), current_setting('extra_float_digits')::int,` +
          ` current_setting('standard_conforming_strings'), ${kindOfServer},` +
          ` current_setting('transaction_timeout', true)`,
        [],
        false,
      );
      const [version, encoding, dateStyle, floatDigits, conforming, kind, deadline] = rows[0] ?? [];
      const refuse = (reason: string): never => {
        throw new DatabaseFailure(`The database ${name} ${reason}.`);
      };
      if (Number(version) < oldestVersion)
        refuse(`runs PostgreSQL ${String(version)}; ${oldestVersion} or newer is needed`);
      if (encoding !== 'UTF8') refuse(`has the encoding ${String(encoding)}; UTF8 is needed`);
      // Set for each session, but not where a pooler stands in between.
      if (!String(dateStyle).startsWith('ISO')) refuse('must have DateStyle ISO for this role');
      if (conforming !== 'on') refuse('must have standard_conforming_strings on for this role');
      if (Number(floatDigits) < 1) refuse('must have extra_float_digits 1 for this role');
      if (kind === null) this.dialect = postgres;
      if (kind === 'citus') this.dialect = citus;
      // It would end the session under a stream or a write. A session of PostgreSQL 15 that named it would be refused.
      if (deadline !== null && this.canName) {
        this.pool.set('transaction_timeout', '0');
        if (deadline !== '0') connection.abandon();
      }
    } catch (error) {
      throw openFailure(name, error);
    } finally {
      clearTimeout(timer);
      this.pool.giveBack(connection);
    }
  }

  /** Whether a statement keeps a name on the server: one of the first to be used often. */
  private isNamed(statement: Statement): boolean {
    if (!this.canName) return false;
    const uses = this.uses.get(statement) ?? 0;
    if (uses >= namedFromUse) return true;
    if (this.named >= namedStatements) {
      if (performance.now() - this.namingSince < namingPeriod) return false;
      this.uses = new WeakMap();
      this.named = 0;
      this.namingSince = performance.now();
    }
    this.uses.set(statement, uses + 1);
    if (uses + 1 < namedFromUse) return false;
    this.named += 1;
    return true;
  }

  /** Whether a statement was so when it was last run: it may share a connection with its like then. */
  private isBrief(statement: Statement, sharing: Sharing): boolean {
    const duration = this.durations.get(statement);
    return duration !== undefined && duration < brief[sharing];
  }

  /** Lends a connection for a question, which a server that was restarted is asked again if it `mayRepeat`. */
  private async asking<Answer>(
    question: (connection: Connection) => Promise<Answer>,
    isBrief: boolean,
    mayRepeat = (): boolean => true,
  ): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      const connection = await (isBrief ? this.pool.share('read') : this.pool.lend());
      try {
        return await question(connection);
      } catch (error) {
        if (attempt === 0 && isInterruption(error) && mayRepeat()) this.pool.renew();
        // So a standby gives up what reads rows that are about to go.
        else if (attempt < retries && isPassing(error) && mayRepeat()) await pause(attempt);
        else if (!this.mayWait(error, attempt)) throw meaningOf(error);
      } finally {
        this.pool.giveBack(connection);
      }
    }
  }

  /** Whether a server that has no further session for this pool leaves it one to wait for. */
  private mayWait(error: unknown, attempt: number): boolean {
    return isFull(error) && attempt < retries && this.pool.isLeftWithSome();
  }
}

/** Lets another transaction go first. */
function pause(attempt: number): Promise<void> {
  return delay(Math.random() * 10 * 2 ** attempt);
}

/** Asks with values for `$1`, `$2`, … */
export type Ask = (sql: string, bound?: Values['bound']) => Promise<readonly Row[]>;
