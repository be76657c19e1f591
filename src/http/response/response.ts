import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '../../errors.ts';
import { matchesTag } from '../../query/request/headers.ts';

/** A body that is written as it comes, in portions. */
export type StreamedBody = AsyncIterable<string | Buffer>;

/** An answer, ready for the wire. */
export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | StreamedBody | undefined;
  /** The code of the error that it reports. */
  readonly code?: ErrorCode;
  /** The body is an object whose `data` is what was asked for. */
  readonly hasData?: true;
  /** What a streamed body will have brought, where that is known: its length is sent, and the log has it. */
  readonly whole?: string | Buffer;
  /** The body lasts as long as its reader: once it has begun the request is not under way any more. */
  readonly isLive?: true;
}

/** An answer whose whole body is there as text. */
export interface TextResponse extends Response {
  readonly body: string;
}

/** Whether a body is there whole, and not made as it is sent. */
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
} as const;

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

/** A 200 with this entity tag as it is, or 304 where the `If-None-Match` of its request names the tag. */
export function unlessKnown(
  response: Response,
  etag: string,
  { 'if-none-match': known }: IncomingHttpHeaders,
): Response {
  if (!matchesTag(known, etag)) return response;
  const { 'content-type': _, ...headers } = response.headers;
  return { status: 304, headers, body: undefined };
}
