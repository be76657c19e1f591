import { fail, ok, type Result } from '../../errors.ts';
import { isNumbered } from '../../model/field-types/id.ts';
import { resolveLongCursor } from '../../records/read/cursor-end.ts';
import { readList, readOne, type ListResult } from '../../records/read/read.ts';
import type { RowBudget, RunRead } from '../../records/row-budget.ts';
import { notFound } from '../../records/write/result.ts';
import type { Caller } from '../../model/access.ts';
import type { ResourceView } from '../../model/view.ts';
import { bindQuery, type PageNumbers } from '../../query/bind.ts';
import { cursorValues } from '../../query/read/cursor-values.ts';
import { cursorKey, decodeCursor, encodeCursor, type CursorText } from '../../query/read/cursor.ts';
import type { ReadPlan } from '../../query/plan.ts';
import { planList, planOne } from '../../query/read/read.ts';
import { memberParameters } from '../../query/request/debug.ts';
import { parsePrefer, type Preferences } from '../../query/request/headers.ts';
import { queryError } from '../../query/request/problem.ts';
import type { Query } from '../../query/request/query.ts';
import {
  cursorHeaders,
  paginationHeaders,
  type ListAddress,
  type PageResult,
} from '../response/pagination.ts';
import { listJson } from '../response/list-json.ts';
import { jsonResponse, unlessKnown, type Response } from '../response/response.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { entityTag } from '../../records/serialize/record.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import { encodeValue } from '../../sql/dialect.ts';
import type { Requester } from '../../sql/statement.ts';
import { serverDefaults } from '../../specification/keys/server.ts';
import { networkOf } from '../callers/rate-limit.ts';
import { linkRoot, type Call, type CodeRun, type Exchange } from './exchange.ts';
import { mayDebug } from '../debug/audience.ts';
import { readerOf } from './replication.ts';
import { ownValuesOf } from './own-code/computed.ts';
import { inspectShown } from '../debug/inspect.ts';

/** Lists with more records take so long that finished responses are sent first. */
const manyRecords = 100;

/** `GET /<resource>`: a page of records with its headers. */
export function listRecords(call: Call): MaybePromise<Result<Response>> {
  const { exchange, caller, resourceView, query } = call;
  const { servedApi } = exchange;
  const { api } = servedApi;
  const preferences = parsePrefer(exchange.headers);
  const cursor = cursorOf(call);
  const mode = cursor === undefined ? '' : `cursor${cursorKey(cursor)}`;
  const key = `${resourceView.key}|list|${preferences.count}|${mode}${query.planKey}`;
  const version = call.view.version.number;
  const { recording } = exchange.trace;
  const compiled = servedApi.compiled(key, () => {
    recording?.beginPart('plan');
    return planList({ query, resourceView, version, preferences, cursor }, api);
  });
  recording?.endPart('plan');
  if (!compiled.ok) return compiled;
  const { plan } = compiled.value;
  if (exchange.watching !== undefined) exchange.watching.compiled = compiled.value;
  const read = bindQuery(plan, query, api.limits, caller.claims, exchange.clockAndIds.now, cursor);
  if (!read.ok) return fail(queryError(read.error, query.raw));
  const database = readerOf(exchange);
  exchange.trace.enter(fetchStage(resourceView));
  const long = typeof cursor === 'object' ? cursor.long : undefined;
  const behind = long ? resolveLongCursor(long, compiled.value, read.value, database) : read;
  return after(behind, (bound): MaybePromise<Result<Response>> => {
    if (!bound.ok)
      return fail(
        queryError(
          [{ parameter: 'cursor', code: 'INVALID_CURSOR', message: bound.error }],
          query.raw,
        ),
      );
    const { limit } = bound.value.page;
    if (limit * (1 + plan.selection.expand.length) > manyRecords) exchange.sendEarly();
    let rows: RowBudget | undefined;
    // A limit of 0 still reads the total.
    const read = runRead(call)(compiled.value, Math.max(1, limit), (budget) => {
      rows = budget;
      return readList(compiled.value, bound.value, database, api.limits, budget);
    });
    return after(read, (result) => {
      exchange.trace.enter('finalize');
      const shown = after(inspectShown(call, result.records), () =>
        listJson(result.records, rows?.used ?? 0),
      );
      return after(shown, (text) => {
        rows?.made(text.length);
        return ok(answerList(call, plan, preferences, cursor !== undefined, { ...result, text }));
      });
    });
  });
}

function answerList(
  call: Call,
  plan: ReadPlan,
  preferences: Preferences,
  isBehindCursor: boolean,
  list: ListResult & { readonly text: string },
): Response {
  const { records, text, total, isEstimated, hasMore, page, valuesAt } = list;
  const next = valuesAt && nextCursor(plan, valuesAt, call.resourceView, call.view.version.number);
  if (isBehindCursor) {
    const body = `{"data":${text},"next_cursor":${JSON.stringify(next ?? null)}}`;
    const response = tagged(call, body, cursorHeaders(page, next, addressOf(call)));
    return call.exchange.watching === undefined ? response : { ...response, hasData: true };
  }
  const result = { count: records.length, hasMore, total, next, isEstimated };
  const headers = pageHeaders(call, preferences, page, result);
  return tagged(call, text, headers);
}

/** Whether a successful response gets debug members. */
function isDebugged({ exchange, caller }: Call): boolean {
  const { watching } = exchange;
  return (
    watching !== undefined &&
    memberParameters(watching.options).length > 0 &&
    mayDebug(exchange, caller)
  );
}

/** The trace step that reads the records of a resource. */
export function fetchStage({ name }: ResourceView): string {
  return `fetch_${name}`;
}

/** The headers of a list in page or offset mode, in any format. */
export function pageHeaders(
  call: Call,
  { count }: Preferences,
  page: PageNumbers,
  result: PageResult & { readonly isEstimated: boolean },
): Record<string, string> {
  const mode = call.query.reserved.has('offset') ? 'offset' : 'page';
  const headers = paginationHeaders(mode, page, result, addressOf(call));
  if (count === 'none' || result.isEstimated) headers['preference-applied'] = `count=${count}`;
  return headers;
}

/** The address of a request, for links. */
export function addressOf({ exchange }: Call): ListAddress {
  const origin = linkRoot(exchange);
  return { origin, path: exchange.path, query: exchange.search };
}

/**
 * Whether a list is read in cursor mode: the request has a `cursor`, or neither `page` nor `offset` where cursors are
 * the default of the resource. See docs/contract/2-reading.md#pagination, rule 2.
 */
export function isInCursorMode({ query: { reserved }, resourceView }: Call): boolean {
  const isDefault = resourceView.resource.pagination === 'cursor';
  return reserved.has('cursor') || (isDefault && !reserved.has('page') && !reserved.has('offset'));
}

/** The decoded cursor of a list; undefined in page and offset mode. */
function cursorOf(call: Call): CursorText | undefined {
  return isInCursorMode(call) ? decodeCursor(call.query.reserved.get('cursor') ?? '') : undefined;
}

function nextCursor(
  plan: ReadPlan,
  valuesAt: (back: number) => readonly JsonValue[] | undefined,
  { name }: ResourceView,
  version: number,
): string | undefined {
  if (plan.kind !== 'list') return undefined;
  const { sort, collectionSort, nulls, order } = plan;
  const carried = cursorValues(valuesAt, order, plan.resource);
  const resource = name;
  return carried && encodeCursor({ version, resource, sort, collectionSort, nulls, ...carried });
}

/** `GET /<resource>/:id`. */
export function readRecord(call: Call, idText: string): MaybePromise<Result<Response>> {
  const { exchange, caller, resourceView, query } = call;
  const { servedApi } = exchange;
  const compiled = compiledOne(call, query);
  if (!compiled.ok) return compiled;
  const { limits } = servedApi.api;
  const bound = bindQuery(
    compiled.value.plan,
    query,
    limits,
    caller.claims,
    exchange.clockAndIds.now,
  );
  if (!bound.ok) return fail(queryError(bound.error, query.raw));
  const id = parseId(idText, resourceView);
  const database = readerOf(exchange);
  exchange.trace.enter(fetchStage(resourceView));
  let rows: RowBudget | undefined;
  const found =
    id === undefined
      ? undefined
      : runRead(call)(compiled.value, 1, (budget) => {
          rows = budget;
          const { dialect } = database;
          const key = encodeValue(dialect, id, resourceView.resource.id);
          return readOne(compiled.value, key, bound.value, database, dialect, limits, budget);
        });
  return after(found, (record) => {
    exchange.trace.enter('finalize');
    if (record === undefined) return fail(notFound(resourceView.resource, id ?? idText));
    return after(inspectShown(call, [record]), () => {
      const body = JSON.stringify(record);
      rows?.made(body.length);
      return ok(tagged(call, body, {}));
    });
  });
}

/**
 * On whose behalf a call runs. A class: V8 makes a hidden class for each object literal with a getter, in the old generation,
 * where it keeps the whole request until a full collection.
 */
class CallRequester implements Requester {
  readonly onGone: Requester['onGone'];
  readonly trace: NonNullable<Requester['trace']>;
  readonly ownValues: Requester['ownValues'];
  private readonly id: string | undefined;
  private readonly address: string;

  constructor(
    { client, onGone, trace }: Exchange,
    { id }: Caller,
    ownValues: Requester['ownValues'],
  ) {
    this.onGone = onGone;
    this.trace = trace;
    this.ownValues = ownValues;
    this.id = id;
    this.address = client.address;
  }

  /** A subject or key by its name, others by their address. */
  get caller(): string {
    return this.id ?? `address:${networkOf(this.address)}`;
  }
}

/** On whose behalf a call runs. `runOf`: in which run its values are computed; default: that of the request. */
export function requesterOf(
  { exchange, caller }: Pick<Call, 'exchange' | 'caller'>,
  runOf?: (exchange: Exchange) => CodeRun,
): Requester {
  return new CallRequester(exchange, caller, ownValuesOf(exchange, caller, runOf));
}

/** Runs the reads of a request once there is memory for them. */
export function runRead(call: Call, requester = requesterOf(call)): RunRead {
  const { readMemory, reservation, answerLength: most, servedApi, database, trace } = call.exchange;
  const { requestTimeout = serverDefaults.requestTimeout } = servedApi.api.settings.server ?? {};
  // A read in a transaction that waited for memory could wait for what waits for the transaction.
  const until = database.isInTransaction === true ? 0 : trace.begin + requestTimeout;
  const request = { reservation, requester, until, most };
  return (compiled, records, read) => readMemory.run(request, compiled, records, read);
}

/** The compiled read of one record, with what the query selects and expands. */
export function compiledOne(call: Call, query: Query): Result<CompiledRead> {
  const { resourceView, exchange } = call;
  const { servedApi } = exchange;
  const { recording } = exchange.trace;
  const plan = (): Result<ReadPlan> => {
    recording?.beginPart('plan');
    return planOne(query, resourceView, servedApi.api);
  };
  const compiled =
    query.planKey === ''
      ? servedApi.compiledPlain(resourceView, plan)
      : servedApi.compiled(`${resourceView.key}|one|${query.planKey}`, plan);
  recording?.endPart('plan');
  return compiled;
}

/**
 * The id in a path; undefined if it is invalid, so that no record has it. A number has one spelling only, so that a record
 * has one path.
 */
export function parseId(text: string, { resource }: ResourceView): number | string | undefined {
  if (!resource.hasKey) return undefined;
  const id = resource.id.type.parse(text, resource.id) as number | string | undefined;
  return isNumbered(resource.id) && String(id) !== text ? undefined : id;
}

/** A 200 with its entity tag, or 304 if the client has it. */
export function tagged(call: Call, body: string, headers: Record<string, string>): Response {
  const { exchange } = call;
  const { requestId } = exchange;
  if (isDebugged(call)) return jsonResponse(200, body, requestId, headers);
  // The headers of a list are part of its content.
  const etag = entityTag(body, headers['x-total-count']);
  headers['etag'] = etag;
  return unlessKnown(jsonResponse(200, body, requestId, headers), etag, exchange.headers);
}
