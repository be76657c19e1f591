import type { Statement, Values } from '../../src/sql/statement.ts';
import type { TestApi } from './api.ts';

/** Tells which statements a server sends to its database. */
export interface Watched {
  /** The SQL of the reads that ran while `work` did. */
  readonly during: (work: () => Promise<unknown>) => Promise<readonly string[]>;
}

/** Listens to the reads of a server's own database, which runs them as ever. */
export function watchStatements({ generation }: TestApi): Watched {
  const { database } = generation;
  const seen: string[] = [];
  for (const name of ['all', 'count'] as const) {
    const run = database[name].bind(database) as (
      statement: Statement,
      values: Values,
    ) => Promise<unknown>;
    Object.assign(database, {
      [name]: (statement: Statement, values: Values) => {
        seen.push(statement.sql);
        return run(statement, values);
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
