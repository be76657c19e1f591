import type { Api } from '../model/api.ts';
import type { SqlValue } from '../model/values.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Statement, Values } from '../sql/statement.ts';

/** A row with its values in the order of the SELECT. */
export type Row = readonly SqlValue[];

/** What runs statements: a Database, or a Transaction of one. */
export interface Executor {
  /** Whether statements that do not wait for each other are better asked at once: each takes a way to a server. */
  readonly asksAtOnce: boolean;
  /** Takes the name of the step that begins, where somebody watches. */
  readonly enter?: (stage: string) => void;
  readonly all: (statement: Statement, values: Values) => MaybePromise<readonly Row[]>;
}

/** The rows of a query that is sent no values. */
export function rowsFrom(reader: Pick<Executor, 'all'>, sql: string): MaybePromise<readonly Row[]> {
  return reader.all({ sql, parameters: [] }, { bound: [] });
}

/** Runs statements in one transaction. */
export interface Transaction extends Executor {
  /** On its one connection statements follow each other. */
  readonly asksAtOnce: false;
  readonly all: (statement: Statement, values: Values) => Promise<readonly Row[]>;
  /**
   * Runs a statement that changes rows; gives their number, and the id of an inserted one, which comes last in what the
   * statement returns.
   */
  readonly run: (statement: Statement, values: Values) => Promise<Changed>;
}

/** What a statement that changes rows has done. */
export interface Changed {
  readonly rows: number;
  readonly insertedId: number;
  /** What the statement returns, where it returns anything. */
  readonly returned: readonly Row[];
}

/** How many connections of a pool are in use and free, and how many requests wait for one. */
export interface ConnectionCounts {
  readonly busy: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Takes a portion of rows; whether more are wanted. */
export type Take = (rows: readonly Row[]) => boolean;

/** A connection to one database: the only thing that holds handles. */
export interface Database extends Executor {
  readonly dialect: Dialect;
  /** Its connections, where it has several. */
  readonly connections?: () => ConnectionCounts;
  /**
   * Reads rows of any number from one snapshot and hands them over in portions, between which others have their turn.
   * `take` cannot wait, so that no slow reader holds the snapshot, and says whether it wants more; `signal` ends the
   * reading with an error.
   */
  readonly stream: (
    statement: Statement,
    values: Values,
    signal: AbortSignal,
    take: Take,
  ) => Promise<void>;
  /** The result of a counting statement, perhaps remembered from before nothing had changed. */
  readonly count: (statement: Statement, values: Values) => MaybePromise<number>;
  /**
   * Runs `work` in a transaction of its own: all of it lands or nothing. The promise resolves once it is durable.
   * It may be run again from the start.
   */
  readonly write: <Value>(work: (transaction: Transaction) => Promise<Value>) => Promise<Value>;
  /**
   * Runs one statement that changes rows as a transaction of its own, and gives the rows that it returns. Resolves once
   * it is durable; a constraint that refuses it is thrown as a ConstraintError.
   */
  readonly writeOne: (statement: Statement, values: Values) => Promise<readonly Row[]>;
  /**
   * From now on this Api is served: what its columns hold is to stay, and all else is refused as `changed`. Absent where
   * the database itself keeps values of another kind out.
   */
  readonly serve?: (api: Api) => void;
  /** Whether it answers. */
  readonly ping: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** What the database says about a constraint that a write broke, in terms of the model. */
export class ConstraintError extends Error {
  /** `size`: a value is too long for the index that it is in. */
  readonly kind: 'unique' | 'foreignKey' | 'notNull' | 'size' | 'other';
  /** What the database says of the constraint: its name, its words or its columns. */
  readonly rule: string;
  constructor(kind: ConstraintError['kind'], rule: string, options: ErrorOptions) {
    super(`A ${kind} constraint was broken`, options);
    this.kind = kind;
    this.rule = rule;
  }
}

/** A trigger of others has left a record out of a change, and said nothing. */
export function leftOut(): ConstraintError {
  return new ConstraintError('other', '', { cause: new Error('a trigger leaves it out') });
}

/** What the INSERT or UPDATE of one record has done. Throws a ConstraintError where a trigger has left it out. */
export function madeOne(changed: Changed): Changed {
  if (changed.rows === 0) throw leftOut();
  return changed;
}

/**
 * What a DatabaseFailure means to a client: others hold what it takes; others keep all connections in use, or all
 * processes that read; it cannot be used; somebody has taken away what the specification names; the statement took longer
 * than the deadline; the connection was lost while committing, so that nobody knows whether the write is there.
 */
export type FailureKind =
  | 'busy'
  | 'crowded'
  | 'unavailable'
  | 'changed'
  | 'unsupported'
  | 'timeout'
  | 'outcomeUnknown';

/** The database itself is at fault: missing, locked, damaged, full. The message may be shown to an operator. */
export class DatabaseFailure extends Error {
  readonly kind: FailureKind;
  constructor(message: string, options?: ErrorOptions & { kind?: FailureKind }) {
    super(message, options);
    this.kind = options?.kind ?? 'unavailable';
  }
}
