import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { apiError, type ApiError } from '../../errors.ts';
import type { Response } from '../response/response.ts';
import type { Specification } from '../../specification/specification.ts';
import {
  Arrivals,
  hostsOf,
  isEncrypted,
  isLoopbackName,
  type Arrival,
  type Client,
} from './client.ts';
import { Cors } from './cors.ts';
import { isProbe } from '../api/router.ts';

/** What the server was started for. See docs/contract/6-operation.md#modes. */
export type Mode = 'dev' | 'start';

/** A request that has come in. */
export interface Entry {
  readonly client: Client;
  /** Why it goes no further. */
  readonly refusal: ApiError | undefined;
  /** What its answer has on top, names and values in turn. */
  readonly headers: readonly string[];
}

/** A year, as browsers that preload want it. */
const transportSecurity = ['strict-transport-security', 'max-age=31536000'] as const;

/**
 * Decides about a request before its path is looked at: who it is from, whether it may come over plain HTTP and under
 * this host, and which pages may read its answer. See docs/contract/6-operation.md#https,
 * docs/contract/6-operation.md#hosts and docs/contract/6-operation.md#cors.
 */
export class Edge {
  /** The headers on which an answer depends. See docs/contract/2-reading.md#content, rule 3. */
  readonly vary: string;
  private readonly cors: Cors;
  private readonly arrivals: Arrivals;
  private readonly mode: Mode;
  /** Absent: any host is answered for. */
  private readonly hosts: AllowedHosts | undefined;

  constructor({ auth, server = {} }: Specification, mode: Mode) {
    this.mode = mode;
    this.arrivals = new Arrivals(server.trustProxy);
    this.cors = new Cors(server.cors, mode === 'dev');
    this.hosts = mode === 'dev' && auth === undefined ? new AllowedHosts(server) : undefined;
    const credentials = auth === undefined ? '' : ', Authorization, X-API-Key';
    const sandbox = mode === 'dev' ? ', X-Sandbox' : '';
    const origin = this.cors.variesByOrigin ? ', Origin' : '';
    this.vary = `Accept, Accept-Encoding${credentials}${sandbox}${origin}`;
  }

  enter(request: IncomingMessage, path: string): Entry {
    const arrival = this.arrivals.of(request);
    const cors = this.cors.headersFor(request.headers.origin);
    const isStrict = arrival.client.isSecure && this.mode === 'start';
    return {
      client: arrival.client,
      // Whoever watches the process asks by address, and over plain HTTP.
      refusal: isProbe(path) ? undefined : this.refusalOf(arrival, request.headers),
      headers: isStrict ? [...cors, ...transportSecurity] : cors,
    };
  }

  /** What the answer to bytes that are no request is sent with: they come from nobody, on a connection that is known. */
  unread(socket: Socket): { readonly vary: string; readonly extra: readonly string[] } {
    const isStrict = isEncrypted(socket) && this.mode === 'start';
    return { vary: this.vary, extra: isStrict ? transportSecurity : [] };
  }

  /** The answer to OPTIONS as a browser wants it that asks before it calls. */
  preflight(answered: Response, headers: IncomingHttpHeaders, requestId: string): Response {
    return this.cors.preflight(answered, headers, requestId);
  }

  private refusalOf(arrival: Arrival, headers: IncomingHttpHeaders): ApiError | undefined {
    const isPlain = this.plainRefusal(arrival);
    if (isPlain !== undefined || this.hosts === undefined) return isPlain;
    const hosts = hostsOf(arrival, headers);
    const isAllowed = hosts.length > 0 && hosts.every((host) => this.hosts?.has(host) === true);
    return isAllowed ? undefined : otherHost;
  }

  private plainRefusal({ client, forwarded }: Arrival): ApiError | undefined {
    if (client.isSecure) return undefined;
    if (forwarded === 'trusted') return overPlainProxy;
    if (forwarded === 'unknown' && this.mode === 'start') return behindUnknown;
    return client.isLoopback || forwarded === 'unknown' ? undefined : overPlain;
  }
}

const overPlain = apiError(
  'HTTPS_REQUIRED',
  'Plain HTTP is for this machine alone; call over HTTPS (server.tls, or a proxy named in server.trustProxy)',
);
const overPlainProxy = apiError(
  'HTTPS_REQUIRED',
  'The proxy does not say that it was called over HTTPS (X-Forwarded-Proto: https)',
);
const behindUnknown = apiError(
  'HTTPS_REQUIRED',
  'This came through a proxy that server.trustProxy does not name',
);
const otherHost = apiError(
  'HOST_NOT_ALLOWED',
  'Without "auth", dev answers for this machine only: add the host to server.allowedHosts',
);

/** The hosts that `dev` answers for, so that no page can call it under a name of its own (DNS rebinding). */
class AllowedHosts {
  private readonly names: ReadonlySet<string>;
  private lastAllowed: string | undefined;

  constructor({ publicUrl, allowedHosts = [] }: NonNullable<Specification['server']>) {
    const named = publicUrl === undefined ? [] : [URL.parse(publicUrl)?.hostname ?? ''];
    this.names = new Set([...named, ...allowedHosts].map((host) => hostKey(host)));
  }

  /** A host is as named, with any port where none was named. */
  has(host: string): boolean {
    // Nearly all requests name the same one.
    if (host === this.lastAllowed) return true;
    const key = hostKey(host);
    const name = withoutPort(key);
    const isAllowed =
      isLoopbackName(unbracketed(name)) || this.names.has(name) || this.names.has(key);
    if (isAllowed) this.lastAllowed = host;
    return isAllowed;
  }
}

/** A host in one way of writing. */
function hostKey(host: string): string {
  const lower = host.toLowerCase();
  const name = withoutPort(lower);
  const plain = unbracketed(name);
  const isIPv6 = name !== plain && ipaddr.IPv6.isValid(plain);
  const shown = isIPv6 ? `[${ipaddr.parse(plain).toString()}]` : name.replace(/\.$/u, '');
  return `${shown}${lower.slice(name.length)}`;
}

function withoutPort(host: string): string {
  return host.replace(/:\d*$/u, '');
}

function unbracketed(name: string): string {
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
}
