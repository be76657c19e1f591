import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import type { Caller } from '../../model/access.ts';
import type { Version } from '../../model/api.ts';
import { parseExactly } from '../../model/exact-number.ts';
import { readBatch, type Answers, type BatchOperation } from '../../query/request/batch.ts';
import { parseBody } from '../../query/request/body.ts';
import { readIdempotencyKey } from '../../query/request/headers.ts';
import { ApiFailure } from '../../records/api-failure.ts';
import { responseTooLong } from '../../records/row-budget.ts';
import { FormerRows } from '../../records/write/checks/former-rows.ts';
import { DatabaseFailure, RaisedError, type Transaction } from '../../databases/database.ts';
import {
  asService,
  transactionAsDatabase,
  whileOpen,
} from '../../databases/transaction-as-database.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { jsonResponse, type Response } from '../response/response.ts';
import type { Commit, Exchange, Hooked, PlannedWrite } from './exchange.ts';
import { announce } from './own-code/after-commits.ts';
import { inside } from './in-process.ts';
import { ChangedRecords } from './own-code/changed-records.ts';
import { untilUnchanged, type Attempt } from './own-code/until-unchanged.ts';
import { atOperation, planOperation, runOperation } from './operations.ts';
import { requesterOf } from './reads.ts';
import { findRoute } from './router.ts';
import { serverDefaults } from '../../specification/keys/server.ts';
import { checkMediaType, keyedRequest } from './writes.ts';

/** The most characters of all answers of a batch, which are held until it is committed. */
const mostAnswers = 32 * 1_024 * 1_024;

/**
 * The answer of one operation, as it is kept under an Idempotency-Key. `url`: of its request; `ids`: of what it has created or
 * changed; `isArray`: they were created by an array.
 */
type Answered = readonly [
  status: number,
  headers: Readonly<Record<string, string>>,
  url: string,
  ids: readonly JsonValue[],
  isArray: boolean,
  isPost: boolean,
];

/**
 * `POST /_batch`: several writes in one transaction. Each is an ordinary request whose database is the open transaction, so
 * that everything holds for it that holds for a request alone. See docs/contract/3-writing.md#batches.
 */
export async function answerBatch(
  exchange: Exchange,
  version: Version,
  caller: Caller,
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
  const commits: Commit[] = [];
  let hasBegun = false;
  // PostgreSQL reports the first error of a transaction, which does not know its operation.
  const numbered = (error: ApiError): ApiError =>
    hasBegun && error.members?.['operation'] === undefined
      ? atOperation(texts.length, error)
      : error;
  const work =
    (hooked: readonly (Hooked | undefined)[], attempt: Attempt | undefined) =>
    async (transaction: Transaction): Promise<readonly Answered[]> => {
      texts.length = 0;
      hasBegun = true;
      commits.length = 0;
      await attempt?.check(transaction, true);
      return whileOpen(transaction, (open) => {
        const own: Exchange = {
          ...exchange,
          database: transactionAsDatabase(open, database),
          serviceDatabase: transactionAsDatabase(asService(open), database),
          commits,
          former: new FormerRows(),
        };
        return runAll(operations.value, own, version, caller, texts, hooked);
      });
    };
  const requester = requesterOf({ exchange, caller });
  const inTransaction = async <Value>(
    write: () => Promise<Result<Value>>,
  ): Promise<Result<Value>> => {
    try {
      const done = await write();
      return done.ok ? done : fail(numbered(done.error));
    } catch (error) {
      if (error instanceof ApiFailure) return fail(numbered(error.error));
      const isRunning = hasBegun && texts.length < operations.value.length;
      if (!isRunning || !isOfOperation(error)) throw error;
      return fail(numbered(exchange.failed(error)));
    }
  };
  const hooks = { exchange, operations: operations.value, version, caller };
  if (key.value === undefined) {
    const written = await withHooks(hooks, (...given) =>
      inTransaction(async () => {
        await database.write(work(...given), requester);
        return ok(undefined);
      }),
    );
    if (!written.ok) return written;
  } else {
    const keyed = keyedRequest(exchange, caller, version.number, key.value, bytes.value);
    const once = { ...keyed, status: 200, locationPrefix: undefined };
    const { keys } = exchange;
    const kept = await keys.inTurn(once, async () => {
      const isNew = servedApi.code?.hasHooks === true && !(await keys.hasRun(once));
      return withHooks(isNew ? hooks : undefined, (...given) =>
        inTransaction(() => keys.onceIn(once, requester, work(...given))),
      );
    });
    if (!kept.ok) return kept;
    if (kept.value.isRepeated) {
      const again = await readAllAgain(kept.value.kept, exchange, caller);
      if (!again.ok) return again;
      texts.push(...again.value);
    }
  }
  announce(commits, exchange);
  trace.route = '/_batch';
  trace.operation = 'batch';
  trace.enter('finalize');
  return ok(jsonResponse(200, `[${texts.join(',')}]`, requestId, {}));
}

/** Whether it is an operation that ends the transaction with this error: at the deadline, or by an error of the database. */
function isOfOperation(error: unknown): boolean {
  return (
    error instanceof RaisedError || (error instanceof DatabaseFailure && error.kind === 'timeout')
  );
}

/** Runs the hooks of operations, then the transaction; see `untilUnchanged`. Without `hooks`, the transaction alone. */
async function withHooks<Answer>(
  hooks:
    | {
        readonly exchange: Exchange;
        readonly operations: readonly BatchOperation[];
        readonly version: Version;
        readonly caller: Caller;
      }
    | undefined,
  write: (
    hooked: readonly (Hooked | undefined)[],
    attempt: Attempt | undefined,
  ) => Promise<Result<Answer>>,
): Promise<Result<Answer>> {
  const writes: PlannedWrite[] = [];
  if (hooks?.exchange.servedApi.code?.hasHooks === true) {
    const { exchange, operations, version, caller } = hooks;
    const pace = exchange.servedApi.pace();
    for (const [index, operation] of operations.entries()) {
      await pace.next();
      const planned = await planOperation(operation, exchange, version, caller);
      if (planned !== undefined) writes.push({ ...planned, operation: index });
    }
  }
  if (hooks === undefined || writes.length === 0) return write([], undefined);
  return untilUnchanged(hooks.exchange, writes, (hooked, attempt) => {
    const byOperation: (Hooked | undefined)[] = [];
    for (const [index, { operation = 0 }] of writes.entries())
      byOperation[operation] = hooked[index];
    return write(byOperation, attempt);
  });
}

/** Runs the operations in their order; throws an ApiFailure with the number of the first that fails. */
async function runAll(
  operations: readonly BatchOperation[],
  exchange: Exchange,
  version: Version,
  caller: Caller,
  texts: string[],
  hooked: readonly (Hooked | undefined)[],
): Promise<readonly Answered[]> {
  const { bodyLimit = serverDefaults.bodyLimit } = exchange.servedApi.api.settings.server ?? {};
  const answers: Answers = { byName: new Map(), left: bodyLimit };
  const kept: Answered[] = [];
  let length = 0;
  const pace = exchange.servedApi.pace();
  const spoiled: Error[] = [];
  const own: Exchange = { ...exchange, spoil: (error) => void spoiled.push(error) };
  const changed = new ChangedRecords(exchange.servedApi);
  for (const [index, operation] of operations.entries()) {
    await pace.next();
    const stage = { kind: 'write', hooked: hooked[index], changed } as const;
    const answered = await runOperation(operation, answers, own, version, caller, stage);
    const [failure] = spoiled;
    if (failure instanceof ApiFailure) throw new ApiFailure(atOperation(index, failure.error));
    if (failure !== undefined) throw failure;
    if (!answered.ok) throw new ApiFailure(atOperation(index, answered.error));
    const { response, url, ids, isArray } = answered.value;
    const body = typeof response.body === 'string' ? response.body : '';
    length += body.length;
    if (length > mostAnswers) throw new ApiFailure(atOperation(index, responseTooLong));
    if (operation.as !== undefined)
      answers.byName.set(operation.as, body === '' ? {} : parseExactly(body));
    const headers = ownHeaders(response);
    texts.push(textOf(response.status, headers, body));
    kept.push([response.status, headers, url, ids, isArray, operation.method === 'POST']);
  }
  return kept;
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

/** The answers of operations that ran under an Idempotency-Key before: their records as the caller sees them now. */
async function readAllAgain(
  kept: readonly Answered[],
  exchange: Exchange,
  caller: Caller,
): Promise<Result<readonly string[]>> {
  const pace = exchange.servedApi.pace();
  const read = async (path: string, search: string): Promise<Response | undefined> => {
    await pace.next();
    const route = findRoute(path, exchange.servedApi);
    if (!route.ok || route.value.kind !== 'resource') return undefined;
    const request = { method: 'GET', path, search, headers: {}, body: undefined };
    const own = inside(exchange, request);
    const response = await exchange.answerRoute(own, route.value, caller);
    return response.ok ? response.value : undefined;
  };
  const texts: string[] = [];
  let length = 0;
  for (const answered of kept) {
    const text = await readAgain(answered, read);
    length += text.length;
    if (length > mostAnswers) return fail(responseTooLong);
    texts.push(text);
  }
  return ok(texts);
}

async function readAgain(
  [status, headers, url, ids, isArray, isPost]: Answered,
  read: (path: string, search: string) => Promise<Response | undefined>,
): Promise<string> {
  const isShown = status !== 204 && headers['preference-applied'] === undefined;
  if (!isShown) return textOf(status, headers, '');
  const [path = '', search = ''] = url.split('?');
  const selection = search
    .split('&')
    .filter((part) => !decodeURIComponent(part).startsWith('onConflict='))
    .join('&');
  const { etag: _, ...others } = headers;
  let tagged = others;
  const bodies: string[] = [];
  for (const id of ids) {
    const of = isPost ? `${path}/${encodeURIComponent(String(id))}` : path;
    const response = await read(of, selection);
    const body = response?.body;
    bodies.push(typeof body === 'string' ? body : JSON.stringify({ id }));
    // The tag of a read that selects is not that of the record.
    if (response !== undefined && selection === '' && !isArray)
      tagged = { ...others, ...ownHeaders(response) };
  }
  return textOf(status, tagged, isArray ? `[${bodies.join(',')}]` : bodies.join(''));
}
