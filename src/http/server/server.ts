import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { timesRead } from '../../lib/event-loop.ts';
import type { ClockAndIds } from '../../query/write/defaults.ts';
import { serverDefaults } from '../../specification/keys/server.ts';
import type { Specification } from '../../specification/specification.ts';
import type { Trace, TraceReader } from '../../observability/events.ts';
import { Connections } from './connections.ts';
import { Dashboard, hasDashboard } from '../dashboard/dashboard.ts';
import { ResponseBatch } from '../load/response-batch.ts';
import { Edge, type Mode } from '../edge/edge.ts';
import { CallerCheck } from '../callers/caller-check.ts';
import type { ServedApi } from './served-api.ts';
import type { Workers } from './workers.ts';
import { openListener, type ConnectionSource, type ServerTls } from './listener.ts';
import { memoryBudgets, MemoryBudget } from '../load/memory-budget.ts';
import { ReadMemory } from '../load/read-memory.ts';
import { Metrics } from '../debug/metrics.ts';
import { SimulatedNetwork } from '../simulation/simulated-network.ts';
import { Observer } from '../debug/observer.ts';
import { Admission, longestDelay } from '../load/admission.ts';
import { RequestHandler } from './request-handler.ts';
import { UnsentResponses } from '../load/unsent-responses.ts';

/**
 * The defaults of `server`, and bounds that cannot be set. Times in ms, sizes in bytes. See
 * docs/contract/6-operation.md#overload.
 */
export const defaults = {
  ...serverDefaults,
  /** Beside the URL, which has a limit of its own. */
  headersSize: 16 * 1024,
  stopTimeout: 10_000,
  /** How long a client may take nothing of an answer. See docs/contract/6-operation.md#memory, rule 3. */
  stallTimeout: 60_000,
} as const;

export interface ServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly clockAndIds: ClockAndIds;
  /** A clock of whole ms that is never set, for quotas and the fetching of keys; default: that of the process. */
  readonly clock?: () => number;
  readonly trace: Trace;
  /** Called with each request that has ended. */
  readonly readers?: readonly TraceReader[];
  /** Default: `start`. */
  readonly mode?: Mode;
  /** Present if several processes serve together. */
  readonly workers?: Workers;
  /** Absent: plain HTTP. */
  readonly tls?: ServerTls;
  /** Gives the connections if another process listens. */
  readonly connectionSource?: ConnectionSource | undefined;
  /** How long a client may read nothing of a response, in ms; default: a minute. */
  readonly stallTimeout?: number;
  /** How much memory the process may take, in bytes; default: no limit. */
  readonly memory?: number;
  /** How many bytes unsent responses may hold together before connections are cut; default: a share of `memory`. */
  readonly unsentBytes?: number;
  /** For CSV and NDJSON lists that are being sent; default: a share of `memory`. */
  readonly exportBudget?: MemoryBudget;
  /** How long the rows of one response may be together, in characters; default: 128 Mi. */
  readonly answerLength?: number;
  /** The event-loop delay beyond which requests are refused, in ms; default: `longestDelay`. */
  readonly maxDelay?: number;
}

export interface RunningServer {
  readonly port: number;
  /** Those that it was given, and its own. */
  readonly readers: readonly TraceReader[];
  /**
   * Makes `/_ready` fail, takes no new connections after `drainDelay` ms, lets the requests in flight end, then resolves.
   */
  readonly close: (drainDelay?: number) => Promise<void>;
}

/**
 * Serves an API over HTTP. `servedApi` is called for each request, so that it can be swapped. Rejects with the
 * system's error (`EADDRINUSE`, …) when it cannot listen.
 */
export async function startServer(
  servedApi: () => ServedApi,
  options: ServerOptions,
): Promise<RunningServer> {
  const { host, port, clockAndIds, mode = 'start', clock = wholeClock } = options;
  const { stallTimeout = defaults.stallTimeout, maxDelay = longestDelay } = options;
  const { settings, limits } = servedApi().api;
  const bodyLimit = settings.server?.bodyLimit ?? defaults.bodyLimit;
  const requestTimeout = settings.server?.requestTimeout ?? defaults.requestTimeout;
  const shared = memoryBudgets(options.memory ?? Infinity, bodyLimit, settings.server?.memory);
  const { unsentBytes = shared.unsent.capacity, exportBudget = shared.exports } = options;
  const unsentBudget = new MemoryBudget(unsentBytes, shared.all);
  const maxHeaderSize = limits.urlLength + defaults.headersSize;
  const edge = currentEdge(() => servedApi().api.settings, mode);
  const connections = new Connections(maxHeaderSize, (socket) => edge().unread(socket));
  const metrics = new Metrics(options.workers, () => callerCheck.keyUses());
  const uptime = (): number => performance.now();
  const network = new SimulatedNetwork({ mode, clock: uptime });
  const dashboard = hasDashboard(servedApi().api, mode)
    ? new Dashboard({
        token: randomBytes(32).toString('hex'),
        clock: uptime,
        now: clockAndIds.now,
        databaseTime: () => metrics.totalDatabaseTime,
        origin: sharedOrigin(),
        api: () => servedApi().api,
        mode,
        network,
        workers: options.workers,
      })
    : undefined;
  void dashboard?.join();
  const readers = [...(options.readers ?? []), ...(dashboard === undefined ? [] : [dashboard])];
  const observer = new Observer(readers, metrics, clockAndIds.now);
  const trace: Trace = (event) => {
    if (event.kind === 'dependency') metrics.told(event);
    options.trace(event);
  };
  const processes = options.workers?.count ?? 1;
  const callerCheck = new CallerCheck({
    mode,
    now: clockAndIds.now,
    timesRead,
    clock,
    trace,
    processes,
  });
  callerCheck.prepare(settings);
  const batch = new ResponseBatch(uptime, timesRead);
  const admission = new Admission({
    maxInFlight: settings.server?.maxInFlight ?? defaults.maxInFlight,
    maxDelay,
    accepted: () => connections.accepted,
    clock: uptime,
    batch,
  });
  const handler = new RequestHandler({
    mode,
    servedApi,
    edge,
    connections,
    admission,
    callerCheck,
    network,
    batch,
    unsent: new UnsentResponses(unsentBudget, stallTimeout),
    observer,
    metrics,
    dashboard,
    clockAndIds,
    trace,
    bodyLimit,
    answerLength: options.answerLength,
    budgets: { ...shared, exports: exportBudget },
    readMemory: new ReadMemory(shared),
  });
  const { maxConnections = defaults.maxConnections } = settings.server ?? {};
  const settled = { maxHeaderSize, requestTimeout, maxConnections, connections, tls: options.tls };
  const handle = (request: IncomingMessage, response: ServerResponse): void =>
    handler.handle(request, response);
  const listener = await openListener(handle, settled, host, port, options.connectionSource);
  return {
    port: listener.port,
    readers,
    close: async (drainDelay = 0) => {
      handler.stop();
      dashboard?.close();
      if (drainDelay > 0) await delay(drainDelay);
      // Clients that are answered now would ask again at once, and find the listener closing.
      admission.pause();
      const { ended } = await listener.close();
      admission.resume();
      await connections.finish(defaults.stopTimeout);
      await ended;
      await callerCheck.close();
      admission.close();
    },
  };
}

/** The edge by the current settings. */
function currentEdge(settings: () => Specification, mode: Mode): () => Edge {
  let [known, edge]: [Specification | undefined, Edge | undefined] = [undefined, undefined];
  return () => {
    const current = settings();
    if (edge === undefined || known !== current) [known, edge] = [current, new Edge(current, mode)];
    return edge;
  };
}

/** When the clock of `performance.now()` began, on the machine's monotonic clock; in ms. */
function sharedOrigin(): number {
  return Number(process.hrtime.bigint()) / 1e6 - performance.now();
}

/** Whole ms: with fractions, adding and subtracting again does not always give the same. */
function wholeClock(): number {
  return Math.floor(performance.now());
}
