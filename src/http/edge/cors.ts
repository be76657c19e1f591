import type { IncomingHttpHeaders } from 'node:http';
import { emptyResponse, type Response } from '../response/response.ts';
import type { ServerSpecification } from '../../specification/specification.ts';
import { isLoopbackName } from './client.ts';

/** Response headers that scripts may read, beside the safelisted ones. */
export const exposedHeaders = [
  'X-Total-Count',
  'X-Total-Pages',
  'X-Page',
  'X-Limit',
  'X-Next-Cursor',
  'Link',
  'ETag',
  'Location',
  'Allow',
  'Preference-Applied',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'WWW-Authenticate',
  'Deprecation',
  'Sunset',
  'X-Request-Id',
  'X-Debug',
  'Plinth-Position',
] as const;
const exposed = exposedHeaders.join(', ');

/** Request headers that scripts may send; instrumented pages send the tracing ones. */
export const sendableHeaders = [
  'Authorization',
  'X-API-Key',
  'Accept',
  'Content-Type',
  'If-Match',
  'If-None-Match',
  'Idempotency-Key',
  'Prefer',
  'Plinth-Position',
  'X-Sandbox',
  'X-Simulate',
  'X-Request-Id',
  'X-Requested-With',
  'traceparent',
  'tracestate',
  'baggage',
] as const;
const sendable = sendableHeaders.join(', ');

const everyMethod = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
/** How long a browser may cache a preflight, in s. */
const rememberedFor = 600;

/**
 * Which other origins may call. Without `server.cors`, `dev` allows pages of this machine, with credentials, and `start`
 * allows none.
 */
export class Cors {
  /** Whether responses differ by `Origin`, so that `Vary` has to name it. */
  readonly variesByOrigin: boolean;
  private readonly isAllowed: (origin: string) => boolean;
  private readonly credentials: readonly string[];
  private readonly isOff: boolean;

  constructor(setting: ServerSpecification['cors'], isDev: boolean) {
    const policy = policyOf(setting, isDev);
    this.isOff = policy === 'none';
    this.variesByOrigin = typeof policy === 'function';
    this.isAllowed = typeof policy === 'function' ? policy : () => true;
    const withCredentials =
      typeof setting === 'object' ? setting.credentials === true : setting === undefined;
    this.credentials = withCredentials ? ['access-control-allow-credentials', 'true'] : [];
  }

  /** The CORS headers of a response: name, value, name, value. */
  headersFor(origin: string | undefined): readonly string[] {
    if (this.isOff || (this.variesByOrigin && origin === undefined)) return none;
    if (origin !== undefined && !this.isAllowed(origin)) return none;
    return [
      'access-control-allow-origin',
      this.variesByOrigin ? (origin ?? '*') : '*',
      ...this.credentials,
      'access-control-expose-headers',
      exposed,
    ];
  }

  /**
   * Turns the response to OPTIONS into that of a preflight. If OPTIONS failed, the call is allowed nevertheless, so that
   * the script can read why it fails.
   */
  preflight(answered: Response, headers: IncomingHttpHeaders, requestId: string): Response {
    const { origin, 'access-control-request-method': method } = headers;
    if (this.isOff || origin === undefined || method === undefined) return answered;
    if (!this.isAllowed(origin)) return answered;
    const isFound = answered.status < 300;
    const response = isFound || answered.status === 403 ? answered : emptyResponse(204, requestId);
    return {
      ...response,
      headers: {
        ...response.headers,
        'access-control-allow-methods': response.headers['allow'] ?? everyMethod,
        'access-control-allow-headers': this.sendable(headers['access-control-request-headers']),
        'access-control-max-age': String(rememberedFor),
      },
    };
  }

  /** All headers are allowed; with credentials, browsers do not accept `*` and want each by name. */
  private sendable(asked = ''): string {
    if (this.credentials.length === 0) return `${sendable}, *`;
    const names = asked.split(',').map((name) => name.trim());
    return [sendable, ...names.filter((name) => /^[\w-]+$/u.test(name))].join(', ');
  }
}

const none: readonly string[] = [];

/** No origin, all origins, or those that pass a test. */
function policyOf(
  setting: ServerSpecification['cors'],
  isDev: boolean,
): 'none' | 'all' | ((origin: string) => boolean) {
  if (setting === undefined) return isDev ? isLoopbackOrigin : 'none';
  if (typeof setting === 'boolean') return setting ? 'all' : 'none';
  if (setting.origins.includes('*')) return 'all';
  const origins = new Set(setting.origins.map(normal));
  return (origin) => origins.has(origin);
}

function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && /^https?:$/u.test(url.protocol) && isLoopbackName(url.hostname);
}

/** An origin as browsers write it: lower case, without the default port. */
function normal(origin: string): string {
  return URL.parse(origin)?.origin ?? origin;
}
