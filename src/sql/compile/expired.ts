import { quote, quoteTable, type Dialect } from '../dialect.ts';
import { buildStatement, type Statement } from '../statement.ts';

/** How many expired rows are deleted at a time. */
export const expiredPerRun = 1_000;

/** Deletes some rows of a table of the service whose `at` is before time 0; returns a row for each. */
export function deleteExpired(dialect: Dialect, table: string, key: string): Statement {
  const [name, id, at] = [quoteTable(table), quote(key), quote('at')];
  return buildStatement(
    dialect,
    (add) =>
      `DELETE FROM ${name} WHERE ${id} IN (SELECT ${id} FROM ${name} WHERE ${at} < ${add(0)}` +
      ` ORDER BY ${at} LIMIT ${expiredPerRun}) RETURNING 1`,
  );
}
