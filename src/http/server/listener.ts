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

/** What the server speaks HTTPS with. */
export interface ServerTls {
  readonly certificate: Certificate;
  /** Gives each certificate that takes the place of the one before. */
  readonly onRenewal: (apply: (certificate: Certificate) => void) => void;
}

export interface ListenerOptions {
  readonly maxHeaderSize: number;
  /** The longest that a request may take to arrive, in ms. */
  readonly requestTimeout: number;
  readonly maxConnections: number;
  readonly connections: Connections;
  /** Absent: plain HTTP is spoken. */
  readonly tls: ServerTls | undefined;
}

/** The longest that a head, and a TLS handshake, may take; and that a connection may be kept without use. In ms. */
const headersTimeout = 10_000;
const keepAliveTimeout = 72_000;
/** After so long without a byte the system looks whether the other side is still there. */
export const probeAfter = 60_000;

/** A server of HTTP or HTTPS with every bound set that Node leaves open or wide. It does not listen yet. */
export function makeListener(handler: RequestListener, options: ListenerOptions): Server {
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
  // What is for proxies alone would be cut off without an answer, with the answers that are due before it.
  server.on('connect', ({ method }: IncomingMessage, socket: Socket) => {
    // Nothing of Node's listens to it any more.
    socket.on('error', () => socket.destroy());
    void connections.refuse(new Error(`${method} is not served`), socket);
  });
  // An expectation that is not known may be ignored (RFC 9110, 10.1.1).
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

/** The port of a server, and its end. */
export interface Entrance {
  readonly port: number;
  /**
   * Takes no new connections, but those that have been made already, for which nothing else should be done meanwhile;
   * then gives what resolves when the last one has ended.
   */
  readonly shut: () => Promise<{ readonly ended: Promise<unknown> }>;
}

/** Lets connections in: those of a port of its own, or those of a source. Rejects with the system's error. */
export async function openEntrance(
  handler: RequestListener,
  options: ListenerOptions,
  host: string,
  port: number,
  source?: ConnectionSource,
): Promise<Entrance> {
  const { connections, maxConnections } = options;
  if (source === undefined) {
    const servers = await listenOn(() => makeListener(handler, options), host, port);
    const shut: Entrance['shut'] = async () => {
      await takeAll(() => connections.accepted);
      return { ended: Promise.all(servers.map(stopListening)) };
    };
    return { port: portOf(servers), shut };
  }
  const server = makeListener(handler, options);
  // What bounds the time of requests begins with this event.
  server.emit('listening');
  source.start((connection) => {
    if (connections.size >= maxConnections) connection.destroy();
    else {
      // As those that a server of HTTP accepts: who has sent all may still wait for the answer.
      connection.allowHalfOpen = true;
      server.emit('connection', connection);
    }
  });
  const shut: Entrance['shut'] = async () => {
    await source.stop();
    return { ended: Promise.resolve() };
  };
  return { port: source.port, shut };
}
