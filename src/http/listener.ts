import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
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

/**
 * Listens on a host and port; 0: any port that is free. `localhost` stands for several addresses, and clients differ in
 * the one that they take: there is a server for each that the machine has. Rejects with the system's error
 * (`EADDRINUSE`, …) when the first one cannot listen.
 */
export async function listenOn(
  make: () => Server,
  host: string,
  port: number,
): Promise<readonly [Server, ...Server[]]> {
  const first = await listen(make(), host, port);
  const servers: [Server, ...Server[]] = [first];
  const addresses = host === 'localhost' ? await lookup(host, { all: true }) : [];
  const { address: taken } = first.address() as AddressInfo;
  for (const { address } of addresses) {
    if (address === taken) continue;
    const other = await listen(make(), address, portOf(servers)).catch(() => undefined);
    if (other !== undefined) servers.push(other);
  }
  return servers;
}

async function listen(server: Server, host: string, port: number): Promise<Server> {
  server.listen({ host, port });
  await once(server, 'listening');
  return server;
}

/** The port that servers listen on. */
export function portOf([server]: readonly [Server, ...Server[]]): number {
  return (server.address() as AddressInfo).port;
}
