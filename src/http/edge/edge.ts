import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { apiError, type ApiError } from '../../errors.ts';
import type { Response } from '../response/response.ts';
import type { Specification } from '../../specification/specification.ts';
import {
  ClientResolver,
  hostsOf,
  isEncrypted,
  isLoopbackName,
  type Addressed,
  type ConnectedClient,
  type Client,
} from './client.ts';
import { Cors } from './cors.ts';
import { isProbe } from '../api/router.ts';

/** The command that started the server. See docs/contract/6-operation.md#modes. */
export type Mode = 'dev' | 'start';

/** The result of the checks that come before the path. */
export interface AdmittedRequest {
  readonly client: Client;
  /** The error that ends the request. */
  readonly refusal: ApiError | undefined;
  /** Extra response headers: name, value, name, value. */
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
  private readonly clients: ClientResolver;
  private readonly mode: Mode;
  /** Undefined: any host is allowed. */
  private readonly hosts: AllowedHosts | undefined;

  constructor({ auth, server = {} }: Specification, mode: Mode) {
    this.mode = mode;
    this.clients = new ClientResolver(server.trustProxy, server.plainHttp);
    this.cors = new Cors(server.cors, mode === 'dev');
    const isChecked = mode === 'dev' || server.allowedHosts !== undefined;
    this.hosts = isChecked ? new AllowedHosts(server) : undefined;
    const credentials = auth === undefined ? '' : ', Authorization, X-API-Key';
    const sandbox = mode === 'dev' ? ', X-Sandbox' : '';
    const origin = this.cors.variesByOrigin ? ', Origin' : '';
    this.vary = `Accept, Accept-Encoding, Prefer${credentials}${sandbox}${origin}`;
  }

  /** `isOverNetwork`: whether the rules of plain HTTP and of hosts apply. */
  admit(request: Addressed & { readonly isOverNetwork: boolean }, path: string): AdmittedRequest {
    const connected = this.clients.of(request);
    const cors = this.cors.headersFor(request.headers.origin);
    const isStrict = connected.client.isSecure && this.mode === 'start';
    return {
      client: connected.client,
      // Orchestrators probe by address and over plain HTTP.
      refusal:
        isProbe(path) || !request.isOverNetwork ? undefined : this.refusalOf(connected, request),
      headers: isStrict ? [...cors, ...transportSecurity] : cors,
    };
  }

  /** Headers of the response to bytes that are not a request; only their connection is known. */
  unread(socket: Socket): { readonly vary: string; readonly extra: readonly string[] } {
    const isStrict = isEncrypted(socket) && this.mode === 'start';
    return { vary: this.vary, extra: isStrict ? transportSecurity : [] };
  }

  /** The response to a CORS preflight. */
  preflight(answered: Response, headers: IncomingHttpHeaders, requestId: string): Response {
    return this.cors.preflight(answered, headers, requestId);
  }

  private refusalOf(connected: ConnectedClient, request: Addressed): ApiError | undefined {
    const isPlain = this.plainRefusal(connected);
    if (isPlain !== undefined || this.hosts === undefined) return isPlain;
    const hosts = hostsOf(connected, request);
    const isAllowed = hosts.length > 0 && hosts.every((host) => this.hosts?.has(host) === true);
    return isAllowed ? undefined : otherHost;
  }

  private plainRefusal({ client, forwarded, mayBePlain }: ConnectedClient): ApiError | undefined {
    if (client.isSecure) return undefined;
    if (forwarded === 'trusted') return overPlainProxy;
    if (forwarded === 'unknown' && this.mode === 'start') return behindUnknown;
    return mayBePlain ? undefined : overPlain;
  }
}

const overPlain = apiError(
  'HTTPS_REQUIRED',
  'Plain HTTP is for this machine alone; call over HTTPS (server.tls, or a proxy named in server.trustProxy), or name your network in server.plainHttp',
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
  'This server answers only under names of its machine and those in server.allowedHosts',
);

/** The hosts under which a server answers, so that a web page cannot reach it under its own name (DNS rebinding). */
class AllowedHosts {
  private readonly names: ReadonlySet<string>;
  private lastAllowed: string | undefined;

  constructor({ publicUrl, allowedHosts = [] }: NonNullable<Specification['server']>) {
    const named = publicUrl === undefined ? [] : [URL.parse(publicUrl)?.hostname ?? ''];
    this.names = new Set([...named, ...allowedHosts].map((host) => hostKey(host)));
  }

  /** A host that was named without a port is allowed with any port. */
  has(host: string): boolean {
    // Nearly all requests have the same host.
    if (host === this.lastAllowed) return true;
    const key = hostKey(host);
    const isAllowed =
      isLoopbackName(unbracketed(withoutPort(host))) ||
      this.names.has(withoutPort(key)) ||
      this.names.has(key);
    if (isAllowed) this.lastAllowed = host;
    return isAllowed;
  }
}

/** A host in a canonical form. */
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
