import { apiError } from '../../../errors.ts';
import { jsonBytes } from '../../../model/values.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import { ApiFailure } from '../../api-failure.ts';

/** Rejects a merged value that is longer than any body, unless it shrinks. See docs/contract/3-writing.md#merge-patch, rule 5. */
export function requireLength(
  name: string,
  value: JsonValue,
  before: JsonValue | undefined,
  bodyLimit: number,
): void {
  const length = jsonBytes(value);
  if (length <= bodyLimit || length <= jsonBytes(before ?? null)) return;
  throw new ApiFailure(
    apiError(
      'BODY_TOO_LARGE',
      `${name} would have ${length} bytes after the merge, more than ${bodyLimit} (server.bodyLimit)`,
    ),
  );
}
