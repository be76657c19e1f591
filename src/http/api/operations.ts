import { apiError, fail, ok, type Result } from '../../errors.ts';
import type { Caller } from '../../model/access.ts';
import type { Version } from '../../model/api.ts';
import { versionOfFile } from '../../model/view.ts';
import { resolveReferences, type Answers, type BatchOperation } from '../../query/request/batch.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { Response } from '../response/response.ts';
import type { Exchange } from './exchange.ts';
import { inside } from './in-process.ts';
import { findBelow, findRoute, nothingAt, uriTooLong, type ResourceRoute } from './router.ts';

/** An operation that succeeded. */
export interface Ran {
  readonly response: Response;
  readonly url: string;
  readonly ids: readonly JsonValue[];
  readonly isArray: boolean;
}

/** Runs an operation in the open transaction of an exchange, as if it had come alone. */
export async function runOperation(
  operation: BatchOperation,
  answers: Answers,
  exchange: Exchange,
  version: Version,
  caller: Caller,
): Promise<Result<Ran>> {
  const resolved = resolveReferences(operation, answers);
  if (answers.left < 0) return fail(tooMuchReferred);
  if (!resolved.ok)
    return fail(
      apiError('INVALID_VALUE', 'Some values are not allowed', { problems: resolved.error }),
    );
  const { method, path: target, body, headers } = resolved.value;
  const found = findOperation(method, target, exchange, version);
  if (!found.ok) return found;
  const { route, path, search } = found.value;
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
    onWritten: (ids, isArray) => {
      written = { ids, isArray };
    },
  };
  const response = await exchange.answerRoute(own, route, caller);
  if (!response.ok) return response;
  return ok({ response: response.value, url: own.url, ...written });
}

/** Where the path of an operation leads. It may leave out the base path, and the version of the batch. */
function findOperation(
  method: string,
  written: string,
  { servedApi }: Exchange,
  version: Version,
): Result<{ readonly route: ResourceRoute; readonly path: string; readonly search: string }> {
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
