import type { Database, Transaction } from './database.ts';

/**
 * A database whose reads and writes are part of a transaction that is open. A write that fails is not undone by itself:
 * the transaction has to be rolled back.
 */
export function transactionAsDatabase(transaction: Transaction, database: Database): Database {
  const own: Database = {
    dialect: database.dialect,
    asksAtOnce: false,
    isInTransaction: true,
    ...(transaction.meaningOf === undefined ? {} : { meaningOf: transaction.meaningOf }),
    ...(database.enter === undefined ? {} : { enter: database.enter }),
    ...(transaction.isOfCaller === undefined ? {} : { isOfCaller: transaction.isOfCaller }),
    all: transaction.all,
    runGiven: transaction.runGiven,
    stream: () => Promise.reject(new TypeError('Nothing is streamed in a transaction')),
    count: async (statement, values) => Number((await transaction.all(statement, values))[0]?.[0]),
    write: (work) => work(transaction),
    writeOne: async (statement, values) => (await transaction.run(statement, values)).returned,
    inSession: () => own,
    ping: database.ping,
    close: () => Promise.resolve(),
  };
  return own;
}

/** The same transaction without the settings of a caller. */
export function asService(transaction: Transaction): Transaction {
  const { service, enter, meaningOf, runGiven } = transaction;
  return {
    asksAtOnce: false,
    all: service.all,
    run: service.run,
    runGiven,
    service,
    rehearse: (work) => transaction.rehearse(work),
    attempt: (work) => transaction.attempt(work),
    ...(meaningOf === undefined ? {} : { meaningOf }),
    ...(enter === undefined ? {} : { enter: (stage) => transaction.enter?.(stage) }),
  };
}

/** A statement of own code that was sent after its work had ended must not reach the next transaction. */
const over = new TypeError('The transaction is over; await what is sent in it');

/** Runs work in a transaction that takes no statements once the work has ended: own code may go on with what it did not await. */
export async function whileOpen<Value>(
  transaction: Transaction,
  work: (open: Transaction) => Promise<Value>,
): Promise<Value> {
  let isOver = false;
  const checked = ({ all, run }: Transaction['service']): Transaction['service'] => ({
    all: (...given) => (isOver ? Promise.reject(over) : all(...given)),
    run: (...given) => (isOver ? Promise.reject(over) : run(...given)),
  });
  const { enter, isOfCaller, asksAtOnce, meaningOf } = transaction;
  try {
    return await work({
      asksAtOnce,
      ...checked(transaction),
      runGiven: (...given) => (isOver ? Promise.reject(over) : transaction.runGiven(...given)),
      service: checked(transaction.service),
      rehearse: (rehearsal) => (isOver ? Promise.reject(over) : transaction.rehearse(rehearsal)),
      attempt: (attempted) => (isOver ? Promise.reject(over) : transaction.attempt(attempted)),
      ...(enter === undefined ? {} : { enter: (stage) => transaction.enter?.(stage) }),
      ...(isOfCaller === undefined ? {} : { isOfCaller }),
      ...(meaningOf === undefined ? {} : { meaningOf }),
    });
  } finally {
    isOver = true;
  }
}
