import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { nodeHttp } from '../node-http.ts';
import type { Connections } from './connections.ts';

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
const probeAfter = 60_000;

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
