import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as read, setTimeout as delay } from 'node:timers/promises';
import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import { noteArrival } from '../../lib/event-loop.ts';
import { respondError } from '../response/error.ts';
import type { Askers } from '../load/askers.ts';
import { overloaded } from '../load/overload.ts';
import { cut } from '../response/streaming.ts';
import {
  isWhole,
  type Response,
  type StreamedBody,
  type TextResponse,
} from '../response/response.ts';

/** How long a refused client has to read why before its connection is cut, in ms. */
const lingering = 1_000;
/**
 * How long a server that stops waits for the first request of a connection, and for the next one, which may be under
 * way; and how often it looks what has ended. In ms.
 */
const beforeFirst = 500;
const betweenTwo = 100;
const lookAgain = 20;

interface Current {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** `behind`: another one of its connection has no answer yet; `over`: no answer is sent to what comes behind the last one. */
type Standing = 'first' | 'behind' | 'over';

/**
 * The open connections, each with the request that came last on it: what is needed to refuse bytes that are no
 * HTTP without spoiling the answers before them, and to close what nobody uses.
 */
export class Connections {
  private readonly current = new Map<Socket, Current | 'idle' | undefined>();
  /** After its answer a request is held no longer: many connections that rest would hold much. */
  private readonly forget: (this: ServerResponse) => void;
  /** Those too that are no further than their TLS handshake. */
  private readonly all = new Set<Socket>();
  /** How many the system has given so far. */
  accepted = 0;
  private readonly refused = new WeakSet<Socket>();
  /** Those whose last request has come. */
  private readonly ending = new WeakSet<Socket>();
  private readonly maxHeaderSize: number;
  private readonly askers: Pick<Askers, 'note' | 'forget'>;
  private readonly sendingOn: (socket: Socket) => Omit<Sending, 'last'>;

  /** `sendingOn`: what answers are sent with to what could not be read as a request. */
  constructor(
    maxHeaderSize: number,
    askers: Pick<Askers, 'note' | 'forget'>,
    sendingOn: (socket: Socket) => Omit<Sending, 'last'>,
  ) {
    this.maxHeaderSize = maxHeaderSize;
    this.askers = askers;
    this.sendingOn = sendingOn;
    const { current } = this;
    this.forget = function forget() {
      const { req: request } = this;
      const held = current.get(request.socket);
      // Another may have come behind it already; and of a body that is still coming the next bytes may be refused.
      if (typeof held === 'object' && held.request === request && request.complete)
        current.set(request.socket, 'idle');
    };
  }

  /** A connection as the system gives it. */
  accept(socket: Socket): void {
    this.accepted += 1;
    noteArrival();
    this.all.add(socket);
    socket.once('close', () => this.all.delete(socket));
  }

  /** A connection on which requests may come now. */
  open(socket: Socket): void {
    // Each request that waits on it hears of its end, and some clients send many in a row: no leak to warn of.
    socket.setMaxListeners(0);
    this.current.set(socket, undefined);
    this.askers.note(socket);
    socket.once('close', () => {
      this.current.delete(socket);
      this.askers.forget(socket);
    });
  }

  /** A request has come. Gives where it stands on its connection. */
  begin(request: IncomingMessage, response: ServerResponse): Standing {
    const { socket } = request;
    noteArrival();
    if (this.ending.has(socket)) return 'over';
    const before = this.current.get(socket);
    if (before === undefined && !this.current.has(socket)) return 'first';
    this.current.set(socket, { request, response });
    this.askers.note(socket);
    response.on('finish', this.forget);
    return typeof before === 'object' ? 'behind' : 'first';
  }

  /** Ends the connection with the answer to this request, unless another has come behind it. Gives whether it does. */
  endWith(request: IncomingMessage): boolean {
    const { socket } = request;
    const current = this.current.get(socket);
    if (typeof current === 'object' && current.request !== request) return false;
    this.ending.add(socket);
    return true;
  }

  /**
   * Ends all connections: those that nobody uses after a moment, in which a request that is under way arrives, behind the
   * TLS handshake where that is not over; those on which a request waits when it is answered, or after `timeout` ms.
   */
  async finish(timeout: number): Promise<void> {
    const { all, current: open } = this;
    const start = performance.now();
    const mayCome = (passed: number): boolean => passed <= beforeFirst && all.size > open.size;
    for (let passed = 0; open.size > 0 || mayCome(passed); passed = performance.now() - start) {
      for (const [socket, current] of open) {
        const isUnused = current === undefined && passed > beforeFirst;
        const isIdle = isAnswered(current) && passed > betweenTwo;
        if (isUnused || isIdle || passed > timeout) socket.destroy();
      }
      await delay(lookAgain);
      // What has come while others were busy is read before anybody is taken for idle.
      await read();
    }
    for (const socket of all) socket.destroy();
  }

  /** How many there are. */
  get size(): number {
    return this.all.size;
  }

  /** Answers what the parser refuses, after the answers that are due before it, then ends the connection. */
  async refuse(error: NodeJS.ErrnoException, socket: Socket): Promise<void> {
    // The parser repeats itself with every further byte.
    if (this.refused.has(socket)) return;
    this.refused.add(socket);
    const current = this.current.get(socket);
    const refusal = respondError(this.refusalOf(error), '', randomUUID());
    const sending: Sending = { last: true, ...this.sendingOn(socket) };
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (current === undefined || current === 'idle') end(socket, refusal, sending);
    else {
      const { request, response } = current;
      const isBody = !request.complete;
      // Who waits for the rest of it would wait for ever: Node ends no request whose answer was sent.
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
        'The URL has characters that stand percent-encoded in one, as %C3%BC for ü',
      );
    if (error.code !== 'HPE_HEADER_OVERFLOW')
      return apiError('MALFORMED_REQUEST', 'The bytes received are no valid HTTP request');
    return isInRequestLine(error)
      ? apiError('URI_TOO_LONG', `The URL is longer than ${this.maxHeaderSize} bytes`)
      : apiError(
          'HEADERS_TOO_LARGE',
          `The request line and headers are longer than ${this.maxHeaderSize} bytes`,
        );
  }
}

function isAnswered(current: Current | 'idle' | undefined): boolean {
  return current === 'idle' || current?.response.writableFinished === true;
}

/**
 * Whether a head that is too long was still in its first line. Only the bytes that came last are known, and TLS gives no
 * more than 16 KiB at once: they may begin within the line, which then tells itself by its end. One whose end has not
 * come either is taken for a URL where it looks like the parameters of one.
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

/** Writes an answer on a socket that no parser serves any more. */
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

/** What an answer is sent with, whatever it says. */
export interface Sending {
  /** The connection ends with it. */
  readonly last: boolean;
  readonly vary: string;
  /** Further headers, names and values in turn. */
  readonly extra?: readonly string[];
}

/** Sends an answer, unless one was sent or nobody is there. Gives its body where that is still to be written. */
export function send(
  response: ServerResponse,
  { status, headers, body, whole }: Response,
  { last, vary, extra = [] }: Sending,
): StreamedBody | undefined {
  if (response.headersSent || response.req.socket.destroyed) return undefined;
  // As one flat list they are written as they are: an object is looked through several times.
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
  // Text of ASCII alone is the same bytes either way, and the cheaper way is the other one.
  response.writeHead(status, all).end(body, body?.length === length ? 'latin1' : 'utf8');
  return undefined;
}

/** Sends an error in place of an answer that could not be sent. Where a part of that has gone out, the connection is cut. */
export function sendInstead(
  response: ServerResponse,
  error: TextResponse,
  sending: Omit<Sending, 'last'>,
): void {
  const { socket } = response.req;
  try {
    if (response.headersSent) cut(socket);
    else {
      // The words of the other status would stay.
      response.statusMessage = '';
      send(response, error, { ...sending, last: true });
    }
  } catch {
    cut(socket);
  }
}

/**
 * The whole body, or 413 once it is longer than the limit. `hold` says whether there is room for so many bytes more;
 * else 503. What is not read then is left in the request.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  hold: (bytes: number) => boolean,
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
      else if (hold(chunk.length)) chunks.push(chunk);
      else refuse(fail(overloaded));
    };
    const finish = (): void => {
      const [first] = chunks;
      settle(ok(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)));
    };
    const giveUp = (): void => settle(cutOff());
    // An iterator over the request would cost several times as much.
    request.on('data', take).on('end', finish).on('error', giveUp).on('close', giveUp);
  });
}

function tooLarge(limit: number): Result<Buffer> {
  return fail(
    apiError('BODY_TOO_LARGE', `The body is longer than ${limit} bytes (server.bodyLimit)`),
  );
}

/** The client went away, or what it sent is no HTTP: this answer reaches nobody. */
function cutOff(): Result<Buffer> {
  return fail(apiError('MALFORMED_REQUEST', 'The body did not arrive whole'));
}
