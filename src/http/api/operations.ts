import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import type { Caller } from '../../model/access.ts';
import type { Version } from '../../model/api.ts';
import { versionOfFile } from '../../model/view.ts';
import { isJsonObject } from '../../model/values.ts';
import {
  refersInPath,
  resolveReferences,
  withoutReferences,
  type Answers,
  type BatchOperation,
} from '../../query/request/batch.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { Response } from '../response/response.ts';
import type { Exchange, HookStage, PlannedWrite } from './exchange.ts';
import { inside } from './in-process.ts';
import { findBelow, findRoute, nothingAt, uriTooLong, type ResourceRoute } from './router.ts';

/** An operation that succeeded. */
export interface Ran {
  readonly response: Response;
  readonly url: string;
  readonly ids: readonly JsonValue[];
  readonly isArray: boolean;
}

/**
 * Plans an operation for its hooks, before the transaction of its batch; undefined if it has none, or fails. What fails then
 * fails in the transaction as well, in its turn. A record that only an earlier operation can name has not been seen.
 */
export async function planOperation(
  operation: BatchOperation,
  exchange: Exchange,
  version: Version,
  caller: Caller,
): Promise<PlannedWrite | undefined> {
  if (refersInPath(operation)) return undefined;
  const target = findOperation(operation.method, operation.path, exchange, version);
  if (!target.ok || !mayHaveHooks(target.value.route, operation, exchange)) return undefined;
  const { bodies, sent } = withoutReferences(operation.body);
  // The session of the caller begins with the operation.
  const database = exchange.serviceDatabase ?? exchange.database;
  const own: Exchange = { ...exchange, database, serviceDatabase: undefined };
  const { trace } = exchange;
  const [route, kind] = [trace.route, trace.operation];
  let found: { readonly write: PlannedWrite | undefined } | undefined;
  for (const body of bodies) {
    const keep = (write: PlannedWrite | undefined): void => {
      found = { write };
    };
    const stage = { kind: 'plan', unresolved: sent, keep } as const;
    await answerOperation({ ...operation, body }, target.value, own, caller, stage);
    if (found !== undefined) break;
  }
  [trace.route, trace.operation] = [route, kind];
  return found?.write;
}

/** Whether hooks may run for an operation: it is of a resource with own code, or may nest records of one. */
function mayHaveHooks(
  { name }: ResourceRoute,
  { body }: BatchOperation,
  { servedApi }: Exchange,
): boolean {
  const { code } = servedApi;
  if (code?.hasHooks !== true) return false;
  if (code.resources.has(name)) return true;
  const items: readonly unknown[] = Array.isArray(body) ? body : [body];
  return items.some((item) => isJsonObject(item) && Object.values(item).some(isJsonObject));
}

/** Runs an operation in the open transaction of an exchange, as if it had come alone. `stage`: its hooks, if they have run. */
export async function runOperation(
  operation: BatchOperation,
  answers: Answers,
  exchange: Exchange,
  version: Version,
  caller: Caller,
  stage: HookStage | undefined,
): Promise<Result<Ran>> {
  const resolved = resolveReferences(operation, answers);
  if (answers.left < 0) return fail(tooMuchReferred);
  if (!resolved.ok)
    return fail(
      apiError('INVALID_VALUE', 'Some values are not allowed', { problems: resolved.error }),
    );
  const target = findOperation(resolved.value.method, resolved.value.path, exchange, version);
  if (!target.ok) return target;
  return answerOperation(resolved.value, target.value, exchange, caller, stage);
}

async function answerOperation(
  { method, body, headers }: BatchOperation,
  { route, path, search }: Target,
  exchange: Exchange,
  caller: Caller,
  hookStage: HookStage | undefined,
): Promise<Result<Ran>> {
  let written: Pick<Ran, 'ids' | 'isArray'> = { ids: [], isArray: false };
  const request = {
    method,
    path,
    search,
    headers: { 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  };
  const own: Exchange = {
    ...inside(exchange, request),
    hookStage,
    onWritten: (ids, isArray) => {
      written = { ids, isArray };
    },
  };
  const response = await exchange.answerRoute(own, route, caller);
  if (!response.ok) return response;
  return ok({ response: response.value, url: own.url, ...written });
}

/** The error of an operation, with its number in the batch. */
export function atOperation(operation: number, error: ApiError): ApiError {
  return { ...error, members: { ...error.members, operation } };
}

interface Target {
  readonly route: ResourceRoute;
  readonly path: string;
  readonly search: string;
}

/** Where the path of an operation leads. It may leave out the base path, and the version of the batch. */
function findOperation(
  method: string,
  written: string,
  { servedApi }: Exchange,
  version: Version,
): Result<Target> {
  const [target = '', ...query] = written.split('?');
  const { api } = servedApi;
  const { basePath } = api;
  const below =
    basePath !== '' && target.startsWith(`${basePath}/`) ? target.slice(basePath.length) : target;
  const isOfFile = version === versionOfFile;
  const prefix = /^\/v\d+\//u.test(below) ? basePath : `${basePath}/v${version.number}`;
  const path = isOfFile ? below : `${prefix}${below}`;
  const search = query.join('?');
  if (path.length + search.length > api.limits.urlLength)
    return fail(uriTooLong(api.limits.urlLength));
  const route = isOfFile
    ? (findBelow(below.slice(1), version, false) ?? fail(nothingAt(target)))
    : findRoute(path, servedApi);
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
