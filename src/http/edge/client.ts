import type { IncomingHttpHeaders } from 'node:http';
import type { TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { CredentialMemory } from '../../auth/credential.ts';

/** Who sent a request, by its connection and the trusted proxies. See docs/contract/6-operation.md#proxies. */
export interface Client {
  /** IPv4 or IPv6, never IPv4 written as IPv6. Empty after the client has disconnected, and for `fetch` without `ip`. */
  readonly address: string;
  /** On this machine, and not behind a proxy that `trustProxy` does not name. */
  readonly isLoopback: boolean;
  /** Every known hop was encrypted. */
  readonly isSecure: boolean;
  /** Caches results of the caller check; lives as long as the connection, unless the request is forwarded. */
  readonly memory: ClientMemory;
}

/** What requests come on. A socket is one. */
export interface Connection {
  readonly remoteAddress?: string | undefined;
}

/** What tells whom a request is from. */
export interface Addressed {
  readonly headers: IncomingHttpHeaders;
  readonly connection: Connection;
  /** See `Transport`. */
  readonly targetHost: string | undefined;
}

/** What most requests of a connection have in common. */
export interface ClientMemory extends CredentialMemory {
  /** The key of its quota, and the key of its failed logins. */
  network?: { readonly name: string; readonly failures: string };
}

/** A client, and who its `X-Forwarded-*` headers are from. */
export interface ConnectedClient {
  readonly client: Client;
  /** `no`: there are none. `trusted`: a proxy in `trustProxy`. `unknown`: anyone else on this machine. */
  readonly forwarded: 'no' | 'trusted' | 'unknown';
  /** Whether the connection may be plain HTTP: from this machine, or a network of `plainHttp`. */
  readonly mayBePlain: boolean;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Addresses and CIDRs. */
export class Networks {
  private readonly ranges: readonly Range[];

  constructor(networks: readonly string[] = []) {
    this.ranges = networks.map(readRange);
  }

  has(address: Address | undefined): boolean {
    return (
      address !== undefined &&
      this.ranges.some(
        ([range, bits]) => range.kind() === address.kind() && address.match(range, bits),
      )
    );
  }
}

/**
 * Finds the client of a request. `trustProxy`: addresses and CIDRs of proxies whose `X-Forwarded-*` headers count.
 * `plainHttp`: those of clients that may use plain HTTP.
 */
export class ClientResolver {
  private readonly proxies: Networks;
  private readonly plain: Networks;
  /** The part that is the same for all requests of a connection. */
  private readonly peers = new WeakMap<Connection, Peer>();

  constructor(trustProxy?: readonly string[], plainHttp?: readonly string[]) {
    this.proxies = new Networks(trustProxy);
    this.plain = new Networks(plainHttp);
  }

  of({ connection, headers }: Omit<Addressed, 'targetHost'>): ConnectedClient {
    let peer = this.peers.get(connection);
    if (peer === undefined) {
      peer = this.readPeer(connection);
      this.peers.set(connection, peer);
    }
    const { direct } = peer;
    // Headers of an unnamed proxy on another machine do not count.
    if (!peer.isTrusted && !direct.client.isLoopback) return direct;
    if (!isForwarded(headers)) return direct;
    if (peer.isTrusted) return this.throughProxies(peer, headers);
    return {
      client: { ...direct.client, isLoopback: false, memory: {} },
      forwarded: 'unknown',
      mayBePlain: direct.mayBePlain,
    };
  }

  private readPeer(connection: Connection): Peer {
    const address = readAddress(connection.remoteAddress ?? '');
    const client: Client = {
      address: address?.toString() ?? '',
      isLoopback: isLoopback(address),
      isSecure: isEncrypted(connection),
      memory: {},
    };
    return {
      address,
      isTrusted: this.proxies.has(address),
      direct: { client, forwarded: 'no', mayBePlain: client.isLoopback || this.plain.has(address) },
    };
  }

  /** Reads the chain from the nearest hop. Anything behind the first untrusted one may be forged. */
  private throughProxies(peer: Peer, headers: IncomingHttpHeaders): ConnectedClient {
    let { address } = peer;
    let isTold = false;
    for (const step of valuesOf(headers, 'x-forwarded-for').reverse()) {
      const before = readAddress(step);
      isTold = before !== undefined;
      if (before === undefined) break;
      address = before;
      if (!this.proxies.has(before)) break;
    }
    const protocols = valuesOf(headers, 'x-forwarded-proto');
    return {
      client: {
        address: address?.toString() ?? '',
        // A proxy on this machine without X-Forwarded-For may forward requests of any client.
        isLoopback: isTold && isLoopback(address),
        isSecure: protocols.length > 0 && protocols.every((name) => name.toLowerCase() === 'https'),
        memory: {},
      },
      forwarded: 'trusted',
      mayBePlain: false,
    };
  }
}

/** Whether a connection uses TLS. */
export function isEncrypted(connection: Connection): boolean {
  return (connection as Partial<TLSSocket>).encrypted === true;
}

interface Peer {
  readonly address: Address | undefined;
  readonly isTrusted: boolean;
  /** The client of requests without `X-Forwarded-*`. */
  readonly direct: ConnectedClient;
}

/**
 * The requested hosts: those in `X-Forwarded-Host` of trusted proxies, else `Host`, and that of an absolute target, which
 * goes before `Host` (RFC 9112, 3.2.2).
 */
export function hostsOf(
  { forwarded }: ConnectedClient,
  { headers, targetHost }: Omit<Addressed, 'connection'>,
): readonly string[] {
  const told = forwarded === 'trusted' ? valuesOf(headers, 'x-forwarded-host') : [];
  const asked = told.length > 0 || headers.host === undefined ? told : [headers.host];
  return targetHost === undefined ? asked : [...asked, targetHost];
}

function isForwarded(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith('x-forwarded-')) return true;
  return false;
}

/** The values of a list header. */
function valuesOf(headers: IncomingHttpHeaders, name: string): string[] {
  const text = headers[name];
  if (text === undefined) return [];
  return String(text)
    .split(',')
    .map((value) => value.trim());
}

/** An address in `X-Forwarded-For`, perhaps with a port; undefined for anything else. */
function readAddress(text: string): Address | undefined {
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/u.exec(text) ?? [];
  const [, dotted] = /^(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/u.exec(text) ?? [];
  const plain = bracketed ?? dotted ?? (text.includes(':') ? text : '');
  return ipaddr.isValid(plain) ? ipaddr.process(plain) : undefined;
}

function readRange(text: string): Range {
  const [name = '', written] = text.split('/');
  const address = ipaddr.parse(name);
  const bits = written === undefined ? undefined : Number(written);
  if (address.kind() === 'ipv4') return [address, bits ?? 32];
  const isMapped = (address as ipaddr.IPv6).isIPv4MappedAddress();
  if (isMapped && (bits ?? 128) >= 96) return [ipaddr.process(name), (bits ?? 128) - 96];
  return [address, bits ?? 128];
}

function isLoopback(address: Address | undefined): boolean {
  return address?.range() === 'loopback';
}

/**
 * Whether a host name without port always means this machine. IPv4 written as IPv6 does not count: no client needs it, and
 * resolvers read it in several ways.
 */
export function isLoopbackName(name: string): boolean {
  const plain = name.toLowerCase().replace(/\.$/u, '');
  if (/^(?:[^.]+\.)*localhost$/u.test(plain)) return true;
  const isMapped =
    plain.includes(':') &&
    ipaddr.IPv6.isValid(plain) &&
    ipaddr.IPv6.parse(plain).isIPv4MappedAddress();
  return !isMapped && isLoopback(readAddress(plain));
}
