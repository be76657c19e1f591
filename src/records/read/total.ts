import type { PageNumbers } from '../../query/bind.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import type { Statement, Values } from '../../sql/statement.ts';
import type { Database } from '../../databases/database.ts';

/** The number of records in a page, and of rows read, which may be one more. */
interface PageSize {
  readonly count: number;
  readonly read: number;
}

/** The number of records in a list, if it was requested, and whether it is an estimate. */
interface Total {
  readonly total: number | undefined;
  readonly isEstimated: boolean;
}

/** Counts or estimates the records of a list, as requested. */
export function readTotal(
  compiled: CompiledRead,
  values: Values,
  { limit, offset }: PageNumbers,
  seen: PageSize,
  database: Database,
): MaybePromise<Total> {
  const { count } = compiled;
  if (count === undefined) return { total: undefined, isEstimated: false };
  // A page that is neither full nor empty is the last one, so it gives the total; so does an empty first page.
  const isKnown = seen.count < limit && (seen.count > 0 || offset === 0);
  if (isKnown) return { total: offset + seen.count, isEstimated: false };
  const guessed =
    compiled.estimate && estimate(compiled.estimate, values, database, offset + seen.read);
  return after(guessed, (guess): MaybePromise<Total> =>
    guess === undefined
      ? after(database.count(count, values), (total) => ({ total, isEstimated: false }))
      : { total: guess, isEstimated: true },
  );
}

/** Below this a count is as fast as an estimate. */
const leastEstimate = 10_000;

/** The planner's estimate of the number of rows, at least `seen`; undefined if counting is better. */
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
