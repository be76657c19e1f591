import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import { apiError, type ApiError } from '../../errors.ts';
import type { Caller } from '../../model/access.ts';
import type { Api } from '../../model/api.ts';
import { untouched, type NetworkReport } from './report.ts';
import { readSimulate } from './header.ts';
import { clear, Simulation, type Conditions } from './draw.ts';
import { isWhole, type Response, type StreamedBody } from '../response/response.ts';
import type { NetworkSpecification, Specification } from '../../specification/specification.ts';
import { toldTime } from '../../observability/recording.ts';
import { isHonoured } from '../edge/honoured.ts';
import type { Mode } from '../edge/edge.ts';
import { findRoute } from '../api/router.ts';

/** What the network looks at of a request. */
interface Arrival {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly servedApi: { readonly api: Api };
  readonly whileThere: <Value>(work: (signal: AbortSignal) => Promise<Value>) => Promise<Value>;
}

export interface NetworkOptions {
  readonly mode: Mode;
  /** ms on a clock that is never set. */
  readonly clock: () => number;
}

/** The simulated network of a server. See docs/contract/7-data-debug-dashboard.md#network-simulation. */
export class SimulatedNetwork {
  private readonly options: NetworkOptions;
  /** A resource's own settings replace those of the API, and draw by themselves. */
  private readonly simulations = new WeakMap<NetworkSpecification, Simulation>();
  private readonly uses = new WeakMap<Specification, boolean>();
  /** What was changed while the server runs: in place of what the file says of the API, and of its resources. */
  private changedOverall: NetworkSpecification | undefined;
  private readonly changed = new Map<string, NetworkSpecification>();

  constructor(options: NetworkOptions) {
    this.options = options;
  }

  /** Draws what happens to a request; to be called in order of arrival. Undefined: nothing does. */
  arrive(arrival: Arrival, path: string): Transmission | undefined {
    const { api } = arrival.servedApi;
    const header = arrival.headers['x-simulate'];
    if (header === undefined && !this.isUsed(api.settings)) return undefined;
    // A browser asks by OPTIONS before it asks: that is no request of the page's own.
    if (arrival.method === 'OPTIONS') return undefined;
    const route = findRoute(path, api);
    if (!route.ok || route.value.kind !== 'resource') return undefined;
    const settings = this.settingsOf(api.settings, route.value.name);
    const asked = Array.isArray(header) ? header.join(',') : header;
    if (settings === undefined && asked === undefined) return undefined;
    const conditions = settings === undefined ? clear : this.draw(settings);
    return new Transmission(arrival, conditions, asked, this.options);
  }

  /** What holds for a resource, or for all that have nothing of their own. */
  settingsOf(
    settings: Specification,
    resource: string | undefined,
  ): NetworkSpecification | undefined {
    const overall = this.changedOverall ?? settings.network;
    if (resource === undefined) return overall;
    return this.changed.get(resource) ?? ownOf(settings, resource) ?? overall;
  }

  /** Whether a resource has settings of its own, and whether they were changed while the server runs. */
  sourceOf(settings: Specification, resource: string | undefined): 'changed' | 'file' | 'none' {
    if (resource === undefined) {
      if (this.changedOverall !== undefined) return 'changed';
      return settings.network === undefined ? 'none' : 'file';
    }
    if (this.changed.has(resource)) return 'changed';
    return ownOf(settings, resource) === undefined ? 'none' : 'file';
  }

  /** Takes effect with the next request; undefined: what the file says holds again. */
  change(resource: string | undefined, settings: NetworkSpecification | undefined): void {
    if (resource === undefined) this.changedOverall = settings;
    else if (settings === undefined) this.changed.delete(resource);
    else this.changed.set(resource, settings);
  }

  /** What was changed, as it can be changed elsewhere. */
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
    return getOrInsert(this.simulations, settings, () => new Simulation(settings)).draw();
  }
}

function ownOf({ resources }: Specification, name: string): NetworkSpecification | undefined {
  return Object.hasOwn(resources, name) ? resources[name]?.network : undefined;
}

/** One request on its way through the simulated network, and its answer on the way back. */
export class Transmission {
  private readonly arrival: Arrival;
  private readonly drawn: Conditions;
  /** `X-Simulate` as it was sent. */
  private readonly asked: string | undefined;
  private readonly options: NetworkOptions;
  /** What holds, once it is known who asks. */
  private conditions: Conditions = clear;
  private isIgnored = false;
  private actual = 0;

  constructor(
    arrival: Arrival,
    drawn: Conditions,
    asked: string | undefined,
    options: NetworkOptions,
  ) {
    this.arrival = arrival;
    this.drawn = drawn;
    this.asked = asked;
    this.options = options;
  }

  /**
   * Holds the request up for as long as was drawn. Gives the error that ends it: SIMULATED_ERROR, or
   * INVALID_PARAMETER for an `X-Simulate` that cannot be read; undefined where it comes through. Without a caller it
   * will be refused, and what it asks for is not read.
   */
  async cross(caller: Caller | undefined): Promise<ApiError | undefined> {
    this.conditions = this.drawn;
    const { servedApi } = this.arrival;
    const { mode } = this.options;
    const mayAsk = caller !== undefined && isHonoured({ servedApi, mode }, caller);
    this.isIgnored = this.asked !== undefined && !mayAsk;
    if (this.asked !== undefined && mayAsk) {
      const wished = readSimulate(this.asked, this.drawn);
      if (!wished.ok) return wished.error;
      this.conditions = wished.value;
    }
    const { latency, errors } = this.conditions;
    if (latency !== undefined && latency.wait > 0) {
      const begin = this.options.clock();
      await this.arrival.whileThere(async (signal) => {
        // A timer may be a millisecond early, and nobody waits less than was drawn.
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

  /** What was done to it, for an answer of so many bytes. */
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

  /** The answer as this network carries it. */
  deliver(response: Response): Response {
    const { rate } = this.conditions;
    const told = this.isIgnored
      ? { ...response, headers: { ...response.headers, 'x-debug': 'disabled' } }
      : response;
    if (rate === undefined || told.body === undefined || this.arrival.method === 'HEAD')
      return told;
    const { body } = told;
    // Whoever shows how much has come knows how much there is, as on any slow line.
    return { ...told, ...(isWhole(body) ? { whole: body } : {}), body: paced(body, rate) };
  }
}

/** How often a piece of a body that is held up is sent, in ms. */
const interval = 50;

/** A body in pieces, each as late as a line of so many bytes a second would bring it. */
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
