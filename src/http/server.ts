import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { apiError, fail, ok, type ApiError, type Result } from '../errors.ts';
import { DatabaseFailure } from '../execute/database.ts';
import type { Draw } from '../plan/write.ts';
import { respondError } from '../respond/error.ts';
import type { Response } from '../respond/response.ts';
import type { Trace } from '../trace/events.ts';
import type { Generation } from './generation.ts';
import { answer } from './pipeline.ts';

/** Contract 1: the defaults of `server`. Times in ms, sizes in bytes. */
const defaults = {
  bodyLimit: 1024 * 1024,
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 72_000,
  maxHeaderSize: 16 * 1024,
  stopTimeout: 10_000,
} as const;

export interface ServerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly draw: Draw;
  readonly trace: Trace;
}

/** A server that listens. */
export interface RunningServer {
  readonly port: number;
  /** Takes no new connections, lets the requests in flight end, then resolves. */
  readonly close: () => Promise<void>;
}

/**
 * Serves a generation over HTTP. `generation` is asked for each request, so that it can be swapped. Rejects with the
 * system's error (`EADDRINUSE`, …) when it cannot listen.
 */
export async function startServer(
  generation: () => Generation,
  { host, port, draw, trace }: ServerOptions,
): Promise<RunningServer> {
  const settings = generation().api.settings.server ?? {};
  let stopping = false;
  const app = fastify({
    requestTimeout: settings.requestTimeout ?? defaults.requestTimeout,
    keepAliveTimeout: defaults.keepAliveTimeout,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: { maxHeaderSize: defaults.maxHeaderSize, headersTimeout: defaults.headersTimeout },
    // Paths are this service's own matter: the framework's router would decode and normalise them.
    rewriteUrl: () => '/',
    clientErrorHandler: refuseConnection,
  });
  app.removeAllContentTypeParsers();
  // The pipeline reads bodies itself, after it has found that the path takes one.
  app.addContentTypeParser('*', (_request, _payload, done) => {
    done(null);
  });
  const handle = async (request: IncomingMessage & { originalUrl?: string }): Promise<Response> => {
    const requestId = randomUUID();
    const url = request.originalUrl ?? request.url ?? '/';
    const method = request.method ?? 'GET';
    const path = url.split('?', 1)[0] ?? '/';
    try {
      return await answer({
        requestId,
        method,
        url,
        headers: request.headers,
        readBody: () => readBody(request, settings.bodyLimit ?? defaults.bodyLimit),
        generation: generation(),
        draw,
        isStopping: () => stopping,
      });
    } catch (error) {
      trace({ kind: 'failure', requestId, method, path, error });
      return respondError(failureOf(error), path, requestId);
    }
  };
  registerRoutes(app, handle);
  await app.listen({ host, port });
  const address = app.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: async () => {
      stopping = true;
      const timer = setTimeout(() => app.server.closeAllConnections(), defaults.stopTimeout);
      await app.close();
      clearTimeout(timer);
    },
  };
}

function registerRoutes(
  app: FastifyInstance,
  handle: (request: IncomingMessage) => Promise<Response>,
): void {
  const handler = async (
    request: { raw: IncomingMessage },
    reply: { raw: ServerResponse; hijack: () => void },
  ): Promise<void> => {
    reply.hijack();
    const { status, headers, body } = await handle(request.raw);
    const response = reply.raw;
    if (body === undefined) response.writeHead(status, headers).end();
    else {
      const length = String(Buffer.byteLength(body));
      response.writeHead(status, { ...headers, 'content-length': length }).end(body);
    }
    // What was not read of a body must not be taken for the next request.
    if (!request.raw.readableEnded) request.raw.resume();
  };
  app.all('/', handler);
  app.setNotFoundHandler(handler);
}

/** The whole body, or 413 once it is longer than the limit; the connection is not kept then. */
async function readBody(request: IncomingMessage, limit: number): Promise<Result<Buffer>> {
  const tooLarge = fail(
    apiError('BODY_TOO_LARGE', `The body is longer than ${limit} bytes (server.bodyLimit)`, {
      headers: { connection: 'close' },
    }),
  );
  if (Number(request.headers['content-length'] ?? 0) > limit) return tooLarge;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += (chunk as Buffer).length;
    if (length > limit) return tooLarge;
    chunks.push(chunk as Buffer);
  }
  return ok(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
}

/** What a client is told of an error that no rule foresaw: nothing of the database, nothing of the host. */
function failureOf(error: unknown): ApiError {
  if (!(error instanceof DatabaseFailure))
    return apiError('INTERNAL_ERROR', 'An unexpected error; the log has it under the request id');
  return error.kind === 'busy'
    ? apiError('DATABASE_BUSY', 'The database stayed locked by another process; try again')
    : apiError('DATABASE_UNAVAILABLE', 'The database cannot be used at the moment; try again');
}

/** Answers bytes that are no HTTP with the standard body, then ends the connection. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? apiError(
          'HEADERS_TOO_LARGE',
          `The request headers are longer than ${defaults.maxHeaderSize} bytes`,
        )
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? apiError('REQUEST_TIMEOUT', 'The request did not arrive in time')
        : apiError('MALFORMED_REQUEST', 'The bytes received are no valid HTTP request');
  const { status, headers, body = '' } = respondError(refusal, '', randomUUID());
  const reason = (JSON.parse(body) as { error: string }).error;
  const lines = Object.entries({
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`);
}
