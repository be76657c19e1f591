import { apiError, type ApiError, type FieldProblem } from '../errors.ts';
import type { ValueIssue } from '../model/values.ts';
import { validationError } from '../query/write/write.ts';

/** An exception that carries an error response: it rolls back a transaction or stops a read. */
export class ApiFailure extends Error {
  readonly error: ApiError;
  constructor(error: ApiError) {
    super(error.message);
    this.error = error;
  }
}

/** Throws if there are problems of links: 400 with all of them if something is missing, otherwise 422. */
export function rejectLinks(
  missing: readonly ValueIssue[],
  refused: readonly FieldProblem[],
): void {
  if (missing.length === 0 && refused.length === 0) return;
  if (missing.length === 0) throw invalidValues(refused);
  const others = refused.map(
    ({ field, ...problem }) => ({ kind: 'value', path: field, ...problem }) as const,
  );
  throw new ApiFailure(validationError([...missing, ...others]));
}

/** The failure for values that the database rejected. */
export function invalidValues(problems: readonly FieldProblem[]): ApiFailure {
  return new ApiFailure(apiError('INVALID_VALUE', 'Some values are not allowed', { problems }));
}
