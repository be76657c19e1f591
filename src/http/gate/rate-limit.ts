import ipaddr from 'ipaddr.js';
import { apiError, type ApiError } from '../../errors.ts';
import { rateLimitDefaults } from '../../specification/keys/operation.ts';
import type { Specification } from '../../specification/specification.ts';
import type { Mode } from '../edge/edge.ts';
import type { Count } from './quota.ts';

/** How many of something one name may do in a window of ms. */
export interface Policy {
  /** As the header fields call it. */
  readonly name: 'caller' | 'address' | 'failures';
  readonly max: number;
  readonly window: number;
}

/** The quotas of one specification. */
export interface Policies {
  /** Of requests; absent: there is none. */
  readonly requests: { readonly caller: Policy; readonly address: Policy } | undefined;
  /** Of failed logins of one address; whatever `rateLimit` says, there is one. */
  readonly failures: Policy;
}

const { failures: defaultFailures, ...defaults } = rateLimitDefaults;

/**
 * The quotas that a specification gives: without `rateLimit`, requests have one in `start` alone. Where `processes`
 * serve together and each counts for itself, each gives its share, one at least.
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
      failures: failuresOf(defaultFailures),
    };
  }
  const { max = defaults.max, window = defaults.window, perKey, perIp, failures } = rateLimit;
  const shared = { max, window };
  return {
    requests: requests(share({ ...shared, ...perKey }), share({ ...shared, ...perIp })),
    failures: failuresOf({ ...defaultFailures, ...failures }),
  };
}

type Quota = Omit<Policy, 'name'>;

function requests(caller: Quota, address: Quota): Policies['requests'] {
  return { caller: { name: 'caller', ...caller }, address: { name: 'address', ...address } };
}

/** What an address counts as: IPv4 by itself, also where it is written as IPv6, and IPv6 by its /64. */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(':')}::/64`;
}

/** The header fields of draft-ietf-httpapi-ratelimit-headers: the policy, and how the caller stands. */
export function rateHeaders(
  { name, max, window }: Policy,
  { count, resetIn }: Count,
): Readonly<Record<string, string>> {
  return {
    'ratelimit-policy': `"${name}";q=${max};w=${seconds(window)}`,
    ratelimit: `"${name}";r=${Math.max(0, max - count)};t=${seconds(resetIn)}`,
  };
}

/** The answer to who has used up a quota. */
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

/** Whole seconds, so many that the time is over after them. */
function seconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}
