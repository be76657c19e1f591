import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import process from 'node:process';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { timesRead } from '../../lib/event-loop.ts';
import type { ClockAndIds } from '../../query/write/defaults.ts';
import { serverDefaults } from '../../specification/keys/server.ts';
import type { Specification } from '../../specification/specification.ts';
import type { Trace, TraceReader } from '../../observability/events.ts';
import { Connections } from './connections.ts';
import { Dashboard, hasDashboard } from '../dashboard/dashboard.ts';
import type { DashboardLink } from '../dashboard/link.ts';
import { ResponseBatch } from '../load/response-batch.ts';
import type { Connection } from '../edge/client.ts';
import { Edge, type Mode } from '../edge/edge.ts';
import { isOwnPath } from '../api/router.ts';
import { CallerCheck } from '../callers/caller-check.ts';
import type { ServedApi } from './served-api.ts';
import type { Workers } from './workers.ts';
import { FetchTransport, readRequest } from './fetch-transport.ts';
import { InFlight } from './in-flight.ts';
import { openListener, type ConnectionSource, type Listener, type ServerTls } from './listener.ts';
import { mountOf } from './mount.ts';
import { memoryBudgets, MemoryBudget } from '../load/memory-budget.ts';
import { ReadMemory } from '../load/read-memory.ts';
import { Metrics } from '../debug/metrics.ts';
import { SimulatedNetwork } from '../simulation/simulated-network.ts';
import { Observer } from '../debug/observer.ts';
import { AfterCommitQueue } from '../api/own-code/after-commits.ts';
import { Admission, longestDelay } from '../load/admission.ts';
import { NodeTransport } from './node-transport.ts';
import { readHead } from './request-head.ts';
import type { Given } from '../api/exchange.ts';
import type { Incoming } from './transport.ts';
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

/** What the parts of a server are made with. */
export interface PartOptions {
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

/** Where a server listens. */
export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Absent: plain HTTP. */
  readonly tls?: ServerTls | undefined;
  /** Gives the connections if another process listens. */
  readonly connectionSource?: ConnectionSource | undefined;
}

/** Goes on with what comes after the API in an application; with an error if there is one. */
export type Next = (error?: unknown) => void;

/** What the application around the API says of a request of Fetch. */
export interface FetchContext {
  /** The address of the client. Without it the caller is an address of its own, which is not this machine. */
  readonly ip?: string;
  /** The path below which the application serves the API, such as `/api`. */
  readonly mountedAt?: string;
}

/** A server of an API: it takes requests from a port of its own, from the server of an application, and as Fetch requests. */
export interface ApiServer {
  /** Those that it was given, and its own. */
  readonly readers: readonly TraceReader[];
  /** Undefined without a dashboard at the start. */
  readonly dashboardLink: DashboardLink | undefined;
  /** Listens; resolves with the port. Rejects with the system's error (`EADDRINUSE`, …). */
  readonly listen: (options: ListenOptions) => Promise<number>;
  /** Answers a request of another server. `next`: called for paths that are not the API's; without it they get 404. */
  readonly handler: (request: IncomingMessage, response: ServerResponse, next?: Next) => void;
  /** Answers a request of Fetch. Rejects if the request is aborted before there is a response. `given`: see `Incoming`. */
  readonly fetch: (request: Request, context?: FetchContext, given?: Given) => Promise<Response>;
  /** Resolves when no `afterCommit` of own code runs or waits. */
  readonly settled: () => Promise<void>;
  /**
   * Makes `/_ready` fail, takes no new connections after `drainDelay` ms, lets the requests in flight end, then resolves.
   */
  readonly close: (drainDelay?: number) => Promise<void>;
}

/** A server that listens from the start. */
export interface RunningServer extends ApiServer {
  readonly port: number;
}

export type ServerOptions = PartOptions & ListenOptions;

/** As `makeApiServer`, and listens. */
export async function startServer(
  servedApi: () => ServedApi,
  options: ServerOptions,
): Promise<RunningServer> {
  const server = makeApiServer(servedApi, options);
  return { ...server, port: await server.listen(options) };
}

/** Serves an API. `servedApi` is called for each request, so that it can be swapped. */
export function makeApiServer(servedApi: () => ServedApi, options: PartOptions): ApiServer {
  const { clockAndIds, mode = 'start', clock = wholeClock } = options;
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
  const readers = [...(options.readers ?? [])];
  let dashboard: Dashboard | undefined;
  /** The dashboard; undefined until a specification with one is served. */
  const currentDashboard = (): Dashboard | undefined => {
    if (dashboard !== undefined || !hasDashboard(servedApi().api, mode)) return dashboard;
    dashboard = new Dashboard({
      token: randomBytes(32).toString('hex'),
      clock: uptime,
      now: clockAndIds.now,
      databaseTime: () => metrics.totalDatabaseTime,
      origin: sharedOrigin(),
      api: () => servedApi().api,
      mode,
      network,
      workers: options.workers,
    });
    readers.push(dashboard);
    void dashboard.join();
    return dashboard;
  };
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
  const unsent = new UnsentResponses(unsentBudget, stallTimeout);
  const afterCommits = new AfterCommitQueue(shared.commits);
  const handler = new RequestHandler({
    mode,
    servedApi,
    edge,
    admission,
    callerCheck,
    network,
    batch,
    observer,
    metrics,
    dashboard: currentDashboard,
    clockAndIds,
    afterCommits,
    trace,
    bodyLimit,
    answerLength: options.answerLength,
    budgets: { ...shared, exports: exportBudget },
    readMemory: new ReadMemory(shared),
  });
  /** Requests that came from another server or as Fetch: nothing else knows when they have ended. */
  const guests = new InFlight();
  const asGuest = (incoming: Incoming): void => {
    guests.enter();
    void handler.handle(incoming).finally(() => guests.leave());
  };
  const caller: Connection = {};
  let listener: Listener | undefined;
  let isClosed = false;
  return {
    readers,
    dashboardLink: currentDashboard()?.link,
    listen: async ({ host, port, tls, connectionSource }) => {
      const { maxConnections = defaults.maxConnections } = settings.server ?? {};
      const settled = { maxHeaderSize, requestTimeout, maxConnections, connections, tls };
      const handle = (request: IncomingMessage, response: ServerResponse): void => {
        const pipeline = connections.begin(request, response);
        if (pipeline === undefined) return;
        const transport = new NodeTransport(request, response, unsent, connections);
        const incoming = readHead(request, transport, '');
        if (incoming.problem !== undefined) connections.endWith(request);
        pipeline.begin(() => void handler.handle(incoming));
      };
      listener = await openListener(handle, settled, host, port, connectionSource);
      return listener.port;
    },
    handler: (request, response, next) => {
      const transport = new NodeTransport(request, response, unsent);
      const incoming = readHead(request, transport, mountOf(request));
      const { path, mount } = incoming;
      if (next !== undefined && !isOwnPath(path, servedApi(), mount !== '')) next();
      else if (isClosed && next !== undefined) next(closed());
      else if (isClosed) request.socket.destroy();
      else asGuest(incoming);
    },
    fetch: async (request, { ip, mountedAt = '' } = {}, given) => {
      // Otherwise requests that wait for each other would never let the event loop turn.
      await nextTurn();
      if (isClosed) throw closed();
      const isEncrypted = request.url.startsWith('https:');
      const connection =
        ip === undefined && !isEncrypted ? caller : { remoteAddress: ip, encrypted: isEncrypted };
      const transport = new FetchTransport(request, connection, stallTimeout);
      const mount = mountedAt.replaceAll(/^\/+|\/+$/gu, '');
      const incoming = readRequest(request, transport, mount === '' ? '' : `/${mount}`);
      asGuest(given === undefined ? incoming : { ...incoming, given });
      return transport.answered;
    },
    settled: () => afterCommits.settled(),
    close: async (drainDelay = 0) => {
      handler.stop();
      dashboard?.close();
      if (drainDelay > 0) await delay(drainDelay);
      isClosed = true;
      // Clients that are answered now would ask again at once, and find the listener closing.
      admission.pause();
      const closing = await listener?.close();
      admission.resume();
      if (listener !== undefined) await connections.finish(defaults.stopTimeout);
      if (!guests.isNone)
        await Promise.race([guests.none(), delay(defaults.stopTimeout, undefined, { ref: false })]);
      await closing?.ended;
      const left = await afterCommits.end(defaults.stopTimeout);
      if (left > 0)
        observer.note({
          level: 'error',
          message: `${left} afterCommit ${left === 1 ? 'call was' : 'calls were'} not done when the server stopped`,
        });
      await callerCheck.close();
      admission.close();
    },
  };
}

function closed(): Error {
  return new Error('The server of this API is closed');
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
