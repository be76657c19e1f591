import ipaddr from 'ipaddr.js';
import { apiError, type ApiError } from '../../errors.ts';
import { rateLimitDefaults } from '../../specification/keys/operation.ts';
import type { Specification } from '../../specification/specification.ts';
import type { Mode } from '../edge/edge.ts';
import { BoundedCache } from '../../lib/bounded-cache.ts';

/** A quota: at most `max` in a window of ms. */
export interface Policy {
  /** As in the RateLimit headers: `caller`, `address`, `failures`, or a route such as `POST /orders`. */
  readonly name: string;
  readonly max: number;
  readonly window: number;
}

/** The quotas of one specification. */
export interface Policies {
  /** Of requests; undefined without a quota. */
  readonly requests: { readonly caller: Policy; readonly address: Policy } | undefined;
  /** Of requests to some routes, beside `requests`. */
  readonly routes: readonly RoutePolicy[];
  /** Of failed logins from one address; there is one even with `rateLimit: false`. */
  readonly failures: Policy;
}

/** A quota for each caller on the paths of a pattern. */
interface RoutePolicy extends Policy {
  readonly method: string;
  readonly segments: readonly string[];
}

/** The quotas of a request's route. See docs/contract/5-access.md#rate-limits, rule 10. */
export function routePolicies(
  { routes }: Policies,
  method: string,
  path: string,
  basePath: string,
): readonly RoutePolicy[] {
  if (routes.length === 0 || !path.startsWith(`${basePath}/`)) return [];
  const [first = '', ...rest] = path.slice(basePath.length + 1).split('/');
  const segments = /^v\d+$/u.test(first) ? rest : [first, ...rest];
  const asked = method === 'HEAD' ? 'GET' : method;
  return routes.filter(
    (route) =>
      (route.method === '*' || route.method === asked) &&
      route.segments.length === segments.length &&
      route.segments.every(
        (segment, index) =>
          segment === '*' || segment.startsWith(':') || segment === segments[index],
      ),
  );
}

const { failures: defaultFailures, ...defaults } = rateLimitDefaults;

/**
 * The quotas of a specification. Without `rateLimit`, requests have one in `start` only. Each of several `processes` that
 * count by themselves gets its share, at least 1.
 */
export function policiesOf({ rateLimit }: Specification, mode: Mode, processes = 1): Policies {
  const share = ({ max, window }: Quota): Quota => ({
    max: Math.max(1, Math.floor(max / processes)),
    window,
  });
  const failuresOf = (quota: Quota): Policy => ({ name: 'failures', ...share(quota) });
  if (rateLimit === false || rateLimit === undefined) {
    const isOff = rateLimit === false || mode === 'dev';
    const all = share(defaults);
    return {
      requests: isOff ? undefined : requests(all, all),
      routes: [],
      failures: failuresOf(defaultFailures),
    };
  }
  const { max = defaults.max, window = defaults.window, perKey, perIp, failures } = rateLimit;
  const { routes = {} } = rateLimit;
  const shared = { max, window };
  return {
    requests: requests(share({ ...shared, ...perKey }), share({ ...shared, ...perIp })),
    routes: Object.entries(routes).map(([name, quota]) => {
      const [method = '', path = ''] = name.split(' ');
      const segments = path.slice(1).split('/');
      return { name, ...share({ ...shared, ...quota }), method, segments };
    }),
    failures: failuresOf({ ...defaultFailures, ...failures }),
  };
}

type Quota = Omit<Policy, 'name'>;

function requests(caller: Quota, address: Quota): Policies['requests'] {
  return { caller: { name: 'caller', ...caller }, address: { name: 'address', ...address } };
}

/** The key that an address is counted under: an IPv4 address (also when written as IPv6), or the /64 of an IPv6 one. */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`;
}

/** The headers of draft-ietf-httpapi-ratelimit-headers: the policy, and what is left of it. */
export function rateHeaders(
  { name, max, window }: Policy,
  { count, resetIn }: Count,
): Readonly<Record<string, string>> {
  return {
    'ratelimit-policy': `"${name}";q=${max};w=${seconds(window)}`,
    ratelimit: `"${name}";r=${Math.max(0, max - count)};t=${seconds(resetIn)}`,
  };
}

/** The error when a quota is used up. */
export function rateLimited(policy: Policy, count: Count): ApiError {
  const { name, max, window } = policy;
  const wait = seconds(count.resetIn);
  const what =
    name === 'failures' ? 'Too many failed logins from this address' : 'Too many requests';
  return apiError(
    'RATE_LIMITED',
    `${what}: more than ${max} in ${seconds(window)} s; try again in ${wait} s`,
    { headers: { ...rateHeaders(policy, count), 'retry-after': String(wait) } },
  );
}

/** Whole seconds, rounded up. */
function seconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}

/** The count of a window, and the ms until the next one begins. */
export interface Count {
  readonly count: number;
  readonly resetIn: number;
}

/** Counts by name, each in its own window, which begins with the first count. Windows in ms. */
export interface Counters {
  readonly take: (name: string, window: number) => Count | Promise<Count>;
}

/** Bounds memory: an attacker with more addresses than this ends the windows of others early. */
const keptWindows = 100_000;

interface Window {
  count: number;
  readonly endsAt: number;
}

/** Counts in the memory of this process. */
export class MemoryCounters implements Counters {
  private readonly windows = new BoundedCache<Window>(keptWindows);
  private readonly clock: () => number;

  /** `clock`: monotonic, in whole ms. */
  constructor(clock: () => number) {
    this.clock = clock;
  }

  take(name: string, window: number): Count {
    const now = this.clock();
    let current = within(this.windows.get(name), window, now);
    if (current === undefined) {
      current = { count: 0, endsAt: now + window };
      this.windows.set(name, current);
    }
    current.count += 1;
    return { count: current.count, resetIn: current.endsAt - now };
  }
}

/** The window if it still runs. One that is longer than `window` is from before a reload, and does not count. */
function within(found: Window | undefined, window: number, now: number): Window | undefined {
  return found !== undefined && now < found.endsAt && found.endsAt - now <= window
    ? found
    : undefined;
}
