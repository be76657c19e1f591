import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import { refusalOf, type Caller } from '../../model/access.ts';
import { emptyResponse, jsonResponse, type Response } from '../response/response.ts';
import { specificationJsonSchema } from '../../model/load-specification.ts';
import type { Version } from '../../model/api.ts';
import { hasDashboard, isDashboardPath, isReferencePath } from '../dashboard/dashboard.ts';
import { answerDashboard } from '../dashboard/endpoints.ts';
import { answerReference } from '../dashboard/reference.ts';
import type * as all from './documents.ts';
import type { Exchange } from './exchange.ts';
import { answerPermissions } from '../callers/permissions.ts';
import { answerMethod, nothingAt } from './router.ts';
import { answerSandboxes, isOfSandboxes } from '../sandboxes/requests.ts';
import { sunsetRefusal } from './versions.ts';
import { prefersHtml } from '../../query/request/headers.ts';
import { isInAudience } from '../debug/audience.ts';

/** Loaded by the first request that needs them, to keep the start fast. */
const documents = (): Promise<typeof all> => import('./documents.ts');

type Answer = (exchange: Exchange, caller: Caller) => Promise<Response>;

/** The paths beside the resources. See docs/contract/6-operation.md#system-endpoints. */
const endpoints: Readonly<Record<string, Answer>> = {
  '/_health': async ({ requestId }) => jsonResponse(200, '{"status":"ok"}', requestId),
  '/_ready': async ({ requestId, servedApi, stopping }) => {
    const ready = !stopping.aborted && (await servedApi.readiness.isReady());
    const status = ready ? 'ready' : 'unavailable';
    const servers = servedApi.database.replication
      ?.servers()
      .map(({ server, use }) => [server, use]);
    return jsonResponse(
      ready ? 200 : 503,
      JSON.stringify({ status, ...(servers && { servers: Object.fromEntries(servers) }) }),
      requestId,
    );
  },
  '/_metrics': answerMetrics,
  '/_permissions': answerPermissions,
  '/_schema.json': async ({ requestId }) =>
    jsonResponse(200, JSON.stringify(specificationJsonSchema()), requestId),
};

/** Answers one of the service's own paths. */
export async function answerSystem(
  path: string,
  exchange: Exchange,
  caller: Caller,
): Promise<Result<Response>> {
  const { api } = exchange.servedApi;
  const version = path === '/_openapi.json' ? api.versions.get(api.defaultVersion) : undefined;
  if (version !== undefined) return answerDocument(version, exchange, caller);
  if (path === '/') return answerEntry(exchange);
  if (isOfSandboxes(path)) return answerSandboxes(path, exchange, caller);
  if (isDashboardPath(path)) return answerDashboard(path, exchange, caller);
  if (isReferencePath(path)) return answerReference(path, exchange);
  const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
  if (endpoint === undefined) return fail(nothingAt(path));
  const refusal = path === '/_metrics' ? refuseMetrics(exchange, caller) : undefined;
  if (refusal !== undefined) return fail(refusal);
  exchange.trace.route = path;
  return reading(exchange, caller, endpoint);
}

/** The OpenAPI document of a version, unless its sunset date has passed. */
export async function answerDocument(
  version: Version,
  exchange: Exchange,
  caller: Caller,
): Promise<Result<Response>> {
  exchange.trace.route = '/_openapi.json';
  const ended = sunsetRefusal(version, exchange.servedApi.api, exchange.clockAndIds.now);
  if (ended !== undefined) return fail(ended);
  return reading(exchange, caller, async () => {
    const { answerOpenApi } = await documents();
    return answerOpenApi(exchange, version, caller);
  });
}

/** Runs an endpoint that allows GET and HEAD only. */
async function reading(
  exchange: Exchange,
  caller: Caller,
  endpoint: Answer,
): Promise<Result<Response>> {
  return answerMethod(exchange, 'GET, HEAD, OPTIONS') ?? ok(await endpoint(exchange, caller));
}

/**
 * `/`: redirects browsers to the dashboard in `dev`, else to the documentation. `Location` is relative, so that it works
 * behind a proxy with a path prefix. Other clients get a 404 that says where to look.
 */
function answerEntry(exchange: Exchange): Result<Response> {
  const { method, headers, mode, servedApi, requestId, trace, mount } = exchange;
  if ((method !== 'GET' && method !== 'HEAD') || !prefersHtml(headers.accept))
    return fail(nothingAt('/', '; see /_openapi.json, or /_docs to read'));
  trace.route = '/';
  const page = mode === 'dev' && hasDashboard(servedApi.api, mode) ? '_dashboard' : '_docs';
  // An application answers `/api` and `/api/` alike, from which a relative path leads to different places.
  const location = mount === '' ? page : `${mount}/${page}`;
  return ok(emptyResponse(302, requestId, { location }));
}

/** `GET /_metrics`. */
async function answerMetrics({ metrics, requestId }: Exchange): Promise<Response> {
  const { contentType, body } = await metrics.text();
  return jsonResponse(200, body, requestId, { 'content-type': contentType });
}

/**
 * Why a caller may not read the metrics. In `dev` everyone may; in `start`, loopback clients and the callers in
 * `metrics`. See docs/contract/6-operation.md#metrics.
 */
function refuseMetrics(
  { mode, servedApi, client }: Exchange,
  caller: Caller,
): ApiError | undefined {
  const { metrics } = servedApi.api.settings;
  if (metrics === false) return nothingAt('/_metrics');
  if (mode === 'dev' || client.isLoopback || isInAudience(metrics, caller)) return undefined;
  const forbidden = apiError('FORBIDDEN', 'The metrics are for the roles that `metrics` names');
  return refusalOf(caller, servedApi.api.settings, forbidden);
}
