import type { IncomingHttpHeaders } from 'node:http';
import { randomUUID } from 'node:crypto';
import { fail, ok, type Result } from '../../errors.ts';
import { splitUrl } from '../api/router.ts';
import type { Connection } from '../edge/client.ts';
import { overloaded } from '../load/admission.ts';
import {
  isWhole,
  type Response as Answer,
  type StreamedBody,
  type TextResponse,
} from '../response/response.ts';
import {
  cutOff,
  headerList,
  readBefore,
  tooLarge,
  type Incoming,
  type Sending,
  type Transport,
} from './transport.ts';

/** How many bytes of a streamed body are ready before the reader asks for them. */
const readAhead = new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 });

/** A `Request` of Fetch, answered by a `Response`. No socket is involved. */
export class FetchTransport implements Transport {
  readonly isOverNetwork = false;
  readonly targetHost = undefined;
  readonly connection: Connection;
  readonly headers: IncomingHttpHeaders;
  /** Rejects if the client goes before there is a response. */
  readonly answered: Promise<Response>;
  private readonly request: Request;
  private readonly stallTimeout: number;
  private readonly settle: {
    readonly resolve: (response: Response) => void;
    readonly reject: (reason: unknown) => void;
  };
  private isSent = false;
  private isCancelled = false;
  /** Called when the reader of a streamed body wants more, or has gone. */
  private wake: (() => void) | undefined;
  private stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  private readonly leaving = new Set<() => void>();

  /** `stallTimeout`: how long a streamed body may stay unread before it fails, in ms. */
  constructor(request: Request, connection: Connection, stallTimeout: number) {
    this.request = request;
    this.connection = connection;
    this.stallTimeout = stallTimeout;
    const headers: Record<string, string> = { host: partsOf(request.url).host };
    for (const [name, value] of request.headers) headers[name] = value;
    // Fetch names no length: without either header a body would pass for none, whatever its type.
    if (request.body !== null && headers['content-length'] === undefined)
      headers['transfer-encoding'] = 'chunked';
    this.headers = headers;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    this.answered = promise;
    this.settle = { resolve, reject };
  }

  get rawHeaders(): readonly string[] {
    const all: string[] = [];
    for (const [name, value] of this.request.headers) all.push(name, value);
    return all;
  }

  get isGone(): boolean {
    return this.isCancelled || this.request.signal.aborted;
  }

  onGone(leave: () => void): () => void {
    const { signal } = this.request;
    if (this.isGone) leave();
    else {
      this.leaving.add(leave);
      signal.addEventListener('abort', leave, { once: true });
    }
    return () => {
      this.leaving.delete(leave);
      signal.removeEventListener('abort', leave);
    };
  }

  async readBody(limit: number, reserve: (bytes: number) => boolean): Promise<Result<Buffer>> {
    const { body, bodyUsed, headers } = this.request;
    if (Number(headers.get('content-length') ?? 0) > limit) return tooLarge(limit);
    if (bodyUsed || body?.locked === true) return readBefore();
    if (body === null) return ok(Buffer.alloc(0));
    const chunks: Uint8Array[] = [];
    let length = 0;
    const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    const refuse = (result: Result<Buffer>): Result<Buffer> => {
      reader.cancel().catch(() => undefined);
      return result;
    };
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return ok(Buffer.concat(chunks));
        length += value.length;
        if (length > limit) return refuse(tooLarge(limit));
        if (!reserve(value.length)) return refuse(fail(overloaded));
        chunks.push(value);
      }
    } catch {
      return cutOff();
    }
  }

  endConnection(): boolean {
    return false;
  }

  send(answered: Answer, sending: Sending): StreamedBody | undefined {
    if (this.isSent) return undefined;
    if (this.isGone) {
      this.abandon();
      return undefined;
    }
    const { status, body, whole } = answered;
    const headers = headersOf(answered, sending);
    const isHead = this.request.method === 'HEAD';
    const hasNoLength = body === undefined && (status === 204 || status === 304);
    const held = isWhole(body) ? body : whole;
    if (!hasNoLength && (held !== undefined || body === undefined))
      headers.push(['content-length', String(Buffer.byteLength(held ?? ''))]);
    if (isHead || body === undefined || isWhole(body)) {
      const content = isHead || !isWhole(body) ? null : bytesOf(body);
      this.respond(content, status, headers);
      return undefined;
    }
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.stream = controller;
        },
        pull: () => this.wake?.(),
        cancel: () => this.leave(),
      },
      readAhead,
    );
    this.respond(stream, status, headers);
    return body;
  }

  /** Throws for what Fetch does not take; then another response may be sent in its place. */
  private respond(
    body: ConstructorParameters<typeof Response>[0],
    status: number,
    headers: [string, string][],
  ): void {
    this.settle.resolve(new Response(body, { status, headers }));
    this.isSent = true;
  }

  sendInstead(error: TextResponse, sending: Omit<Sending, 'last'>): void {
    if (this.isSent) this.stream?.error(unfinished());
    else this.send(error, { ...sending, last: false });
  }

  async sendBody(body: StreamedBody): Promise<void> {
    const { stream } = this;
    if (stream === undefined) return;
    try {
      for await (const portion of body) {
        if (this.isGone) break;
        stream.enqueue(typeof portion === 'string' ? Buffer.from(portion) : portion);
        if ((stream.desiredSize ?? 0) <= 0) await this.wanted();
        if (this.isGone) break;
      }
      // What is left out must not pass for the end.
      if (this.isGone) stream.error(this.request.signal.reason ?? unfinished());
      else stream.close();
    } catch (error) {
      stream.error(unfinished());
      throw error;
    }
  }

  untilTaken(): undefined {
    return undefined;
  }

  abandon(): void {
    const { signal } = this.request;
    this.settle.reject(
      signal.aborted ? signal.reason : new Error('The request could not be answered'),
    );
  }

  /** The reader of the body has gone. */
  private leave(): void {
    this.isCancelled = true;
    for (const leave of this.leaving) leave();
    this.wake?.();
  }

  /** Waits until the reader of the body wants more, or has gone; fails after `stallTimeout`. */
  private async wanted(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.onGone(resolve);
    const timer = setTimeout(() => {
      this.stream?.error(new Error('Nothing of the response was read for too long'));
      this.leave();
    }, this.stallTimeout).unref();
    this.wake = resolve;
    // The reader may have asked between `enqueue` and here.
    if ((this.stream?.desiredSize ?? 1) > 0) resolve();
    await promise;
    clearTimeout(timer);
    this.wake = undefined;
    stop();
  }
}

/** The head of a request of Fetch. `mount`: the path below which the application serves the API. */
export function readRequest(
  { method, url }: Pick<Request, 'method' | 'url'>,
  transport: Transport,
  mount: string,
): Incoming {
  const { target } = partsOf(url);
  const inside = mount === '' ? target : withoutMount(target, mount);
  const { path, search } = splitUrl(inside);
  const requestId = randomUUID();
  return { transport, mount, problem: undefined, requestId, method, url: inside, path, search };
}

/** The parts of an absolute URL as `Request` writes it. */
function partsOf(url: string): { readonly host: string; readonly target: string } {
  const start = url.indexOf('://') + 3;
  const path = url.indexOf('/', start);
  const end = url.indexOf('#');
  return {
    host: url.slice(start, path),
    target: url.slice(path, end === -1 ? undefined : end),
  };
}

/** A target without the path of the mount; as it is if the application has taken that off already. */
function withoutMount(target: string, mount: string): string {
  if (!target.startsWith(mount)) return target;
  const rest = target.slice(mount.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : target;
}

function unfinished(): Error {
  return new Error('The response could not be completed');
}

function headersOf(answered: Answer, sending: Sending): [string, string][] {
  const list = headerList(answered, sending);
  const pairs: [string, string][] = [];
  for (let at = 0; at < list.length; at += 2) pairs.push([list[at] ?? '', list[at + 1] ?? '']);
  return pairs;
}

function bytesOf(body: string | Buffer): string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? body : new Uint8Array(body);
}
