import { errorTable, type ApiError } from '../../errors.ts';
import { nodeHttp } from '../../lib/node-http.ts';
import { jsonResponse, type TextResponse } from './response.ts';

/** Turns an error into the standard body. See docs/contract/4-errors-and-limits.md#error-body. */
export function respondError(error: ApiError, path: string, requestId: string): TextResponse {
  const { code, message, problems = [], status = errorTable[code].status } = error;
  const body: Record<string, unknown> = {
    status,
    error: nodeHttp.STATUS_CODES[status] ?? 'Error',
    message,
    path,
    code,
    requestId,
  };
  // The value at fault may be hidden from the caller: then the list is empty, but present.
  if (problems.length > 0 || code === 'INVALID_VALUE') {
    if (status === 422)
      body['errors'] = problems.map(({ field, message: told, rule, params }) => ({
        field,
        message: told,
        rule,
        params,
      }));
    else
      body['validationErrors'] = problems.map(({ field, message: told, rule, params }) => ({
        field,
        error: told,
        rule,
        params,
      }));
  }
  if (error.members !== undefined) Object.assign(body, error.members);
  const isPassing = status === 429 || status >= 503;
  const own: Record<string, string> =
    isPassing && code !== 'OUTCOME_UNKNOWN' ? { 'retry-after': '1' } : {};
  for (const name in error.headers) own[name] = error.headers[name] ?? '';
  const { headers, body: text } = jsonResponse(status, JSON.stringify(body), requestId, own);
  return { status, code, headers, body: text };
}
