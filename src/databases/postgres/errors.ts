import { ConstraintError, DatabaseFailure, type FailureKind } from '../database.ts';

/** What pgbouncer ends its words with where it takes no further client: `(max_client_conn)`, … */
const fullPooler = /\(max_(?:client_conn|\w+_client_connections)\)$/u;

/**
 * The SQLSTATE of an error of the server, or the code of one of the driver or the system; empty for any other. That
 * pgbouncer takes no further client has no code of its own there.
 */
function codeOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (code === '08P01' && fullPooler.test(String(message))) return '53300';
  return typeof code === 'string' ? code : '';
}

/** The error of the server in one that was given its meaning (`meaningOf`). */
function causeOf(error: unknown): unknown {
  const { cause = error } = (error ?? {}) as { cause?: unknown };
  return cause;
}

/** Whether a statement alone has failed and its session goes on: what is raised within one may have any code. */
function isOfStatement(error: unknown): boolean {
  return (error as { severity?: unknown } | undefined)?.severity === 'ERROR';
}

/** Whether a trigger or function of others has raised it. */
function isRaised(error: unknown): boolean {
  return (error as { routine?: unknown } | undefined)?.routine === 'exec_stmt_raise';
}

/** Whether the connection, and with it what it was doing, is gone. */
export function isLoss(error: unknown): boolean {
  const code = codeOf(error);
  return (
    /^(?:08|57P|CONN|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SSL)/u.test(code) &&
    !isOfStatement(error)
  );
}

/**
 * A session whose server has stopped taking writes, as after a failover: it would answer so for ever, while a new one is
 * led to the server that takes them. Nothing was changed.
 */
export class OutdatedSession extends Error {
  readonly code = '25006';
}

/** Whether a server takes no writes: it is a standby, or was made read-only. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006' && !isRaised(error);
}

/** Whether a server has no session left for a new connection. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === '53300' && !isOfStatement(error);
}

/** Whether a session has ended under a statement, as with a server that is started again: a new one may take it. */
export function isInterruption(error: unknown): boolean {
  if (error instanceof OutdatedSession) return true;
  return (
    /^(?:57P0[12]|CONNECTION_CLOSED|ECONNRESET|EPIPE)$/u.test(codeOf(error)) && !isRaised(error)
  );
}

/** What a connection that is lost while committing means. */
export function outcomeUnknown(cause: unknown): DatabaseFailure {
  return new DatabaseFailure('The connection to the database was lost while committing.', {
    cause,
    kind: 'outcomeUnknown',
  });
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

/** Whether a transaction takes nothing more, since a statement has failed in it before. */
export function isAborted(error: unknown): boolean {
  return codeOf(error) === '25P02';
}

/** Whether the server does not know how to do what was asked. */
export function isUnsupported(error: unknown): boolean {
  return codeOf(error) === '0A000';
}

/** Whether something else depends on what was to change or to go: a view, a rule, a key of others. */
export function isDependedOn(error: unknown): boolean {
  const cause = causeOf(error);
  const { detail } = (cause ?? {}) as { detail?: unknown };
  return codeOf(cause) === '2BP01' || (codeOf(cause) === '0A000' && typeof detail === 'string');
}

/** Whether a table cannot be made because it is there, or is just being made by another: both write its name down. */
export function isThere(error: unknown): boolean {
  return /^(?:42P07|42710|23505)$/u.test(codeOf(causeOf(error)));
}

/** Whether a statement names a table or column that is there no more. */
export function isGone(error: unknown): boolean {
  return /^(?:42P01|42703)$/u.test(codeOf(causeOf(error)));
}

/** The name of the constraint that was broken, or of the column that may not be null. */
function ruleIn(error: unknown): string {
  const { constraint_name: constraint, column_name: column } = error as {
    readonly constraint_name?: string;
    readonly column_name?: string;
  };
  return constraint ?? column ?? '';
}

/**
 * Whether values were refused by what others have put into the database: an exception of a trigger whatever its code,
 * an expression of an index or trigger that cannot be worked out for them, a policy of row level security. The
 * statements of this service have none such. A sequence that has come to its end is nobody's value.
 */
function isRefusal(error: unknown, code: string): boolean {
  const { routine } = (error ?? {}) as { readonly routine?: unknown };
  if (isRaised(error)) return !/^(?:40|55P03)/u.test(code);
  if (code === '42501') return routine === 'ExecWithCheckOptions';
  return (code.startsWith('22') && code !== '2200H') || /^(?:23|44|P0)/u.test(code);
}

/** Whether a function of others has failed by a mistake of its own. The server names its language, whatever its own is. */
function isMistake(error: unknown): boolean {
  const { where } = (error ?? {}) as { readonly where?: unknown };
  return typeof where === 'string' && where.includes('PL/pgSQL');
}

/** What an error of PostgreSQL means to those above; whatever is none of these is a bug and stays as it is. */
export function meaningOf(error: unknown): unknown {
  const code = codeOf(error);
  const { message } = (error ?? {}) as Error;
  const broken = (kind: ConstraintError['kind']): ConstraintError =>
    new ConstraintError(kind, ruleIn(error), { cause: error });
  const failed = (kind: FailureKind, text: string): DatabaseFailure =>
    new DatabaseFailure(text, { cause: error, kind });
  if (code === '23505') return broken('unique');
  if (code === '23503' || code === '23001') return broken('foreignKey');
  if (code === '23502') return broken('notNull');
  // A value is too long for an index that it is in.
  if (code === '54000') return broken('size');
  if (isRefusal(error, code)) return broken('other');
  if (code === '57014') return failed('timeout', 'The database took longer than the deadline.');
  if (/^(?:40|55P03)/u.test(code)) return failed('busy', 'The database is busy with other writes.');
  if (isMistake(error)) return failed('changed', `A function in the database fails: ${message}.`);
  // Somebody has changed it under the service, and has to bring it back.
  if (/^(?:42P01|42703|42804|42883|428C9)$/u.test(code))
    return failed('changed', `The database is not as the specification says: ${message}.`);
  // Tables that Citus distributes, a server that only speaks PostgreSQL.
  if (isUnsupported(error))
    return failed('unsupported', `The database does not do this: ${message}.`);
  // No connection, no right to it or in it, no room, no number left, a standby that takes no writes, a trigger that
  // changes the row it is asked about.
  return isLoss(error) || /^(?:08|25006|2200H|27|28|3D000|42501|53|57P|58|E[A-Z]+$)/u.test(code)
    ? failed('unavailable', `The database cannot be used (${code}).`)
    : error;
}

/** The oldest version of PostgreSQL that is served. */
export const oldestVersion = 15;

/** What each failure of connecting and working means to the one who named the database, and what to do about it. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [
    /^ECONNREFUSED$/u,
    'cannot be reached: nothing listens there. Start PostgreSQL, or check the host and the port.',
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN)$/u,
    'cannot be reached: there is no such host. Check its name in the URL.',
  ],
  [
    /^(?:CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/u,
    'cannot be reached: it does not answer. Check the host, the port and what stands in between.',
  ],
  [
    /^08P01$/u,
    'refuses how a session begins (SERVER). Behind pgbouncer or the like, set database.pooler to transaction.',
  ],
  [
    /^(?:ENOENT|EACCES)$/u,
    'cannot be reached: there is no socket in that folder for this user (SERVER). Start PostgreSQL, or check the host and the port.',
  ],
  [
    /^CONNECTION_TLS_FILE$/u,
    'cannot be reached over TLS: SERVER. Check the path in the URL and the permissions of the file.',
  ],
  [
    /^CONNECTION_TLS_MISSING$/u,
    'cannot be reached over TLS (SERVER). Check that ssl is on there, or write sslmode=disable where nobody can listen.',
  ],
  [
    /^CONNECTION_TLS_REFUSED$/u,
    'cannot be reached over TLS (SERVER). Check sslmode and the certificates in the URL; sslrootcert names whom to trust.',
  ],
  [
    /^ERR_SSL/u,
    'has refused the certificate of this client (SERVER). Check sslcert and sslkey in the URL.',
  ],
  [
    /^CONNECTION_SESSIONS$/u,
    'is not what was asked for: SERVER. Name another server, or change target_session_attrs.',
  ],
  [
    /^(?:CONNECTION_|ECONNRESET$|EPIPE$|08)/u,
    'has closed the connection. Check that PostgreSQL runs there, and that sslmode in the URL suits it.',
  ],
  [/^57P0[12]$/u, 'has ended the connection. Run it again once the server is up.'],
  [/^57P03$/u, 'is starting up or shutting down. Run it again in a moment.'],
  [/^28P01$/u, 'refuses the user name or the password. Check both in the URL.'],
  [
    /^28/u,
    'refuses this user (SERVER). Check the user name, sslmode in the URL, and what pg_hba.conf of the server allows.',
  ],
  [/^3D000$/u, 'does not exist on that server. Make it with CREATE DATABASE, or name another.'],
  [/^42501$/u, 'refuses this user (SERVER). Grant that right, or name another user.'],
  [
    /^53300$/u,
    'has no connection left. Raise max_connections of the server, or max_client_conn of a pooler, or lower database.poolSize.',
  ],
  [
    /^57014$/u,
    'took longer than database.statementTimeout. Run it again later, or raise that in the file.',
  ],
  [/^(?:40|55P03)/u, 'is busy with other writes. Run it again later.'],
  [/^53100$/u, 'cannot be written: the disk of the server is full. Make room and run it again.'],
  [/^25006$/u, 'takes no writes: it is a standby, or read-only. Name the primary server.'],
];

/**
 * What is wrong with a database and what to do, as the rest of a sentence that begins with its name, without a
 * password; undefined for an error that says nothing of the database.
 */
export function reasonOf(error: unknown): string | undefined {
  const code = codeOf(error);
  const [, reason] = reasons.find(([pattern]) => pattern.test(code)) ?? [];
  // What OpenSSL says is a line of numbers, with its reason apart.
  const { message, reason: told = message } = (error ?? {}) as Error & { reason?: string };
  return reason?.replace('SERVER', () => told);
}

/** What went wrong when a database was opened, without a password. */
export function openFailure(name: string, error: unknown): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error;
  const { message } = error as Error;
  // Every session is set to it, so an older server never comes to tell its version. Whatever its language, it names it.
  if (codeOf(error) === '42704' && message.includes('idle_session_timeout'))
    return new DatabaseFailure(
      `The database ${name} runs PostgreSQL 13 or older; ${oldestVersion} or newer is needed.`,
      { cause: error },
    );
  if (/unrecognized configuration parameter/u.test(message))
    return new DatabaseFailure(
      `The database ${name} knows no such setting (${message}). Take it out of the URL: behind its ? stand sslmode and settings of the server.`,
      { cause: error },
    );
  const reason = reasonOf(error) ?? `cannot be used (${message}). Check its URL.`;
  return new DatabaseFailure(`The database ${name} ${reason}`, { cause: error });
}
