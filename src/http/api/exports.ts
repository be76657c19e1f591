import { fail, ok, type Result } from '../../errors.ts';
import { DatabaseFailure, type Database } from '../../databases/database.ts';
import { readExport, type ExportResult } from '../../records/read/export.ts';
import type { Api } from '../../model/api.ts';
import { bindQuery } from '../../query/bind.ts';
import { planExport } from '../../query/read/read.ts';
import { parsePrefer } from '../../query/request/headers.ts';
import { queryError } from '../../query/request/problem.ts';
import { csv, ndjson } from '../response/record-formats.ts';
import { streamResponse, type Response } from '../response/response.ts';
import { refuseStreamed } from '../debug/debug.ts';
import type { Call, Exchange } from './exchange.ts';
import { readerOf } from './replication.ts';
import { partRunOf } from './own-code/run.ts';
import { overloaded } from '../load/admission.ts';
import { pageHeaders, requesterOf } from './reads.ts';

/**
 * Answers `GET /<resource>` as CSV or NDJSON: a page of any length, read while it is sent. See
 * docs/contract/2-reading.md#csv-and-ndjson.
 */
export async function exportRecords(
  call: Call,
  representation: 'csv' | 'ndjson',
): Promise<Result<Response>> {
  const { exchange, caller, resourceView, query } = call;
  const { servedApi, requestId, exportBudget } = exchange;
  const refusal = refuseStreamed(exchange, exchange.watching);
  if (refusal !== undefined) return fail(refusal);
  const api = withExportLimits(servedApi.api);
  const preferences = parsePrefer(exchange.headers);
  const key = `${resourceView.key}|export|${preferences.count}${query.planKey}`;
  const compiled = servedApi.compiledExport(key, () =>
    planExport({ query, resourceView, version: call.view.version.number, preferences }, api),
  );
  if (!compiled.ok) return compiled;
  const { plan, columns } = compiled.value;
  const bound = bindQuery(plan, query, api.limits, caller.claims, exchange.clockAndIds.now);
  if (!bound.ok) return fail(queryError(bound.error, query.raw));
  const read = (database: Database): Promise<ExportResult> =>
    exchange.whileThere((signal) =>
      readExport(compiled.value, bound.value, database, signal, {
        // A page is computed long after the request began.
        requester: requesterOf(call, partRunOf),
        limits: api.limits,
      }),
    );
  const { portions, bytes, ...result } = await readAnywhere(exchange, read);
  if (!exportBudget.tryReserve(bytes)) return fail(overloaded);
  exchange.onEnd(() => exportBudget.release(bytes));
  const paged = { ...result, next: undefined };
  const headers = pageHeaders(call, preferences, bound.value.page, paged);
  return ok(
    representation === 'csv'
      ? streamResponse(
          'text/csv; charset=utf-8; header=present',
          csv(portions, columns, {
            escapesFormulas: api.settings.api?.csvFormulas === 'escape',
          }),
          requestId,
          headers,
        )
      : streamResponse('application/x-ndjson; charset=utf-8', ndjson(portions), requestId, headers),
  );
}

/** Reads from a replica if there is one, and all of it from the primary if that fails. */
async function readAnywhere<Answer>(
  exchange: Exchange,
  read: (database: Database) => Promise<Answer>,
): Promise<Answer> {
  const { database, trace } = exchange;
  const reader = readerOf(exchange);
  if (reader.server === undefined) return read(database);
  try {
    return await read(reader);
  } catch (error) {
    if (!(error instanceof DatabaseFailure) || error.kind === 'timeout') throw error;
    trace.server = 'primary';
    return read(database);
  }
}

/** The API with `limits.exportItems` as `limits.maxLimit`. */
export function withExportLimits(api: Api): Api {
  const { defaultLimit, exportItems } = api.limits;
  const limits = {
    ...api.limits,
    maxLimit: exportItems,
    defaultLimit: Math.min(defaultLimit, exportItems),
  };
  return { ...api, limits };
}
