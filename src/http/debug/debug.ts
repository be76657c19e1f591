import { breaks } from '../../problem-rules.ts';
import { apiError, type ApiError } from '../../errors.ts';
import type { Row } from '../../databases/database.ts';
import type { Ran } from '../../databases/record-statements.ts';
import { untouched } from '../simulation/simulated-network.ts';
import { adviseIndex } from '../../query/read/index-advice.ts';
import { memberParameters, sentFilters, sentParameters } from '../../query/request/debug.ts';
import { isWhole, type Response } from '../response/response.ts';
import { unless } from '../../lib/maybe-promise.ts';
import { namesNothingHidden } from './visible-names.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import type { Statement } from '../../sql/statement.ts';
import type { Recording, Step } from '../../observability/recording.ts';
import { decide } from '../../model/access.ts';
import type { Exchange, Watching } from '../api/exchange.ts';
import { mayDebug, seesAll } from './audience.ts';
import { stackOf } from './stack.ts';
import { isInCursorMode } from '../api/reads.ts';
import { operationOf } from '../api/router.ts';

/** The size of a body in bytes; 0 if it is streamed. */
export function sizeOf({ body }: Response): number {
  return isWhole(body) ? Buffer.byteLength(body) : 0;
}

/** Refuses debug members in a streamed response, which cannot hold them. */
export function refuseStreamed(
  exchange: Exchange,
  watching: Watching | undefined,
): ApiError | undefined {
  if (watching === undefined || !mayDebug(exchange, watching.caller)) return undefined;
  const names = memberParameters(watching.options);
  const [first] = names;
  if (first === undefined) return undefined;
  const message = 'cannot be combined with CSV and NDJSON, which are sent as they are read';
  return apiError('INVALID_PARAMETER', `${first}: ${message}`, {
    problems: names.map((field) => ({ field, message, ...breaks('conflict') })),
  });
}

/**
 * Adds the requested debug members to a response, or `X-Debug: disabled`. `error`: the error that the response reports.
 */
export async function answerDebug(
  exchange: Exchange,
  watching: Watching,
  response: Response,
  error: ApiError | undefined,
): Promise<Response> {
  const { recording } = exchange.trace;
  if (recording === undefined || !mayDebug(exchange, watching.caller))
    return { ...response, headers: { ...response.headers, 'x-debug': 'disabled' } };
  recording.finish();
  const { options } = watching;
  const isLimited = !seesAll(exchange, watching.caller);
  const members: DebugMembers = {
    ...(options.debug && watching.call !== undefined
      ? { _debug: await debugMember(exchange, watching, recording, isLimited) }
      : {}),
    ...(options.trace
      ? {
          _trace: stepsOf(recording, (step) =>
            detailsOf(step, watching, recording, isLimited, exchange.trace.server),
          ),
        }
      : {}),
    ...(options.inspectNetwork
      ? { _network: watching.network ?? untouched(sizeOf(response)) }
      : {}),
    ...(watching.inspected === undefined ? {} : { _inspect: watching.inspected }),
    ...(options.verbose && error !== undefined
      ? {
          _verbose: verboseMember(
            exchange,
            watching,
            error,
            isLimited ? undefined : watching.thrown,
          ),
        }
      : {}),
  };
  return withMembers(response, members);
}

async function debugMember(
  exchange: Exchange,
  watching: Watching,
  recording: Recording,
  isLimited: boolean,
): Promise<object> {
  const queries: object[] = [];
  const { call } = watching;
  const isRead = call?.kind === 'list' || call?.kind === 'read';
  for (const ran of watching.ran) {
    const { sql, isGiven } = ran.statement;
    const isShown =
      !isLimited || (isGiven !== true && call && namesNothingHidden(sql, call.view, isRead));
    const query = {
      sql: isShown === true ? sql : null,
      duration: durationText(ran.observed.end - ran.observed.begin),
    };
    // A plan shows more than its statement: index names, row counts, values of row rules.
    const plan = watching.options.plan && !isLimited ? await planMember(ran, watching) : {};
    queries.push({ ...query, ...plan });
  }
  return {
    query: queryMember(exchange, watching),
    timing: timingOf(recording),
    database: { ...serverOf(exchange), queryCount: queries.length, queries },
  };
}

/** The server of the database that has answered, if there are several, and by how much time it is behind the primary. */
function serverOf({ trace: { server }, servedApi }: Exchange): object {
  if (server === undefined) return {};
  const { lag } =
    servedApi.database.replication?.servers().find((one) => one.server === server) ?? {};
  return { server, lag: lag === undefined ? null : durationText(lag) };
}

/** The filters, sort and pagination of a request, as sent. */
function queryMember({ servedApi }: Exchange, { call }: Watching): object {
  if (call === undefined) return {};
  const { reserved } = call.query;
  const items = (name: 'sort' | 'expand'): readonly string[] =>
    (reserved.get(name) ?? '').split(',').flatMap((item) => item.trim() || []);
  const sort = items('sort');
  if (call.kind !== 'list') return { filters: {}, sort, pagination: null };
  const number = (name: 'page' | 'limit' | 'offset', byDefault: number): number | string => {
    const text = reserved.get(name);
    return text === undefined ? byDefault : /^\d{1,15}$/u.test(text) ? Number(text) : text;
  };
  const limit = number('limit', servedApi.api.limits.defaultLimit);
  const pagination = isInCursorMode(call)
    ? { cursor: reserved.get('cursor') ?? '', limit }
    : reserved.has('offset')
      ? { offset: number('offset', 0), limit }
      : { page: number('page', 1), limit };
  return { filters: sentFilters(call.exchange.search, items('expand')), sort, pagination };
}

/** The database's plan of a statement, and advice on a missing index. The statement does not run again. */
async function planMember(
  { database, statement, values }: Ran,
  { compiled }: Watching,
): Promise<object> {
  const { explain } = database.dialect;
  const question = { ...statement, sql: explain.sql(statement.sql) };
  // If the database fails to explain, the response stays as it is.
  const rows = await unless<readonly Row[] | undefined>(
    () => database.all(question, values),
    () => undefined,
  );
  if (rows === undefined) return { plan: null };
  const plan = explain.lines(rows);
  const scans = explain.scans(plan);
  const sorts = explain.sorts(plan);
  const advice = compiled && adviseOn(compiled, statement, scans, sorts);
  return typeof advice === 'string' ? { plan, index: advice } : { plan };
}

/** The index that a statement of a list lacks; undefined if it is of no list or lacks none. */
function adviseOn(
  compiled: NonNullable<Watching['compiled']>,
  statement: Statement,
  scans: boolean,
  sorts: boolean,
): string | undefined {
  // No index has the order of groups.
  if (compiled.plan.kind === 'groups')
    return adviseIndex(compiled.plan, { counts: true, scans, sorts: false });
  const { plan, rows, lookup, count } = compiled as CompiledRead;
  return [...rows, ...(lookup?.rows ?? []), count].includes(statement)
    ? adviseIndex(plan, { counts: statement === count, scans, sorts })
    : undefined;
}

function detailsOf(
  step: Step,
  { caller, call }: Watching,
  { statements }: Recording,
  isLimited: boolean,
  server: string | undefined,
): Readonly<Record<string, unknown>> {
  const { stage } = step;
  if (stage === 'authentication')
    return { authenticated: caller.authenticated, name: caller.name, roles: [...caller.roles] };
  if (stage === 'authorization' && call !== undefined) {
    const { kind, resourceView } = call;
    const operation = operationOf(kind);
    const { rules } = decide(resourceView.rules[operation]);
    return {
      operation,
      rules: rules.map(({ role, where }) =>
        where === undefined || isLimited ? { role } : { role, where },
      ),
    };
  }
  if (!/^(?:fetch|expand|write)_/u.test(stage)) return {};
  const own = statements.filter((statement) => statement.step === step);
  const rows = own.reduce((sum, statement) => sum + (statement.rows ?? 0), 0);
  // A write may look at rows that its caller may not see.
  const isTold = !isLimited || !stage.startsWith('write_');
  return {
    queries: own.length,
    ...(isTold ? { rows } : {}),
    ...(server !== undefined && !stage.startsWith('write_') ? { server } : {}),
  };
}

/**
 * The member `_verbose`. Without `thrown` the stack is the place where the error was found. See
 * docs/contract/7-data-debug-dashboard.md#debug-parameters.
 */
function verboseMember(
  { method, path, search }: Exchange,
  { params }: Watching,
  error: ApiError,
  thrown: unknown,
): object {
  const { code, message, problems = [] } = error;
  const details = [message, ...problems.map(({ field, message: text }) => `${field}: ${text}`)];
  const frames = error.stack?.slice(Math.max(0, error.stack.indexOf('\n    at '))) ?? '';
  return {
    request: { method, path, params, query: sentParameters(search) },
    error: {
      code,
      details: [...new Set(details)].join('; '),
      stack: thrown instanceof Error ? stackOf(thrown) : `${code}: ${message}${frames}`,
    },
  };
}

/**
 * Members that debug parameters add to an answer, in their order. See
 * docs/contract/7-data-debug-dashboard.md#debug-parameters.
 */
interface DebugMembers {
  readonly _debug?: unknown;
  readonly _trace?: unknown;
  readonly _network?: unknown;
  readonly _inspect?: unknown;
  readonly _verbose?: unknown;
}

/** Times are shown in hundredths of a ms. */
function hundredths(ms: number): number {
  return Math.round(ms * 100);
}

function written(hundredthsOfMs: number): string {
  return `${(hundredthsOfMs / 100).toFixed(2)}ms`;
}

/** A duration as debug output has it: `"12.41ms"`. */
function durationText(ms: number): string {
  return written(hundredths(ms));
}

/** `timing` of `_debug`; the parts add up to the total. */
function timingOf({ total, databaseTime }: Recording): object {
  const [all, database] = [hundredths(total), hundredths(databaseTime)];
  return {
    total: written(all),
    database: written(database),
    processing: written(all - database),
  };
}

/** `_trace`: the steps with start and duration; the durations add up to the total. */
function stepsOf(
  recording: Recording,
  detailsOf: (step: Step) => Readonly<Record<string, unknown>>,
): readonly object[] {
  const at = (time: number): number => hundredths(time - recording.begin);
  return recording.steps.map((step) => {
    const details = detailsOf(step);
    return {
      stage: step.stage,
      time: new Date(recording.wallTime(step.begin)).toISOString(),
      duration: written(at(step.end) - at(step.begin)),
      ...(Object.keys(details).length === 0 ? {} : { details }),
    };
  });
}

/**
 * Adds debug members to the object of an error or a cursor page, else beside `data`. The response loses its entity tag,
 * since no two are equal. A response without a body stays as it is.
 */
function withMembers(response: Response, members: DebugMembers): Response {
  const { body, status } = response;
  const added = JSON.stringify(members);
  if (typeof body !== 'string' || added === '{}') return response;
  const { etag: _, ...headers } = response.headers;
  const begin = status >= 400 || response.hasData === true ? body.slice(0, -1) : `{"data":${body}`;
  return { ...response, headers, body: `${begin},${added.slice(1)}` };
}
