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
  const { problems = [], status = errorTable[error.code].status } = error;
  // A value that the caller does not know of may be to blame: the list is there, and empty.
  const lists =
    problems.length === 0 && error.code !== 'INVALID_VALUE'
      ? {}
      : status === 422
        ? { errors: problems }
        : { validationErrors: problems.map(({ field, message }) => ({ field, error: message })) };
  const isPassing = status === 429 || status >= 503;
  const retry = isPassing && error.code !== 'OUTCOME_UNKNOWN' ? { 'retry-after': '1' } : {};
  return {
    status,
    code: error.code,
    headers: {
      ...commonHeaders,
      'content-type': json,
      'x-request-id': requestId,
      ...retry,
      ...error.headers,
    },
    body: JSON.stringify({
      status,
      error: nodeHttp.STATUS_CODES[status] ?? 'Error',
      message: error.message,
      path,
      code: error.code,
      requestId,
      ...lists,
      ...error.members,
    }),
  };
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
