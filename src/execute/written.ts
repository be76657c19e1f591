import { apiError, type ApiError } from '../errors.ts';
import type { Resource } from '../model/api.ts';
import type { RecordValue } from '../shape/record.ts';
import type { JsonValue } from '../spec/specification.ts';

/** One record as it is after a write. */
export interface Written {
  readonly id: JsonValue;
  readonly record: RecordValue | undefined;
  /** What a plain read shows, where `record` is not that. */
  readonly plain: RecordValue | undefined;
}

/** The answer when a record is not there. */
export function notFound({ name }: Resource, id: JsonValue | string): ApiError {
  return apiError(
    'RESOURCE_NOT_FOUND',
    `There is no record in ${name} with id ${JSON.stringify(id)}`,
  );
}
