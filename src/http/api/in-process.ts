import { fail, ok, type Result } from '../../errors.ts';
import { clientOf, PlinthError, type ClientOptions } from '../../client/runtime.ts';
import type { AnyApi, Db, OwnerDb } from '../../extensions/code.ts';
import { ClientGone } from '../../databases/database.ts';
import { owner, type Caller } from '../../model/access.ts';
import type { Api } from '../../model/api.ts';
import { versionOfFile } from '../../model/view.ts';
import { RequestTrace } from '../../observability/events.ts';
import { after, type MaybePromise } from '../../lib/maybe-promise.ts';
import { ApiFailure } from '../../records/api-failure.ts';
import { respondError } from '../response/error.ts';
import { isWhole, type Response } from '../response/response.ts';
import type { Exchange } from './exchange.ts';
import { errorOf, refusalByDatabase } from './failures.ts';
import { mustSee } from './replication.ts';
import type { DbCalls } from './own-code/db-calls.ts';
import { findBelow, nothingAt, splitUrl, sqlPath, uriTooLong } from './router.ts';
import { sqlTag } from './sql/tag.ts';

/** A request that is made in process, as a part of another. */
export interface InnerRequest {
  readonly method: string;
  readonly path: string;
  /** Raw, without `?`. */
  readonly search: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: there is none. */
  readonly body: Buffer | undefined;
}

const noBytes = Buffer.alloc(0);

/** The exchange of a request that is a part of another, of whose server, database and time it is. */
export function inside(
  exchange: Exchange,
  { method, path, search, headers, body = noBytes }: InnerRequest,
): Exchange {
  return {
    ...exchange,
    method,
    url: urlOf(path, search),
    path,
    search,
    headers,
    watching: undefined,
    readBody: () => Promise.resolve(ok(body)),
    onWritten: undefined,
    hookStage: undefined,
  };
}

export function urlOf(path: string, search: string): string {
  return search === '' ? path : `${path}?${search}`;
}

/**
 * Answers a request in process for a caller, perhaps for `owner`. Its path is below the root of the API and in the names of
 * the file: `/orders/1`, `/_batch`. No quota counts it, and the simulated network leaves it alone.
 */
export function answerAs(
  exchange: Exchange,
  caller: Caller,
  request: InnerRequest,
): MaybePromise<Result<Response>> {
  const { trace } = exchange;
  const { urlLength } = exchange.servedApi.api.limits;
  if (request.path.length + request.search.length > urlLength) return fail(uriTooLong(urlLength));
  const route =
    findBelow(request.path.slice(1), versionOfFile, true) ?? fail(nothingAt(request.path));
  if (!route.ok) return route;
  // An open transaction is the caller's, with the settings of its session. Elsewhere a session begins with the request.
  const isOfCaller = exchange.database.isInTransaction === true && caller.isOwner !== true;
  // Logs and metrics know the request by its own route.
  const ownTrace = new RequestTrace(trace.start, trace.begin, trace.recording);
  const own: Exchange = {
    ...inside(exchange, request),
    database: isOfCaller ? exchange.database : (exchange.serviceDatabase ?? exchange.database),
    serviceDatabase: isOfCaller ? exchange.serviceDatabase : undefined,
    trace: ownTrace,
  };
  if (exchange.servedApi.database.replication === undefined)
    return exchange.answerRoute(own, route.value, caller);
  // What it reads and writes is read and written for the caller of the whole request.
  ownTrace.callerId = trace.callerId;
  ownTrace.after = mustSee(exchange);
  return after(exchange.answerRoute(own, route.value, caller), (answered) => {
    if (ownTrace.position !== undefined)
      trace.position = Math.max(trace.position ?? 0, ownTrace.position);
    return answered;
  });
}

/** The errors of requests that were made with the rights of the owner. */
const ofOwner = new WeakSet<object>();

/** Whether a request of own code without a caller's rights has failed so. */
export function isOfOwner(error: object): boolean {
  return ofOwner.has(error);
}

/** The API in process, in the names of the file, with the rights of a caller; `asOwner` is without access rules. */
export type AnyDb = Db<AnyApi>;

/** Makes the `db` of a function of own code that runs in an exchange. */
export function dbOf(exchange: Exchange, caller: Caller, calls: DbCalls): AnyDb {
  const [client] = clientAs(exchange, caller, calls);
  let asOwner: OwnerDb<AnyApi> | undefined;
  const db = followed(client, 'db', calls);
  Object.defineProperty(db, 'asOwner', {
    get: () =>
      (asOwner ??= followed(withSql(...clientAs(exchange, owner, calls)), 'db.asOwner', calls)),
  });
  return db as AnyDb;
}

/** A client whose calls are followed. `name`: of the client, for the log. */
function followed<Client extends object>(client: Client, name: string, calls: DbCalls): Client {
  return new Proxy(client, {
    get: (target, key): unknown => {
      const member: unknown = Reflect.get(target, key);
      // `asOwner` is followed already.
      if (typeof key !== 'string' || key === 'asOwner' || !Object.hasOwn(target, key))
        return member;
      const path = `${name}.${key}`;
      if (typeof member === 'function') return followedMethod(member as Method, path, calls);
      return typeof member === 'object' && member !== null ? followed(member, path, calls) : member;
    },
  });
}

type Method = (...given: readonly unknown[]) => unknown;

function followedMethod(method: Method, name: string, calls: DbCalls): Method {
  return new Proxy(method, {
    apply: (target, _this, given: readonly unknown[]) => {
      const value = target(...given);
      return value instanceof Promise ? calls.follow(name, value) : value;
    },
  });
}

function clientAs(
  exchange: Exchange,
  caller: Caller,
  calls: DbCalls,
): readonly [AnyApi['client'], Call] {
  const fetch = (url: string, init: RequestInit): Promise<object> =>
    calls.request(() => answered(url, init));
  const answered = async (url: string, init: RequestInit): Promise<object> => {
    const { path, search } = splitUrl(url);
    const { method = 'GET', body } = init;
    const headers = Object.fromEntries(init.headers as Headers);
    const stage = exchange.trace.recording?.current?.stage;
    let result: Result<Response>;
    let cause: unknown;
    try {
      result = await answerAs(exchange, caller, {
        method,
        path,
        search,
        headers,
        body: typeof body === 'string' ? Buffer.from(body) : undefined,
      });
    } catch (thrown) {
      if (thrown instanceof ClientGone) throw thrown;
      cause = exchange.database.meaningOf?.(thrown) ?? thrown;
      result = fail(refusalByDatabase(cause, caller, exchange) ?? errorOf(cause));
    }
    if (stage !== undefined) exchange.trace.enter(stage);
    const { requestId } = exchange;
    const response = result.ok ? result.value : respondError(result.error, path, requestId);
    const text = await textOf(response);
    if (result.ok) return fetched(response, text);
    const error = new PlinthError(JSON.parse(text) as PlinthError['body'], retryAfter(response));
    if (caller.isOwner === true) ofOwner.add(error);
    if (cause !== undefined) {
      error.cause = cause;
      exchange.spoil?.(cause as Error);
    } else if (method !== 'GET')
      exchange.spoil?.(caller.isOwner === true ? error : new ApiFailure(result.error));
    throw error;
  };
  return clientOn('', fetch, exchange.servedApi.api.resources);
}

type Call = (name: string, options: { readonly body: unknown }) => Promise<unknown>;

/** A client, and its `call`, whatever resources there are. */
function clientOn(
  baseUrl: string,
  fetch: (url: string, init: RequestInit) => Promise<object>,
  resources: Api['resources'],
): readonly [AnyApi['client'], Call] {
  const options = { baseUrl, fetch: fetch as unknown as ClientOptions['fetch'] };
  const client: unknown = clientOf({ root: '', resourceNames: [...resources.keys()] }, options);
  const { call }: { readonly call?: unknown } = clientOf({ root: '', resourceNames: [] }, options);
  return [client as AnyApi['client'], call as Call];
}

/** The client of the owner has `sql`. */
function withSql(client: AnyApi['client'], call: Call): OwnerDb<AnyApi> {
  const sql = sqlTag((sent) => call(`POST ${sqlPath}`, { body: sent }));
  return Object.defineProperty(client, 'sql', {
    value: sql,
    configurable: true,
  }) as OwnerDb<AnyApi>;
}

function retryAfter({ headers }: Response): number | undefined {
  const value = headers['retry-after'];
  return value === undefined ? undefined : Number(value);
}

type Ask = (request: Request) => Promise<globalThis.Response>;

/** The API in process as a typed client, in the names of the file. `ask` answers its requests. */
export function clientAsking(ask: Ask, api: Pick<Api, 'resources'>): AnyApi['client'] {
  return askingClient(ask, api)[0];
}

/** The same with the rights of the owner, which `ask` has to give. */
export function ownerAsking(ask: Ask, api: Pick<Api, 'resources'>): OwnerDb<AnyApi> {
  return withSql(...askingClient(ask, api));
}

function askingClient(
  ask: Ask,
  { resources }: Pick<Api, 'resources'>,
): ReturnType<typeof clientOn> {
  const fetch = (url: string, init: RequestInit): Promise<globalThis.Response> =>
    ask(new Request(url, init));
  return clientOn('http://localhost', fetch, resources);
}

/** As much of a `Response` as the client takes. */
function fetched({ status, headers }: Response, text: string): object {
  return {
    ok: true,
    status,
    headers: { get: (name: string) => headers[name.toLowerCase()] ?? null },
    text: () => Promise.resolve(text),
  };
}

async function textOf({ body }: Response): Promise<string> {
  if (body === undefined) return '';
  if (isWhole(body)) return String(body);
  const parts: string[] = [];
  for await (const part of body) parts.push(String(part));
  return parts.join('');
}
