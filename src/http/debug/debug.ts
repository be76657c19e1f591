import { apiError, type ApiError } from '../../errors.ts';
import type { Row } from '../../databases/database.ts';
import type { Ran } from '../../databases/record-statements.ts';
import { untouched } from '../simulation/report.ts';
import { adviseIndex } from '../../query/read/index-advice.ts';
import { addingToAll, sentFilters, sentParameters } from '../../query/request/debug.ts';
import {
  durationText,
  stepsOf,
  timingOf,
  withMembers,
  type DebugMembers,
} from '../response/debug.ts';
import { isWhole, type Response } from '../response/response.ts';
import { unless } from '../../lib/maybe-promise.ts';
import { namesNothingHidden } from '../../sql/compile/visible.ts';
import type { Recording, Step } from '../../observability/recording.ts';
import { decide, type Caller } from '../../model/access.ts';
import type { Exchange, Watching } from '../api/exchange.ts';
import { isAmong, isHonoured } from '../edge/honoured.ts';
import { isInCursorMode } from '../api/reads.ts';
import { operationOf } from '../api/router.ts';

/** Whether a caller sees what is hidden from others: everyone where there is no `auth`. */
function seesAll({ servedApi }: Exchange, caller: Caller): boolean {
  const { auth, debug } = servedApi.api.settings;
  return auth === undefined || (typeof debug === 'object' && isAmong(debug, caller));
}

/** The bytes of a body that is made at once; 0 for one that is sent as it is read. */
export function sizeOf({ body }: Response): number {
  return isWhole(body) ? Buffer.byteLength(body) : 0;
}

/** Refuses debug output of an answer that is sent as it is read, and so has no room for it. */
export function refuseStreamed(
  exchange: Exchange,
  watching: Watching | undefined,
): ApiError | undefined {
  if (watching === undefined || !isHonoured(exchange, watching.caller)) return undefined;
  const names = addingToAll(watching.wish);
  const [first] = names;
  if (first === undefined) return undefined;
  const message = 'cannot be combined with CSV and NDJSON, which are sent as they are read';
  return apiError('INVALID_PARAMETER', `${first}: ${message}`, {
    problems: names.map((field) => ({ field, message })),
  });
}

/**
 * The answer with the debug members that the request asks for, or with the word that they are off. `error` is what
 * the answer reports.
 */
export async function answerDebug(
  exchange: Exchange,
  watching: Watching,
  response: Response,
  error: ApiError | undefined,
): Promise<Response> {
  const { recording } = exchange.trace;
  if (recording === undefined || !isHonoured(exchange, watching.caller))
    return { ...response, headers: { ...response.headers, 'x-debug': 'disabled' } };
  recording.finish();
  const { wish } = watching;
  const isLimited = !seesAll(exchange, watching.caller);
  const members: DebugMembers = {
    ...(wish.debug && watching.call !== undefined
      ? { _debug: await debugMember(exchange, watching, recording, isLimited) }
      : {}),
    ...(wish.trace
      ? { _trace: stepsOf(recording, (step) => detailsOf(step, watching, recording, isLimited)) }
      : {}),
    ...(wish.inspectNetwork ? { _network: watching.network ?? untouched(sizeOf(response)) } : {}),
    ...(watching.inspected === undefined ? {} : { _inspect: watching.inspected }),
    ...(wish.verbose && error !== undefined
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
    const isShown =
      !isLimited || (call && namesNothingHidden(ran.statement.sql, call.view, isRead));
    const query = {
      sql: isShown === true ? ran.statement.sql : null,
      duration: durationText(ran.observed.end - ran.observed.begin),
    };
    // A plan tells what no statement does: names of indexes, how many rows there are, the values of row rules.
    const plan = watching.wish.plan && !isLimited ? await planMember(ran, watching) : {};
    queries.push({ ...query, ...plan });
  }
  return {
    query: queryMember(exchange, watching),
    timing: timingOf(recording),
    database: { queryCount: queries.length, queries },
  };
}

/** What the request asks of a list, as it was sent. */
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

/** The database's own plan of a statement, and the index that it lacks. The statement does not run for it. */
async function planMember(
  { database, statement, values }: Ran,
  { compiled }: Watching,
): Promise<object> {
  const { explain } = database.dialect;
  const question = { ...statement, sql: explain.sql(statement.sql) };
  // A plan that the database does not give spoils nothing of the answer.
  const rows = await unless<readonly Row[] | undefined>(
    () => database.all(question, values),
    () => undefined,
  );
  if (rows === undefined) return { plan: null };
  const plan = explain.lines(rows);
  const isOfList =
    compiled !== undefined &&
    [...compiled.rows, ...(compiled.lookup?.rows ?? []), compiled.count].includes(statement);
  const advice =
    isOfList &&
    adviseIndex(compiled.plan, {
      counts: statement === compiled.count,
      scans: explain.scans(plan),
      sorts: explain.sorts(plan),
    });
  return typeof advice === 'string' ? { plan, index: advice } : { plan };
}

function detailsOf(
  step: Step,
  { caller, call }: Watching,
  { statements }: Recording,
  isLimited: boolean,
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
  // What a write looks at is not only what its caller may see.
  const isTold = !isLimited || !stage.startsWith('write_');
  return { queries: own.length, ...(isTold ? { rows } : {}) };
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

function stackOf(error: Error): string {
  const stack = error.stack ?? error.message;
  return error.cause instanceof Error ? `${stack}\nCaused by: ${stackOf(error.cause)}` : stack;
}
