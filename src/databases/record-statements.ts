import type { RanStatement, Recording } from '../observability/recording.ts';
import type { Statement, Values } from '../sql/statement.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { GivenAnswer } from './given-sql.ts';
import type { Changed, Database, Executor, Row, Transaction } from './database.ts';

/** A statement that ran, with its values, so that the database can be asked to explain it. */
export interface Ran {
  readonly database: Database;
  readonly statement: Statement;
  readonly values: Values;
  readonly observed: RanStatement;
}

export interface RecordingOptions {
  /**
   * True if a single request is examined: statements run one after another and counts are not cached, so that every
   * step shows its own cost. Otherwise the request runs as if it were not recorded.
   */
  readonly isExact: () => boolean;
  readonly keep?: (ran: Ran) => void;
}

/** Wraps a database to record every statement; results stay the same. */
export function recordStatements(
  database: Database,
  recording: Recording,
  options: RecordingOptions,
): Database {
  const { isExact, keep } = options;
  const { inSession, page, replication, server } = database;
  const observe = async <Answer>(
    statement: Statement,
    values: Values,
    ask: () => MaybePromise<Answer>,
    rowsOf: (answer: Answer) => number,
  ): Promise<Answer> => {
    const step = recording.current;
    const begin = performance.now();
    let rows: number | undefined;
    try {
      const answer = await ask();
      rows = rowsOf(answer);
      return answer;
    } finally {
      const { sql, isGiven } = statement;
      const observed = { sql, isGiven, step, begin, end: performance.now(), rows };
      recording.ran(observed);
      keep?.({ database, statement, values, observed });
    }
  };
  const all = (
    reader: Pick<Executor, 'all'>,
    statement: Statement,
    values: Values,
  ): Promise<readonly Row[]> =>
    observe(
      statement,
      values,
      () => reader.all(statement, values),
      (rows) => rows.length,
    );
  const runGiven = (
    reader: Pick<Executor, 'runGiven'>,
    statement: Statement,
    values: Values,
  ): Promise<GivenAnswer> =>
    observe(
      statement,
      values,
      () => reader.runGiven(statement, values),
      ({ count }) => count,
    );
  const enter = (stage: string): void => recording.enter(stage);
  const recordWork = (
    transaction: Pick<Transaction, 'all' | 'run'>,
  ): Pick<Transaction, 'all' | 'run'> => ({
    all: (statement, values) => all(transaction, statement, values),
    run: (statement, values): Promise<Changed> =>
      observe(
        statement,
        values,
        () => transaction.run(statement, values),
        (changed) => changed.rows,
      ),
  });
  const recordTransaction = (transaction: Transaction): Transaction => ({
    asksAtOnce: false,
    isOfCaller: transaction.isOfCaller === true,
    enter,
    ...recordWork(transaction),
    runGiven: (statement, values) => runGiven(transaction, statement, values),
    service: recordWork(transaction.service),
    rehearse: transaction.rehearse,
    attempt: transaction.attempt,
    ...(transaction.meaningOf && { meaningOf: transaction.meaningOf }),
  });
  const recorded: Database = {
    dialect: database.dialect,
    ...(server !== undefined && { server }),
    ...(replication && {
      replication: {
        ...replication,
        reader: (after) => {
          const reader = replication.reader(after);
          return reader.server === undefined
            ? recorded
            : recordStatements(reader, recording, options);
        },
      },
    }),
    get asksAtOnce() {
      return database.asksAtOnce && !isExact();
    },
    isOfCaller: database.isOfCaller === true,
    ...(inSession && {
      inSession: (settings) => recordStatements(inSession(settings), recording, options),
    }),
    enter,
    all: (statement, values) => all(database, statement, values),
    runGiven: (statement, values) => runGiven(database, statement, values),
    get page(): Database['page'] {
      if (page === undefined || isExact()) return undefined;
      return (statement, values) =>
        observe(
          statement,
          values,
          () => page(statement, values),
          ({ rows }) => rows.length,
        );
    },
    count: async (statement, values) => {
      if (isExact()) return Number((await all(database, statement, values))[0]?.[0]);
      return observe(
        statement,
        values,
        () => database.count(statement, values),
        () => 1,
      );
    },
    stream: (statement, values, signal, take) => {
      let rows = 0;
      return observe(
        statement,
        values,
        () =>
          database.stream(statement, values, signal, (portion) => {
            rows += portion.length;
            return take(portion);
          }),
        () => rows,
      );
    },
    writeOne: (statement, values) =>
      observe(
        statement,
        values,
        () => database.writeOne(statement, values),
        (rows) => rows.length,
      ),
    write: async (work, requester) => {
      const stage = recording.current?.stage ?? 'write';
      recording.beginPart('begin');
      try {
        return await database.write(async (transaction) => {
          recording.endPart('begin');
          // The work may be run again if the commit fails.
          recording.enter(stage);
          try {
            const value = await work(recordTransaction(transaction));
            recording.enter('commit');
            return value;
          } finally {
            recording.beginPart('commit');
          }
        }, requester);
      } finally {
        // Without a transaction, all of it was waiting for one.
        recording.endPart('begin');
        recording.endPart('commit');
      }
    },
    ping: () => database.ping(),
    close: () => database.close(),
  };
  return recorded;
}
