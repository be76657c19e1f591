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
    ...(database.enter === undefined ? {} : { enter: database.enter }),
    ...(transaction.isOfCaller === undefined ? {} : { isOfCaller: transaction.isOfCaller }),
    all: transaction.all,
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
  const { service, enter } = transaction;
  return {
    asksAtOnce: false,
    all: service.all,
    run: service.run,
    service,
    rehearse: (work) => transaction.rehearse(work),
    ...(enter === undefined ? {} : { enter: (stage) => transaction.enter?.(stage) }),
  };
}
