import type { ApiError } from '../errors.ts';

/** Ends a transaction with an answer instead of a result. */
export class Refusal extends Error {
  readonly error: ApiError;
  constructor(error: ApiError) {
    super(error.message);
    this.error = error;
  }
}
