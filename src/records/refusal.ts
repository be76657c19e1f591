import { apiError, type ApiError, type FieldProblem } from '../errors.ts';
import type { ValueIssue } from '../model/values.ts';
import { validationError } from '../query/write/write.ts';

/** Ends a transaction with an answer instead of a result. */
export class Refusal extends Error {
  readonly error: ApiError;
  constructor(error: ApiError) {
    super(error.message);
    this.error = error;
  }
}

/** Refuses links: what is missing is of the 400 kind, and lists the others with it. */
export function refuseLinks(
  missing: readonly ValueIssue[],
  refused: readonly FieldProblem[],
): void {
  if (missing.length === 0 && refused.length === 0) return;
  if (missing.length === 0) throw refusedValues(refused);
  const others = refused.map(
    ({ field, message }) => ({ kind: 'value', path: field, message }) as const,
  );
  throw new Refusal(validationError([...missing, ...others]));
}

/** Refuses values that the database did not take. */
export function refusedValues(problems: readonly FieldProblem[]): Refusal {
  return new Refusal(apiError('INVALID_VALUE', 'Some values are not allowed', { problems }));
}
