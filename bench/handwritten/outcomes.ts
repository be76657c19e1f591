import type { Written } from './store.ts';

const outcome = (status: number, code: string, message: string): Written => ({
  status,
  code,
  message,
});

/** A member of the body is not one of the record's, or has no value that it takes. */
export const unknownOrInvalid = (name: string): Written =>
  outcome(400, 'VALIDATION_FAILED', `${name} is unknown or not valid`);

/** The record to change is not there. */
export const missing = outcome(404, 'RESOURCE_NOT_FOUND', 'No such record');

/** The record is not the one that `If-Match` names. */
export const changed = outcome(412, 'PRECONDITION_FAILED', 'The record has changed');

/** The database has refused the record. */
export const refused = outcome(422, 'INVALID_VALUE', 'Not unique, or points nowhere');

/** The key was used for another request. */
export const mismatch = outcome(
  422,
  'IDEMPOTENCY_MISMATCH',
  'Another request was made under this key',
);
