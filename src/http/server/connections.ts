import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as read, setTimeout as delay } from 'node:timers/promises';
import { apiError, type ApiError } from '../../errors.ts';
import { respondError } from '../response/error.ts';
import { Pipeline } from '../load/pipelining.ts';
import type { TextResponse } from '../response/response.ts';
import { send } from './node-response.ts';
import type { Sending } from './transport.ts';

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
