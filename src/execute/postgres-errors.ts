import { ConstraintError, DatabaseFailure } from './database.ts';

/** The SQLSTATE of an error of the server, or the code of one of the driver or the system; empty for any other. */
function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** Whether the connection, and with it what it was doing, is gone. */
export function isLoss(error: unknown): boolean {
  return /^(?:08|57P|CONN|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/u.test(codeOf(error));
}

/** Whether a session has ended under a statement, as with a server that is started again: a new one may take it. */
export function isInterruption(error: unknown): boolean {
  return /^(?:57P0[12]|CONNECTION_CLOSED|ECONNRESET|EPIPE)$/u.test(codeOf(error));
}

/**
 * Whether a transaction may go well when it is run again: it met another in a way that neither is to blame for, or
 * a table has changed under a prepared statement.
 */
export function isPassing(error: unknown): boolean {
  return (
    /^(?:40001|40P01|26000)$/u.test(codeOf(error)) ||
    (error as { routine?: unknown } | undefined)?.routine === 'RevalidateCachedQuery'
  );
}

/** What an error of PostgreSQL means to those above; whatever is none of these is a bug and stays as it is. */
export function meaningOf(error: unknown): unknown {
  const code = codeOf(error);
  const options = { cause: error };
  if (code === '23505') return new ConstraintError('unique', options);
  if (code === '23503' || code === '23001') return new ConstraintError('foreignKey', options);
  if (code.startsWith('23')) return new ConstraintError('other', options);
  if (code === '57014')
    return new DatabaseFailure('The database took longer than the deadline.', {
      ...options,
      kind: 'timeout',
    });
  if (/^(?:40|55P03)/u.test(code))
    return new DatabaseFailure('The database is busy with other writes.', {
      ...options,
      kind: 'busy',
    });
  // No connection, no right to it, no room, a standby that takes no writes.
  return isLoss(error) || /^(?:25006|28|3D000|53|58|E[A-Z]+$)/u.test(code)
    ? new DatabaseFailure(`The database cannot be used (${code}).`, options)
    : error;
}

/** What each failure of connecting means to the one who named the database. */
const openFailures: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/u, 'cannot be reached: nothing listens there'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/u, 'cannot be reached: there is no such host'],
  [
    /^(?:CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/u,
    'cannot be reached: it does not answer',
  ],
  [/^(?:CONNECTION_CLOSED|ECONNRESET)$/u, 'closes the connection at once'],
  [/^28P01$/u, 'refuses the user name or the password'],
  [/^28/u, 'refuses this user'],
  [/^3D000$/u, 'does not exist on that server'],
  [/^53300$/u, 'has no connection left'],
  [/^57P03$/u, 'is starting up or shutting down'],
];

/** What went wrong when a database was opened, in one sentence without a password. */
export function openFailure(name: string, error: unknown): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error;
  const code = codeOf(error);
  const [, reason = `cannot be used (${code === '' ? (error as Error).message : code})`] =
    openFailures.find(([pattern]) => pattern.test(code)) ?? [];
  return new DatabaseFailure(`The database ${name} ${reason}.`, { cause: error });
}
