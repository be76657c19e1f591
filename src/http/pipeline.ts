import { apiError, fail, ok, type ApiError, type Result } from '../errors.ts';
import { parseQuery } from '../request/query.ts';
import { queryError } from '../request/problem.ts';
import { negotiate, type Representation } from '../request/headers.ts';
import { decide, refusalOf, type Caller } from '../model/access.ts';
import type { RequestKind } from '../request/parameters.ts';
import type { ResourceView } from '../model/view.ts';
import { emptyResponse, respondError } from '../respond/error.ts';
import type { Response } from '../respond/response.ts';
import { answerDebug, sizeOf } from './debug.ts';
import type { Call, Exchange } from './exchange.ts';
import { exportRecords } from './exports.ts';
import { withHeaders } from './gate.ts';
import type { Passage } from './network.ts';
import { listRecords, readRecord } from './reads.ts';
import {
  allowOf,
  findFace,
  findRoute,
  isServed,
  kindOf,
  operationOf,
  type ResourceRoute,
  type Route,
} from './router.ts';
import { enterSandbox } from './sandbox-requests.ts';
import { answerDocument, answerSystem } from './system.ts';
import { sunsetRefusal, withNotice } from './versions.ts';
import { createRecords, deleteRecord, updateRecord } from './writes.ts';

/**
 * Answers one request: each step may end it with an error, in the order of contract 2, Errors. What a bug or a
 * database that fails throws is an error like the others, with all headers that an answer has.
 */
export async function answer(exchange: Exchange): Promise<Response> {
  const { requestId, path, watching } = exchange;
  const { api } = exchange.generation;
  const passage = exchange.network.arrive(exchange, path);
  const result = await steps(exchange, passage);
  if (watching !== undefined) exchange.trace.enter('finalize');
  const answered = result.ok ? result.value : respondError(result.error, path, requestId);
  let response = withNotice(answered, path, api);
  if (watching !== undefined) {
    if (passage !== undefined) watching.network = passage.report(sizeOf(response));
    const error = result.ok ? undefined : result.error;
    response = await answerDebug(exchange, watching, response, error);
  }
  return passage === undefined ? response : passage.deliver(response);
}

async function steps(exchange: Exchange, passage: Passage | undefined): Promise<Result<Response>> {
  const { path } = exchange;
  const { api } = exchange.generation;
  if (exchange.url.length > api.limits.urlLength) return fail(uriTooLong(api.limits.urlLength));
  const route = findRoute(path, api);
  if (!route.ok && route.error.code === 'MALFORMED_REQUEST') return route;
  const { trace, watching } = exchange;
  trace.enter('authentication');
  const admission = exchange.gate.admit(exchange, path);
  // Waiting for what is there already would cost a turn of its own.
  const { caller, headers } = admission instanceof Promise ? await admission : admission;
  if (caller.ok) {
    trace.caller = caller.value.name;
    if (watching !== undefined) watching.caller = caller.value;
  }
  if (passage !== undefined) {
    trace.enter('network');
    const lost = await passage.cross(caller.ok ? caller.value : undefined);
    if (lost !== undefined) return fail(withHeaders(lost, headers));
  }
  if (!caller.ok) return fail(withHeaders(caller.error, headers));
  trace.enter('authorization');
  if (!route.ok) return fail(withHeaders(route.error, headers));
  let result: Result<Response>;
  try {
    result = await answerRoute(exchange, route.value, caller.value);
  } catch (error) {
    // What is thrown is an error like the others: it has the headers that all answers have.
    if (watching !== undefined) watching.thrown = error;
    result = fail(exchange.failed(error));
  }
  return result.ok
    ? ok(withHeaders(result.value, headers))
    : fail(withHeaders(result.error, headers));
}

/** An answer, which may be there at once. */
type Answer = Result<Response> | Promise<Result<Response>>;

function answerRoute(exchange: Exchange, route: Route, caller: Caller): Answer {
  switch (route.kind) {
    case 'system':
      return answerSystem(route.path, exchange, caller);
    case 'openapi':
      return answerDocument(route.version, exchange, caller);
    case 'resource':
      return answerResource(exchange, route, caller);
    default:
      return route satisfies never;
  }
}

function answerResource(
  exchange: Exchange,
  { version, name, id }: ResourceRoute,
  caller: Caller,
): Answer {
  const { generation, method, headers, trace, watching } = exchange;
  if (watching !== undefined)
    watching.params = { resource: name, ...(id === undefined ? {} : { id }) };
  const ended = sunsetRefusal(version, generation.api, exchange.draw.now);
  if (ended !== undefined) return fail(ended);
  if (method === 'OPTIONS' && isServed(name, version, generation.api))
    return ok(emptyResponse(204, exchange.requestId, { allow: allowOf(id) }));
  const view = generation.view(version, caller);
  const face = findFace(name, view);
  if (!face.ok) return face;
  trace.route = face.value.name;
  const kind = kindOf(method, id);
  if (!kind.ok) return kind;
  trace.operation = kind.value;

  const refusal = authorize(kind.value, face.value);
  if (refusal !== undefined) return fail(refusal);
  const { representations, refusal: notAcceptable } = kind.value === 'list' ? lists : others;
  const representation = negotiate(headers.accept, representations);
  if (representation === undefined) return fail(notAcceptable);

  const answerIn = (inside: Exchange): Answer => {
    trace.enter('parse_query');
    const query = parseQuery(exchange.search, kind.value);
    const found = { caller, kind: kind.value, view, face: face.value, id, query };
    return answerCall({ exchange: inside, ...found }, representation);
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
      if (representation === 'json') return listRecords(call);
      return exportRecords(call, representation);
    case 'read':
      return readRecord(call, id ?? '');
    case 'create':
      return createRecords(call);
    case 'replace':
    case 'update':
      return updateRecord(call, call.kind, id ?? '');
    case 'delete':
      // Nothing of it is planned, so nothing else would look at what is wrong with the query.
      return query.problems.length > 0
        ? fail(queryError(query.problems))
        : deleteRecord(call, id ?? '');
    default:
      return call.kind satisfies never;
  }
}

/** Refuses an operation that no rule of this caller allows. Contract 3, Authorization. */
function authorize(kind: RequestKind, { rules, view }: ResourceView): ApiError | undefined {
  return decide(rules[operationOf(kind)]).allowed === 'none' ? refusalOf(view.subject) : undefined;
}

function uriTooLong(limit: number): ApiError {
  return apiError('URI_TOO_LONG', `The URL is longer than ${limit} bytes (limits.urlLength)`);
}

/** What can be answered, and what is said to who takes none of it. Contract 2, Content. */
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
