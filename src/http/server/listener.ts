import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { nodeHttp } from '../../lib/node-http.ts';
import type { Connections } from './connections.ts';
import { listenOn, portOf, stopListening, takeAll } from './listening.ts';

/** A certificate with its chain, and its private key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Certificates for HTTPS. */
export interface ServerTls {
  readonly certificate: Certificate;
  /** Calls `apply` with each renewed certificate. */
  readonly onRenewal: (apply: (certificate: Certificate) => void) => void;
}

export interface ListenerOptions {
  readonly maxHeaderSize: number;
  /** How long a request may take to arrive, in ms. */
  readonly requestTimeout: number;
  readonly maxConnections: number;
  readonly connections: Connections;
  /** Absent: plain HTTP. */
  readonly tls: ServerTls | undefined;
}

/** How long a head or a TLS handshake may take, and how long an idle connection is kept; in ms. */
const headersTimeout = 10_000;
const keepAliveTimeout = 72_000;
/** After so many ms without a byte, TCP probes whether the other side is still there. */
export const probeAfter = 60_000;

/** An HTTP or HTTPS server with every limit set that Node leaves open or wide. It does not listen yet. */
export function makeServer(handler: RequestListener, options: ListenerOptions): Server {
  const { maxHeaderSize, requestTimeout, maxConnections, connections, tls } = options;
  const settings: ServerOptions = {
    maxHeaderSize,
    requestTimeout,
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    keepAliveTimeout,
    connectionsCheckingInterval: Math.max(50, Math.min(1_000, requestTimeout)),
    requireHostHeader: false,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: probeAfter,
  };
  const server = tls === undefined ? nodeHttp.createServer(settings, handler) : makeTls(tls);
  server.maxConnections = maxConnections;
  server.on('connection', (socket) => connections.accept(socket));
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket) =>
    connections.open(socket),
  );
  server.on('clientError', (error, socket) => void connections.refuse(error, socket as never));
  // CONNECT: Node would cut the connection without a response, even to the requests before it.
  server.on('connect', ({ method }: IncomingMessage, socket: Socket) => {
    // Node has removed its listeners from the socket.
    socket.on('error', () => socket.destroy());
    void connections.refuse(new Error(`${method} is not served`), socket);
  });
  // An unknown expectation may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request: IncomingMessage, response) =>
    server.emit('request', request, response),
  );
  return server;

  function makeTls({ certificate, onRenewal }: ServerTls): Server {
    const made = createTlsServer(
      { ...settings, ...certificate, handshakeTimeout: headersTimeout },
      handler,
    );
    onRenewal((renewed) => made.setSecureContext({ ...renewed }));
    return made;
  }
}

/** Connections that another process accepts for this server. */
export interface ConnectionSource {
  readonly port: number;
  /** Calls `take` with each connection from now on. */
  readonly start: (take: (connection: Socket) => void) => void;
  /** Ends it; resolves when `take` has had every connection that was accepted for this server. */
  readonly stop: () => Promise<void>;
}

/** A server that takes connections. */
export interface Listener {
  readonly port: number;
  /**
   * Stops listening and takes the connections that the system has made already; nothing else should run meanwhile. `ended`
   * resolves when the last connection has ended.
   */
  readonly close: () => Promise<{ readonly ended: Promise<unknown> }>;
}

/** Takes connections from a port of its own, or from a source. Rejects with the system's error. */
export async function openListener(
  handler: RequestListener,
  options: ListenerOptions,
  host: string,
  port: number,
  source?: ConnectionSource,
): Promise<Listener> {
  const { connections, maxConnections } = options;
  if (source === undefined) {
    const servers = await listenOn(() => makeServer(handler, options), host, port);
    const close: Listener['close'] = async () => {
      await takeAll(() => connections.accepted);
      return { ended: Promise.all(servers.map(stopListening)) };
    };
    return { port: portOf(servers), close };
  }
  const server = makeServer(handler, options);
  // Node begins to check the time-outs of requests with this event.
  server.emit('listening');
  source.start((connection) => {
    if (connections.size >= maxConnections) connection.destroy();
    else {
      // As for a connection that an HTTP server accepts: a client that has ended may still wait for the response.
      connection.allowHalfOpen = true;
      server.emit('connection', connection);
    }
  });
  const close: Listener['close'] = async () => {
    await source.stop();
    return { ended: Promise.resolve() };
  };
  return { port: source.port, close };
}
