import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { CredentialMemory } from '../../auth/credential.ts';

/** Who sent a request, by its connection and the trusted proxies. See docs/contract/6-operation.md#proxies. */
export interface Client {
  /** The address that quotas and logs go by: IPv4 or IPv6, never IPv4 written as IPv6. Empty once it has gone. */
  readonly address: string;
  /** It is on this machine, and no proxy that nobody named may stand in between. */
  readonly isLoopback: boolean;
  /** Every step from it to here that is known of was encrypted. */
  readonly isSecure: boolean;
  /** What the gate has found out of it: kept for as long as its connection, where nothing is forwarded. */
  readonly memory: ClientMemory;
}

/** What is the same in most requests of a connection. */
export interface ClientMemory extends CredentialMemory {
  /** What its address counts as, and the name under which its failed logins are counted. */
  network?: { readonly name: string; readonly failures: string };
}

/** A client, and what only the rules at the edge of the server want to know. */
export interface Arrival {
  readonly client: Client;
  /** Who speaks `X-Forwarded-*` here: nobody, a proxy that is named, or somebody else. */
  readonly forwarded: 'no' | 'trusted' | 'unknown';
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Reads arrivals; `trustProxy` are the addresses and CIDRs of the proxies whose `X-Forwarded-*` headers count. */
export class Arrivals {
  private readonly ranges: readonly Range[];
  /** What a connection alone says does not change. */
  private readonly peers = new WeakMap<Socket, Peer>();

  constructor(trustProxy: readonly string[] = []) {
    this.ranges = trustProxy.map(readRange);
  }

  of({ socket, headers }: IncomingMessage): Arrival {
    let peer = this.peers.get(socket);
    if (peer === undefined) {
      peer = this.readPeer(socket);
      this.peers.set(socket, peer);
    }
    const { direct } = peer;
    // Whoever comes from elsewhere and is not named says nothing that counts.
    if (!peer.isTrusted && !direct.client.isLoopback) return direct;
    if (!isForwarded(headers)) return direct;
    if (peer.isTrusted) return this.throughProxies(peer, headers);
    return { client: { ...direct.client, isLoopback: false, memory: {} }, forwarded: 'unknown' };
  }

  private readPeer(socket: Socket): Peer {
    const address = readAddress(socket.remoteAddress ?? '');
    const client: Client = {
      address: address?.toString() ?? '',
      isLoopback: isLoopback(address),
      isSecure: isEncrypted(socket),
      memory: {},
    };
    return {
      address,
      isTrusted: this.isTrusted(address),
      direct: { client, forwarded: 'no' },
    };
  }

  /** The chain is read from here outwards: what stands behind the first step that is not trusted, anybody can write. */
  private throughProxies(peer: Peer, headers: IncomingHttpHeaders): Arrival {
    let { address } = peer;
    let isTold = false;
    for (const step of valuesOf(headers, 'x-forwarded-for').reverse()) {
      const before = readAddress(step);
      isTold = before !== undefined;
      if (before === undefined) break;
      address = before;
      if (!this.isTrusted(before)) break;
    }
    const protocols = valuesOf(headers, 'x-forwarded-proto');
    return {
      client: {
        address: address?.toString() ?? '',
        // A proxy on this machine that does not say for whom it asks may do so for anybody.
        isLoopback: isTold && isLoopback(address),
        isSecure: protocols.length > 0 && protocols.every((name) => name.toLowerCase() === 'https'),
        memory: {},
      },
      forwarded: 'trusted',
    };
  }

  private isTrusted(address: Address | undefined): boolean {
    return (
      address !== undefined &&
      this.ranges.some(
        ([range, bits]) => range.kind() === address.kind() && address.match(range, bits),
      )
    );
  }
}

/** Whether a connection is one of HTTPS. */
export function isEncrypted(socket: Socket): boolean {
  return (socket as Partial<TLSSocket>).encrypted === true;
}

interface Peer {
  readonly address: Address | undefined;
  readonly isTrusted: boolean;
  /** What it is when nothing is forwarded. */
  readonly direct: Arrival;
}

/** The hosts that a client asked for: what each proxy that is trusted says, else the one of the request. */
export function hostsOf({ forwarded }: Arrival, headers: IncomingHttpHeaders): readonly string[] {
  const told = forwarded === 'trusted' ? valuesOf(headers, 'x-forwarded-host') : [];
  if (told.length > 0 || headers.host === undefined) return told;
  return [headers.host];
}

function isForwarded(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith('x-forwarded-')) return true;
  return false;
}

/** The values of a list header; several lines of it are one list. */
function valuesOf(headers: IncomingHttpHeaders, name: string): string[] {
  const text = headers[name];
  if (text === undefined) return [];
  return String(text)
    .split(',')
    .map((value) => value.trim());
}

/** An address as `X-Forwarded-For` has it, where some proxies add the port; undefined for anything else. */
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

/** Whether a host name, without port, means this machine wherever it is looked up. */
export function isLoopbackName(name: string): boolean {
  const plain = name.toLowerCase().replace(/\.$/u, '');
  if (plain === 'localhost' || plain.endsWith('.localhost')) return true;
  return isLoopback(readAddress(plain));
}
