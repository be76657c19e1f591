import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import { apiError, type ApiError } from '../../errors.ts';
import type { Caller } from '../../model/access.ts';
import { readSimulate, Simulation, unchanged, type Conditions } from './conditions.ts';
import { isWhole, type Response, type StreamedBody } from '../response/response.ts';
import type { NetworkSpecification, Specification } from '../../specification/specification.ts';
import { toldTime } from '../../observability/recording.ts';
import { mayDebug } from '../debug/audience.ts';
import type { Mode } from '../edge/edge.ts';
import { findRoute, type Routed } from '../api/router.ts';

/** What the network needs of a request. */
interface NetworkRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly servedApi: Routed;
  readonly whileThere: <Value>(work: (signal: AbortSignal) => Promise<Value>) => Promise<Value>;
}

export interface NetworkOptions {
  readonly mode: Mode;
  /** Monotonic, in ms. */
  readonly clock: () => number;
}

/** The simulated network of a server. See docs/contract/7-data-debug-dashboard.md#network-simulation. */
export class SimulatedNetwork {
  private readonly options: NetworkOptions;
  /** A resource's own settings replace those of the API, and have a sequence of their own. */
  private readonly simulations = new WeakMap<NetworkSpecification, Simulation>();
  private readonly uses = new WeakMap<Specification, boolean>();
  /** Settings changed at run time, for the API and by resource; they replace those of the file. */
  private changedOverall: NetworkSpecification | undefined;
  private readonly changed = new Map<string, NetworkSpecification>();

  constructor(options: NetworkOptions) {
    this.options = options;
  }

  /** Decides what happens to a request; undefined if nothing does. Call it in order of arrival. */
  simulate(request: NetworkRequest, path: string): Transmission | undefined {
    const { api } = request.servedApi;
    const header = request.headers['x-simulate'];
    if (header === undefined && !this.isUsed(api.settings)) return undefined;
    // A browser decides when it sends a preflight, so that must not use up a condition.
    if (request.method === 'OPTIONS') return undefined;
    const route = findRoute(path, request.servedApi);
    if (!route.ok) return undefined;
    const { kind } = route.value;
    if (kind !== 'resource' && kind !== 'endpoint') return undefined;
    const resource = kind === 'resource' ? route.value.name : undefined;
    const settings = this.settingsOf(api.settings, resource);
    const asked = Array.isArray(header) ? header.join(',') : header;
    if (settings === undefined && asked === undefined) return undefined;
    const conditions = settings === undefined ? unchanged : this.draw(settings);
    return new Transmission(request, conditions, asked, this.options);
  }

  /** The settings of a resource, or of the API if it is undefined or has none of its own. */
  settingsOf(
    settings: Specification,
    resource: string | undefined,
  ): NetworkSpecification | undefined {
    const overall = this.changedOverall ?? settings.network;
    if (resource === undefined) return overall;
    return this.changed.get(resource) ?? ownOf(settings, resource) ?? overall;
  }

  /** Where the settings of a resource, or of the API, come from. */
  sourceOf(settings: Specification, resource: string | undefined): 'changed' | 'file' | 'none' {
    if (resource === undefined) {
      if (this.changedOverall !== undefined) return 'changed';
      return settings.network === undefined ? 'none' : 'file';
    }
    if (this.changed.has(resource)) return 'changed';
    return ownOf(settings, resource) === undefined ? 'none' : 'file';
  }

  /** Takes effect with the next request; undefined restores the settings of the file. */
  change(resource: string | undefined, settings: NetworkSpecification | undefined): void {
    if (resource === undefined) this.changedOverall = settings;
    else if (settings === undefined) this.changed.delete(resource);
    else this.changed.set(resource, settings);
  }

  /** The changes made at run time, for other workers. */
  get changes(): readonly {
    readonly resource?: string;
    readonly settings: NetworkSpecification;
  }[] {
    const own = [...this.changed].map(([resource, settings]) => ({ resource, settings }));
    return this.changedOverall === undefined ? own : [{ settings: this.changedOverall }, ...own];
  }

  private isUsed(settings: Specification): boolean {
    if (this.changedOverall !== undefined || this.changed.size > 0) return true;
    return getOrInsert(this.uses, settings, ({ network: overall, resources }) => {
      const own = Object.values(resources).map(({ network }) => network);
      return [overall, ...own].some((network) => network !== undefined);
    });
  }

  private draw(settings: NetworkSpecification): Conditions {
    return getOrInsert(this.simulations, settings, () => new Simulation(settings)).next();
  }
}

function ownOf({ resources }: Specification, name: string): NetworkSpecification | undefined {
  return Object.hasOwn(resources, name) ? resources[name]?.network : undefined;
}

/** A request that the simulated network delays or fails, and whose response it slows down. */
export class Transmission {
  private readonly request: NetworkRequest;
  private readonly drawn: Conditions;
  /** `X-Simulate` as it was sent. */
  private readonly asked: string | undefined;
  private readonly options: NetworkOptions;
  /** Known with the caller. */
  private conditions: Conditions = unchanged;
  private isIgnored = false;
  private actual = 0;

  constructor(
    request: NetworkRequest,
    drawn: Conditions,
    asked: string | undefined,
    options: NetworkOptions,
  ) {
    this.request = request;
    this.drawn = drawn;
    this.asked = asked;
    this.options = options;
  }

  /**
   * Delays the request. Returns the error that ends it: SIMULATED_ERROR, or INVALID_PARAMETER for a malformed
   * `X-Simulate`. Without a caller, the request will be refused, and `X-Simulate` is ignored.
   */
  async delayOrFail(caller: Caller | undefined): Promise<ApiError | undefined> {
    this.conditions = this.drawn;
    const { servedApi } = this.request;
    const { mode } = this.options;
    const mayAsk = caller !== undefined && mayDebug({ servedApi, mode }, caller);
    this.isIgnored = this.asked !== undefined && !mayAsk;
    if (this.asked !== undefined && mayAsk) {
      const wished = readSimulate(this.asked, this.drawn);
      if (!wished.ok) return wished.error;
      this.conditions = wished.value;
    }
    const { latency, errors } = this.conditions;
    if (latency !== undefined && latency.wait > 0) {
      const begin = this.options.clock();
      await this.request.whileThere(async (signal) => {
        // A timer may fire a millisecond early.
        while (this.actual < latency.wait) {
          await delay(latency.wait - this.actual, undefined, { signal });
          this.actual = this.options.clock() - begin;
        }
      });
    }
    const status = errors?.status;
    if (status === undefined) return undefined;
    return apiError('SIMULATED_ERROR', 'The simulated network has failed this request', { status });
  }

  /** Whether it changes anything of the request; known with the caller. */
  get hasEffect(): boolean {
    const { latency, errors, rate } = this.conditions;
    return (latency?.wait ?? 0) > 0 || errors?.status !== undefined || rate !== undefined;
  }

  /** What was done to the request, for a response of `originalSize` bytes. */
  report(originalSize: number): NetworkReport {
    const { latency, errors, rate } = this.conditions;
    const none = untouched(originalSize);
    return {
      latency: latency
        ? { applied: true, min: latency.min, max: latency.max, actual: toldTime(this.actual) }
        : none.latency,
      errorRate: errors
        ? { applied: true, rate: errors.rate, triggered: errors.status !== undefined }
        : none.errorRate,
      throttling: rate
        ? {
            applied: true,
            rate,
            originalSize,
            additionalDelay: toldTime((originalSize / rate) * 1_000),
          }
        : none.throttling,
    };
  }

  /** The response, slowed down to the simulated rate. */
  deliver(response: Response): Response {
    const { rate } = this.conditions;
    const told = this.isIgnored
      ? { ...response, headers: { ...response.headers, 'x-debug': 'disabled' } }
      : response;
    if (rate === undefined || told.body === undefined || this.request.method === 'HEAD')
      return told;
    const { body } = told;
    // With its `Content-Length`, as on a real slow line.
    return { ...told, ...(isWhole(body) ? { whole: body } : {}), body: paced(body, rate) };
  }
}

/** How often a piece of a slowed-down body is sent, in ms. */
const interval = 50;

/** A body in pieces, at `rate` bytes a second. */
async function* paced(body: NonNullable<Response['body']>, rate: number): StreamedBody {
  const length = Math.max(1, Math.round((rate * interval) / 1_000));
  const portions = isWhole(body) ? [body] : body;
  for await (const portion of portions) {
    const bytes = typeof portion === 'string' ? Buffer.from(portion) : portion;
    for (let start = 0; start < bytes.length; start += length) {
      const piece = bytes.subarray(start, start + length);
      await delay((piece.length / rate) * 1_000);
      yield piece;
    }
  }
}

/** What the network simulation did to one request, as `_network` shows it. Times in ms, sizes in bytes. */
export interface NetworkReport {
  readonly latency: {
    readonly applied: boolean;
    readonly min: number;
    readonly max: number;
    /** The delay that was measured. */
    readonly actual: number;
  };
  readonly errorRate: {
    readonly applied: boolean;
    readonly rate: number;
    readonly triggered: boolean;
  };
  readonly throttling: {
    readonly applied: boolean;
    /** Bytes a second. */
    readonly rate: number;
    readonly originalSize: number;
    readonly additionalDelay: number;
  };
}

/** The report of a request that was not changed. */
export function untouched(originalSize: number): NetworkReport {
  return {
    latency: { applied: false, min: 0, max: 0, actual: 0 },
    errorRate: { applied: false, rate: 0, triggered: false },
    throttling: { applied: false, rate: 0, originalSize, additionalDelay: 0 },
  };
}
