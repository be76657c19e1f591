import { apiError, fail, needsCredentials, ok, type ApiError, type Result } from '../../errors.ts';
import type { Caller } from '../../model/access.ts';
import { emptyResponse, jsonResponse, type Response } from '../response/response.ts';
import type { Exchange } from '../api/exchange.ts';
import { seenBy } from '../debug/observer.ts';
import { answerMethod, nothingAt } from '../api/router.ts';

/** Whether a path is `/_sandboxes` or below it. */
export function isOfSandboxes(path: string): boolean {
  return path === '/_sandboxes' || path.startsWith('/_sandboxes/');
}

/**
 * `GET /_sandboxes` lists sandboxes, `DELETE /_sandboxes/<name>` removes one. Servers without sandboxes answer 404. With
 * `auth` in the file, it takes a credential of any role.
 */
export async function answerSandboxes(
  path: string,
  { servedApi, method, requestId, trace }: Exchange,
  caller: Caller,
): Promise<Result<Response>> {
  const { sandboxes, api } = servedApi;
  if (sandboxes === undefined) return fail(nothingAt(path));
  const [, name] = /^\/_sandboxes\/(.*)$/su.exec(path) ?? [];
  trace.route = name === undefined ? '/_sandboxes' : '/_sandboxes/:name';
  const allow = name === undefined ? 'GET, HEAD, OPTIONS' : 'DELETE, OPTIONS';
  const answered = answerMethod({ method, requestId }, allow);
  if (answered !== undefined) return answered;
  if (api.settings.auth !== undefined && !caller.authenticated) return fail(needsCredentials);
  if (name === undefined) return ok(jsonResponse(200, JSON.stringify(sandboxes.list()), requestId));
  if (await sandboxes.remove(name)) return ok(emptyResponse(204, requestId));
  return fail(apiError('RESOURCE_NOT_FOUND', 'There is no sandbox of this name'));
}

/** The request on the database of the sandbox in `X-Sandbox`. */
export async function enterSandbox(exchange: Exchange, name: string): Promise<Result<Exchange>> {
  const { sandboxes } = exchange.servedApi;
  if (sandboxes === undefined)
    return fail(
      refusal('only "plinth dev" on SQLite has sandboxes; send this to it, or leave it out'),
    );
  if (!/^[A-Za-z0-9_-]{1,64}$/u.test(name))
    return fail(refusal('must be a name of 1 to 64 letters, digits, "-" and "_"'));
  const entered = await sandboxes.enter(name);
  if (!entered.ok) return entered;
  const { database, keys, leave } = entered.value;
  exchange.onEnd(leave);
  return ok({ ...exchange, database: seenBy(database, exchange), keys });
}

function refusal(message: string): ApiError {
  return apiError('INVALID_PARAMETER', `X-Sandbox: ${message}`, {
    problems: [{ field: 'X-Sandbox', message }],
  });
}
