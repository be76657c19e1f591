import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError, Result } from '../../errors.ts';
import { apiError, fail } from '../../errors.ts';
import type { RequestStart } from '../../observability/events.ts';
import type { Connection } from '../edge/client.ts';
import type { Response, StreamedBody, TextResponse } from '../response/response.ts';
import type { Presence } from '../response/streaming.ts';
import type { Given } from '../api/exchange.ts';

/** How one request comes in and its response goes out: over a socket, or as `Request` and `Response` of Fetch. */
export interface Transport extends Presence {
  readonly headers: IncomingHttpHeaders;
  /** As received: name, value, name, value. */
  readonly rawHeaders: readonly string[];
  readonly connection: Connection;
  /** The host in the target of the request; undefined if the target is only a path. */
  readonly targetHost: string | undefined;
  /** Whether the rules of plain HTTP and of hosts apply. */
  readonly isOverNetwork: boolean;
  /** The whole body; 413 if it is longer than the limit, 503 if `reserve` refuses more bytes. */
  readonly readBody: (
    limit: number,
    reserve: (bytes: number) => boolean,
  ) => Promise<Result<Buffer>>;
  /** Ends the connection with the response, unless another request has come behind this one. Returns whether it does. */
  readonly endConnection: () => boolean;
  /** Sends a response, unless one was sent or the client has gone. Returns its body if that is still to be written. */
  readonly send: (response: Response, sending: Sending) => StreamedBody | undefined;
  /** Sends an error in place of a response that could not be sent. If a part of that was sent, the client is cut off. */
  readonly sendInstead: (error: TextResponse, sending: Omit<Sending, 'last'>) => void;
  /** Writes the body that `send` has returned as fast as the client reads. `held`: its bytes, if they are in memory. */
  readonly sendBody: (body: StreamedBody, held: number) => Promise<void>;
  /** Resolves when the client has read what was sent; undefined if nothing is left to read. */
  readonly untilTaken: () => Promise<void> | undefined;
  /** Ends a request that gets no response. */
  readonly abandon: () => void;
}

/** The head of a request, with its request id. */
export interface Incoming extends RequestStart {
  readonly transport: Transport;
  /** The path under which an application has mounted the API, before `path`; empty without one. */
  readonly mount: string;
  /** What is wrong with the head; the connection ends after the response. */
  readonly problem: ApiError | undefined;
  /** Who sends it, if the application around the API says so. */
  readonly given?: Given;
}

/** What a response is sent with, whatever it says. */
export interface Sending {
  /** The connection ends with it. */
  readonly last: boolean;
  readonly vary: string;
  /** Further headers, names and values in turn. */
  readonly extra?: readonly string[];
}

/** The headers of a response but its length: name, value, name, value. Node writes such a list as it is. */
export function headerList(
  { headers, cookies }: Response,
  { last, vary, extra = [] }: Sending,
): string[] {
  const all = ['vary', vary, ...extra];
  for (const name in headers) all.push(name, headers[name] ?? '');
  if (cookies !== undefined) for (const cookie of cookies) all.push('set-cookie', cookie);
  if (last) all.push('connection', 'close');
  return all;
}

export function tooLarge(limit: number): Result<never> {
  return fail(
    apiError('BODY_TOO_LARGE', `The body is longer than ${limit} bytes (server.bodyLimit)`),
  );
}

/** The client has gone, or what it sent is not HTTP: this response reaches nobody. */
export function cutOff(): Result<never> {
  return fail(apiError('MALFORMED_REQUEST', 'The body ended before its length was reached'));
}

/** The application around the API has read the body. See docs/contract/10-own-code.md#embedding. */
export function readBefore(): Result<never> {
  return fail(
    apiError(
      'INTERNAL_ERROR',
      'The application has read the body of this request before the API. Mount the API before what parses bodies, such as express.json()',
    ),
  );
}
