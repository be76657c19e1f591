import { setTimeout as delay } from 'node:timers/promises';
import Driver from 'better-sqlite3';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { ConstraintError, DatabaseFailure, type FailureKind } from '../database.ts';

/**
 * How long to retry while another process has the file locked, in ms. See
 * docs/contract/3-writing.md#transactions, rule 3.
 */
export const busyPatience = 5_000;

/**
 * The longest pause between attempts, in ms. An attempt is cheap; after a longer pause, other processes that write
 * often would always be first.
 */
const longestPause = 2;

/** The extended result code of a SQLite error; empty for any other error. */
export function codeOf(error: unknown): string {
  return error instanceof Driver.SqliteError ? error.code : '';
}

/** Whether another process has the file locked. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED)/u.test(codeOf(error));
}

/** The part after the colon in `CHECK constraint failed: a > 0`. */
function ruleIn(error: unknown): string {
  return (error as Error).message.replace(/^[A-Z ]+ constraint failed(?:: )?/u, '');
}

/** The meaning of a SQLite error for callers; an error without one is a bug and stays as it is. */
export function meaningOf(error: unknown): unknown {
  const code = codeOf(error);
  const { message } = (error ?? {}) as Error;
  const broken = (kind: ConstraintError['kind']): ConstraintError =>
    new ConstraintError(kind, ruleIn(error), { cause: error });
  const failed = (kind: FailureKind, text: string): DatabaseFailure =>
    new DatabaseFailure(text, { cause: error, kind });
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY')
    return broken('unique');
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY' || code === 'SQLITE_CONSTRAINT_TRIGGER')
    return broken('foreignKey');
  if (code === 'SQLITE_CONSTRAINT_NOTNULL') return broken('notNull');
  if (code.startsWith('SQLITE_CONSTRAINT')) return broken('other');
  if (isBusy(error)) return failed('busy', 'The database is locked by another process.');
  // The schema was changed while the service runs, and has to be restored.
  if (
    code === 'SQLITE_ERROR' &&
    /^no such (?:table|column)\b|^table .* has no column named |^cannot (?:INSERT into|UPDATE) generated column /su.test(
      message,
    )
  )
    return failed('changed', `The database is not as the specification says: ${message}.`);
  return /^SQLITE_(?:FULL|IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|PERM|AUTH|PROTOCOL|NOMEM)/u.test(
    code,
  )
    ? failed('unavailable', `The database cannot be used (${code}).`)
    : error;
}

/**
 * Runs `work`. If another process has the file locked when it begins, retries until `end` without blocking the event
 * loop. Throws errors by their meaning (`meaningOf`).
 */
export function onceFree<Value>(
  work: () => MaybePromise<Value>,
  end?: number,
): MaybePromise<Value> {
  try {
    // Only a lock at the beginning is retried: a promise of `work` is returned as it is.
    return work();
  } catch (error) {
    if (!isBusy(error)) throw meaningOf(error);
    return tryAgain(work, error, end ?? performance.now() + busyPatience);
  }
}

async function tryAgain<Value>(
  work: () => MaybePromise<Value>,
  error: unknown,
  end: number,
): Promise<Value> {
  let last = error;
  for (let pause = 1; isBusy(last) && performance.now() <= end; pause *= 2) {
    await delay(Math.min(pause, longestPause));
    try {
      return work();
    } catch (again) {
      last = again;
    }
  }
  throw meaningOf(last);
}
