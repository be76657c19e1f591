import { breaks } from '../../problem-rules.ts';
import { apiError, fail, needsCredentials, ok, type ApiError, type Result } from '../../errors.ts';
import type { Caller } from '../../model/access.ts';
import { emptyResponse, jsonResponse, type Response } from '../response/response.ts';
import type { Exchange } from '../api/exchange.ts';
import { seenBy } from '../debug/observer.ts';
import { answerMethod, nothingAt } from '../api/router.ts';
import { RefusedRecords, type Sandboxes } from './sandboxes.ts';

/** Whether a path is `/_sandboxes` or below it. */
export function isOfSandboxes(path: string): boolean {
  return path === '/_sandboxes' || path.startsWith('/_sandboxes/');
}

/**
 * `GET /_sandboxes` lists sandboxes, `PUT /_sandboxes/<name>` makes one with the records in its body, and `DELETE
 * /_sandboxes/<name>` removes one. Servers without sandboxes answer 404. With `auth` in the file, it takes a credential of
 * any role.
 */
export async function answerSandboxes(
  path: string,
  exchange: Exchange,
  caller: Caller,
): Promise<Result<Response>> {
  const { servedApi, method, requestId, trace } = exchange;
  const { sandboxes, api } = servedApi;
  if (sandboxes === undefined) return fail(nothingAt(path));
  const [, name] = /^\/_sandboxes\/(.*)$/su.exec(path) ?? [];
  trace.route = name === undefined ? '/_sandboxes' : '/_sandboxes/:name';
  const allow = name === undefined ? 'GET, HEAD, OPTIONS' : 'PUT, DELETE, OPTIONS';
  const answered = answerMethod({ method, requestId }, allow);
  if (answered !== undefined) return answered;
  if (api.settings.auth !== undefined && !caller.authenticated) return fail(needsCredentials);
  if (name === undefined) return ok(jsonResponse(200, JSON.stringify(sandboxes.list()), requestId));
  if (method === 'PUT') return begin(exchange, sandboxes, name);
  if (await sandboxes.remove(name)) return ok(emptyResponse(204, requestId));
  return fail(apiError('RESOURCE_NOT_FOUND', 'There is no sandbox of this name'));
}

/** Makes a sandbox with the records in the body: lists by resource, `{}` for none. */
async function begin(
  exchange: Exchange,
  sandboxes: Sandboxes,
  name: string,
): Promise<Result<Response>> {
  if (!names.test(name)) return fail(refusal(nameRule, 'name'));
  const bytes = await exchange.readBody();
  if (!bytes.ok) return bytes;
  try {
    const begun = await sandboxes.begin(name, bytes.value);
    return begun.ok ? ok(emptyResponse(204, exchange.requestId)) : begun;
  } catch (error) {
    if (!(error instanceof RefusedRecords)) throw error;
    const problems = error.problems.map(({ line, message }) => ({
      field: `line ${line}`,
      message,
      ...breaks('record'),
    }));
    return fail(
      apiError('INVALID_BODY', 'The sandbox was not made: its records have problems', { problems }),
    );
  }
}

const names = /^[A-Za-z0-9_-]{1,64}$/u;
const nameRule = 'must be a name of 1 to 64 letters, digits, "-" and "_"';

/** The request on the database of the sandbox in `X-Sandbox`. */
export async function enterSandbox(exchange: Exchange, name: string): Promise<Result<Exchange>> {
  const { sandboxes } = exchange.servedApi;
  if (sandboxes === undefined)
    return fail(
      refusal('only "plinth dev" on SQLite has sandboxes; send this to it, or leave it out'),
    );
  if (!names.test(name)) return fail(refusal(nameRule));
  const { recording } = exchange.trace;
  recording?.beginPart('sandbox');
  const entered = await sandboxes.enter(name);
  recording?.endPart('sandbox');
  if (!entered.ok) return entered;
  const { database, keys, leave } = entered.value;
  exchange.onEnd(leave);
  exchange.trace.sandbox = name;
  return ok({ ...exchange, database: seenBy(database, exchange), keys });
}

function refusal(message: string, field = 'X-Sandbox'): ApiError {
  return apiError('INVALID_PARAMETER', `${field}: ${message}`, {
    problems: [{ field, message, ...breaks('parameter') }],
  });
}
