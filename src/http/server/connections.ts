import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as read, setTimeout as delay } from 'node:timers/promises';
import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import { respondError } from '../response/error.ts';
import { ownTurn } from '../../lib/event-loop.ts';
import { overloaded } from '../load/admission.ts';
import { Pipeline } from '../load/pipelining.ts';
import { cut } from '../response/streaming.ts';
import {
  isWhole,
  type Response,
  type StreamedBody,
  type TextResponse,
} from '../response/response.ts';

/** How long a refused client has to read the error before its connection is cut, in ms. */
const lingering = 1_000;
/** How long a stopping server waits for the first request of a connection and for the next one, and how often it looks; in ms. */
const beforeFirst = 500;
const betweenTwo = 100;
const lookAgain = 20;

/** A request and its response. */
interface Current {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A connection on which requests may come. */
interface Open {
  readonly pipeline: Pipeline;
  /** The request that came last. Once it is answered it is forgotten: many idle connections would hold much memory. */
  last: Current | 'answered' | undefined;
}

/**
 * The open connections, each with the request that came last on it: what is needed to refuse bytes that are not HTTP after
 * the responses before them, and to close connections that nobody uses.
 */
export class Connections {
  private readonly current = new Map<Socket, Open>();
  /** Also those whose TLS handshake is not over. */
  private readonly all = new Set<Socket>();
  /** How many connections the system has given so far. */
  accepted = 0;
  private readonly refused = new WeakSet<Socket>();
  /** Those whose last request has come. */
  private readonly ending = new WeakSet<Socket>();
  private readonly maxHeaderSize: number;
  private readonly sendingOn: (socket: Socket) => Omit<Sending, 'last'>;
  private readonly finished: (this: ServerResponse) => void;

  /** `sendingOn`: what errors are sent with if no request could be read. */
  constructor(maxHeaderSize: number, sendingOn: (socket: Socket) => Omit<Sending, 'last'>) {
    this.maxHeaderSize = maxHeaderSize;
    this.sendingOn = sendingOn;
    const { current } = this;
    this.finished = function finished() {
      const { req: request } = this;
      const open = current.get(request.socket);
      if (open === undefined) return;
      // If the body is still coming, its next bytes may have to be refused.
      const isLast = typeof open.last === 'object' && open.last.request === request;
      if (isLast && request.complete) open.last = 'answered';
      open.pipeline.end();
    };
  }

  /** The system gives a connection. */
  accept(socket: Socket): void {
    this.accepted += 1;
    this.all.add(socket);
    socket.once('close', () => this.all.delete(socket));
  }

  /** From now on requests may come on a connection. */
  open(socket: Socket): void {
    // Each waiting request listens for its end, and some clients pipeline many: this is no leak.
    socket.setMaxListeners(0);
    this.current.set(socket, { pipeline: new Pipeline(socket), last: undefined });
    socket.once('close', () => this.current.delete(socket));
  }

  /** A request has come. Gives what begins it in its turn; undefined if nothing may be answered behind the last one. */
  begin(request: IncomingMessage, response: ServerResponse): Pick<Pipeline, 'begin'> | undefined {
    const { socket } = request;
    if (this.ending.has(socket)) return undefined;
    const open = this.current.get(socket);
    if (open === undefined) return undefined;
    open.last = { request, response };
    response.on('finish', this.finished);
    return open.pipeline;
  }

  /** Ends the connection with the response to this request, unless another has come behind it. Gives whether it does. */
  endWith(request: IncomingMessage): boolean {
    const { socket } = request;
    const last = this.current.get(socket)?.last;
    if (typeof last === 'object' && last.request !== request) return false;
    this.ending.add(socket);
    return true;
  }

  /**
   * Ends all connections: unused ones after a moment, in which a request that is on its way (perhaps behind a TLS handshake)
   * arrives; those with a request in progress when it is answered, or after `timeout` ms.
   */
  async finish(timeout: number): Promise<void> {
    const { all, current: open } = this;
    const start = performance.now();
    const mayCome = (passed: number): boolean => passed <= beforeFirst && all.size > open.size;
    for (let passed = 0; open.size > 0 || mayCome(passed);) {
      for (const [socket, { last }] of open) {
        const isUnused = last === undefined && passed > beforeFirst;
        const isIdle = isAnswered(last) && passed > betweenTwo;
        if (isUnused || isIdle || passed > timeout) socket.destroy();
      }
      await delay(lookAgain);
      // Connections are idle by this time, and what has come until then is read first, however long the loop is busy.
      passed = performance.now() - start;
      await read();
    }
    for (const socket of all) socket.destroy();
  }

  get size(): number {
    return this.all.size;
  }

  /** Answers what the parser refuses, after the responses that are due before it, then ends the connection. */
  async refuse(error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
    // The parser repeats its error with every further byte.
    if (this.refused.has(socket)) return;
    this.refused.add(socket);
    const last = this.current.get(socket)?.last;
    const refusal = respondError(this.refusalOf(error), '', randomUUID());
    const sending: Sending = { last: true, ...this.sendingOn(socket) };
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (last === undefined || last === 'answered') end(socket, refusal, sending);
    else {
      const { request, response } = last;
      const isBody = !request.complete;
      // Node does not end a request whose response was sent: `readBody` would wait for the rest for ever.
      if (isBody) socket.once('close', () => request.destroy());
      if (isBody && !response.headersSent) {
        send(response, refusal, sending);
        return;
      }
      if (!response.writableFinished && !response.destroyed) await once(response, 'close');
      if (isBody) socket.destroySoon();
      else if (socket.writable) end(socket, refusal, sending);
    }
  }

  private refusalOf(error: NodeJS.ErrnoException): ApiError {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
      return apiError('REQUEST_TIMEOUT', 'The request did not arrive in time');
    if (error.code === 'HPE_INVALID_URL')
      return apiError(
        'MALFORMED_REQUEST',
        'The URL has characters that must be percent-encoded, as %C3%BC for ü',
      );
    if (error.code !== 'HPE_HEADER_OVERFLOW')
      return apiError('MALFORMED_REQUEST', 'The bytes received are not a valid HTTP request');
    return isInRequestLine(error)
      ? apiError('URI_TOO_LONG', `The URL is longer than ${this.maxHeaderSize} bytes`)
      : apiError(
          'HEADERS_TOO_LARGE',
          `The request line and headers are longer than ${this.maxHeaderSize} bytes`,
        );
  }
}

function isAnswered(last: Open['last']): boolean {
  return last === 'answered' || last?.response.writableFinished === true;
}

/**
 * Whether a head that is too long was still in its request line. Only the bytes that came last are known, and TLS gives at
 * most 16 KiB at once, so they may begin within the line; then its end shows what it is. If the end has not come either, the
 * bytes are taken for a URL if they look like parameters.
 */
function isInRequestLine({
  rawPacket = Buffer.alloc(0),
  bytesParsed = 0,
}: Error & { rawPacket?: Buffer; bytesParsed?: number }): boolean {
  const bytes = rawPacket.toString('latin1');
  if (bytes.slice(0, bytesParsed).includes('\n')) return false;
  const [line = '', ...others] = bytes.split('\n', 2);
  if (/^[A-Z]+ /u.test(line)) return true;
  return others.length > 0 ? / HTTP\/\d\.\d\r?$/u.test(line) : /^[^\s]*[&%,][^\s]*$/u.test(line);
}

/** Writes a response on a socket that no parser serves any more. */
function end(
  socket: Socket,
  { status, headers, body }: TextResponse,
  { vary, extra = [] }: Sending,
): void {
  const { error } = JSON.parse(body) as { error: string };
  const lines = Object.entries({
    ...headers,
    vary,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  for (let index = 0; index < extra.length; index += 2)
    lines.push(`${extra[index]}: ${extra[index + 1]}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${error}\r\n${lines.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), lingering).unref();
}

/** What a response is sent with, whatever it says. */
export interface Sending {
  /** The connection ends with it. */
  readonly last: boolean;
  readonly vary: string;
  /** Further headers, names and values in turn. */
  readonly extra?: readonly string[];
}

/** A whole body of more bytes is written piece by piece as its client takes it: at once, others would wait for some ms. */
const longBody = 1024 * 1024;

async function* inPieces(body: string | Buffer): StreamedBody {
  await ownTurn();
  yield body;
}

/** Sends a response, unless one was sent or the client has gone. Gives its body if that is still to be written. */
export function send(
  response: ServerResponse,
  { status, headers, body, whole }: Response,
  { last, vary, extra = [] }: Sending,
): StreamedBody | undefined {
  if (response.headersSent || response.req.socket.destroyed) return undefined;
  // Node writes a flat list as it is, and walks over an object several times.
  const all = ['vary', vary, ...extra];
  for (const name in headers) all.push(name, headers[name] ?? '');
  if (last) all.push('connection', 'close');
  if (body !== undefined && !isWhole(body)) {
    if (whole !== undefined) all.push('content-length', String(Buffer.byteLength(whole)));
    response.writeHead(status, all);
    if (response.req.method !== 'HEAD') return body;
    response.end();
    return undefined;
  }
  const hasNoLength = body === undefined && (status === 204 || status === 304);
  const length = Buffer.byteLength(body ?? '');
  if (!hasNoLength) all.push('content-length', String(length));
  if (length > longBody && response.req.method !== 'HEAD') {
    response.writeHead(status, all);
    return inPieces(body ?? '');
  }
  // ASCII is the same in both encodings, and latin1 is cheaper to write.
  response.writeHead(status, all).end(body, body?.length === length ? 'latin1' : 'utf8');
  return undefined;
}

/** Sends an error in place of a response that could not be sent. If a part of that was sent, the connection is cut. */
export function sendInstead(
  response: ServerResponse,
  error: TextResponse,
  sending: Omit<Sending, 'last'>,
): void {
  const { socket } = response.req;
  try {
    if (response.headersSent) cut(socket);
    else {
      // Otherwise the reason phrase of the other status would stay.
      response.statusMessage = '';
      send(response, error, { ...sending, last: true });
    }
  } catch {
    cut(socket);
  }
}

/**
 * The whole body, 413 once it is longer than the limit, or 503 if `reserve` refuses more bytes. What is not read then is
 * left in the request.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  reserve: (bytes: number) => boolean,
): Promise<Result<Buffer>> {
  if (Number(request.headers['content-length'] ?? 0) > limit)
    return Promise.resolve(tooLarge(limit));
  if (request.destroyed) return Promise.resolve(cutOff());
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (result: Result<Buffer>): void => {
      request.off('data', take).off('end', finish).off('error', giveUp).off('close', giveUp);
      resolve(result);
    };
    const refuse = (result: Result<Buffer>): void => {
      request.pause();
      settle(result);
    };
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limit) refuse(tooLarge(limit));
      else if (reserve(chunk.length)) chunks.push(chunk);
      else refuse(fail(overloaded));
    };
    const finish = (): void => {
      const [first] = chunks;
      settle(ok(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)));
    };
    const giveUp = (): void => settle(cutOff());
    // An iterator over the request costs several times as much.
    request.on('data', take).on('end', finish).on('error', giveUp).on('close', giveUp);
  });
}

function tooLarge(limit: number): Result<Buffer> {
  return fail(
    apiError('BODY_TOO_LARGE', `The body is longer than ${limit} bytes (server.bodyLimit)`),
  );
}

/** The client has gone, or what it sent is not HTTP: this response reaches nobody. */
function cutOff(): Result<Buffer> {
  return fail(apiError('MALFORMED_REQUEST', 'The body ended before its length was reached'));
}
