import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import { isGrouped } from '../../query/groups/plan.ts';
import { parseQuery } from '../../query/request/query.ts';
import { queryError } from '../../query/request/problem.ts';
import { negotiate, type Representation } from '../../query/request/headers.ts';
import { refusalOf, type Caller } from '../../model/access.ts';
import type { RequestKind } from '../../query/request/parameters.ts';
import type { Resource, Version } from '../../model/api.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import type { ResourceView } from '../../model/view.ts';
import { respondError } from '../response/error.ts';
import { emptyResponse, type Response } from '../response/response.ts';
import { after, unless, type MaybePromise } from '../../lib/maybe-promise.ts';
import { answerDebug, sizeOf } from '../debug/debug.ts';
import type { Call, Exchange, Watching } from './exchange.ts';
import { answerBatch } from './batch.ts';
import { answerEndpoint } from './endpoints/answer.ts';
import { exportRecords } from './exports.ts';
import { refusalByDatabase } from './failures.ts';
import { withHeaders } from '../callers/caller-check.ts';
import type { Transmission } from '../simulation/simulated-network.ts';
import { listGroups } from './groups.ts';
import { listRecords, readRecord } from './reads.ts';
import {
  allowOf,
  answerMethod,
  findResourceView,
  findInFile,
  findRoute,
  isServed,
  requestKindOf,
  nothingAt,
  operationOf,
  uriTooLong,
  type ResourceRoute,
  type Route,
} from './router.ts';
import { afterWrite, withPosition } from './replication.ts';
import { answerSql } from './sql/answer.ts';
import { enterSandbox } from '../sandboxes/requests.ts';
import { answerDocument, answerSystem } from './system.ts';
import { sunsetRefusal, withNotice } from './versions.ts';
import { deleteMany, updateMany } from './writes-of-many.ts';
import { createRecords, deleteRecord, updateRecord } from './writes.ts';

/**
 * Answers one request. Each step may end it with an error; their order is
 * docs/contract/4-errors-and-limits.md#order-of-checks. A thrown error (a bug, a failing database) becomes an
 * error response like the others, with all headers.
 */
export function answer(exchange: Exchange): MaybePromise<Response> {
  const { requestId, path, watching, given } = exchange;
  const transmission =
    given?.isOfFile === true ? undefined : exchange.network.simulate(exchange, path);
  return after(steps(exchange, transmission), (result) => {
    const answered = result.ok
      ? result.value
      : respondError(result.error, exchange.mount + path, requestId);
    const response = withPosition(withNotice(answered, path, exchange), exchange);
    const debugged =
      watching === undefined ? response : debug(exchange, watching, transmission, response, result);
    return transmission === undefined
      ? debugged
      : after(debugged, (delivered) => transmission.deliver(delivered));
  });
}

/** Adds debug members to a response. */
function debug(
  exchange: Exchange,
  watching: Watching,
  transmission: Transmission | undefined,
  response: Response,
  result: Result<Response>,
): MaybePromise<Response> {
  exchange.trace.enter('finalize');
  if (transmission !== undefined) watching.network = transmission.report(sizeOf(response));
  return answerDebug(exchange, watching, response, result.ok ? undefined : result.error);
}

function steps(exchange: Exchange, transmission: Transmission | undefined): Answer {
  const { path } = exchange;
  const { api } = exchange.servedApi;
  if (exchange.url.length > api.limits.urlLength) return fail(uriTooLong(api.limits.urlLength));
  const find = exchange.given?.isOfFile === true ? findInFile : findRoute;
  const route = find(path, exchange.servedApi);
  if (!route.ok && route.error.code === 'MALFORMED_REQUEST') return route;
  const { trace, watching } = exchange;
  trace.enter('authentication');
  return after(exchange.callerCheck.check(exchange, path), ({ caller, headers }) => {
    if (caller.ok) {
      trace.caller = caller.value.name;
      trace.callerId = caller.value.id;
      if (watching !== undefined) watching.caller = caller.value;
    }
    // Before the delay, so that logs and metrics know the route of requests that fail or are cancelled in it.
    if (transmission !== undefined && route.ok && route.value.kind === 'resource' && caller.ok)
      resolveRoute(exchange, route.value, caller.value);
    const failure =
      transmission === undefined ? undefined : simulateNetwork(exchange, transmission, caller);
    const result = after(failure, (error) =>
      error === undefined ? answerCaller(exchange, route, caller) : fail(error),
    );
    return headers === undefined
      ? result
      : after(result, (told) =>
          told.ok ? ok(withHeaders(told.value, headers)) : fail(withHeaders(told.error, headers)),
        );
  });
}

/** Applies the simulated network to a request; returns the error that it causes. */
function simulateNetwork(
  { trace }: Exchange,
  transmission: Transmission,
  caller: Result<Caller>,
): Promise<ApiError | undefined> {
  trace.enter('network');
  const delayed = transmission.delayOrFail(caller.ok ? caller.value : undefined);
  trace.isSimulated = transmission.hasEffect;
  return delayed;
}

/** Continues after authentication. */
function answerCaller(exchange: Exchange, route: Result<Route>, caller: Result<Caller>): Answer {
  if (!caller.ok) return caller;
  exchange.trace.enter('authorization');
  if (!route.ok) return route;
  return unless(
    () => answerRoute(exchange, route.value, caller.value),
    (error) => {
      const refusal = refusalByDatabase(error, caller.value, exchange);
      if (refusal !== undefined) {
        exchange.trace.databaseError = (error as Error).cause;
        return fail(refusal);
      }
      if (exchange.watching !== undefined) exchange.watching.thrown = error;
      return fail(exchange.failed(error));
    },
  );
}

/** Resolves the route for the caller, and records it for logs and metrics. */
function resolveRoute(
  { servedApi, method, headers, trace }: Exchange,
  { version, name, id }: ResourceRoute,
  caller: Caller,
): Result<Pick<Call, 'view' | 'resourceView' | 'kind'>> {
  const view = servedApi.view(version, caller);
  const resourceView = findResourceView(name, view);
  if (!resourceView.ok) return resourceView;
  trace.route = resourceView.value.name;
  const known = requestKindOf(method, id);
  if (!known.ok) return known;
  const { resource } = resourceView.value;
  const isNew = known.value === 'replace' && mustBeNew(headers) && isKeyedByClient(resource);
  const kind = isNew ? 'create' : known.value;
  trace.operation = kind;
  return ok({ view, resourceView: resourceView.value, kind });
}

/** Whether a PUT may only create its record: `If-None-Match: *`. */
function mustBeNew({ 'if-none-match': header }: Exchange['headers']): boolean {
  return header?.trim() === '*';
}

/** Whether clients choose the ids of a resource. */
function isKeyedByClient({ id }: Resource): boolean {
  return !isGenerated(id) && id.parts === undefined;
}

/** A response or error, perhaps a promise. */
type Answer = MaybePromise<Result<Response>>;

/** Answers a request whose route and caller are known. */
export function answerRoute(exchange: Exchange, route: Route, caller: Caller): Answer {
  switch (route.kind) {
    case 'system':
      return answerSystem(route.path, exchange, caller);
    case 'openapi':
      return answerDocument(route.version, exchange, caller);
    case 'audit':
      return answerAudit(exchange, route.id, caller);
    case 'batch':
      return answerBatchIn(exchange, route.version, caller);
    case 'sql':
      return afterWrite(exchange, answerSql(exchange, caller));
    case 'endpoint':
      return answerEndpoint(exchange, route, caller);
    case 'resource':
      return answerResource(exchange, route, caller);
    default:
      return route satisfies never;
  }
}

function answerResource(exchange: Exchange, route: ResourceRoute, caller: Caller): Answer {
  const { version, name, id } = route;
  const { servedApi, method, watching } = exchange;
  if (watching !== undefined)
    watching.params = { resource: name, ...(id === undefined ? {} : { id }) };
  const ended = sunsetRefusal(version, servedApi.api, exchange.clockAndIds.now);
  if (ended !== undefined) return fail(ended);
  if (method === 'OPTIONS' && isServed(name, version, servedApi.api))
    return ok(emptyResponse(204, exchange.requestId, { allow: allowOf(id) }));
  const resolved = resolveRoute(exchange, route, caller);
  if (!resolved.ok) return resolved;
  const inside = inSession(exchange, caller);
  return answerResolved(inside, caller, resolved.value, id);
}

/** Answers `POST /_batch`. */
function answerBatchIn(exchange: Exchange, version: Version, caller: Caller): Answer {
  const { servedApi, headers, trace } = exchange;
  trace.route = '/_batch';
  trace.operation = 'batch';
  const ended = sunsetRefusal(version, servedApi.api, exchange.clockAndIds.now);
  if (ended !== undefined) return fail(ended);
  const answered = answerMethod(exchange, 'POST, OPTIONS');
  if (answered !== undefined) return answered;
  const own = inSession(exchange, caller);
  const { 'x-sandbox': sandbox, ...others } = headers;
  if (sandbox === undefined) return afterWrite(own, answerBatch(own, version, caller));
  return enterSandbox(own, String(sandbox)).then((inside) =>
    inside.ok ? answerBatch({ ...inside.value, headers: others }, version, caller) : inside,
  );
}

/** The exchange with a database that runs each statement with the settings of the caller, if it has some: the owner has none. */
function inSession(exchange: Exchange, caller: Caller): Exchange {
  const { sessionOf } = exchange.servedApi;
  if (sessionOf === undefined || caller.isOwner === true) return exchange;
  const database = exchange.database.inSession?.(sessionOf(caller.claims));
  // The served API would not have begun without it.
  if (database === undefined) throw new TypeError('The database has no sessions');
  return { ...exchange, database, serviceDatabase: exchange.serviceDatabase ?? exchange.database };
}

/** Answers `/_audit` and `/_audit/:id` like a resource that is only read. See docs/contract/6-operation.md#audit. */
function answerAudit(exchange: Exchange, id: string | undefined, caller: Caller): Answer {
  const { servedApi, path, trace, clockAndIds } = exchange;
  const { api, auditLog } = servedApi;
  const version = api.versions.get(api.defaultVersion);
  const resourceView = version && servedApi.view(version, caller).audit();
  if (auditLog === undefined || resourceView === undefined) return fail(nothingAt(path));
  trace.route = id === undefined ? '/_audit' : '/_audit/:id';
  const answered = answerMethod(exchange, 'GET, HEAD, OPTIONS');
  if (answered !== undefined) return answered;
  const kind = id === undefined ? 'list' : 'read';
  trace.operation = kind;
  const resolved = { view: resourceView.view, resourceView, kind } as const;
  return auditLog
    .deleteOld(clockAndIds.now())
    .then(() => answerResolved(exchange, caller, resolved, id));
}

/** Answers a request to a resource view. */
function answerResolved(
  exchange: Exchange,
  caller: Caller,
  { view, resourceView, kind }: Pick<Call, 'view' | 'resourceView' | 'kind'>,
  id: string | undefined,
): Answer {
  const { headers, trace } = exchange;
  const refusal = authorize(kind, resourceView);
  if (refusal !== undefined) return fail(refusal);
  const isList = kind === 'list' && resourceView.resource.hasKey;
  const { representations, refusal: notAcceptable } = isList ? lists : others;
  const representation = negotiate(headers.accept, representations);
  if (representation === undefined) return fail(notAcceptable);

  const answerIn = (inside: Exchange): Answer => {
    trace.enter('parse_query');
    const query = parseQuery(exchange.search, kind);
    return answerCall(
      { exchange: inside, caller, kind, view, resourceView, id, query },
      representation,
    );
  };
  const sandbox = headers['x-sandbox'];
  if (sandbox === undefined) return answerIn(exchange);
  return enterSandbox(exchange, String(sandbox)).then((inside) =>
    inside.ok ? answerIn(inside.value) : inside,
  );
}

function answerCall(call: Call, representation: Representation): Answer {
  const { exchange, id, query } = call;
  if (exchange.watching !== undefined) exchange.watching.call = call;
  switch (call.kind) {
    case 'list':
      if (isGrouped(query)) return listGroups(call, representation);
      if (representation === 'json') return listRecords(call);
      return exportRecords(call, representation);
    case 'read':
      return readRecord(call, id ?? '');
    case 'create':
      return afterWrite(exchange, createRecords(call));
    case 'replace':
    case 'update':
      return afterWrite(exchange, updateRecord(call, call.kind, id ?? ''));
    case 'delete':
      // A delete has no read plan, which would report problems of the query.
      return query.problems.length > 0
        ? fail(queryError(query.problems, query.raw))
        : afterWrite(exchange, deleteRecord(call, id ?? ''));
    case 'updateMany':
      return afterWrite(exchange, updateMany(call));
    case 'deleteMany':
      return afterWrite(exchange, deleteMany(call));
    default:
      return call.kind satisfies never;
  }
}

/** Refuses an operation that no rule of this caller allows. See docs/contract/5-access.md#rules, rule 7. */
function authorize(kind: RequestKind, { rules, view }: ResourceView): ApiError | undefined {
  return rules[operationOf(kind)].length === 0
    ? refusalOf(view.subject, view.api.settings)
    : undefined;
}

/** The available formats, and the error if `Accept` takes none. See docs/contract/2-reading.md#content. */
const lists: Offer = {
  representations: ['json', 'csv', 'ndjson'],
  refusal: apiError(
    'NOT_ACCEPTABLE',
    'A list is application/json, text/csv or application/x-ndjson, none of which the Accept header takes',
  ),
};
const others: Offer = {
  representations: ['json'],
  refusal: apiError(
    'NOT_ACCEPTABLE',
    'The answer is application/json, which the Accept header does not take',
  ),
};

interface Offer {
  readonly representations: readonly Representation[];
  readonly refusal: ApiError;
}
