import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import { apiError, fail, type ApiError } from '../errors.ts';
import { timesRead } from '../event-loop.ts';
import { DatabaseFailure, type FailureKind } from '../execute/database.ts';
import type { Draw } from '../plan/defaults.ts';
import { compressed } from '../respond/compression.ts';
import { respondError } from '../respond/error.ts';
import type { Response, StreamedBody } from '../respond/response.ts';
import { serverDefaults } from '../spec/definitions/server.ts';
import { after, unless, type Soon } from '../soon.ts';
import type { Specification } from '../spec/specification.ts';
import type { RequestStart, Trace, TraceReader } from '../trace/events.ts';
import { Askers } from './askers.ts';
import { Connections, readBody, send, sendInstead } from './connections.ts';
import { Dashboard, hasDashboard } from './dashboard.ts';
import { Departures } from './departures.ts';
import { Edge, type Entry, type Mode } from './edge.ts';
import { Gate } from './gate.ts';
import type { Generation } from './generation.ts';
import type { Fleet } from './fleet.ts';
import { openEntrance, type Doorway, type ServerTls } from './listener.ts';
import { Metrics } from './metrics.ts';
import { Network } from './network.ts';
import { Observer, type Observed } from './observer.ts';
import { longestDelay, Overload, type Visit } from './overload.ts';
import { answer } from './pipeline.ts';
import { isProbe, splitUrl } from './router.ts';
import { ClientGone, sendStream, whileThere } from './streaming.ts';
import { Unsent } from './unsent.ts';

/** Contract 1: the defaults of `server`. Times in ms, sizes in bytes. */
export const defaults = {
  ...serverDefaults,
  /** Of all bodies together that are read or worked on; four of the largest always have room. */
  bodyBytes: 128 * 1024 * 1024,
  /** Of all answers together that clients have not taken. */
  unsentBytes: 128 * 1024 * 1024,
  /** Beside the URL, which has a limit of its own. */
  headersSize: 16 * 1024,
  stopTimeout: 10_000,
  /** Contract 2, Content. */
  stallTimeout: 60_000,
} as const;

export interface ServerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly draw: Draw;
  /** Whole ms on a clock that is never set, for quotas and for when keys are asked for; that of the process. */
  readonly clock?: () => number;
  readonly trace: Trace;
  /** Who reads requests that have ended. */
  readonly readers?: readonly TraceReader[];
  /** What the server was started for; `start` unless said otherwise. */
  readonly mode?: Mode;
  /** Present: several processes serve together. */
  readonly fleet?: Fleet;
  /** Absent: plain HTTP is spoken. */
  readonly tls?: ServerTls;
  /** Gives the connections where another process listens; absent: this one does. */
  readonly doorway?: Doorway | undefined;
  /** How long the reader of a streamed answer may take nothing of it, in ms; a minute. */
  readonly stallTimeout?: number;
  /** What answers that clients have not taken may hold together before some of these are cut off; 128 MiB. */
  readonly unsentBytes?: number;
  /** How long a request may wait for its turn before others are refused, in ms; a quarter of a second. */
  readonly maxDelay?: number;
}

/** To understand a body of more bytes takes longer than an answer should wait for others. */
const longBody = 32 * 1024;

/** Requests with these methods count when their body was read. */
const bodied = new Set(['POST', 'PUT', 'PATCH']);

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
 * Serves a generation over HTTP. `generation` is asked for each request, so that it can be swapped. Rejects with the
 * system's error (`EADDRINUSE`, …) when it cannot listen.
 */
export async function startServer(
  generation: () => Generation,
  options: ServerOptions,
): Promise<RunningServer> {
  const { host, port, draw, mode = 'start', clock = wholeClock } = options;
  const { stallTimeout = defaults.stallTimeout, maxDelay = longestDelay } = options;
  const unsent = new Unsent(options.unsentBytes ?? defaults.unsentBytes, stallTimeout);
  const { settings, limits } = generation().api;
  const bodyLimit = settings.server?.bodyLimit ?? defaults.bodyLimit;
  const requestTimeout = settings.server?.requestTimeout ?? defaults.requestTimeout;
  const maxHeaderSize = limits.urlLength + defaults.headersSize;
  const edge = currentEdge(() => generation().api.settings, mode);
  const askers = new Askers();
  const connections = new Connections(maxHeaderSize, askers, (socket) => edge().unread(socket));
  const metrics = new Metrics(options.fleet);
  const uptime = (): number => performance.now();
  const network = new Network({ mode, clock: uptime });
  const dashboard = hasDashboard(generation().api, mode)
    ? new Dashboard({
        token: randomBytes(32).toString('hex'),
        clock: uptime,
        now: draw.now,
        databaseTime: () => metrics.totalDatabaseTime,
        origin: sharedOrigin(),
        api: () => generation().api,
        mode,
        network,
        fleet: options.fleet,
      })
    : undefined;
  void dashboard?.join();
  const readers = [...(options.readers ?? []), ...(dashboard === undefined ? [] : [dashboard])];
  const observer = new Observer(readers, metrics, draw.now);
  const trace: Trace = (event) => {
    if (event.kind === 'dependency') metrics.told(event);
    options.trace(event);
  };
  const processes = options.fleet?.size ?? 1;
  const gate = new Gate({ mode, now: draw.now, clock, trace, processes });
  gate.prepare(settings);
  const departures = new Departures(uptime, timesRead);
  const overload = new Overload({
    maxInFlight: settings.server?.maxInFlight ?? defaults.maxInFlight,
    maxBodyBytes: Math.max(defaults.bodyBytes, bodyLimit * 4),
    maxDelay,
    accepted: () => connections.accepted,
    askers: () => askers.count,
    clock: uptime,
    departures,
  });
  let stopping = false;
  const isStopping = (): boolean => stopping;
  const handle = (
    { request, requestId, method, url, path, search, problem: malformed }: Incoming,
    observed: Observed,
    { client, refusal }: Entry,
    visit: Visit,
  ): Soon<Response> => {
    observed.trace.client = client.address;
    const failed = (error: unknown): ApiError => {
      // There is nobody to answer.
      if (error instanceof ClientGone) throw error;
      report(observed, error);
      return failureOf(error);
    };
    // Answered however much there is to do. Contract 3, Overload.
    const isExempt = isProbe(path) || path === '/_metrics' || method === 'OPTIONS';
    const refuse = (): ApiError | undefined => (isExempt ? undefined : visit.refusal());
    const problem = malformed ?? refusal ?? refuse();
    if (problem !== undefined) return respondError(problem, path, requestId);
    const begin = (late: ApiError | undefined): Soon<Response> => {
      if (late !== undefined) return respondError(late, path, requestId);
      if (request.socket.destroyed) throw new ClientGone('The client has gone');
      return answer({
        requestId,
        method,
        url,
        path,
        search,
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        client,
        gate,
        network,
        readBody: async () => {
          const body = await readBody(request, bodyLimit, (bytes) => visit.hold(bytes));
          if (body.ok) observer.read(observed.trace, body.value);
          if (body.ok && body.value.length > longBody) departures.leave();
          const late = body.ok ? (refuse() ?? (await visit.enter())) : undefined;
          return late === undefined ? body : fail(late);
        },
        whileThere: (work) => whileThere(request.socket, work),
        generation: observed.generation,
        database: observed.database,
        keys: observed.generation.keys,
        onEnd: (work) => {
          observed.atEnd = work;
        },
        makeWay: () => departures.leave(),
        trace: observed.trace,
        watching: observed.watching,
        mode,
        metrics,
        dashboard,
        failed,
        draw,
        isStopping,
      });
    };
    const waits = !isExempt && !bodied.has(method);
    return unless(
      () => after(waits ? visit.enter() : undefined, begin),
      (error) => respondError(failed(error), path, requestId),
    );
  };
  const sendRest = (
    response: ServerResponse,
    body: StreamedBody,
    observed: Observed,
  ): Promise<void> =>
    sendStream(response, body, stallTimeout).catch((error: unknown) => report(observed, error));
  const report = ({ trace: seen }: Observed, error: unknown): void => {
    seen.failure = error;
    const { requestId, method, path } = seen.start;
    trace({ kind: 'failure', requestId, method, path, error });
  };
  /** Answers one request. Whatever fails on the way, nothing that counts it goes on to. */
  const take = async (incoming: Incoming, response: ServerResponse): Promise<void> => {
    const { request } = incoming;
    const gate = edge();
    const entry = gate.enter(request, incoming.path);
    const sending = { vary: gate.vary, extra: entry.headers };
    let current = generation();
    while (current.suspension !== undefined) {
      await current.suspension;
      current = generation();
    }
    const { users } = current;
    const observed = observer.begin(incoming, current, mode);
    const visit = overload.visit();
    users.enter();
    let answered: Response;
    let rest: StreamedBody | undefined;
    try {
      // Always after a tick: what is read together is heard whole before the first of it is answered.
      const handled = await handle(incoming, observed, entry, visit);
      visit.leave();
      answered =
        incoming.method === 'OPTIONS'
          ? gate.preflight(handled, request.headers, incoming.requestId)
          : handled;
      const acceptEncoding = request.headers['accept-encoding'];
      const encoded =
        acceptEncoding === undefined ? answered : await compressed(answered, acceptEncoding);
      rest = await departures.join(() => {
        const last = stopping && connections.endWith(request);
        return send(response, encoded, { ...sending, last });
      });
      // What was not read of a body must not be taken for the next request; `requestTimeout` bounds it.
      if (!request.complete) request.resume();
      if (rest !== undefined && answered.isLive !== true) await sendRest(response, rest, observed);
    } catch (error) {
      if (error instanceof ClientGone) answered = unanswered;
      else {
        const problem = respondError(failureOf(error), incoming.path, incoming.requestId);
        sendInstead(response, problem, sending);
        answered = problem;
        report(observed, error);
      }
    } finally {
      visit.leave();
      observed.atEnd?.();
      users.leave();
    }
    overload.rest(request.socket);
    // Whoever takes nothing of an answer does not keep it here for ever.
    if (rest === undefined && request.socket.writableLength > 0) await unsent.untilTaken(response);
    observer.end(observed.trace, answered, request.headers);
    // It goes on for as long as its reader stays, and is in flight no more.
    if (rest !== undefined && answered.isLive === true) await sendRest(response, rest, observed);
  };
  const { maxConnections = defaults.maxConnections } = settings.server ?? {};
  const bounds = { maxHeaderSize, requestTimeout, maxConnections, connections, tls: options.tls };
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    if (!connections.begin(request, response)) return;
    const incoming = readHead(request);
    if (incoming.problem !== undefined) connections.endWith(request);
    take(incoming, response).catch((error: unknown) => {
      if (!response.headersSent) request.socket.destroy();
      const { requestId, method, path } = incoming;
      trace({ kind: 'failure', requestId, method, path, error });
    });
  };
  const entrance = await openEntrance(handler, bounds, host, port, options.doorway);
  return {
    port: entrance.port,
    readers,
    close: async (drainDelay = 0) => {
      stopping = true;
      dashboard?.close();
      if (drainDelay > 0) await delay(drainDelay);
      // Whoever is answered now would come again at once, and find the door closing.
      overload.pause();
      const { ended } = await entrance.shut();
      overload.resume();
      await connections.finish(defaults.stopTimeout);
      await ended;
      await gate.close();
      overload.close();
      askers.close();
    },
  };
}

/** What logs and metrics have of a request whose client has gone: nobody's fault here, and known from other servers. */
const unanswered: Response = { status: 499, headers: {}, body: undefined };

/** A request as its first line tells it, with the id under which it is known. */
interface Incoming extends RequestStart {
  readonly request: IncomingMessage;
  /** What is wrong with its head, so that its connection ends with the answer. */
  readonly problem: ApiError | undefined;
}

function readHead(request: IncomingMessage): Incoming {
  const url = originForm(request.url ?? '/');
  const { path, search } = splitUrl(url);
  return {
    request,
    problem: headProblem(request),
    requestId: randomUUID(),
    method: request.method ?? 'GET',
    url,
    path,
    search,
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

/** The path and query of a request target, which a client may send as a whole URL (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [origin] = /^https?:\/\/[^/?#]*/iu.exec(target) ?? [];
  if (origin === undefined) return target;
  const rest = target.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

const malformed = (message: string): ApiError =>
  apiError('MALFORMED_REQUEST', message, { headers: { connection: 'close' } });
const noHost = malformed('A request names its host in one Host header');
const noVersion = malformed('Only HTTP/1.1 and HTTP/1.0 are spoken here');

/** What the parser lets pass: HTTP/1.1 wants exactly one Host, older clients send none (RFC 9112, 3.2). */
function headProblem({ rawHeaders, httpVersion }: IncomingMessage): ApiError | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return noVersion;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0') ? undefined : noHost;
}

const unavailable = apiError('DATABASE_UNAVAILABLE', 'The database cannot be used now; try again');

const failures: Readonly<Record<FailureKind, ApiError>> = {
  busy: apiError('DATABASE_BUSY', 'The database stayed locked by another process; try again'),
  unavailable,
  changed: unavailable,
  unsupported: apiError(
    'DATABASE_UNAVAILABLE',
    'The database, as it is set up, cannot do what this request takes; the log has it under the request id',
  ),
  timeout: apiError('QUERY_TIMEOUT', 'The database took longer than its deadline'),
  outcomeUnknown: apiError(
    'OUTCOME_UNKNOWN',
    'The connection was lost while committing: the write may have happened or not. An Idempotency-Key makes it safe to repeat',
  ),
};

/** What a client is told of an error that no rule foresaw: nothing of the database, nothing of the host. */
function failureOf(error: unknown): ApiError {
  return error instanceof DatabaseFailure
    ? failures[error.kind]
    : apiError('INTERNAL_ERROR', 'An unexpected error; the log has it under the request id');
}

/** When the clock of `performance.now()` began, in ms on the one of the machine, which nobody sets. */
function sharedOrigin(): number {
  return Number(process.hrtime.bigint()) / 1e6 - performance.now();
}

/** Whole ms: of fractions, what is added and taken away again is not always what was there. */
function wholeClock(): number {
  return Math.floor(performance.now());
}
