import { apiError, type ApiError } from '../../errors.ts';
import {
  ConstraintError,
  DatabaseFailure,
  RaisedError,
  type FailureKind,
} from '../../databases/database.ts';
import { refusalOf, type Caller } from '../../model/access.ts';
import { ApiFailure } from '../../records/api-failure.ts';
import { responseTooLong } from '../../records/row-budget.ts';
import type { Exchange } from './exchange.ts';

const unavailable = apiError('DATABASE_UNAVAILABLE', 'The database cannot be used now; try again');

const ofDatabase: Readonly<Record<FailureKind, ApiError>> = {
  busy: apiError('DATABASE_BUSY', 'The database stayed busy or locked for too long; try again'),
  crowded: apiError(
    'DATABASE_BUSY',
    'Other requests kept all connections to the database in use for too long; try again',
  ),
  unavailable,
  changed: unavailable,
  unsupported: apiError(
    'DATABASE_UNAVAILABLE',
    'The database, as it is set up, cannot do what this request takes; the log has it under the request id',
  ),
  forbidden: apiError('FORBIDDEN', 'The database does not allow this'),
  timeout: apiError('QUERY_TIMEOUT', 'The database took longer than its deadline'),
  outcomeUnknown: apiError(
    'OUTCOME_UNKNOWN',
    'The connection was lost while committing: the write may have happened or not. An Idempotency-Key makes it safe to repeat',
  ),
};

/**
 * The error for the client if nothing is wrong with the service: a message of the database, or a response that would be
 * too long, beyond its row budget or beyond any string of JavaScript.
 */
export function foreseen(error: unknown): ApiError | undefined {
  if (error instanceof ApiFailure) return error.error;
  if (error instanceof RaisedError)
    return apiError('DATABASE_REFUSED', error.message, { status: error.status });
  return error instanceof RangeError && error.message === 'Invalid string length'
    ? responseTooLong
    : undefined;
}

/** The error for the client whose request has thrown. Of an unforeseen one it reveals nothing of the database or the host. */
export function errorOf(error: unknown): ApiError {
  return (
    foreseen(error) ??
    (error instanceof DatabaseFailure
      ? ofDatabase[error.kind]
      : apiError('INTERNAL_ERROR', 'An unexpected error; the log has it under the request id'))
  );
}

/**
 * The error for a caller whom the database refuses: by a privilege or policy, or by an error of a policy, such as a missing
 * claim that it takes for a number. Undefined for any other. Constraints that values break do not come this far.
 */
export function refusalByDatabase(
  error: unknown,
  caller: Caller,
  { servedApi }: Pick<Exchange, 'servedApi'>,
): ApiError | undefined {
  if (servedApi.sessionOf === undefined) return undefined;
  const isForbidden =
    error instanceof ConstraintError ||
    (error instanceof DatabaseFailure && error.kind === 'forbidden');
  return isForbidden ? refusalOf(caller, servedApi.api.settings) : undefined;
}
