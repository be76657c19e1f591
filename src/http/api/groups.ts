import { fail, ok, type Result } from '../../errors.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import { bindGroups } from '../../query/bind.ts';
import { planGroups } from '../../query/groups/plan.ts';
import type { GroupColumn } from '../../query/plan.ts';
import { parsePrefer, type Representation } from '../../query/request/headers.ts';
import { queryError } from '../../query/request/problem.ts';
import { readGroups, type Group, type GroupsResult } from '../../records/read/groups.ts';
import type { RowBudget } from '../../records/row-budget.ts';
import type { CompiledGroups } from '../../sql/compile/groups.ts';
import { refuseStreamed } from '../debug/debug.ts';
import { csv, ndjson } from '../response/record-formats.ts';
import { streamResponse, type Response } from '../response/response.ts';
import type { Call } from './exchange.ts';
import { withExportLimits } from './exports.ts';
import { readerOf } from './replication.ts';
import { fetchStage, pageHeaders, runRead, tagged } from './reads.ts';

/**
 * `GET /<resource>?group=…&aggregate=…`: a page of groups with its headers, in any format. See
 * docs/contract/9-groups-and-computed-fields.md#groups.
 */
export function listGroups(
  call: Call,
  representation: Representation,
): MaybePromise<Result<Response>> {
  const { exchange, caller, resourceView, query } = call;
  const { servedApi } = exchange;
  const isStreamed = representation !== 'json';
  const refusal = isStreamed ? refuseStreamed(exchange, exchange.watching) : undefined;
  if (refusal !== undefined) return fail(refusal);
  const api = isStreamed ? withExportLimits(servedApi.api) : servedApi.api;
  const key = `${resourceView.key}|groups|${query.planKey}`;
  const { recording } = exchange.trace;
  const compiled = servedApi.compiledGroups(key, () => {
    recording?.beginPart('plan');
    return planGroups(query, resourceView, api);
  });
  recording?.endPart('plan');
  if (!compiled.ok) return compiled;
  const { plan } = compiled.value;
  if (exchange.watching !== undefined) exchange.watching.compiled = compiled.value;
  const bound = bindGroups(plan, query, api.limits, caller.claims, exchange.clockAndIds.now);
  if (!bound.ok) return fail(queryError(bound.error, query.raw));
  const database = readerOf(exchange);
  exchange.trace.enter(fetchStage(resourceView));
  let rows: RowBudget | undefined;
  const most = Math.min(bound.value.page.limit, api.limits.groups);
  const read = runRead(call)(compiled.value, most, (budget) => {
    rows = budget;
    return readGroups(compiled.value, bound.value, database, api.limits, budget);
  });
  return after(read, (result) => {
    exchange.trace.enter('finalize');
    const headers = headersOf(call, result);
    if (isStreamed) return ok(streamed(call, compiled.value, result, representation, headers));
    const body = JSON.stringify(result.groups.map((group) => groupRecord(group, compiled.value)));
    rows?.made(body.length);
    return ok(tagged(call, body, headers));
  });
}

function headersOf(call: Call, { groups, total, page }: GroupsResult): Record<string, string> {
  const preferences = parsePrefer(call.exchange.headers);
  const count = groups.length;
  const hasMore = page.offset + count < total;
  const counted = preferences.count === 'none' ? undefined : total;
  const result = { count, hasMore, total: counted, next: undefined, isEstimated: false };
  return pageHeaders(call, preferences, page, result);
}

/** A group as the answer has it. */
function groupRecord({ keys, functions }: Group, compiled: CompiledGroups): object {
  const record: Record<string, unknown> = {
    group: Object.fromEntries(compiled.keys.map(({ column }, index) => [column.name, keys[index]])),
  };
  for (const [index, { column }] of compiled.functions.entries()) {
    const { function: name = '', path } = column;
    if (name === 'count') record[name] = functions[index];
    else record[name] = { ...(record[name] as object | undefined), [path]: functions[index] };
  }
  return record;
}

function streamed(
  { exchange }: Call,
  compiled: CompiledGroups,
  { groups }: GroupsResult,
  representation: 'csv' | 'ndjson',
  headers: Record<string, string>,
): Response {
  const { requestId, servedApi } = exchange;
  if (representation === 'ndjson') {
    const records = groups.map((group) => groupRecord(group, compiled) as Record<string, unknown>);
    const type = 'application/x-ndjson; charset=utf-8';
    return streamResponse(type, ndjson(together(records)), requestId, headers);
  }
  const columns = [...compiled.keys, ...compiled.functions].map(({ column }) => ({
    name: nameIn(column, compiled),
    field: column.field,
  }));
  const records = groups.map((group) => {
    const values = [...group.keys, ...group.functions];
    return Object.fromEntries(columns.map(({ name }, index) => [name, values[index]]));
  });
  const escapesFormulas = servedApi.api.settings.api?.csvFormulas === 'escape';
  return streamResponse(
    'text/csv; charset=utf-8; header=present',
    csv(together(records), columns, { escapesFormulas }),
    requestId,
    headers,
  );
}

/** The name of a column in CSV, where a key may be named like a function. */
function nameIn({ name, function: own }: GroupColumn, { functions }: CompiledGroups): string {
  const isTaken = own === undefined && functions.some(({ column }) => column.name === name);
  return isTaken ? `group.${name}` : name;
}

async function* together<Value>(all: readonly Value[]): AsyncIterable<readonly Value[]> {
  if (all.length > 0) yield all;
}
