import { fail, ok, type Result } from '../../errors.ts';
import type { Caller } from '../../model/access.ts';
import { jsonResponse, type Response } from '../response/response.ts';
import { specificationJsonSchema } from '../../model/load-specification.ts';
import type { Version } from '../../model/api.ts';
import { isDashboardPath } from '../dashboard/dashboard.ts';
import { answerDashboard } from '../dashboard/endpoints.ts';
import type * as all from './documents.ts';
import { answerEntry } from './entry.ts';
import type { Exchange } from './exchange.ts';
import { answerMetrics, refuseMetrics } from './metrics-endpoint.ts';
import { answerPermissions } from '../gate/permissions.ts';
import { answerMethod, nothingAt } from './router.ts';
import { answerSandboxes, isOfSandboxes } from '../sandboxes/requests.ts';
import { sunsetRefusal } from './versions.ts';

/** Loaded when one of them is asked for: starting takes no longer for what few requests want. */
const documents = (): Promise<typeof all> => import('./documents.ts');

type Answer = (exchange: Exchange, caller: Caller) => Promise<Response>;

/** The paths beside the resources. See docs/contract/6-operation.md#system-endpoints. */
const endpoints: Readonly<Record<string, Answer>> = {
  '/_health': async ({ requestId }) => jsonResponse(200, '{"status":"ok"}', requestId),
  '/_ready': async ({ requestId, servedApi, isStopping }) => {
    const ready = !isStopping() && (await servedApi.readiness.isReady());
    return jsonResponse(
      ready ? 200 : 503,
      `{"status":"${ready ? 'ready' : 'unavailable'}"}`,
      requestId,
    );
  },
  '/_metrics': answerMetrics,
  '/_docs': async (exchange) => (await documents()).answerReader(exchange),
  '/_docs/start.js': async (exchange) => (await documents()).answerReaderStart(exchange),
  '/_docs/reader.js': async (exchange) => (await documents()).answerReaderScript(exchange),
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
  const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
  if (endpoint === undefined) return fail(nothingAt(path));
  const refusal = path === '/_metrics' ? refuseMetrics(exchange, caller) : undefined;
  if (refusal !== undefined) return fail(refusal);
  exchange.trace.route = path;
  return reading(exchange, caller, endpoint);
}

/** Answers with the OpenAPI document of a version, unless that has ended. */
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

/** What all of the service's own paths have in common: they are only read. */
async function reading(
  exchange: Exchange,
  caller: Caller,
  endpoint: Answer,
): Promise<Result<Response>> {
  return answerMethod(exchange, 'GET, HEAD, OPTIONS') ?? ok(await endpoint(exchange, caller));
}
