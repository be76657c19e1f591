import { getOrInsert } from '../../lib/get-or-insert.ts';
import { Authenticator } from '../../auth/authenticator.ts';
import { readCredential, type KeyUse } from '../../auth/credential.ts';
import { KeySet } from '../../auth/key-set.ts';
import { fail, ok, type ApiError, type Result } from '../../errors.ts';
import { anonymous, type Caller } from '../../model/access.ts';
import type { Api } from '../../model/api.ts';
import type { Specification } from '../../specification/specification.ts';
import { after, inTurn, type MaybePromise } from '../../lib/maybe-promise.ts';
import { turnsOf, type Trace } from '../../observability/events.ts';
import type { Client } from '../edge/client.ts';
import { isDashboardPath } from '../dashboard/dashboard.ts';
import type { Mode } from '../edge/edge.ts';
import {
  MemoryCounters,
  type Counters,
  networkOf,
  policiesOf,
  rateHeaders,
  rateLimited,
  routePolicies,
  type Policies,
} from './rate-limit.ts';
import { RedisCounters } from './rate-limit-redis.ts';
import { isProbe } from '../api/router.ts';

/** The caller, or why the request is refused; and the quota headers of its response. */
export interface CheckedCaller {
  readonly caller: Result<Caller>;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** What the check needs of a request. */
interface CheckedRequest {
  readonly method: string;
  readonly rawHeaders: readonly string[];
  readonly client: Pick<Client, 'address' | 'memory'>;
  readonly servedApi: { readonly api: Pick<Api, 'settings'> };
  /** The caller, if no credential has to tell it. */
  readonly given?: { readonly caller: Caller; readonly isOfFile: boolean } | undefined;
}

export interface CallerCheckOptions {
  readonly mode: Mode;
  /** The time that tokens are compared with. */
  readonly now: () => Date;
  /** Changes when the event loop has read more requests. */
  readonly timesRead: () => number;
  /** Monotonic, in whole ms: decides when quota windows begin and keys are fetched again. */
  readonly clock: () => number;
  readonly trace: Trace;
  /** The number of worker processes; 1 by default. */
  readonly processes?: number;
}

/** An anonymous caller without a quota. */
const open: CheckedCaller = { caller: ok(anonymous), headers: undefined };

/** How one specification checks callers. */
interface Rules {
  readonly authenticator: Authenticator | undefined;
  readonly policies: Policies;
  readonly counters: Counters;
}

/**
 * Authenticates the caller and applies its quota, in the order of
 * docs/contract/4-errors-and-limits.md#order-of-checks. It outlives the generations of a server, so that a reload
 * gives nobody a new quota.
 */
export class CallerCheck {
  private readonly options: CallerCheckOptions;
  private readonly own: MemoryCounters;
  private readonly shared = new Map<string, RedisCounters>();
  private readonly issuers = new Map<string, KeySet>();
  private readonly rules = new WeakMap<Specification, Rules>();
  /** The API keys of the specification that was read last, by name. */
  private keys: ReadonlyMap<string, KeyUse> = new Map();
  /** The time of the requests that were read together, in ms since 1970, and their `timesRead`. */
  private time = 0;
  private readAt = -1;

  constructor(options: CallerCheckOptions) {
    this.options = options;
    this.own = new MemoryCounters(options.clock);
  }

  /** Fails with RATE_LIMITED, KEYS_UNAVAILABLE, INVALID_CREDENTIALS or TOKEN_EXPIRED. */
  check(request: CheckedRequest, path: string): MaybePromise<CheckedCaller> {
    const { given } = request;
    if (given?.isOfFile === true) return unmetered(ok(given.caller));
    const { settings } = request.servedApi.api;
    const rules = this.rules.get(settings) ?? this.rulesOf(settings);
    const { authenticator, policies } = rules;
    if (authenticator === undefined && policies.requests === undefined)
      return given === undefined ? open : unmetered(ok(given.caller));
    // The response to OPTIONS is the same for all callers, and browsers send no credential with it.
    if (isProbe(path) || request.method === 'OPTIONS') return open;
    const counts = path !== '/_metrics' && !isDashboardPath(path);
    return this.examine(request, path, rules, counts);
  }

  /** Connects to the rate limit store at once, so that a failure is reported before the first request. */
  prepare(settings: Specification): void {
    if (!this.rules.has(settings)) this.rulesOf(settings);
  }

  /** When each API key was last used. */
  keyUses(): ReadonlyMap<string, KeyUse> {
    return this.keys;
  }

  /** Closes connections to rate limit stores. */
  async close(): Promise<void> {
    await Promise.all([...this.shared.values()].map((counters) => counters.close()));
  }

  private examine(
    request: CheckedRequest,
    path: string,
    rules: Rules,
    counts: boolean,
  ): MaybePromise<CheckedCaller> {
    const { policies, counters } = rules;
    const { requests } = policies;
    const network = networkFor(request.client);
    const identified = identify(request, rules, network);
    if (!counts || requests === undefined) return after(identified, unmetered);
    return after(identified, (found) => {
      const isBarred = !found.ok && found.error.code === 'RATE_LIMITED';
      if (isBarred) return { caller: found, headers: undefined };
      const { id } = found.ok ? found.value : anonymous;
      const policy = id === undefined ? requests.address : requests.caller;
      return after(counters.take(id ?? `address:${network.name}`, policy.window), (count) =>
        count.count > policy.max
          ? { caller: fail(rateLimited(policy, count)), headers: undefined }
          : this.examineRoute(request, path, rules, found, rateHeaders(policy, count)),
      );
    });
  }

  /** Applies the quotas of the route, beside that of all requests, whose headers are `headers`. */
  private examineRoute(
    { method, client, servedApi }: CheckedRequest,
    path: string,
    { policies, counters }: Rules,
    caller: Result<Caller>,
    headers: RateHeaders,
  ): MaybePromise<CheckedCaller> {
    const passed = { caller, headers };
    if (policies.routes.length === 0) return passed;
    const { basePath = '' } = servedApi.api.settings.api ?? {};
    const { id = `address:${networkFor(client).name}` } = caller.ok ? caller.value : anonymous;
    const quotas = routePolicies(policies, method, path, basePath);
    const counting = inTurn(quotas, (policy) =>
      counters.take(`route:${policy.name}:${id}`, policy.window),
    );
    return after(counting, (counts) => {
      let [added, exceeded]: [RateHeaders, ApiError | undefined] = [headers, undefined];
      for (const [index, policy] of quotas.entries()) {
        const count = counts[index];
        if (count === undefined) continue;
        if (count.count > policy.max) exceeded ??= rateLimited(policy, count);
        added = joined(added, rateHeaders(policy, count));
      }
      return exceeded === undefined
        ? { caller, headers: added }
        : { caller: fail(exceeded), headers: undefined };
    });
  }

  private rulesOf(settings: Specification): Rules {
    const now = (): number => this.now();
    const { auth, rateLimit } = settings;
    const { mode, processes = 1 } = this.options;
    const store = rateLimit === false ? undefined : rateLimit?.store;
    const uses = new Map<string, KeyUse>();
    const useOf = (name: string): KeyUse =>
      getOrInsert(uses, name, () => this.keys.get(name) ?? { at: 0 });
    const rules: Rules = {
      authenticator:
        auth &&
        new Authenticator(auth, {
          now,
          useOf,
          keysAt: (uri, algorithms) => this.keysAt(uri, algorithms),
        }),
      // Each process counts in its own memory, so each gets a share of the quota.
      policies: policiesOf(settings, mode, isMemory(store) ? processes : 1),
      counters: this.countersOf(store, settings.name),
    };
    this.keys = uses;
    this.rules.set(settings, rules);
    return rules;
  }

  /** Reading the system clock costs as much as everything else about a known token. */
  private now(): number {
    const readAt = this.options.timesRead();
    if (readAt !== this.readAt) [this.time, this.readAt] = [this.options.now().getTime(), readAt];
    return this.time;
  }

  /** Several APIs may share a Redis, so keys begin with the name of the API. */
  private countersOf(url: string | undefined, api = ''): Counters {
    if (isMemory(url)) return this.own;
    const key = `${url} ${api}`;
    return getOrInsert(this.shared, key, () => {
      const { clock } = this.options;
      const report = this.reporter('rate limit store');
      return new RedisCounters({ url, prefix: `plinth:${api}:`, own: this.own, clock, report });
    });
  }

  /** The last good key set of an issuer outlives a reload. */
  private keysAt(uri: string, algorithms: readonly string[] | undefined): KeySet {
    return getOrInsert(this.issuers, JSON.stringify([uri, algorithms]), () => {
      const { clock } = this.options;
      return new KeySet({ uri, algorithms, clock, report: this.reporter('signing keys') });
    });
  }

  /** Emits an event when a dependency begins to fail, and when it works again. */
  private reporter(name: 'signing keys' | 'rate limit store'): (error: unknown) => void {
    return turnsOf((error) => this.options.trace({ kind: 'dependency', name, error }));
  }
}

type RateHeaders = Readonly<Record<string, string>>;

/** The headers of several quotas are lists. */
function joined(one: RateHeaders, other: RateHeaders): RateHeaders {
  return Object.fromEntries(
    Object.entries(one).map(([name, value]) => [name, `${value}, ${other[name] ?? ''}`]),
  );
}

type Network = NonNullable<Client['memory']['network']>;

function networkFor({ address, memory }: CheckedRequest['client']): Network {
  if (memory.network === undefined) {
    const name = networkOf(address);
    memory.network = { name, failures: `failures:${name}` };
  }
  return memory.network;
}

/**
 * The caller of a credential. It is verified even if the failures of its network are used up, so that nobody can lock
 * others out; see docs/contract/5-access.md#failed-logins, rule 2.
 */
function identify(
  { rawHeaders, client, given }: CheckedRequest,
  { authenticator, policies: { failures }, counters }: Rules,
  { failures: name }: Network,
): MaybePromise<Result<Caller>> {
  if (given !== undefined) return ok(given.caller);
  const credential = authenticator && readCredential(rawHeaders, client.memory);
  if (authenticator === undefined || credential === undefined) return open.caller;
  const identified = credential.ok ? authenticator.identify(credential.value) : credential;
  // The usual case: a good credential, and nothing to count. A closure for `after` would cost every request.
  if (!(identified instanceof Promise) && identified.ok) return identified;
  return after(identified, (found) => {
    // An expired token was good once, so it is not a guess.
    if (found.ok || found.error.code !== 'INVALID_CREDENTIALS') return found;
    return after(counters.take(name, failures.window), (count) =>
      count.count > failures.max ? fail(rateLimited(failures, count)) : found,
    );
  });
}

function unmetered(caller: Result<Caller>): CheckedCaller {
  return { caller, headers: undefined };
}

/** Adds headers to a response or an error. */
export function withHeaders<Answer extends Pick<ApiError, 'headers' | 'stack'>>(
  answer: Answer,
  headers: NonNullable<CheckedCaller['headers']>,
): Answer {
  const added = { ...answer, headers: { ...answer.headers, ...headers } };
  // The copy of an error has no stack of its own.
  return answer.stack === undefined ? added : { ...added, stack: answer.stack };
}

function isMemory(store: string | undefined): store is 'memory' | undefined {
  return store === undefined || store === 'memory';
}
