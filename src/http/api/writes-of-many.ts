import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import { inBody } from '../../lib/body-bounds.ts';
import { bindQuery } from '../../query/bind.ts';
import type { ChangeOfMany } from '../../query/plan.ts';
import { answerQuery, planTargets } from '../../query/read/read.ts';
import { parsePrefer, readMaxAffected } from '../../query/request/headers.ts';
import { queryError } from '../../query/request/problem.ts';
import { atOneTime, planUpdateMany } from '../../query/write/write.ts';
import { encode } from '../../records/read/read.ts';
import { targetIds, writeMany, type Targets, type WrittenMany } from '../../records/write/many.ts';
import type { WriteContext } from '../../records/write/result.ts';
import { inspectShown } from '../debug/inspect.ts';
import { emptyResponse, jsonResponse, type Response } from '../response/response.ts';
import type { Call } from './exchange.ts';
import { filledBy, writeManyHooked } from './own-code/hooked-writes.ts';
import { compiledOne } from './reads.ts';
import type { JsonValue } from '../../specification/specification.ts';
import {
  answeringWith,
  mediaTypeOf,
  mergePatchType,
  minimal,
  prepare,
  writeStage,
} from './writes.ts';

/** `PATCH /<resource>?<filters>`. */
export async function updateMany(call: Call): Promise<Result<Response>> {
  const { exchange, resourceView, query } = call;
  const [type] = mediaTypeOf(exchange.headers);
  const moment = atOneTime(exchange.clockAndIds, call.caller.claims);
  const targets = findTargets(call);
  const isFilled = filledBy(exchange);
  const prepared = await prepare(
    { ...call, query: answerQuery(query) },
    moment,
    (body) =>
      inBody(() => planUpdateMany(body, resourceView, moment, type === mergePatchType, isFilled)),
    targets.ok ? [] : [targets.error],
    targets.ok ? () => targetIds(targets.value, exchange.database) : undefined,
  );
  if (!prepared.ok) return prepared;
  if (!targets.ok) return targets;
  const { plan, context } = prepared.value;
  return changeMany(call, plan, targets.value, context);
}

/** `DELETE /<resource>?<filters>`. */
export async function deleteMany(call: Call): Promise<Result<Response>> {
  const { exchange, resourceView, caller, query } = call;
  const targets = findTargets(call);
  if (!targets.ok) return targets;
  const compiled = compiledOne(call, answerQuery(query));
  if (!compiled.ok) return compiled;
  const moment = atOneTime(exchange.clockAndIds, caller.claims);
  const change = { kind: 'delete', resource: resourceView.resource } as const;
  return changeMany(call, change, targets.value, answeringWith(call, moment, compiled.value));
}

async function changeMany(
  call: Call,
  change: ChangeOfMany,
  targets: Targets,
  context: WriteContext,
): Promise<Result<Response>> {
  const { exchange } = call;
  const { database, servedApi, requestId, trace } = exchange;
  const { representation, minimal: isMinimal } = parsePrefer(exchange.headers);
  // No entity tag, so no plain read besides.
  const own = { ...context, plain: undefined };
  const write = (
    around: WriteContext,
    changeOf?: (id: JsonValue) => ChangeOfMany,
  ): Promise<Result<WrittenMany>> => {
    trace.enter(writeStage(change));
    const { statements, pace } = servedApi;
    return writeMany(change, targets, database, statements, around, representation, pace, changeOf);
  };
  const find = (): Promise<readonly JsonValue[]> => targetIds(targets, database);
  const done = await (servedApi.code?.hasHooks === true
    ? writeManyHooked(call, change, own, find, write)
    : write(own));
  trace.enter('finalize');
  if (!done.ok) return done;
  const { count, written } = done.value;
  if (isMinimal) return ok(emptyResponse(204, requestId, minimal));
  if (written === undefined) return ok(jsonResponse(200, JSON.stringify({ count }), requestId, {}));
  const { records, isUnread } = written;
  const readable = records.map(({ record }) => record).filter((record) => record !== undefined);
  if (readable.length > 0) await inspectShown(call, readable);
  const shown = records.map(({ id, record }) => record ?? { id });
  const applied = isUnread ? minimal : { 'preference-applied': 'return=representation' };
  return ok(jsonResponse(200, JSON.stringify(shown), requestId, applied));
}

/** The records that the filters of a request match; or why it cannot change them. */
function findTargets(call: Call): Result<Targets> {
  const { exchange, caller, view, resourceView, query } = call;
  const { servedApi, headers, method, clockAndIds } = exchange;
  const { api, database } = servedApi;
  const { dialect } = database;
  if (headers['if-match'] !== undefined || headers['if-none-match'] !== undefined)
    return fail(preconditionsOfOne);
  const key = `${resourceView.key}|targets|${query.planKey}`;
  const compiled = servedApi.compiledExport(key, () =>
    planTargets(query, resourceView, view.version.number, api),
  );
  if (!compiled.ok) return compiled;
  const { plan, list } = compiled.value;
  if (plan.kind !== 'list' || plan.where.length === 0) return fail(needsFilter(method));
  const bound = bindQuery(plan, query, api.limits, caller.claims, clockAndIds.now);
  if (!bound.ok) return fail(queryError(bound.error, query.raw));
  const asked = readMaxAffected(parsePrefer(headers));
  if (!asked.ok) return asked;
  const { bulkItems } = api.limits;
  const most = Math.min(asked.value ?? bulkItems, bulkItems);
  return ok({ list: compiled.value, bound: encode(list, bound.value, dialect), most });
}

const preconditionsOfOne: ApiError = apiError(
  'INVALID_PARAMETER',
  'If-Match and If-None-Match are about one record; leave them out of a change of many',
);

function needsFilter(method: string): ApiError {
  return apiError(
    'INVALID_FILTER',
    `${method} of a collection needs at least one filter, such as ?id_in=1,2; name one record as /<id>`,
  );
}
