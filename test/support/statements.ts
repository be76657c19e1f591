import type { Statement, Values } from '../../src/sql/statement.ts';
import type { TestApi } from './api.ts';

/** Tells which statements a server sends to its database. */
export interface Watched {
  /** The SQL of the reads that ran while `work` did. */
  readonly during: (work: () => Promise<unknown>) => Promise<readonly string[]>;
}

/** Listens to the reads of a server's own database, which runs them as ever. */
export function watchStatements({ servedApi }: TestApi): Watched {
  const { database } = servedApi;
  const seen: string[] = [];
  // A count may be asked as any other statement is.
  let isTold = false;
  for (const name of ['all', 'count'] as const) {
    const run = database[name].bind(database) as (
      statement: Statement,
      values: Values,
    ) => Promise<unknown>;
    Object.assign(database, {
      [name]: (statement: Statement, values: Values) => {
        if (isTold) return run(statement, values);
        seen.push(statement.sql);
        isTold = true;
        try {
          return run(statement, values);
        } finally {
          isTold = false;
        }
      },
    });
  }
  return {
    during: async (work) => {
      seen.length = 0;
      await work();
      return [...seen];
    },
  };
}
