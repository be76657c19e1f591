import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '../../errors.ts';
import { matchesTag } from '../../query/request/headers.ts';

/** A body that is streamed in portions. */
export type StreamedBody = AsyncIterable<string | Buffer>;

/** A response, ready to send. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | StreamedBody | undefined;
  /** The code of an error response. */
  readonly code?: ErrorCode;
  /** The body is an object with the records in `data`. */
  readonly hasData?: true;
  /** The cookies that an endpoint sets, one `Set-Cookie` each. */
  readonly cookies?: readonly string[];
  /** The whole of a streamed body, if known: for `Content-Length` and the log. */
  readonly whole?: string | Buffer;
  /** An endless body (an event stream): the request counts as ended once the body has begun. */
  readonly isLive?: true;
}

/** A response whose body is text. */
export interface TextResponse extends Response {
  readonly body: string;
}

/** Whether a body is complete, not streamed. */
export function isWhole(body: Response['body']): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body);
}

const json = 'application/json; charset=utf-8';

/**
 * The headers of every answer, beside `Vary`, which the server adds. See docs/contract/2-reading.md#content, rule 3.
 */
const commonHeaders = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** A response with a JSON text as its body. */
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
  // For every read: spreading into an object that has members takes several times as long.
  for (const name in headers) all[name] = headers[name] ?? '';
  return { status, headers: all, body };
}

/** A 200 with a streamed body. */
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

/** A response without a body. */
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

/** The response itself, or 304 if `If-None-Match` names its entity tag. */
export function unlessKnown(
  response: Response,
  etag: string,
  { 'if-none-match': known }: IncomingHttpHeaders,
): Response {
  if (!matchesTag(known, etag)) return response;
  const { 'content-type': _, ...headers } = response.headers;
  return { status: 304, headers, body: undefined };
}
