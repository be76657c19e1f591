import { ConstraintError, DatabaseFailure, RaisedError, type FailureKind } from '../database.ts';

/** How messages of pgbouncer end if it accepts no further client: `(max_client_conn)`, … */
const fullPooler = /\(max_(?:client_conn|\w+_client_connections)\)$/u;

/**
 * The SQLSTATE of a server error, or the code of a driver or system error; empty for any other. pgbouncer's refusal
 * of a client has no code of its own.
 */
function codeOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (code === '08P01' && fullPooler.test(String(message))) return '53300';
  return typeof code === 'string' ? code : '';
}

/** The server's error within the error that `meaningOf` made of it. */
export function causeOf(error: unknown): unknown {
  const { cause = error } = (error ?? {}) as { cause?: unknown };
  return cause;
}

/** Whether only a statement failed and its session goes on: functions may raise any code. */
function isOfStatement(error: unknown): boolean {
  return (error as { severity?: unknown } | undefined)?.severity === 'ERROR';
}

/** Whether a trigger or function raised it. */
function isRaised(error: unknown): boolean {
  return (error as { routine?: unknown } | undefined)?.routine === 'exec_stmt_raise';
}

/** Codes of a connection that was lost or refused: by the server, the system, TLS, or the driver. */
const lossCodes =
  /^(?:08|57P|CONN|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_|ERR_SSL|SASL_|AUTH_TYPE|MESSAGE_NOT)/u;

/** Whether the server ends the session with it, whatever its code: 55000 for a database that allows no connections. */
function isFatal(error: unknown): boolean {
  const { severity } = (error ?? {}) as { severity?: unknown };
  return severity === 'FATAL' || severity === 'PANIC';
}

/** Whether the connection was lost, and with it the current work, or was refused. */
export function isLoss(error: unknown): boolean {
  return isFatal(error) || (lossCodes.test(codeOf(error)) && !isOfStatement(error));
}

/**
 * The server of a session no longer accepts writes, as after a failover. A new session reaches the current primary.
 * Nothing was changed.
 */
export class OutdatedSession extends Error {
  readonly code = '25006';
}

/** Whether a server accepts no writes: it is a standby, or read-only. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006' && !isRaised(error);
}

/** Whether a server does not match `target_session_attrs`. */
export function isOfOtherKind(error: unknown): boolean {
  return codeOf(error) === 'CONNECTION_SESSIONS';
}

/** Whether a server has no session left for a new connection. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === '53300' && !isOfStatement(error);
}

/** Whether a session ended during a statement, as when the server restarts: a new session may run it. */
export function isInterruption(error: unknown): boolean {
  if (error instanceof OutdatedSession) return true;
  return (
    /^(?:57P0[12]|CONNECTION_CLOSED|ECONNRESET|EPIPE)$/u.test(codeOf(error)) && !isRaised(error)
  );
}

/** The error of a connection that was lost during a commit. */
export function outcomeUnknown(cause: unknown): DatabaseFailure {
  return new DatabaseFailure('The connection to the database was lost while committing.', {
    cause,
    kind: 'outcomeUnknown',
  });
}

/**
 * Whether a transaction may succeed when it is repeated: it conflicted with another, or a table changed under a
 * prepared statement.
 */
export function isPassing(error: unknown): boolean {
  return (
    /^(?:40001|40P01|26000)$/u.test(codeOf(error)) ||
    (error as { routine?: unknown } | undefined)?.routine === 'RevalidateCachedQuery'
  );
}

/** Whether an earlier error has ended the transaction. */
export function isAborted(error: unknown): boolean {
  return codeOf(error) === '25P02';
}

/** Whether the server lacks a feature. */
export function isUnsupported(error: unknown): boolean {
  return codeOf(error) === '0A000';
}

/** Whether a view, a rule or a foreign key depends on what was to be changed or dropped. */
export function isDependedOn(error: unknown): boolean {
  const cause = causeOf(error);
  const { detail } = (cause ?? {}) as { detail?: unknown };
  return codeOf(cause) === '2BP01' || (codeOf(cause) === '0A000' && typeof detail === 'string');
}

/**
 * Whether a table cannot be created because it exists, or because another session is creating it: both insert its
 * name.
 */
export function isThere(error: unknown): boolean {
  return /^(?:42P07|42710|42701|23505)$/u.test(codeOf(causeOf(error)));
}

/** Whether a statement names a table or column that no longer exists. */
export function isGone(error: unknown): boolean {
  return /^(?:42P01|42703)$/u.test(codeOf(causeOf(error)));
}

/** The name of the violated constraint, or of the column that may not be null. */
function ruleIn(error: unknown): string {
  const { constraint_name: constraint, column_name: column } = error as {
    readonly constraint_name?: string;
    readonly column_name?: string;
  };
  return constraint ?? column ?? '';
}

/**
 * Whether triggers, policies, or expressions of indexes in the database rejected the values, with whatever code. The
 * statements of this service raise none of these. An exhausted sequence is not the fault of a value.
 */
function isRefusal(error: unknown, code: string): boolean {
  const { routine } = (error ?? {}) as { readonly routine?: unknown };
  if (isRaised(error)) return !/^(?:40|55P03)/u.test(code);
  if (code === '42501') return routine === 'ExecWithCheckOptions';
  // Types of extensions, such as ltree, say so of their texts as well.
  if (code === '42601') return routine !== 'scanner_yyerror';
  return (code.startsWith('22') && code !== '2200H') || /^(?:23|44|P0)/u.test(code);
}

/** Whether a function failed because of a bug in it. The server names the function's language in any locale. */
function isMistake(error: unknown): boolean {
  const { where } = (error ?? {}) as { readonly where?: unknown };
  return typeof where === 'string' && where.includes('PL/pgSQL');
}

/** Whether the server refuses a setting: its value is wrong, unknown to it, or not allowed to this role. */
export function isRefusedSetting(error: unknown): boolean {
  return isOfStatement(error) && /^(?:22|42)/u.test(codeOf(error));
}

/** The SQLSTATE of an error raised on purpose that names no status, and of one that does. */
const raisedCode = /^(?:P0001|PT(\d{3}))$/u;

/** The message of an error raised on purpose. See docs/contract/8-existing-databases.md#messages. */
function raised(error: unknown, code: string): RaisedError | undefined {
  const match = raisedCode.exec(code);
  if (match === null) return undefined;
  const status = Number(match[1]);
  const { message } = error as Error;
  return new RaisedError(message, status >= 400 && status < 600 ? status : 400, { cause: error });
}

/** Whose statement failed, and what its caller may know of the error. */
export interface ErrorContext {
  /** Whether the statement ran with the settings of a caller. */
  readonly isOfCaller: boolean;
  /** Whether callers get the messages of errors raised on purpose. */
  readonly showsMessages: boolean;
}

const ofService: ErrorContext = { isOfCaller: false, showsMessages: false };

/** The meaning of a PostgreSQL error for callers; an error without one is a bug and stays as it is. */
export function meaningOf(
  error: unknown,
  { isOfCaller, showsMessages }: ErrorContext = ofService,
): unknown {
  const code = codeOf(error);
  const { message: text } = (error ?? {}) as Error;
  const broken = (kind: ConstraintError['kind']): ConstraintError =>
    new ConstraintError(kind, ruleIn(error), { cause: error });
  const failed = (kind: FailureKind, told: string): DatabaseFailure =>
    new DatabaseFailure(told, { cause: error, kind });
  const unavailable = (): DatabaseFailure =>
    failed('unavailable', `The database cannot be used (${code}).`);
  if (isFatal(error)) return unavailable();
  const message = showsMessages ? raised(error, code) : undefined;
  if (message !== undefined) return message;
  if (code === '42501' && isOfCaller)
    return failed('forbidden', `The role of the caller may not do this: ${text}.`);
  if (code === '23505') return broken('unique');
  if (code === '23503' || code === '23001') return broken('foreignKey');
  if (code === '23502') return broken('notNull');
  // A value is too long for its index.
  if (code === '54000') return broken('size');
  if (isRefusal(error, code)) return broken('other');
  if (code === '57014') return failed('timeout', 'The database took longer than the deadline.');
  if (/^(?:40|55P03)/u.test(code)) return failed('busy', 'The database is busy with other writes.');
  if (isMistake(error)) return failed('changed', `A function in the database fails: ${text}.`);
  // The schema was changed while the service runs, and has to be restored.
  if (/^(?:42P01|42703|42704|42804|42883|428C9)$/u.test(code))
    return failed('changed', `The database is not as the specification says: ${text}.`);
  // Citus, or another database that speaks the protocol of PostgreSQL.
  if (isUnsupported(error)) return failed('unsupported', `The database does not do this: ${text}.`);
  // No connection, no permission, a full disk, an exhausted sequence, a standby, a view that is not populated, or a
  // trigger that changes its own row.
  return isLoss(error) || /^(?:08|25006|2200H|27|28|3D000|42501|53|55|57P|58|E[A-Z]+$)/u.test(code)
    ? unavailable()
    : error;
}

/** The oldest supported version of PostgreSQL. */
export const oldestVersion = 15;

/** The failures of connecting and of commands, for users, and what to do about each. */
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
  [
    /^55000$/u,
    'accepts no connections (SERVER). Allow them with ALTER DATABASE … ALLOW_CONNECTIONS true, or name another.',
  ],
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
 * What is wrong with a database and what to do, as the end of a sentence that begins with its name, without the
 * password; undefined for an error that is not about the database.
 */
export function reasonOf(error: unknown): string | undefined {
  const code = codeOf(error);
  const [, reason] = reasons.find(([pattern]) => pattern.test(code)) ?? [];
  // OpenSSL's message is a line of numbers; `reason` is readable.
  const { message, reason: told = message } = (error ?? {}) as Error & { reason?: string };
  return reason?.replace('SERVER', () => told);
}

/** The error of opening a database, without the password. */
export function openFailure(name: string, error: unknown): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error;
  const { message } = error as Error;
  // Every session sets `idle_session_timeout`, which older servers reject before they report their version. The name
  // appears in any locale.
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
