import { setTimeout as delay } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { databaseDefaults } from '../../specification/keys/server.ts';
import type { Api } from '../../model/api.ts';
import type { SessionSettings } from '../../model/session.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { citus, postgres, postgresAlike } from './dialect.ts';
import { kindOfServer } from './connections/kind-of-server.ts';
import { valuesFor, type Requester, type Statement, type Values } from '../../sql/statement.ts';
import {
  ClientGone,
  ConstraintError,
  DatabaseFailure,
  rowsFrom,
  type ConnectionCounts,
  type CountedPage,
  type Database,
  type Row,
  type Take,
  type Transaction,
} from '../database.ts';
import { readPostgresUrl, type PostgresAddress } from './connections/address.ts';
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
  type ErrorContext,
} from './errors.ts';
import { noAnswer, type Connection } from './connections/connection.ts';
import { brief, Pool, type PoolOptions, type Sharer, type Sharing } from './connections/pool.ts';
import {
  NeedsChecks,
  NeedsSavepoints,
  OpenTransaction,
  type Principal,
  type TransactionOptions,
} from './transaction.ts';
import { GivenReader } from './given-sql.ts';
import type { GivenAnswer } from '../given-sql.ts';
import { Totals } from './totals.ts';
import { CallerSession, checkSession, readInSession, streamInSession } from './session.ts';

export interface PostgresOptions {
  /** The largest number of connections, default 10. */
  readonly poolSize?: number | undefined;
  /** The deadline of a statement, in ms, default 10 s. */
  readonly statementTimeout?: number | undefined;
  /** `transaction`: a pooler such as pgbouncer shares sessions, so nothing may outlive a transaction. */
  readonly pooler?: 'transaction' | undefined;
  /** Settings that its sessions are going to make, to be checked. */
  readonly session?: Readonly<Record<string, string>> | undefined;
}

/** How often to retry a transaction that conflicted with another. */
const retries = 3;
/** How many statements are prepared by name, and from which use on. Names are kept until the connection ends. */
const namedStatements = 200;
const namedFromUse = 3;
/** How long the first check may take, in ms. A pooler gives up on an unavailable server before that. */
const checkTimeout = 20_000;
/** A response no older than this, in ms, shows that the server is up. */
const justNow = 1_000;
/** After this time other statements may get names, in ms. It equals the lifetime of a connection. */
const namingPeriod = 30 * 60_000;

/**
 * Removes the deadlines of a transaction. PostgreSQL has `transaction_timeout` from version 17 on. Names are compared
 * unquoted, which `quote_all_identifiers` of the role would prevent.
 */
const unboundedSettings =
  `SELECT set_config(name, CASE name WHEN 'quote_all_identifiers' THEN 'off' ELSE '0' END, true)` +
  ` FROM pg_settings WHERE name IN ('quote_all_identifiers', 'statement_timeout', 'transaction_timeout',` +
  ` 'idle_in_transaction_session_timeout')`;

/**
 * Connects to a PostgreSQL database. Rejects with a `DatabaseFailure` whose message is one sentence without the
 * password.
 */
export async function openPostgres(
  database: string | PostgresAddress,
  options: PostgresOptions = {},
): Promise<PostgresDatabase> {
  const address = typeof database === 'string' ? readPostgresUrl(database) : database;
  // The driver would try one host after another and lose their errors.
  if (address.target.host?.some((host) => host.includes(',')) === true)
    throw new DatabaseFailure('The URL of the database, or PGHOST, names several hosts; name one.');
  const opened = new PostgresDatabase(address, poolOptions(options));
  try {
    await opened.check(options.session);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** How a pool is made of what the specification says. */
export function poolOptions(options: PostgresOptions): PoolOptions {
  return {
    size: options.poolSize ?? databaseDefaults.poolSize,
    statementTimeout: options.statementTimeout ?? databaseDefaults.statementTimeout,
    isPooled: options.pooler === 'transaction',
  };
}

export class PostgresDatabase implements Database {
  /** Known after `check`. */
  dialect: Dialect = postgresAlike;
  readonly asksAtOnce = true;
  /** As messages name it. */
  readonly name: string;
  /** Whether its sessions cross a network without encryption. Known after `check`. */
  isExposed = false;
  /** What is dangerous in the settings of sessions. Known after `check`. */
  sessionWarning: string | undefined;
  private readonly pool: Pool;
  /** Whether a pooler shares its sessions by transaction. */
  readonly isPooled: boolean;
  private readonly canName: boolean;
  private readonly statementTimeout: number;
  private uses = new WeakMap<Statement, number>();
  private named = 0;
  /** The duration of each statement's last run, in ms. */
  private readonly durations = new WeakMap<Statement, number>();
  private readonly totals = new Totals((sql, bound) => this.ask(sql, bound));
  private namingSince = performance.now();
  private isServing = false;
  /** Of the Api that is served: whether callers get messages. */
  private showsMessages = false;
  private givenReader: GivenReader | undefined;

  constructor(address: PostgresAddress, options: PoolOptions) {
    this.pool = new Pool(address, options);
    this.name = address.name;
    this.isPooled = options.isPooled;
    this.canName = !options.isPooled;
    this.statementTimeout = options.statementTimeout;
  }

  async all(
    statement: Statement,
    values: Values,
    session?: CallerSession,
  ): Promise<readonly Row[]> {
    const parameters = valuesFor(statement, values);
    const isNamed = this.isNamed(statement);
    return this.withConnection(
      async (connection) => {
        const since = performance.now();
        const { sql } = statement;
        const { budget } = values;
        const { rows } =
          session === undefined
            ? await connection.query(sql, parameters, isNamed, budget)
            : await readInSession(connection, session, (one) => this.isNamed(one), {
                read: () => connection.query(sql, parameters, isNamed, budget, 1),
                release: (unwanted) => budget?.release(unwanted.rows),
              });
        this.durations.set(statement, performance.now() - since);
        return rows;
      },
      // The transactions of two callers must not share a connection.
      session === undefined ? this.sharer(statement, 'read') : undefined,
      values.requester,
      session,
    );
  }

  stream(
    statement: Statement,
    values: Values,
    signal: AbortSignal,
    take: Take,
    session?: CallerSession,
  ): Promise<void> {
    const parameters = valuesFor(statement, values);
    let isFresh = true;
    const takeOver: Take = (rows) => {
      isFresh = false;
      return take(rows);
    };
    return this.withConnection(
      async (connection) => {
        const stop = (): void => connection.giveUp();
        signal.throwIfAborted();
        signal.addEventListener('abort', stop);
        const read = (): Promise<void> => connection.stream(statement.sql, parameters, takeOver);
        try {
          await (session === undefined
            ? read()
            : streamInSession(connection, session, this.isNamed(session.make), read));
        } finally {
          signal.removeEventListener('abort', stop);
        }
      },
      undefined,
      values.requester,
      session,
      () => isFresh && !signal.aborted,
    );
  }

  readonly page = async (
    statement: Statement,
    values: Values,
    session?: CallerSession,
  ): Promise<CountedPage> => {
    // What a caller may see depends on more than the rows.
    const place = session === undefined ? this.totals.placeOf(statement, values) : undefined;
    const known = place?.known();
    const rows = await this.all(statement, { ...values, state: known?.state ?? '' }, session);
    const [state, total] = rows[0]?.slice(-2) ?? [];
    if (total === undefined || total === null) return { rows, total: undefined };
    if (known !== undefined && Number(total) === -1) return { rows, total: known.total };
    if (typeof state === 'string') place?.keep({ state, total: Number(total) });
    return { rows, total: Number(total) };
  };

  async count(statement: Statement, values: Values, session?: CallerSession): Promise<number> {
    const [row] = await this.all(statement, values, session);
    return Number(row?.[0]);
  }

  readonly inSession = (settings: SessionSettings): Database => {
    const session = new CallerSession(settings);
    return {
      dialect: this.dialect,
      asksAtOnce: true,
      isOfCaller: true,
      all: (statement, values) => this.all(statement, values, session),
      runGiven: (statement, values) => this.runGiven(statement, values),
      count: (statement, values) => this.count(statement, values, session),
      page: (statement, values) => this.page(statement, values, session),
      stream: (statement, values, signal, take) =>
        this.stream(statement, values, signal, take, session),
      write: (work, requester) => this.write(work, requester, session),
      writeOne: (statement, values) => this.writeOneInSession(statement, values, session),
      ping: () => this.ping(),
      close: () => this.close(),
    };
  };

  async write<Value>(
    work: (transaction: Transaction) => Promise<Value>,
    requester?: Requester,
    session?: CallerSession,
  ): Promise<Value> {
    const isSequential = this.dialect === citus;
    const { showsMessages } = this;
    const principal = { requester, session };
    const shared = { isSequential, showsMessages, givenReader: this.givenReader };
    let transactionOptions: TransactionOptions = {
      ...shared,
      keepsSavepoints: false,
      checksAtOnce: false,
    };
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.attempt(work, transactionOptions, principal);
      if ('value' in outcome) return outcome.value;
      const { error } = outcome;
      if (error instanceof NeedsSavepoints)
        transactionOptions = { ...shared, keepsSavepoints: true, checksAtOnce: false };
      else if (error instanceof NeedsChecks)
        transactionOptions = { ...shared, keepsSavepoints: true, checksAtOnce: true };
      else if (attempt < retries && isPassing(error)) await pause(attempt);
      else if (attempt === 0 && isInterruption(error)) this.pool.renew();
      else if (!this.mayWaitForConnection(error, attempt)) throw meaningOf(error, outcome.context);
    }
  }

  /** Always in a transaction: only the server knows whether a statement changes rows. */
  runGiven(statement: Statement, values: Values): Promise<GivenAnswer> {
    return this.write(({ runGiven }) => runGiven(statement, values), values.requester);
  }

  /**
   * The statement commits itself, so it takes one round trip, perhaps shared with others. A table with rules (CREATE
   * RULE) rejects data-modifying CTEs, so their parts have to be run one by one.
   */
  async writeOne(statement: Statement, values: Values): Promise<readonly Row[]> {
    const parameters = valuesFor(statement, values);
    for (let attempt = 0; ; attempt += 1) {
      const lent = this.pool.lend(undefined, this.sharer(statement, 'write'));
      const connection = lent instanceof Promise ? await lent : lent;
      const since = performance.now();
      let isSent = false;
      try {
        // A failure before the session is open has changed nothing.
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
        else if (!this.mayWaitForConnection(error, attempt))
          throw isSent && isLoss(error)
            ? outcomeUnknown(error)
            : meaningOf(error, this.errorContext(false));
      } finally {
        this.durations.set(statement, performance.now() - since);
        this.pool.giveBack(connection);
      }
    }
  }

  /** As `writeOne`. The statement is committed only once it is known that it ran with the settings of the session. */
  private async writeOneInSession(
    statement: Statement,
    values: Values,
    session: CallerSession,
  ): Promise<readonly Row[]> {
    try {
      return await this.write(({ all }) => all(statement, values), values.requester, session);
    } catch (error) {
      const isUnknown = error instanceof DatabaseFailure && error.kind === 'unsupported';
      throw isUnknown ? new ConstraintError('other', '', { cause: error.cause }) : error;
    }
  }

  private async attempt<Value>(
    work: (transaction: Transaction) => Promise<Value>,
    transactionOptions: TransactionOptions,
    principal: Principal,
  ): Promise<
    { readonly value: Value } | { readonly error: unknown; readonly context: ErrorContext }
  > {
    const { requester } = principal;
    const connection = await this.pool.lend(requester);
    const isNamed = (statement: Statement): boolean => this.isNamed(statement);
    const transaction = new OpenTransaction(connection, isNamed, transactionOptions, principal);
    const timer =
      requester && setTimeout(() => transaction.expire(), this.statementTimeout).unref();
    try {
      await transaction.begin();
      const value = await work(transaction);
      await transaction.commit();
      return { value };
    } catch (thrown) {
      const error = transaction.failure ?? thrown;
      const context = transaction.errorContext;
      await transaction.rollback();
      return { error, context };
    } finally {
      clearTimeout(timer);
      this.pool.giveBack(connection);
    }
  }

  /** Prepared statements keep the types that their parameters had under the schema of before, so their sessions end. */
  serve(api: Api): void {
    this.showsMessages = api.settings.database?.messages === true;
    this.givenReader = new GivenReader(api, this.dialect);
    this.totals.serve([...api.resources.values()].map(({ table }) => table));
    if (this.isServing) this.pool.renewAll();
    this.isServing = true;
  }

  async ping(): Promise<boolean> {
    // Under load, a ping would wait in the queue.
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

  /** A connection beside the pool, whose statements have no deadline. Its user ends it. */
  beside(): Connection {
    return this.pool.another();
  }

  /** Fails all that runs and all that comes until `resume`, as the server of a replica has been lost. */
  leave(): void {
    this.pool.leave();
  }

  resume(): void {
    this.pool.resume();
  }

  /** Runs `work` in a transaction without a deadline that may change the schema. */
  changeSchema<Value>(work: (ask: Ask) => Promise<Value>): Promise<Value> {
    return this.unbounded([], work);
  }

  /**
   * Runs `work` in a session beside the pool, not behind a pooler, where each statement is a transaction of its own without a deadline, as
   * `CREATE INDEX CONCURRENTLY` needs.
   */
  async alone<Value>(work: (ask: Ask) => Promise<Value>): Promise<Value> {
    const connection = this.beside();
    const ask: Ask = async (sql, bound = []) => (await connection.query(sql, bound, false)).rows;
    try {
      await ask(`SELECT set_config('quote_all_identifiers', 'off', false)`);
      return await work(ask);
    } finally {
      await connection.end();
    }
  }

  /** Runs `work` in a read-only transaction without a deadline, on one snapshot. */
  inspect<Value>(work: (ask: Ask) => Promise<Value>): Promise<Value> {
    return this.unbounded(['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY'], work);
  }

  /** The settings are local to the transaction. */
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

  /** Checks that the server responds and can be used, with the settings of sessions if there are any. */
  async check(session?: Readonly<Record<string, string>>): Promise<void> {
    const connection = await this.pool.lend();
    const { name } = connection;
    // A pooler accepts a session even if it has no server for it, and may let it wait.
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
      // Each session sets these, but a pooler may drop the settings.
      if (!String(dateStyle).startsWith('ISO')) refuse('must have DateStyle ISO for this role');
      if (conforming !== 'on') refuse('must have standard_conforming_strings on for this role');
      if (Number(floatDigits) < 1) refuse('must have extra_float_digits 1 for this role');
      this.isExposed = connection.isExposed;
      if (session !== undefined) this.sessionWarning = await checkSession(connection, session);
      if (kind === null) this.dialect = postgres;
      if (kind === 'citus') this.dialect = citus;
      // `transaction_timeout` would end a session during a stream or a write. PostgreSQL before 17 rejects the
      // setting, so it is added only now.
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

  /** Whether a statement is prepared by name: one of the first to be used often. */
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

  /** A statement may share a connection if its last run was short. */
  private sharer(statement: Statement, sharing: Sharing): Sharer {
    return {
      sharing,
      isBrief: () => (this.durations.get(statement) ?? Infinity) < brief[sharing],
    };
  }

  /**
   * Runs `work` on a connection. Retries it after a lost session or a conflict, if it `mayRepeat`. Work that shares no
   * connection ends if the client of the requester goes away.
   */
  private async withConnection<Answer>(
    work: (connection: Connection) => Promise<Answer>,
    sharer: Sharer | undefined,
    requester: Requester | undefined,
    session: CallerSession | undefined,
    mayRepeat = (): boolean => true,
  ): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      const lent = this.pool.lend(requester, sharer);
      const connection = lent instanceof Promise ? await lent : lent;
      let isGone = false;
      const stay = this.pool.isShared(connection)
        ? undefined
        : requester?.onGone(() => {
            isGone = true;
            connection.giveUp();
          });
      try {
        return await work(connection);
      } catch (error) {
        if (isGone) throw new ClientGone({ cause: error });
        if (attempt === 0 && isInterruption(error) && mayRepeat()) this.pool.renew();
        // Another statement on it was told that the server is full; this one has not run, and finds a session elsewhere.
        else if (
          attempt < retries &&
          isInterruption(error) &&
          !connection.hasAnswered &&
          mayRepeat()
        )
          continue;
        // A standby cancels reads of rows that are about to be removed.
        else if (attempt < retries && isPassing(error) && mayRepeat()) await pause(attempt);
        else if (!this.mayWaitForConnection(error, attempt))
          throw meaningOf(error, this.errorContext(session !== undefined));
      } finally {
        stay?.();
        this.pool.giveBack(connection);
      }
    }
  }

  private ask(sql: string, bound: Values['bound']): Promise<readonly Row[]> {
    return this.all({ sql, parameters: bound.map((_, index) => index) }, { bound });
  }

  private errorContext(isOfCaller: boolean): ErrorContext {
    return { isOfCaller, showsMessages: this.showsMessages };
  }

  /** Whether to wait for a connection of the pool because the server has no further one. */
  private mayWaitForConnection(error: unknown, attempt: number): boolean {
    return isFull(error) && attempt < retries && this.pool.isLeftWithSome();
  }
}

/** Lets another transaction go first. */
function pause(attempt: number): Promise<void> {
  return delay(Math.random() * 10 * 2 ** attempt);
}

/** Runs SQL with values for `$1`, `$2`, … */
export type Ask = (sql: string, bound?: Values['bound']) => Promise<readonly Row[]>;
