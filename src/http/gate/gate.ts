import { getOrInsert } from '../../lib/get-or-insert.ts';
import { Authenticator } from '../../auth/authenticator.ts';
import { readCredential, type Credential } from '../../auth/credential.ts';
import { KeySet } from '../../auth/key-set.ts';
import { fail, ok, type ApiError, type Result } from '../../errors.ts';
import { anonymous, type Caller } from '../../model/access.ts';
import type { Api } from '../../model/api.ts';
import type { Specification } from '../../specification/specification.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import { turnsOf, type Trace } from '../../observability/events.ts';
import type { Client } from '../edge/client.ts';
import { isDashboardPath } from '../dashboard/dashboard.ts';
import type { Mode } from '../edge/edge.ts';
import { MemoryCounters, type Count, type Counters } from './quota.ts';
import { RedisCounters } from './quota-redis.ts';
import { isProbe } from '../api/router.ts';
import { networkOf, policiesOf, rateHeaders, rateLimited, type Policies } from './rate-limit.ts';

/** Who asks, or why it is not answered; and what the answer says of its quota. */
export interface Admission {
  readonly caller: Result<Caller>;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** What the gate looks at of a request. */
interface Arrival {
  readonly method: string;
  readonly rawHeaders: readonly string[];
  readonly client: Pick<Client, 'address' | 'memory'>;
  readonly servedApi: { readonly api: Pick<Api, 'settings'> };
}

export interface GateOptions {
  readonly mode: Mode;
  /** What tokens are compared with. */
  readonly now: () => Date;
  /** Stays the same while nothing has come that was sent later. */
  readonly timesRead: () => number;
  /** Whole ms on a clock that is never set, by which quotas begin anew and keys are asked for. */
  readonly clock: () => number;
  readonly trace: Trace;
  /** How many processes serve together; one. */
  readonly processes?: number;
}

/** Nobody in particular, and nothing counts. */
const open: Admission = { caller: ok(anonymous), headers: undefined };

/** What one specification asks of who comes. */
interface Rules {
  readonly authenticator: Authenticator | undefined;
  readonly policies: Policies;
  readonly counters: Counters;
}

/**
 * Finds out who asks, and whether it may ask now: credentials and quotas, in the order of
 * docs/contract/4-errors-and-limits.md#order-of-checks. It outlives the generations of a server, so that a reload
 * gives nobody a new quota.
 */
export class Gate {
  private readonly options: GateOptions;
  private readonly own: MemoryCounters;
  private readonly shared = new Map<string, RedisCounters>();
  private readonly issuers = new Map<string, KeySet>();
  private readonly rules = new WeakMap<Specification, Rules>();
  /** The time of those that came in together, ms since 1970, and what `timesRead` gave for them. */
  private time = 0;
  private readAt = -1;

  constructor(options: GateOptions) {
    this.options = options;
    this.own = new MemoryCounters(options.clock);
  }

  /** Lets a request in, or says why not: RATE_LIMITED, KEYS_UNAVAILABLE, INVALID_CREDENTIALS or TOKEN_EXPIRED. */
  admit(arrival: Arrival, path: string): MaybePromise<Admission> {
    const { settings } = arrival.servedApi.api;
    const rules = this.rules.get(settings) ?? this.rulesOf(settings);
    const { authenticator, policies } = rules;
    if (authenticator === undefined && policies.requests === undefined) return open;
    // OPTIONS says the same to everyone, and a browser can put no credential in it.
    if (isProbe(path) || arrival.method === 'OPTIONS') return open;
    const counts = path !== '/_metrics' && !isDashboardPath(path);
    return this.examine(arrival, rules, counts);
  }

  /** Begins to reach for what it will need, so that what is out of reach is told before anybody asks. */
  prepare(settings: Specification): void {
    if (!this.rules.has(settings)) this.rulesOf(settings);
  }

  /** Lets go of what it holds. */
  async close(): Promise<void> {
    await Promise.all([...this.shared.values()].map((counters) => counters.close()));
  }

  private examine(arrival: Arrival, rules: Rules, counts: boolean): MaybePromise<Admission> {
    const { policies, counters } = rules;
    const { requests } = policies;
    const network = networkFor(arrival.client);
    const identified = identify(arrival, rules, network);
    if (!counts || requests === undefined) return after(identified, unmetered);
    return after(identified, (found) => {
      const isBarred = !found.ok && found.error.code === 'RATE_LIMITED';
      if (isBarred) return { caller: found, headers: undefined };
      const { id } = found.ok ? found.value : anonymous;
      const policy = id === undefined ? requests.address : requests.caller;
      return after(counters.take(id ?? `address:${network.name}`, policy.window), (count) =>
        count.count > policy.max
          ? { caller: fail(rateLimited(policy, count)), headers: undefined }
          : { caller: found, headers: rateHeaders(policy, count) },
      );
    });
  }

  private rulesOf(settings: Specification): Rules {
    const now = (): number => this.now();
    const { auth, rateLimit } = settings;
    const { mode, processes = 1 } = this.options;
    const store = rateLimit === false ? undefined : rateLimit?.store;
    const rules: Rules = {
      authenticator:
        auth &&
        new Authenticator(auth, {
          now,
          keysAt: (uri, algorithms) => this.keysAt(uri, algorithms),
        }),
      // What each counts in its own memory is a share of the whole.
      policies: policiesOf(settings, mode, isMemory(store) ? processes : 1),
      counters: this.countersOf(store, settings.name),
    };
    this.rules.set(settings, rules);
    return rules;
  }

  /** To ask the system costs as much as all else that a known token does. */
  private now(): number {
    const readAt = this.options.timesRead();
    if (readAt !== this.readAt) [this.time, this.readAt] = [this.options.now().getTime(), readAt];
    return this.time;
  }

  /** A Redis may serve several APIs: each counts under its own name. */
  private countersOf(url: string | undefined, api = ''): Counters {
    if (isMemory(url)) return this.own;
    const key = `${url} ${api}`;
    return getOrInsert(this.shared, key, () => {
      const { clock } = this.options;
      const report = this.reporter('rate limit store');
      return new RedisCounters({ url, prefix: `plinth:${api}:`, own: this.own, clock, report });
    });
  }

  /** The last good set of an issuer outlives a reload as quotas do. */
  private keysAt(uri: string, algorithms: readonly string[] | undefined): KeySet {
    return getOrInsert(this.issuers, JSON.stringify([uri, algorithms]), () => {
      const { clock } = this.options;
      return new KeySet({ uri, algorithms, clock, report: this.reporter('signing keys') });
    });
  }

  /** Tells those who watch when something begins to fail, and when it works again. */
  private reporter(name: 'signing keys' | 'rate limit store'): (error: unknown) => void {
    return turnsOf((error) => this.options.trace({ kind: 'dependency', name, error }));
  }
}

type Network = NonNullable<Client['memory']['network']>;

function networkFor({ address, memory }: Arrival['client']): Network {
  if (memory.network === undefined) {
    const name = networkOf(address);
    memory.network = { name, failures: `failures:${name}` };
  }
  return memory.network;
}

/** Whose credential it is. While too many from this network have failed, none is looked at. */
function identify(
  { rawHeaders, client }: Arrival,
  rules: Rules,
  { failures: name }: Network,
): MaybePromise<Result<Caller>> {
  const { authenticator, policies, counters } = rules;
  const credential = authenticator && readCredential(rawHeaders, client.memory);
  if (authenticator === undefined || credential === undefined) return open.caller;
  const before = counters.look(name, policies.failures.window);
  // No function is made for what is mostly there at once: each request would pay for it.
  if (before instanceof Promise)
    return before.then((count) => examined(credential, count, authenticator, rules, name));
  return examined(credential, before, authenticator, rules, name);
}

/** Who a credential speaks for that comes behind so many which have failed. */
function examined(
  credential: Result<Credential>,
  before: Count,
  authenticator: Authenticator,
  { policies: { failures }, counters }: Rules,
  name: string,
): MaybePromise<Result<Caller>> {
  if (before.count >= failures.max) return fail(rateLimited(failures, before));
  const identified = credential.ok ? authenticator.identify(credential.value) : credential;
  // In most cases it is good, and nothing is to be counted.
  if (!(identified instanceof Promise) && identified.ok) return identified;
  return after(identified, (found) => {
    // What has expired was good once: whoever sends it does not guess.
    if (found.ok || found.error.code !== 'INVALID_CREDENTIALS') return found;
    return after(counters.take(name, failures.window), (count) =>
      count.count > failures.max ? fail(rateLimited(failures, count)) : found,
    );
  });
}

function unmetered(caller: Result<Caller>): Admission {
  return { caller, headers: undefined };
}

/** Adds header fields to an answer, whatever it is. */
export function withHeaders<Answer extends Pick<ApiError, 'headers' | 'stack'>>(
  answer: Answer,
  headers: NonNullable<Admission['headers']>,
): Answer {
  const added = { ...answer, headers: { ...answer.headers, ...headers } };
  // A copy of an error has lost where it was found out.
  return answer.stack === undefined ? added : { ...added, stack: answer.stack };
}

function isMemory(store: string | undefined): store is 'memory' | undefined {
  return store === undefined || store === 'memory';
}
