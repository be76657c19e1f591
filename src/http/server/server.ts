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
import { Gate } from '../gate/gate.ts';
import type { ServedApi } from './served-api.ts';
import type { Workers } from './workers.ts';
import { openEntrance, type ConnectionSource, type ServerTls } from './listener.ts';
import { memoryBudgets, MemoryBudget } from '../load/memory-budget.ts';
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
  /** 0: any that is free. */
  readonly port: number;
  readonly clockAndIds: ClockAndIds;
  /** Whole ms on a clock that is never set, for quotas and for when keys are asked for; that of the process. */
  readonly clock?: () => number;
  readonly trace: Trace;
  /** Who reads requests that have ended. */
  readonly readers?: readonly TraceReader[];
  /** What the server was started for; `start` unless said otherwise. */
  readonly mode?: Mode;
  /** Present: several processes serve together. */
  readonly workers?: Workers;
  /** Absent: plain HTTP is spoken. */
  readonly tls?: ServerTls;
  /** The connections that another process accepts; absent: this one listens. */
  readonly connectionSource?: ConnectionSource | undefined;
  /** How long the reader of a streamed answer may take nothing of it, in ms; a minute. */
  readonly stallTimeout?: number;
  /** What the process may take, in bytes; without it no bound is known. */
  readonly memory?: number;
  /** How many bytes unsent responses may hold together before connections are cut; default: a share of `memory`. */
  readonly unsentBytes?: number;
  /** For CSV and NDJSON lists that are being sent; default: a share of `memory`. */
  readonly exportBudget?: MemoryBudget;
  /** How long the rows of one answer may be in all, in characters; 128 Mi. */
  readonly answerLength?: number;
  /** How long a request may wait for its turn before others are refused, in ms; a quarter of a second. */
  readonly maxDelay?: number;
}

/** A server that listens. */
export interface RunningServer {
  readonly port: number;
  /** Who reads its requests: those that it was given, and its own. */
  readonly readers: readonly TraceReader[];
  /**
   * Is no longer ready, takes no new connections after `drainDelay` ms, lets the requests in flight end, then
   * resolves.
   */
  readonly close: (drainDelay?: number) => Promise<void>;
}

/**
 * Serves a generation over HTTP. `servedApi` is called for each request, so that it can be swapped. Rejects with the
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
  const shared = memoryBudgets(options.memory ?? Infinity, bodyLimit);
  const { unsentBytes = shared.unsent.capacity, exportBudget = shared.exports } = options;
  const unsentBudget = new MemoryBudget(unsentBytes, shared.all);
  const maxHeaderSize = limits.urlLength + defaults.headersSize;
  const edge = currentEdge(() => servedApi().api.settings, mode);
  const connections = new Connections(maxHeaderSize, (socket) => edge().unread(socket));
  const metrics = new Metrics(options.workers);
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
  const gate = new Gate({ mode, now: clockAndIds.now, timesRead, clock, trace, processes });
  gate.prepare(settings);
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
    gate,
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
  });
  const { maxConnections = defaults.maxConnections } = settings.server ?? {};
  const settled = { maxHeaderSize, requestTimeout, maxConnections, connections, tls: options.tls };
  const handle = (request: IncomingMessage, response: ServerResponse): void =>
    handler.handle(request, response);
  const entrance = await openEntrance(handle, settled, host, port, options.connectionSource);
  return {
    port: entrance.port,
    readers,
    close: async (drainDelay = 0) => {
      handler.stop();
      dashboard?.close();
      if (drainDelay > 0) await delay(drainDelay);
      // Whoever is answered now would come again at once, and find the door closing.
      admission.pause();
      const { ended } = await entrance.shut();
      admission.resume();
      await connections.finish(defaults.stopTimeout);
      await ended;
      await gate.close();
      admission.close();
    },
  };
}

/** The edge as the generation of the moment wants it. */
function currentEdge(settings: () => Specification, mode: Mode): () => Edge {
  let [made, edge]: [Specification | undefined, Edge | undefined] = [undefined, undefined];
  return () => {
    const wanted = settings();
    if (edge === undefined || made !== wanted) [made, edge] = [wanted, new Edge(wanted, mode)];
    return edge;
  };
}

/** When the clock of `performance.now()` began, in ms on the one of the machine, which nobody sets. */
function sharedOrigin(): number {
  return Number(process.hrtime.bigint()) / 1e6 - performance.now();
}

/** Whole ms: of fractions, what is added and taken away again is not always what was there. */
function wholeClock(): number {
  return Math.floor(performance.now());
}
