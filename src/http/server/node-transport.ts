import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { fail, ok, type Result } from '../../errors.ts';
import { overloaded } from '../load/admission.ts';
import type { UnsentResponses } from '../load/unsent-responses.ts';
import type { Response, StreamedBody, TextResponse } from '../response/response.ts';
import { cut } from '../response/streaming.ts';
import { hostOfTarget } from './request-head.ts';
import type { Connections } from './connections.ts';
import { send } from './node-response.ts';
import { cutOff, readBefore, tooLarge, type Sending, type Transport } from './transport.ts';

/** A request over a socket, of this server or of one that an application has made. */
export class NodeTransport implements Transport {
  readonly isOverNetwork = true;
  private readonly request: IncomingMessage;
  private readonly response: ServerResponse;
  private readonly unsent: UnsentResponses;
  private readonly connections: Connections | undefined;

  /** `connections`: absent if the socket belongs to another server, which ends it. */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    unsent: UnsentResponses,
    connections?: Connections,
  ) {
    this.request = request;
    this.response = response;
    this.unsent = unsent;
    this.connections = connections;
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get rawHeaders(): readonly string[] {
    return this.request.rawHeaders;
  }

  get connection(): Socket {
    return this.request.socket;
  }

  get targetHost(): string | undefined {
    return hostOfTarget(this.request);
  }

  get isGone(): boolean {
    return this.request.socket.destroyed;
  }

  onGone(leave: () => void): () => void {
    const { socket } = this.request;
    if (socket.destroyed) leave();
    else socket.once('close', leave);
    return () => socket.off('close', leave);
  }

  readBody(limit: number, reserve: (bytes: number) => boolean): Promise<Result<Buffer>> {
    return readBody(this.request, limit, reserve);
  }

  endConnection(): boolean {
    return this.connections?.endWith(this.request) === true;
  }

  send(response: Response, sending: Sending): StreamedBody | undefined {
    const { request } = this;
    const rest = send(this.response, response, sending);
    // The unread rest of a body must not be taken for the next request. `requestTimeout` bounds it.
    if (!request.complete) request.resume();
    return rest;
  }

  sendInstead(error: TextResponse, sending: Omit<Sending, 'last'>): void {
    const { response } = this;
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

  sendBody(body: StreamedBody, held: number): Promise<void> {
    return this.unsent.sendStream(this.response, body, held);
  }

  untilTaken(): Promise<void> | undefined {
    return this.request.socket.writableLength > 0
      ? this.unsent.untilTaken(this.response)
      : undefined;
  }

  abandon(): void {
    if (!this.response.headersSent) this.request.socket.destroy();
  }
}

/** The whole body of a request. What is not read then is left in it. */
function readBody(
  request: IncomingMessage,
  limit: number,
  reserve: (bytes: number) => boolean,
): Promise<Result<Buffer>> {
  if (Number(request.headers['content-length'] ?? 0) > limit)
    return Promise.resolve(tooLarge(limit));
  if (request.readableDidRead) return Promise.resolve(readBefore());
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
