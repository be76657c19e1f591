import type { PageNumbers } from '../../query/bind.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import type { Statement, Values } from '../../sql/statement.ts';
import type { Database } from '../../databases/database.ts';

/** What a page has shown of its list: its records, and the rows read, which may be one more. */
interface Seen {
  readonly count: number;
  readonly read: number;
}

/** How many records a list has, where that was asked for, and whether that is a guess. */
interface Total {
  readonly total: number | undefined;
  readonly isEstimated: boolean;
}

/** Counts the records of a list, or guesses how many there are, as it was asked for. */
export function readTotal(
  compiled: CompiledRead,
  values: Values,
  { limit, offset }: PageNumbers,
  seen: Seen,
  database: Database,
): MaybePromise<Total> {
  const { count } = compiled;
  if (count === undefined) return { total: undefined, isEstimated: false };
  // A page that is neither full nor empty, and an empty first one, tell the total themselves.
  const tells = seen.count < limit && (seen.count > 0 || offset === 0);
  if (tells) return { total: offset + seen.count, isEstimated: false };
  const guessed =
    compiled.estimate && estimate(compiled.estimate, values, database, offset + seen.read);
  return after(guessed, (guess): MaybePromise<Total> =>
    guess === undefined
      ? after(database.count(count, values), (total) => ({ total, isEstimated: false }))
      : { total: guess, isEstimated: true },
  );
}

/** Below this the guess of a planner is not worth more than a count, which is as quick. */
const leastEstimate = 10_000;

/** The planner's guess at the number of rows, at least as many as were `seen`; undefined where it is better to count. */
async function estimate(
  statement: Statement,
  values: Values,
  database: Database,
  seen: number,
): Promise<number | undefined> {
  const [row] = await database.all(statement, values);
  const guess = database.dialect.estimate?.rows(row?.[0] ?? null) ?? 0;
  return guess < leastEstimate ? undefined : Math.max(guess, seen);
}
