import { errorTable, type ApiError } from '../errors.ts';
import { nodeHttp } from '../node-http.ts';
import type { Response, StreamedBody, TextResponse } from './response.ts';

const json = 'application/json; charset=utf-8';

/** What every answer carries, beside `Vary`, which the server adds. Contract 2, Content. */
const commonHeaders = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
} as const;

/** Turns an error into the standard body. Contract 2, Errors. */
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
  // A value that the caller does not know of may be to blame: the list is there, and empty.
  if (problems.length > 0 || code === 'INVALID_VALUE') {
    if (status === 422) body['errors'] = problems;
    else
      body['validationErrors'] = problems.map(({ field, message: told }) => ({
        field,
        error: told,
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

/** An answer with a JSON text as its body. */
export function jsonResponse(
  status: number,
  body: string,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): TextResponse {
  const all: Record<string, string> = {
    ...commonHeaders,
    'content-type': json,
    'x-request-id': requestId,
  };
  // Of each read: spread into what has members already they would take several times as long.
  for (const name in headers) all[name] = headers[name] ?? '';
  return { status, headers: all, body };
}

/** A 200 whose body is written as it comes. */
export function streamResponse(
  contentType: string,
  body: StreamedBody,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): Response {
  return {
    status: 200,
    headers: {
      ...commonHeaders,
      'content-type': contentType,
      'x-request-id': requestId,
      ...headers,
    },
    body,
  };
}

/** An answer without a body. */
export function emptyResponse(
  status: number,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return {
    status,
    headers: { ...commonHeaders, 'x-request-id': requestId, ...headers },
    body: undefined,
  };
}
