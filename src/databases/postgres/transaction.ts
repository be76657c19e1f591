import { valuesFor, type Requester, type Statement, type Values } from '../../sql/statement.ts';
import {
  ConstraintError,
  DatabaseFailure,
  RepeatedTransaction,
  type Changed,
  type Row,
  type Transaction,
} from '../database.ts';
import { isLoss, meaningOf, outcomeUnknown, type ErrorContext } from './errors.ts';
import { checkFirstWord, type GivenAnswer } from '../given-sql.ts';
import type { Connection, Rows } from './connections/connection.ts';
import { refusalOf, type GivenReader } from './given-sql.ts';
import { begin, type CallerSession } from './session.ts';

/** A statement sent after the work has ended must not reach the next transaction. */
const over = new Error('The transaction is over');

/** A constraint rejected a change in a transaction without savepoints, so the transaction is repeated with them. */
export class NeedsSavepoints extends RepeatedTransaction {}

/** A deferred constraint failed at the commit, so the transaction is repeated with immediate checks. */
export class NeedsChecks extends Error {}

/** The options of a repeated transaction, and of Citus. */
export interface TransactionOptions {
  /** Sets a savepoint before each change. */
  readonly keepsSavepoints: boolean;
  /** Checks deferred constraints after each change. */
  readonly checksAtOnce: boolean;
  /** Uses one connection to each node of Citus, as foreign keys to reference tables require. */
  readonly isSequential: boolean;
  /** Whether callers get the messages of errors raised on purpose. */
  readonly showsMessages: boolean;
  /** Undefined if no Api is served. */
  readonly givenReader: GivenReader | undefined;
}

/** For whom a transaction runs. */
export interface Principal {
  readonly requester?: Requester | undefined;
  /** The settings of its statements, except those of `service`. */
  readonly session?: CallerSession | undefined;
}

/** Whose settings hold in a transaction. */
type Owner = 'service' | 'caller';

/**
 * One transaction. On PostgreSQL an error ends a transaction, and the cause of a conflict is looked up afterwards;
 * but a savepoint for each change would slow down every successful write. So the first run has none. If a constraint
 * rejects a change, the transaction is rolled back and repeated with savepoints.
 */
export class OpenTransaction implements Transaction {
  readonly asksAtOnce = false;
  /** The error that ended the transaction. After it nothing is sent or committed. */
  failure: unknown;
  private readonly connection: Connection;
  private readonly isNamed: (statement: Statement) => boolean;
  private readonly options: TransactionOptions;
  private readonly principal: Principal;
  private begun: Promise<unknown> = Promise.resolve();
  private isCommitting = false;
  /** Whose settings hold after all that was sent. */
  private owner: Owner = 'service';
  /** Settles once these settings hold; undefined if they do. */
  private entering: Promise<unknown> | undefined;

  constructor(
    connection: Connection,
    isNamed: (statement: Statement) => boolean,
    options: TransactionOptions,
    principal: Principal = {},
  ) {
    this.connection = connection;
    this.isNamed = isNamed;
    this.options = options;
    this.principal = principal;
  }

  get isOfCaller(): boolean {
    return this.principal.session !== undefined;
  }

  /** How the error that ended it is to be read. */
  get errorContext(): ErrorContext {
    const { showsMessages } = this.options;
    return { isOfCaller: this.owner === 'caller', showsMessages };
  }

  readonly meaningOf = (error: unknown): unknown =>
    meaningOf(this.failure ?? error, this.errorContext);

  async begin(): Promise<void> {
    const { connection } = this;
    const steps = [begin];
    if (this.options.checksAtOnce) steps.push('SET CONSTRAINTS ALL IMMEDIATE');
    if (this.options.isSequential)
      steps.push(`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`);
    this.begun = connection.command(steps.join('; '));
    // In an open session, BEGIN travels with the first statement: both succeed or fail with the connection.
    if (connection.isOpen) this.begun.catch(() => undefined);
    else await this.begun;
  }

  readonly all = (statement: Statement, values: Values): Promise<readonly Row[]> =>
    this.allAs('caller', statement, values);

  readonly run = (statement: Statement, values: Values): Promise<Changed> =>
    this.runAs('caller', statement, values);

  readonly runGiven = async (statement: Statement, values: Values): Promise<GivenAnswer> => {
    checkFirstWord(statement.sql);
    const { givenReader } = this.options;
    if (givenReader === undefined) throw new TypeError('No Api is served');
    try {
      const rows = await this.send('service', statement, values);
      return await givenReader.read(rows, this.service);
    } catch (error) {
      this.failure = refusalOf(error, statement.sql) ?? this.failure ?? error;
      throw this.failure;
    }
  };

  get service(): Pick<Transaction, 'all' | 'run'> {
    return {
      all: (statement, values) => this.allAs('service', statement, values),
      run: (statement, values) => this.runAs('service', statement, values),
    };
  }

  readonly rehearse = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    const { owner } = this;
    await this.command('SAVEPOINT rehearsal');
    try {
      return await work();
    } finally {
      // After any other error the transaction is rolled back as a whole.
      if (this.failure === undefined) {
        await this.command('ROLLBACK TO rehearsal');
        await this.command('RELEASE rehearsal');
        // The settings are rolled back as well.
        this.owner = owner;
      }
    }
  };

  readonly attempt = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    const { owner } = this;
    const { keepsSavepoints } = this.options;
    if (keepsSavepoints) await this.command('SAVEPOINT attempt');
    try {
      const value = await work();
      if (keepsSavepoints) await this.command('RELEASE attempt');
      return value;
    } catch (error) {
      if (!(error instanceof ConstraintError)) throw error;
      if (!keepsSavepoints) {
        this.failure = new NeedsSavepoints('A constraint refused a change', { cause: error });
        throw this.failure;
      }
      await this.command('ROLLBACK TO attempt');
      await this.command('RELEASE attempt');
      // The settings are rolled back as well.
      this.owner = owner;
      throw error;
    }
  };

  private async allAs(owner: Owner, statement: Statement, values: Values): Promise<readonly Row[]> {
    return (await this.send(owner, statement, values)).rows;
  }

  private async runAs(owner: Owner, statement: Statement, values: Values): Promise<Changed> {
    const { keepsSavepoints } = this.options;
    if (keepsSavepoints) {
      // After the savepoint, they would be rolled back with the change.
      await this.trySend(async () => this.become(owner));
      await this.command('SAVEPOINT one');
    }
    try {
      const { rows, count } = await this.send(owner, statement, values);
      if (keepsSavepoints) await this.command('RELEASE one');
      return { rows: count, insertedId: rows[0]?.at(-1) ?? 0, returned: rows };
    } catch (error) {
      const meaning = meaningOf(error, this.errorContext);
      if (!(meaning instanceof ConstraintError)) throw error;
      if (!keepsSavepoints) {
        this.failure = new NeedsSavepoints('A constraint refused a change', { cause: error });
        throw this.failure;
      }
      this.failure = undefined;
      // `ROLLBACK TO` keeps the savepoint, so the next one would be nested in it.
      await this.command('ROLLBACK TO one');
      await this.command('RELEASE one');
      const { trace } = this.principal.requester ?? {};
      if (trace !== undefined) trace.databaseError = error;
      throw meaning;
    }
  }

  /** Ends the transaction with `timeout`, unless it is being committed. */
  expire(): void {
    if (this.failure !== undefined || this.isCommitting) return;
    this.failure = new DatabaseFailure('The transaction took too long.', { kind: 'timeout' });
    this.connection.giveUp();
  }

  async commit(): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.isCommitting = true;
    const wasLost = this.connection.isLost;
    try {
      await this.begun;
      const command = await this.connection.command('COMMIT');
      if (command !== 'COMMIT') throw new TypeError('A transaction that had failed was committed');
    } catch (error) {
      this.failure = isLoss(error) && !wasLost ? outcomeUnknown(error) : error;
      if (!this.options.checksAtOnce && meaningOf(error) instanceof ConstraintError)
        this.failure = new NeedsChecks('A deferred constraint refused it', { cause: error });
      throw this.failure;
    }
    this.failure = over;
  }

  async rollback(): Promise<void> {
    this.failure ??= over;
    if (this.connection.isOpen)
      await this.connection.command('ROLLBACK').catch(() => this.connection.abandon());
  }

  private async send(owner: Owner, statement: Statement, values: Values): Promise<Rows> {
    const { sql } = statement;
    const parameters = valuesFor(statement, values);
    const entering = this.principal.session === undefined ? undefined : this.become(owner);
    return this.trySend(() => {
      const isNamed = this.isNamed(statement);
      const sent = this.connection.query(sql, parameters, isNamed, values.budget);
      return entering === undefined ? sent : afterEntering(entering, sent);
    });
  }

  /**
   * Makes the settings hold that a statement of this owner needs. The returned promise need not be awaited before the
   * statement is sent: if it rejects, the server rejects the statement too.
   */
  private become(owner: Owner): Promise<unknown> | undefined {
    const { session } = this.principal;
    if (session === undefined || this.failure !== undefined) return undefined;
    if (owner !== this.owner) {
      this.owner = owner;
      const entering =
        owner === 'caller'
          ? session.enter(this.connection, this.isNamed(session.make))
          : this.connection.command(session.drop);
      this.entering = entering;
      // A failure stays, and fails the next statement.
      const entered = (): void => {
        if (this.entering === entering) this.entering = undefined;
      };
      void entering.then(entered, () => undefined);
    }
    return this.entering;
  }

  private command(sql: string): Promise<string> {
    return this.trySend(() => this.connection.command(sql));
  }

  private async trySend<Value>(send: () => Promise<Value>): Promise<Value> {
    if (this.failure !== undefined) throw this.failure;
    try {
      return await send();
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }
}

/** The rows of a statement that was sent behind the settings. A failure of the settings is the cause of its own. */
async function afterEntering(entering: Promise<unknown>, sent: Promise<Rows>): Promise<Rows> {
  const [entered, answer] = await Promise.allSettled([entering, sent]);
  if (entered.status === 'rejected') throw entered.reason;
  if (answer.status === 'rejected') throw answer.reason;
  return answer.value;
}
