import { setTimeout as delay } from 'node:timers/promises';
import Driver from 'better-sqlite3';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { ConstraintError, DatabaseFailure, type FailureKind } from '../database.ts';

/**
 * How long a file that another process has locked is tried again, in ms. See
 * docs/contract/3-writing.md#transactions, rule 3.
 */
export const busyPatience = 5_000;

/** A try costs little; with longer pauses, other processes that write often would take turn after turn. In ms. */
const longestPause = 2;

/** The result code of an error of SQLite, extended; empty for any other error. */
export function codeOf(error: unknown): string {
  return error instanceof Driver.SqliteError ? error.code : '';
}

/** Whether another process has the file locked. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED)/u.test(codeOf(error));
}

/** `CHECK constraint failed: a > 0`: what stands behind the colon. */
function ruleIn(error: unknown): string {
  return (error as Error).message.replace(/^[A-Z ]+ constraint failed(?:: )?/u, '');
}

/** What an error of SQLite means to those above; whatever is none of these is a bug and stays as it is. */
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
  // Somebody has changed it under the service, and has to bring it back.
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
 * Runs `work` once no other process has the file locked when it begins: tried until `end`, without holding up the event loop.
 * Throws what an error means.
 */
export function onceFree<Value>(
  work: () => MaybePromise<Value>,
  end?: number,
): MaybePromise<Value> {
  try {
    // What it goes on with is its own: nothing of that is tried again.
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
