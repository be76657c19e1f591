import { setMaxListeners } from 'node:events';
import { fail, type ApiError } from '../../errors.ts';
import { freeTurn } from '../../lib/event-loop.ts';
import type { ClockAndIds } from '../../query/write/defaults.ts';
import { compressed } from '../response/compression.ts';
import { respondError } from '../response/error.ts';
import { isWhole, type Response, type StreamedBody } from '../response/response.ts';
import { unless, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { RequestStart, Trace } from '../../observability/events.ts';
import type { Dashboard } from '../dashboard/dashboard.ts';
import type { AdmittedRequest, Edge, Mode } from '../edge/edge.ts';
import type { CallerCheck } from '../callers/caller-check.ts';
import type { ServedApi } from './served-api.ts';
import type { Metrics } from '../debug/metrics.ts';
import type { SimulatedNetwork } from '../simulation/simulated-network.ts';
import type { Observed, Observer } from '../debug/observer.ts';
import { Admitted, type Admission } from '../load/admission.ts';
import type { ResponseBatch } from '../load/response-batch.ts';
import { errorOf, foreseen } from '../api/failures.ts';
import { answer, answerRoute } from '../api/pipeline.ts';
import { isProbe } from '../api/router.ts';
import type { AfterCommits, Exchange } from '../api/exchange.ts';
import { ClientGone, RaisedError } from '../../databases/database.ts';
import { whileThere } from '../response/streaming.ts';
import type { Incoming, Transport } from './transport.ts';
import type { MemoryBudgets } from '../load/memory-budget.ts';
import type { ReadMemory } from '../load/read-memory.ts';

/** To parse a body of more bytes takes too long to let responses of the same turn wait for it. */
const longBody = 32 * 1024;

/** A request with one of these methods counts as in flight once its body is read. */
const bodied = new Set(['POST', 'PUT', 'PATCH']);

/** The parts of a server that a request passes through. */
export interface Parts {
  readonly mode: Mode;
  /** Called for each request, so that it can be swapped. */
  readonly servedApi: () => ServedApi;
  readonly edge: () => Edge;
  readonly admission: Admission;
  readonly callerCheck: CallerCheck;
  readonly network: SimulatedNetwork;
  readonly batch: ResponseBatch;
  readonly observer: Observer;
  readonly metrics: Metrics;
  readonly dashboard: () => Dashboard | undefined;
  readonly clockAndIds: ClockAndIds;
  readonly afterCommits: AfterCommits;
  readonly trace: Trace;
  /** In bytes. */
  readonly bodyLimit: number;
  /** See `Exchange`. */
  readonly answerLength: number | undefined;
  readonly budgets: MemoryBudgets;
  readonly readMemory: ReadMemory;
}

/** Takes requests from their heads to the last byte of their responses. Whatever fails on the way, each ends once. */
export class RequestHandler {
  private readonly parts: Parts;
  private readonly stopping = new AbortController();
  private readonly turns: Exchange['turns'] = new WeakMap();

  constructor(parts: Parts) {
    this.parts = parts;
    // Each stream of an endpoint listens for it: this is no leak.
    setMaxListeners(0, this.stopping.signal);
  }

  /** From now on the server is not ready, and each connection ends with its next response. */
  stop(): void {
    this.stopping.abort();
  }

  /** A request whose head has come. Resolves when it has ended. */
  handle(incoming: Incoming): Promise<void> {
    return this.take(incoming).catch((error: unknown) => {
      incoming.transport.abandon();
      this.tell(incoming, error);
    });
  }

  /** Answers one request. Whatever fails on the way, all counters of it are released. */
  private async take(incoming: Incoming): Promise<void> {
    const { transport } = incoming;
    const { mode, servedApi, admission, batch, observer } = this.parts;
    const edge = this.parts.edge();
    const entry = edge.admit(transport, incoming.path);
    const sending = { vary: edge.vary, extra: entry.headers };
    let current = servedApi();
    while (current.suspension !== undefined) {
      await current.suspension;
      current = servedApi();
    }
    const { inFlight } = current;
    const observed = observer.begin(incoming, current, mode);
    const admitted = new Admitted(admission, this.parts.budgets);
    inFlight.enter();
    let answered: Response;
    let rest: StreamedBody | undefined;
    // The bytes of a whole body that is sent piece by piece, once all that it was made of is released.
    let made = 0;
    try {
      // Always after a tick: requests that were read together are all parsed before the first is answered.
      const handled = await this.respond(incoming, observed, entry, admitted);
      admitted.leave();
      observed.trace.enter('send');
      answered =
        incoming.method === 'OPTIONS'
          ? edge.preflight(handled, transport.headers, incoming.requestId)
          : handled;
      // A response that a simulated network delays is held whole, as text and as bytes.
      const held = 2 * (handled.whole?.length ?? 0);
      const acceptEncoding = transport.headers['accept-encoding'];
      const encoded =
        acceptEncoding === undefined ? answered : await compressed(answered, acceptEncoding);
      rest = await batch.join(() => {
        const last = this.stopping.signal.aborted && transport.endConnection();
        return transport.send(encoded, { ...sending, last });
      });
      if (rest !== undefined && isWhole(encoded.body)) made = Buffer.byteLength(encoded.body);
      else if (rest !== undefined && answered.isLive !== true)
        await this.sendRest(transport, rest, observed, held);
    } catch (error) {
      if (error instanceof ClientGone) {
        transport.abandon();
        answered = unanswered;
      } else {
        const problem = respondError(errorOf(error), shownPath(incoming), incoming.requestId);
        transport.sendInstead(problem, sending);
        answered = problem;
        this.report(observed, error);
      }
    } finally {
      admitted.release();
      observed.atEnd?.();
      inFlight.leave();
    }
    // A client that reads nothing does not keep its response here for ever.
    const taken = rest === undefined ? transport.untilTaken() : undefined;
    if (taken !== undefined) await taken;
    if (rest !== undefined && made > 0) await this.sendRest(transport, rest, observed, made);
    observer.end(observed.trace, answered, transport.headers);
    // A live response goes on for as long as its client stays, and is no longer in flight.
    if (rest !== undefined && answered.isLive === true)
      await this.sendRest(transport, rest, observed);
  }

  /** The response to a request. */
  private respond(
    incoming: Incoming,
    observed: Observed,
    { client, refusal }: AdmittedRequest,
    admitted: Admitted,
  ): MaybePromise<Response> {
    const { transport, requestId, method, url, path, search, mount, given } = incoming;
    const { problem: malformed } = incoming;
    const {
      callerCheck,
      network,
      admission,
      bodyLimit,
      batch,
      observer,
      mode,
      metrics,
      dashboard,
      clockAndIds,
    } = this.parts;
    observed.trace.client = client.address;
    const failed = (error: unknown): ApiError => {
      if (error instanceof ClientGone) throw error;
      if (error instanceof RaisedError) observed.trace.databaseError = error.cause;
      if (foreseen(error) === undefined) this.report(observed, error);
      return errorOf(error);
    };
    // Answered however busy the server is. See docs/contract/6-operation.md#overload, rule 3.
    const isExempt = isProbe(path) || path === '/_metrics' || method === 'OPTIONS';
    const refuse = (): ApiError | undefined => (isExempt ? undefined : admission.refusal());
    const problem = malformed ?? refusal ?? refuse();
    if (problem !== undefined) return respondError(problem, shownPath(incoming), requestId);
    const expectClient = (): void => {
      if (transport.isGone) throw new ClientGone();
    };
    const begin = (late: ApiError | undefined): MaybePromise<Response> => {
      if (late !== undefined) return respondError(late, shownPath(incoming), requestId);
      expectClient();
      return answer({
        requestId,
        method,
        url,
        path,
        search,
        mount,
        headers: transport.headers,
        rawHeaders: transport.rawHeaders,
        client,
        given,
        callerCheck,
        network,
        readBody: async (limit = bodyLimit) => {
          const body = await transport.readBody(limit, (bytes) => admitted.tryReserve(bytes));
          if (!body.ok) return body;
          observer.read(observed.trace, body.value);
          const late = refuse() ?? (await admitted.enter());
          if (late !== undefined) return fail(late);
          if (body.value.length > longBody) {
            await freeTurn();
            expectClient();
            batch.sendEarly();
          }
          return body;
        },
        whileThere: (work) => whileThere(transport, work),
        onGone: (leave) => transport.onGone(leave),
        readMemory: this.parts.readMemory,
        reservation: admitted.rows,
        servedApi: observed.servedApi,
        database: observed.database,
        keys: observed.servedApi.keys,
        onEnd: (work) => {
          const { atEnd } = observed;
          observed.atEnd = () => {
            atEnd?.();
            work();
          };
        },
        sendEarly: () => batch.sendEarly(),
        trace: observed.trace,
        watching: observed.watching,
        mode,
        metrics,
        dashboard: dashboard(),
        failed,
        clockAndIds,
        answerLength: this.parts.answerLength,
        exportBudget: this.parts.budgets.exports,
        stopping: this.stopping.signal,
        answerRoute,
        note: observer.note,
        afterCommits: this.parts.afterCommits,
        turns: this.turns,
      });
    };
    const waits = !isExempt && !bodied.has(method);
    return unless(
      () => {
        const queued = waits ? admitted.enter() : undefined;
        if (queued === undefined) return begin(undefined);
        const { recording } = observed.trace;
        recording?.beginPart('queue');
        return queued.then((late) => {
          recording?.endPart('queue');
          return begin(late);
        });
      },
      (error) => respondError(failed(error), shownPath(incoming), requestId),
    );
  }

  private sendRest(
    transport: Transport,
    body: StreamedBody,
    observed: Observed,
    held = 0,
  ): Promise<void> {
    return transport.sendBody(body, held).catch((error: unknown) => this.report(observed, error));
  }

  private report({ trace: seen }: Observed, error: unknown): void {
    seen.failure = error;
    this.tell(seen.start, error);
  }

  private tell({ requestId, method, path }: RequestStart, error: unknown): void {
    this.parts.trace({ kind: 'failure', requestId, method, path, error });
  }
}

/** The path as the client has sent it. */
function shownPath({ mount, path }: Incoming): string {
  return mount + path;
}

/** What logs and metrics record if the client has gone: the status that nginx made customary. */
const unanswered: Response = { status: 499, headers: {}, body: undefined };
