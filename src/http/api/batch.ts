import { setImmediate as nextTurn } from 'node:timers/promises';
import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Caller } from '../../model/access.ts';
import type { Version } from '../../model/api.ts';
import { parseExactly } from '../../model/exact-number.ts';
import {
  readBatch,
  resolveReferences,
  type Answers,
  type BatchOperation,
} from '../../query/request/batch.ts';
import { parseBody } from '../../query/request/body.ts';
import { readIdempotencyKey } from '../../query/request/headers.ts';
import { ApiFailure } from '../../records/api-failure.ts';
import { responseTooLong } from '../../records/row-budget.ts';
import { DatabaseFailure, type Transaction } from '../../databases/database.ts';
import { transactionAsDatabase } from '../../databases/transaction-as-database.ts';
import { networkOf } from '../callers/rate-limit.ts';
import { jsonResponse, type Response } from '../response/response.ts';
import type { Exchange } from './exchange.ts';
import { findRoute, uriTooLong, type ResourceRoute } from './router.ts';
import { databaseDefaults, serverDefaults } from '../../specification/keys/server.ts';
import { checkMediaType, keyedRequest } from './writes.ts';

/** Answers a request to a resource as if it had come alone. */
export type AnswerResource = (
  exchange: Exchange,
  route: ResourceRoute,
  caller: Caller,
) => MaybePromise<Result<Response>>;

/** The most characters of all answers of a batch, which are held until it is committed. */
const mostAnswers = 32 * 1_024 * 1_024;

/** The answer of one operation, as it is kept under an Idempotency-Key. */
type Answered = readonly [status: number, headers: Readonly<Record<string, string>>, path: string];

/**
 * `POST /_batch`: several writes in one transaction. Each is an ordinary request whose database is the open transaction, so
 * that everything holds for it that holds for a request alone. See docs/contract/3-writing.md#batches.
 */
export async function answerBatch(
  exchange: Exchange,
  version: Version,
  caller: Caller,
  answerResource: AnswerResource,
): Promise<Result<Response>> {
  const { headers, servedApi, database, trace, requestId } = exchange;
  const refusal = checkMediaType(headers, 'create');
  if (refusal !== undefined) return fail(refusal);
  if (exchange.search !== '')
    return fail(
      apiError(
        'INVALID_PARAMETER',
        'A batch takes no parameters; write them in the paths of its operations',
      ),
    );
  trace.enter('read_body');
  const bytes = await exchange.readBody();
  if (!bytes.ok) return bytes;
  trace.enter('parse_body');
  const key = readIdempotencyKey(headers['idempotency-key']);
  if (!key.ok) return key;
  const body = parseBody(bytes.value);
  if (!body.ok) return body;
  const operations = readBatch(body.value, servedApi.api.limits.batchItems);
  if (!operations.ok) return operations;
  await servedApi.auditLog?.deleteOld(exchange.clockAndIds.now());
  trace.enter('write_batch');
  const texts: string[] = [];
  const work = async (transaction: Transaction): Promise<readonly Answered[]> => {
    texts.length = 0;
    const inside = { ...exchange, database: transactionAsDatabase(transaction, database) };
    return runAll(operations.value, inside, version, caller, answerResource, texts);
  };
  const requester = {
    caller: caller.id ?? `address:${networkOf(exchange.client.address)}`,
    onGone: exchange.onGone,
    trace,
  };
  if (key.value === undefined)
    try {
      await database.write(work, requester);
    } catch (error) {
      if (error instanceof ApiFailure) return fail(error.error);
      throw error;
    }
  else {
    const keyed = keyedRequest(exchange, caller, version.number, key.value, bytes.value);
    const once = { ...keyed, status: 200, locationPrefix: undefined };
    const kept = await exchange.keys.onceIn(once, requester, work);
    if (!kept.ok) return kept;
    if (kept.value.isRepeated)
      for (const answered of kept.value.kept)
        texts.push(await readAgain(answered, exchange, caller, answerResource));
  }
  trace.route = '/_batch';
  trace.operation = 'batch';
  trace.enter('finalize');
  return ok(jsonResponse(200, `[${texts.join(',')}]`, requestId, {}));
}

/** Runs the operations in their order; throws an ApiFailure with the number of the first that fails. */
async function runAll(
  operations: readonly BatchOperation[],
  exchange: Exchange,
  version: Version,
  caller: Caller,
  answerResource: AnswerResource,
  texts: string[],
): Promise<readonly Answered[]> {
  const { bodyLimit = serverDefaults.bodyLimit } = exchange.servedApi.api.settings.server ?? {};
  const answers: Answers = { byName: new Map(), left: bodyLimit };
  const kept: Answered[] = [];
  let length = 0;
  const pace = new Pace(exchange);
  for (const [index, operation] of operations.entries()) {
    await pace.next();
    const answered = await runOne(operation, answers, exchange, version, caller, answerResource);
    if (!answered.ok) throw new ApiFailure(atOperation(index, answered.error));
    const { response, path } = answered.value;
    const body = typeof response.body === 'string' ? response.body : '';
    length += body.length;
    if (length > mostAnswers) throw new ApiFailure(atOperation(index, responseTooLong));
    if (operation.as !== undefined)
      answers.byName.set(operation.as, body === '' ? {} : parseExactly(body));
    const headers = ownHeaders(response);
    texts.push(textOf(response.status, headers, body));
    kept.push([response.status, headers, path]);
  }
  return kept;
}

/** The longest that operations run in one turn of the event loop, in ms: SQLite answers without one. */
const turn = 20;

/** Lets other requests run between the operations, and ends a batch that takes too long: SQLite has no such deadline. */
class Pace {
  private readonly end: number;
  private turnEnd = performance.now() + turn;

  constructor({ servedApi: { api } }: Exchange) {
    const { statementTimeout = databaseDefaults.statementTimeout } = api.settings.database ?? {};
    this.end = performance.now() + statementTimeout;
  }

  async next(): Promise<void> {
    const now = performance.now();
    if (now > this.end) throw new DatabaseFailure('The batch took too long.', { kind: 'timeout' });
    if (now < this.turnEnd) return;
    await nextTurn();
    this.turnEnd = performance.now() + turn;
  }
}

async function runOne(
  operation: BatchOperation,
  answers: Answers,
  exchange: Exchange,
  version: Version,
  caller: Caller,
  answerResource: AnswerResource,
): Promise<Result<{ readonly response: Response; readonly path: string }>> {
  const resolved = resolveReferences(operation, answers);
  if (answers.left < 0) return fail(tooMuchReferred);
  if (!resolved.ok)
    return fail(
      apiError('INVALID_VALUE', 'Some values are not allowed', { problems: resolved.error }),
    );
  const { method, path: written, body, headers } = resolved.value;
  const found = findOperation(method, written, exchange, version);
  if (!found.ok) return found;
  const { route, path, search } = found.value;
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
  const own: Exchange = {
    ...exchange,
    method,
    url: search === '' ? path : `${path}?${search}`,
    path,
    search,
    headers: { 'content-type': 'application/json', ...headers },
    watching: undefined,
    readBody: () => Promise.resolve(ok(bytes)),
  };
  const response = await answerResource(own, route, caller);
  if (!response.ok) return response;
  const selection = search === '' ? '' : `?${search}`;
  const { location } = response.value.headers;
  return ok({ response: response.value, path: `${location ?? path}${selection}` });
}

/** Where the path of an operation leads. It may leave out the base path, and the version of the batch. */
function findOperation(
  method: string,
  written: string,
  { servedApi: { api } }: Exchange,
  version: Version,
): Result<{ readonly route: ResourceRoute; readonly path: string; readonly search: string }> {
  const [target = '', ...query] = written.split('?');
  const { basePath } = api;
  const below =
    basePath !== '' && target.startsWith(`${basePath}/`) ? target.slice(basePath.length) : target;
  const path = `${basePath}${/^\/v\d+\//u.test(below) ? '' : `/v${version.number}`}${below}`;
  const search = query.join('?');
  if (path.length + search.length > api.limits.urlLength)
    return fail(uriTooLong(api.limits.urlLength));
  const route = findRoute(path, api);
  if (!route.ok) return route;
  const isOfOne =
    route.value.kind === 'resource' && (route.value.id === undefined) === (method === 'POST');
  if (route.value.kind === 'resource' && isOfOne) return ok({ route: route.value, path, search });
  return fail(
    apiError(
      'INVALID_PARAMETER',
      `${method} ${written} cannot be part of a batch; it takes POST of a resource, and PUT, PATCH and DELETE of one record`,
    ),
  );
}

const tooMuchReferred = apiError(
  'BODY_TOO_LARGE',
  'References of a batch may bring as much JSON as a body may have (server.bodyLimit); this is more',
);

function atOperation(operation: number, error: ApiError): ApiError {
  return { ...error, members: { ...error.members, operation } };
}

const shownHeaders = ['location', 'etag', 'preference-applied'] as const;

function ownHeaders({ headers }: Response): Readonly<Record<string, string>> {
  return Object.fromEntries(
    shownHeaders.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function textOf(status: number, headers: Readonly<Record<string, string>>, body: string): string {
  const text = body === '' ? 'null' : body;
  return `{"status":${status},"headers":${JSON.stringify(headers)},"body":${text}}`;
}

/** The answer of an operation that ran under an Idempotency-Key before: its record as the caller sees it now. */
async function readAgain(
  [status, headers, url]: Answered,
  exchange: Exchange,
  caller: Caller,
  answerResource: AnswerResource,
): Promise<string> {
  const hasBody = status === 200 || (status === 201 && headers['preference-applied'] === undefined);
  if (!hasBody) return textOf(status, headers, '');
  const { publicUrl = '' } = exchange.servedApi.api.settings.server ?? {};
  const [path = '', search = ''] = url
    .slice(url.startsWith(publicUrl) ? publicUrl.length : 0)
    .split('?');
  const route = findRoute(path, exchange.servedApi.api);
  if (!route.ok || route.value.kind !== 'resource') return textOf(status, headers, '');
  const own: Exchange = {
    ...exchange,
    method: 'GET',
    url: search === '' ? path : `${path}?${search}`,
    path,
    search,
    headers: {},
    watching: undefined,
  };
  const read = await answerResource(own, route.value, caller);
  const { etag: _, ...others } = headers;
  if (!read.ok) return textOf(status, others, JSON.stringify({ id: route.value.id }));
  const body = typeof read.value.body === 'string' ? read.value.body : '';
  // The tag of a read that selects is not that of the record.
  const tagged = search === '' ? { ...others, ...ownHeaders(read.value) } : others;
  return textOf(status, tagged, body);
}
