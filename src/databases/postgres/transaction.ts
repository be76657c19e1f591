import { valuesFor, type Statement, type Values } from '../../sql/statement.ts';
import {
  ConstraintError,
  DatabaseFailure,
  type Changed,
  type Row,
  type Transaction,
} from '../database.ts';
import { isLoss, meaningOf, outcomeUnknown } from './errors.ts';
import type { Connection, Rows } from './connection.ts';

/** A statement sent after the work has ended must not reach the next transaction. */
const over = new Error('The transaction is over');

/** A constraint rejected a change in a transaction without savepoints, so the transaction is repeated with them. */
export class NeedsSavepoints extends Error {}

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
}

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
  private begun: Promise<unknown> = Promise.resolve();
  private isCommitting = false;

  constructor(
    connection: Connection,
    isNamed: (statement: Statement) => boolean,
    options: TransactionOptions,
  ) {
    this.connection = connection;
    this.isNamed = isNamed;
    this.options = options;
  }

  async begin(): Promise<void> {
    const { connection } = this;
    const steps = ['BEGIN ISOLATION LEVEL READ COMMITTED'];
    if (this.options.checksAtOnce) steps.push('SET CONSTRAINTS ALL IMMEDIATE');
    if (this.options.isSequential)
      steps.push(`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`);
    this.begun = connection.command(steps.join('; '));
    // In an open session, BEGIN travels with the first statement: both succeed or fail with the connection.
    if (connection.isOpen) this.begun.catch(() => undefined);
    else await this.begun;
  }

  readonly all = async (statement: Statement, values: Values): Promise<readonly Row[]> =>
    (await this.send(statement, values)).rows;

  readonly run = async (statement: Statement, values: Values): Promise<Changed> => {
    if (this.options.keepsSavepoints) await this.command('SAVEPOINT one');
    try {
      const { rows, count } = await this.send(statement, values);
      if (this.options.keepsSavepoints) await this.command('RELEASE one');
      return { rows: count, insertedId: rows[0]?.at(-1) ?? 0, returned: rows };
    } catch (error) {
      const meaning = meaningOf(error);
      if (!(meaning instanceof ConstraintError)) throw error;
      if (!this.options.keepsSavepoints) {
        this.failure = new NeedsSavepoints('A constraint refused a change', { cause: error });
        throw this.failure;
      }
      this.failure = undefined;
      // `ROLLBACK TO` keeps the savepoint, so the next one would be nested in it.
      await this.command('ROLLBACK TO one');
      await this.command('RELEASE one');
      throw meaning;
    }
  };

  readonly rehearse = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    await this.command('SAVEPOINT rehearsal');
    try {
      return await work();
    } finally {
      // After any other error the transaction is rolled back as a whole.
      if (this.failure === undefined) {
        await this.command('ROLLBACK TO rehearsal');
        await this.command('RELEASE rehearsal');
      }
    }
  };

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

  private async send(statement: Statement, values: Values): Promise<Rows> {
    const { sql } = statement;
    const parameters = valuesFor(statement, values);
    return this.trySend(() =>
      this.connection.query(sql, parameters, this.isNamed(statement), values.budget),
    );
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
