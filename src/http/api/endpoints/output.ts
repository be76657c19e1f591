import {
  emptyResponse,
  jsonResponse,
  streamResponse,
  type Response,
} from '../../response/response.ts';
import { ClientGone } from '../../../databases/database.ts';
import type { CodeRun } from '../exchange.ts';
import { acceptsEvents } from '../../../query/request/headers.ts';
import { bytesBody, close, eventBody, jsonOf, ndjsonBody } from './portions.ts';

/** What a handler has given; of an async iterable also its first value. */
export type Output =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'response'; readonly response: globalThis.Response }
  | {
      readonly kind: 'stream';
      readonly source: AsyncIterator<unknown>;
      readonly first: IteratorResult<unknown>;
    };

/** Waits for what a handler gives, up to the first value of a stream, which is closed if that is too late. */
export async function outputOf(given: unknown, run: CodeRun): Promise<Output> {
  const value = await given;
  if (isResponse(value)) return { kind: 'response', response: value };
  if (!isAsyncIterable(value)) return { kind: 'value', value };
  const { signal } = run;
  // Nobody would close what begins too late.
  if (signal.aborted) throw new ClientGone({ cause: signal.reason });
  const source = value[Symbol.asyncIterator]();
  const leave = (): void => close(source);
  signal.addEventListener('abort', leave);
  try {
    const first = await source.next();
    // What is no JSON is told before the head of the response is sent.
    if (first.done !== true) jsonOf(first.value);
    return { kind: 'stream', source, first };
  } catch (error) {
    close(source);
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

function isResponse(value: unknown): value is globalThis.Response {
  // A package may bring a Response of its own.
  return Object.prototype.toString.call(value) === '[object Response]';
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Symbol.asyncIterator in value &&
    !(value instanceof ReadableStream)
  );
}

/** What the answer of an endpoint depends on beside its output. */
export interface Asked {
  readonly requestId: string;
  readonly accept: string | undefined;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  /** Aborts when the client has gone or the server stops. */
  readonly over: AbortSignal;
  /** See `Exchange`. */
  readonly onEnd: (work: () => void) => void;
}

/** The answer of a value: its JSON, or nothing. See docs/contract/10-own-code.md#endpoints, rule 9. */
export function valueResponse(value: unknown, requestId: string): Response {
  return value === undefined
    ? emptyResponse(204, requestId)
    : jsonResponse(200, jsonOf(value), requestId);
}

/** The answer of an async iterable. See docs/contract/10-own-code.md#endpoints, rule 10. */
export function streamOf(
  { source, first }: Extract<Output, { kind: 'stream' }>,
  { requestId, accept, gone, over, onEnd }: Asked,
): Response {
  const isEvents = acceptsEvents(accept);
  // Nothing reads the body for HEAD, or if the client has gone before it is sent.
  onEnd(() => close(source));
  return isEvents
    ? streamResponse(
        'text/event-stream; charset=utf-8',
        eventBody({ source, first, over }),
        requestId,
        // Otherwise proxies would buffer it.
        { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      )
    : streamResponse(
        'application/x-ndjson; charset=utf-8',
        ndjsonBody({ source, first, over: gone }),
        requestId,
        {},
      );
}

/** Headers that belong to a connection, or that are made of the body as it is sent. */
const ofConnection = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The answer that a handler has made itself. */
export function fetchResponse(response: globalThis.Response, asked: Asked): Response {
  const { status, body, bodyUsed, headers: given, url } = response;
  if (bodyUsed || body?.locked === true)
    throw new TypeError(
      'The Response that the endpoint gave was sent or read before; make a new one for each request',
    );
  if (status < 200) throw new TypeError('The endpoint gave Response.error(), which has no status');
  const headers: Record<string, string> = {};
  for (const [name, value] of given)
    if (!ofConnection.has(name) && name !== 'set-cookie') headers[name] = value;
  // Of a response of `fetch` the body is decoded, whatever its headers still say.
  if (url !== '') delete headers['content-encoding'];
  const { headers: common } = emptyResponse(status, asked.requestId);
  const cookies = given.getSetCookie();
  const isEvents = headers['content-type']?.startsWith('text/event-stream') === true;
  const whole = {
    status,
    headers: { ...common, ...headers, 'x-request-id': asked.requestId },
    ...(cookies.length === 0 ? {} : { cookies }),
  };
  if (body === null) return { ...whole, body: undefined };
  const source = body[Symbol.asyncIterator]();
  asked.onEnd(() => close(source));
  return { ...whole, body: bytesBody(source, isEvents ? asked.over : asked.gone) };
}
