import type { BrokenRule } from './problem-rules.ts';

/**
 * The table of all error codes. `docs/errors.md` is generated from it. See
 * docs/contract/4-errors-and-limits.md#codes.
 */
export const errorTable = {
  INVALID_JSON: { status: 400, about: 'The body is not valid JSON or not valid UTF-8.' },
  INVALID_BODY: {
    status: 400,
    about: 'The body, or an item of it, is not an object, or is missing.',
  },
  INVALID_PARAMETER: { status: 400, about: 'A query parameter is unknown or makes no sense here.' },
  INVALID_FILTER: {
    status: 400,
    about: 'A filter has a value or operator that does not fit its field.',
  },
  INVALID_SORT: { status: 400, about: 'A sort key is unknown, repeated or cannot be sorted by.' },
  INVALID_CURSOR: { status: 400, about: 'The cursor is damaged or belongs to another request.' },
  PAGINATION_CONFLICT: { status: 400, about: 'Two kinds of pagination are mixed in one request.' },
  FIELDS_CONFLICT: { status: 400, about: '`fields` and `exclude` are both given.' },
  LIMIT_EXCEEDED: { status: 400, about: 'The request asks for more than a limit allows.' },
  DATABASE_REFUSED: {
    status: 400,
    about:
      'A function or trigger of the database refuses the request; the message, and perhaps another status, are its own.',
  },
  DEPTH_EXCEEDED: { status: 400, about: 'An expansion is deeper than the depth limit.' },
  MALFORMED_REQUEST: { status: 400, about: 'The bytes received are not a valid HTTP request.' },
  VALIDATION_FAILED: {
    status: 400,
    about:
      'A required field is missing, or a field is unknown, not writable or of the wrong JSON type.',
  },
  UNAUTHENTICATED: { status: 401, about: 'Credentials are needed and none were sent.' },
  INVALID_CREDENTIALS: { status: 401, about: 'The credentials sent are not valid.' },
  TOKEN_EXPIRED: { status: 401, about: 'The token or API key sent has expired.' },
  FORBIDDEN: { status: 403, about: 'The caller may not do this.' },
  HTTPS_REQUIRED: { status: 403, about: 'This address is served over HTTPS only.' },
  HOST_NOT_ALLOWED: { status: 403, about: 'The Host header names a host that is not served.' },
  RESOURCE_NOT_FOUND: { status: 404, about: 'There is no such record.' },
  UNKNOWN_RESOURCE: { status: 404, about: 'There is no such resource or path.' },
  UNKNOWN_VERSION: { status: 404, about: 'There is no such version of the API.' },
  METHOD_NOT_ALLOWED: { status: 405, about: 'The path exists, but not with this method.' },
  NOT_ACCEPTABLE: { status: 406, about: 'The answer cannot be given in any accepted media type.' },
  REQUEST_TIMEOUT: { status: 408, about: 'The request did not arrive in time.' },
  HAS_DEPENDENTS: { status: 409, about: 'Other records need this one.' },
  TOO_MANY_AFFECTED: {
    status: 409,
    about: 'More records match than a change of many may affect.',
  },
  DELETE_TOO_LARGE: { status: 409, about: 'The delete would reach too many records.' },
  CONFLICT: {
    status: 409,
    about:
      'Own code refuses the write in the present state, or the record kept changing while it ran.',
  },
  REFUSED: {
    status: 400,
    about: 'Own code of the server refuses the request; the status is its own.',
  },
  INVALID_SQL: {
    status: 400,
    about: 'The database does not take the SQL of own code. Only own code gets this.',
  },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, about: 'The first request under this key still runs.' },
  VERSION_SUNSET: { status: 410, about: 'This version of the API has ended.' },
  PRECONDITION_FAILED: {
    status: 412,
    about: 'The record is not the one that If-Match names, or one that If-None-Match does.',
  },
  BODY_TOO_LARGE: { status: 413, about: 'The body is larger than the server takes.' },
  URI_TOO_LONG: { status: 414, about: 'The URL is longer than the server takes.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    about: 'The body has a media type that is not taken here.',
  },
  INVALID_VALUE: {
    status: 422,
    about:
      'A value is well-formed but too short, out of range, not allowed, not unique or points nowhere.',
  },
  IDEMPOTENCY_MISMATCH: { status: 422, about: 'Another request was made under this key.' },
  RATE_LIMITED: { status: 429, about: 'Too many requests.' },
  HEADERS_TOO_LARGE: {
    status: 431,
    about: 'The request headers are larger than the server takes.',
  },
  INTERNAL_ERROR: {
    status: 500,
    about: 'An unexpected error; the log has it under the request id.',
  },
  HOOK_DEPTH: {
    status: 500,
    about: 'Own code of the server calls itself too often; the log has the chain.',
  },
  SIMULATED_ERROR: { status: 500, about: 'An error that the network simulation was asked for.' },
  NOT_SUPPORTED: { status: 501, about: 'The request needs what this server does not have.' },
  OVERLOADED: { status: 503, about: 'The server has more requests than it can answer.' },
  DATABASE_UNAVAILABLE: { status: 503, about: 'The database cannot be reached.' },
  DATABASE_BUSY: {
    status: 503,
    about: 'The database stayed busy or locked, or all connections to it in use, for too long.',
  },
  KEYS_UNAVAILABLE: { status: 503, about: 'The keys that check tokens cannot be fetched.' },
  SANDBOXES_FULL: { status: 503, about: 'All sandboxes are in use.' },
  OUTCOME_UNKNOWN: {
    status: 503,
    about: 'The connection was lost while committing: the write may or may not have happened.',
  },
  QUERY_TIMEOUT: { status: 504, about: 'The database took longer than the deadline.' },
  HANDLER_TIMEOUT: { status: 504, about: 'Own code of the server took longer than its deadline.' },
} as const satisfies Record<string, { status: number; about: string }>;

export type ErrorCode = keyof typeof errorTable;

/** One problem of a request: the parameter or field, what would be right, and the rule that it breaks. */
export interface FieldProblem extends BrokenRule {
  readonly field: string;
  readonly message: string;
}

/** A failure as a value; `http/response/error.ts` turns it into the standard body. */
export interface ApiError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly problems?: readonly FieldProblem[];
  /** Further members of the body, for example `dependents`. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The source of the error, for developers (`_verbose`). */
  readonly stack?: string;
  /** Replaces the code's own, for a simulated error and one that the database raises. */
  readonly status?: number;
}

/** Makes an ApiError. */
export function apiError(
  code: ErrorCode,
  message: string,
  extra: Omit<ApiError, 'code' | 'message'> = {},
): ApiError {
  const error = { code, message, ...extra };
  // Not enumerable, so that it is neither serialized nor compared.
  Error.captureStackTrace(error, apiError);
  return error;
}

/**
 * The error for a caller without credentials if no rule allows the request. See
 * docs/contract/5-access.md#rules, rule 7.
 */
export const needsCredentials: ApiError = apiError('UNAUTHENTICATED', 'This needs credentials', {
  headers: { 'www-authenticate': 'Bearer' },
});

/** Joins several errors of one step: the code of the first, the problems of all. */
export function joinErrors(first: ApiError, ...others: readonly ApiError[]): ApiError {
  if (others.length === 0) return first;
  const all = [first, ...others];
  return {
    ...first,
    message: all.map(({ message }) => message).join('; '),
    problems: all.flatMap(({ problems = [] }) => problems),
  };
}

/** The result of a step that can fail: its value, or the failure. */
export type Result<Value, Failure = ApiError> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Failure };

/** A successful result. */
export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value };
}

/** A failed result. */
export function fail<Failure>(error: Failure): { readonly ok: false; readonly error: Failure } {
  return { ok: false, error };
}
