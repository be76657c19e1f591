import { fail, ok, type Result } from '../../errors.ts';
import { prefersHtml } from '../../query/request/headers.ts';
import { emptyResponse, type Response } from '../response/response.ts';
import type { Exchange } from './exchange.ts';
import { nothingAt } from './router.ts';

/**
 * `/`: takes a browser to what there is to see, in `dev` the dashboard, else the documentation. The `Location` is
 * relative, so that it holds behind a proxy that serves this under a path of its own. To a program it is a path like any
 * other at which there is nothing, but the error says where to look.
 */
export function answerEntry(exchange: Exchange): Result<Response> {
  const { method, headers, mode, dashboard, requestId, trace } = exchange;
  if ((method !== 'GET' && method !== 'HEAD') || !prefersHtml(headers.accept))
    return fail(nothingAt('/', '; see /_openapi.json, or /_docs to read'));
  trace.route = '/';
  const location = mode === 'dev' && dashboard !== undefined ? '_dashboard' : '_docs';
  return ok(emptyResponse(302, requestId, { location }));
}
