import type { Api } from '../model/api.ts';
import type { SessionSettings } from '../model/session.ts';
import type { SqlValue } from '../model/values.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Requester, Statement, Values } from '../sql/statement.ts';
import type { Position } from './position.ts';
import type { GivenAnswer } from './given-sql.ts';

/** A row, its values in the order of the SELECT. */
export type Row = readonly SqlValue[];

/** Runs statements: a Database, or a Transaction of one. */
export interface Executor {
  /** Whether independent statements are better sent at once, because each is a round trip to a server. */
  readonly asksAtOnce: boolean;
  /** Receives the name of each step as it begins, if the request is recorded. */
  readonly enter?: (stage: string) => void;
  readonly all: (statement: Statement, values: Values) => MaybePromise<readonly Row[]>;
  /**
   * Runs SQL of own code, without the settings of a caller. It is all or nothing. Throws a `RefusedSql` if the database does
   * not take it, after which a transaction has to be rolled back.
   */
  readonly runGiven: (statement: Statement, values: Values) => Promise<GivenAnswer>;
  /** Whether its statements run with the settings of a caller, as `Database.inSession` has made it. */
  readonly isOfCaller?: boolean;
  /** What an error of an open transaction means. Absent: errors come with their meaning. */
  readonly meaningOf?: (error: unknown) => unknown;
}

/** Runs a query without parameters. */
export function rowsFrom(reader: Pick<Executor, 'all'>, sql: string): MaybePromise<readonly Row[]> {
  return reader.all({ sql, parameters: [] }, { bound: [] });
}

/** Runs statements in one transaction. */
export interface Transaction extends Executor {
  /** A transaction has one connection, so its statements follow each other. */
  readonly asksAtOnce: false;
  readonly all: (statement: Statement, values: Values) => Promise<readonly Row[]>;
  /**
   * Runs a statement that changes rows; returns their number, and the id of an inserted row, which is the last value
   * that the statement returns.
   */
  readonly run: (statement: Statement, values: Values) => Promise<Changed>;
  /** The same transaction without the settings of a caller, for the tables of the service. */
  readonly service: Pick<Transaction, 'all' | 'run'>;
  /** Runs `work` and takes back what it has changed. */
  readonly rehearse: <Value>(work: () => Promise<Value>) => Promise<Value>;
  /** Runs `work`; takes back what it has changed if it throws a ConstraintError, after which the transaction goes on. */
  readonly attempt: <Value>(work: () => Promise<Value>) => Promise<Value>;
}

/** The effect of a statement that changes rows. */
export interface Changed {
  readonly rows: number;
  readonly insertedId: SqlValue;
  /** The rows that the statement returns, if any. */
  readonly returned: readonly Row[];
}

/** The rows of a page, and the number of records of the list. */
export interface CountedPage {
  readonly rows: readonly Row[];
  readonly total: number | undefined;
}

/** The connections of a pool in use and idle, and the requests that wait for one. */
export interface ConnectionCounts {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Receives a portion of rows; returns whether more are wanted. */
export type Take = (rows: readonly Row[]) => boolean;

/** `used`: reads go there; `behind`: it lags more than allowed; `lost`: it cannot be used. */
export type ServerUse = 'used' | 'behind' | 'lost';

/** A server of a database. */
export interface ServerState {
  /** `primary`, `replica 1`, `replica 2`, … */
  readonly server: string;
  readonly use: ServerUse;
  /** By how much time it is behind the primary, in ms; undefined if that is not known. */
  readonly lag: number | undefined;
  /** The reads that it has been chosen for. */
  readonly reads: number;
}

/** The servers of a database with replicas that answer reads. */
export interface Replication {
  /**
   * The database for the reads of one request, which must see everything up to a position: of a replica, or of the primary.
   * What a replica fails to answer, the primary answers.
   */
  readonly reader: (after: Position) => Database;
  /** A position behind all that was committed so far; `unreachable` if the primary does not tell it. */
  readonly position: () => Promise<Position>;
  /** Keeps the position of the last write of a caller. */
  readonly remember: (caller: string, position: Position) => void;
  /** The position of the last write of a caller; 0 if none is known. */
  readonly remembered: (caller: string) => Position;
  /** The primary, then the replicas. */
  readonly servers: () => readonly ServerState[];
}

/** A connection to one database. Nothing else holds database handles. */
export interface Database extends Executor {
  readonly dialect: Dialect;
  /** Whether it is a transaction that is open, so that what fails ends all of it. */
  readonly isInTransaction?: boolean;
  /** The state of its connection pool, if it has one. */
  readonly connections?: () => ConnectionCounts;
  /**
   * Reads any number of rows from one snapshot and hands them over in portions, between which other requests run.
   * `take` cannot wait, so that a slow client does not hold the snapshot, and returns whether it wants more. `signal`
   * ends the read with an error.
   */
  readonly stream: (
    statement: Statement,
    values: Values,
    signal: AbortSignal,
    take: Take,
  ) => Promise<void>;
  /**
   * Runs a statement with the rows of a page and the total, see `CompiledRead.counted`. The total may be cached as long as
   * nothing changes; it is undefined if the page is not full. Absent: the dialect has no such statements.
   */
  readonly page?: ((statement: Statement, values: Values) => Promise<CountedPage>) | undefined;
  /** Runs a counting statement. The result may be cached as long as nothing changes. */
  readonly count: (statement: Statement, values: Values) => MaybePromise<number>;
  /**
   * Runs `work` in its own transaction, all or nothing. Resolves once the transaction is durable. `work` may be run
   * again from the start. With a `requester` the transaction as a whole has the deadline of a statement, if the database
   * runs transactions beside each other.
   */
  readonly write: <Value>(
    work: (transaction: Transaction) => Promise<Value>,
    requester?: Requester,
  ) => Promise<Value>;
  /**
   * Runs one statement that changes rows in its own transaction, and returns its rows. Resolves once it is durable.
   * Throws a ConstraintError if a constraint rejects it.
   */
  readonly writeOne: (statement: Statement, values: Values) => Promise<readonly Row[]>;
  /**
   * Serves this Api from now on, perhaps after a migration: nothing prepared before is used any more. On SQLite, if
   * another process changes what its columns hold, statements fail with `changed`.
   */
  readonly serve?: (api: Api) => void;
  /**
   * This database for one caller: each read and each write runs in a transaction with these settings. Absent if the
   * database has no settings of transactions.
   */
  readonly inSession?: (settings: SessionSettings) => Database;
  /** Absent without replicas. */
  readonly replication?: Replication;
  /** The replica that answers its reads; absent: the primary. */
  readonly server?: string;
  /** Whether the database responds. */
  readonly ping: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** A constraint that a write violated, in the terms of the model. */
export class ConstraintError extends Error {
  /** `size`: a value is too long for its index. */
  readonly kind: 'unique' | 'foreignKey' | 'notNull' | 'size' | 'other';
  /** The name, the message or the columns of the constraint, as the database reports it. */
  readonly rule: string;
  constructor(kind: ConstraintError['kind'], rule: string, options: ErrorOptions) {
    super(`A ${kind} constraint was broken`, options);
    this.kind = kind;
    this.rule = rule;
  }
}

/** A function or trigger raised an error on purpose, and callers may know its message and status. */
export class RaisedError extends Error {
  readonly status: number;
  constructor(message: string, status: number, options: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** A trigger skipped a row without an error. */
export function skippedByTrigger(): ConstraintError {
  return new ConstraintError('other', '', { cause: new Error('a trigger leaves it out') });
}

/** A policy of row level security keeps a caller from changing a row that it sees. */
export function refusedByPolicy(): DatabaseFailure {
  return new DatabaseFailure('A policy keeps the caller from changing this row.', {
    kind: 'forbidden',
  });
}

/** Returns the result of an INSERT or UPDATE of one row. Throws a ConstraintError if a trigger skipped the row. */
export function requireOneRow(changed: Changed): Changed {
  if (changed.rows === 0) throw skippedByTrigger();
  return changed;
}

/**
 * The reason of a DatabaseFailure: `busy`, another process or transaction holds a lock; `crowded`, all connections or
 * reader processes are in use; `unavailable`, the database cannot be used; `changed`, something that the
 * specification names is gone; `unsupported`, the database lacks a feature; `timeout`, the statement passed its
 * deadline; `forbidden`, the role of the caller may not do it; `outcomeUnknown`, the connection was lost during a commit, so that the write may or may not have
 * happened.
 */
export type FailureKind =
  | 'busy'
  | 'crowded'
  | 'unavailable'
  | 'changed'
  | 'unsupported'
  | 'timeout'
  | 'forbidden'
  | 'outcomeUnknown';

/** The database itself is at fault: missing, locked, damaged, full. Operators may see the message. */
export class DatabaseFailure extends Error {
  readonly kind: FailureKind;
  constructor(message: string, options?: ErrorOptions & { kind?: FailureKind }) {
    super(message, options);
    this.kind = options?.kind ?? 'unavailable';
  }
}

/** The transaction is about to run again from its start. */
export class RepeatedTransaction extends Error {}

/** The client of a read has disconnected, so the read was ended. */
export class ClientGone extends Error {
  constructor(options?: ErrorOptions) {
    super('The client has gone', options);
  }
}

/** The memory of a value without its text. */
const perValue = 40;

/** The approximate memory of a row, and its length in a response, in characters. */
export function lengthOf(row: Row): number {
  let length = perValue * row.length;
  for (const value of row) if (typeof value === 'string') length += value.length;
  return length;
}

/** The same for several rows. */
export function lengthOfAll(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + lengthOf(row), 0);
}

/** The same for a row in which only the values at `texts` may be long; without `texts`, any of them. */
export function lengthIn(row: Row, texts: readonly number[] | undefined): number {
  if (texts === undefined) return lengthOf(row);
  let length = perValue * row.length;
  for (const position of texts) {
    const value = row[position];
    if (typeof value === 'string') length += value.length;
  }
  return length;
}
