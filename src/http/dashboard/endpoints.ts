import { timingSafeEqual } from 'node:crypto';
import { apiError, fail, ok, type ApiError, type Result } from '../../errors.ts';
import { rowCounts } from '../../databases/tables.ts';
import { ownTurn } from '../../lib/event-loop.ts';
import { decide, type Caller } from '../../model/access.ts';
import type { Version } from '../../model/api.ts';
import { jsonResponse, streamResponse, type Response } from '../response/response.ts';
import { dashboardPath, hasDashboard, refuseDashboard, type Dashboard } from './dashboard.ts';
import { dashboardFile } from './files.ts';
import { modelDocument } from './model.ts';
import { networkDocument, readNetworkChange } from './network.ts';
import { readEventId } from './news.ts';
import type { RequestDetail, RowCounts } from './wire.ts';
import type { Exchange } from '../api/exchange.ts';
import type { ServedApi } from '../server/served-api.ts';
import { mayDebug } from '../debug/audience.ts';
import { opensByLink } from './link.ts';
import { answerMethod, nothingAt } from '../api/router.ts';

/** The most records that are counted, and how long counts are cached, in ms. */
const countedRows = 100_000;
const countsKept = 10_000;
/** How many requests are told in one response. */
const mostDetails = 50;

/** The arguments of an endpoint. */
interface Asked {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly dashboard: Dashboard;
  readonly version: Version;
}

type Endpoint = (asked: Asked) => Promise<Result<object>> | Result<object>;

const endpoints: Readonly<Record<string, Endpoint>> = {
  model: ({ exchange, caller, version }) =>
    ok(modelDocument(exchange.servedApi.view(version, caller), exchange.mount)),
  rows: async ({ exchange, caller, version }) =>
    ok({ rows: await countsFor(exchange, caller, version), countedRows } satisfies RowCounts),
  network: (asked) =>
    asked.exchange.method === 'PUT'
      ? changeNetwork(asked)
      : ok(networkDocument(asked.exchange.network, asked.exchange.servedApi.api, namesFor(asked))),
};

/**
 * Answers the page of the dashboard, its files and its data. The page is for everyone, the data for callers who may
 * use the dashboard, and only for pages of this server. See docs/contract/7-data-debug-dashboard.md#dashboard-access.
 */
export async function answerDashboard(
  path: string,
  exchange: Exchange,
  caller: Caller,
): Promise<Result<Response>> {
  const { dashboard, servedApi, mode, requestId, headers } = exchange;
  const { api } = servedApi;
  if (dashboard === undefined || !hasDashboard(api, mode)) return fail(nothingAt(path));
  exchange.trace.route = dashboardPath;
  const name = path.startsWith(`${dashboardPath}/api/`) ? path.slice(dashboardPath.length + 5) : '';
  const allow =
    name === 'session'
      ? 'POST, OPTIONS'
      : name === 'network'
        ? 'GET, HEAD, PUT, OPTIONS'
        : 'GET, HEAD, OPTIONS';
  const answered = answerMethod(exchange, allow);
  if (answered !== undefined) return answered;
  if (name === '') return dashboardFile(path, requestId, headers['accept-encoding']);
  if (name === 'session') return answerSession(exchange, dashboard);
  const refusal =
    crossSite(exchange) ?? refuseDashboard(api, mode, caller, isLinked(exchange, dashboard));
  if (refusal !== undefined) return fail(refusal);
  dashboard.look();
  const version = versionOf(servedApi, new URLSearchParams(exchange.search));
  if (!version.ok) return version;
  const asked = { exchange, caller, dashboard, version: version.value };
  if (name === 'events') return answerEvents(asked);
  const result = await answerData(name, asked);
  return result.ok ? ok(jsonResponse(200, JSON.stringify(result.value), requestId)) : result;
}

async function answerData(name: string, asked: Asked): Promise<Result<object>> {
  if (name.startsWith('requests/')) {
    const ids = name.slice('requests/'.length).split(',');
    if (ids.length > 1) return ok({ requests: await detailsOf(ids, asked.dashboard) });
    const request = await asked.dashboard.detail(ids[0] ?? '');
    return request === undefined
      ? fail(apiError('RESOURCE_NOT_FOUND', 'This request is no longer kept'))
      : ok(request);
  }
  const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
  return endpoint === undefined ? fail(nothingAt(`${dashboardPath}/api/${name}`)) : endpoint(asked);
}

/** The details of several requests, without those that are no longer kept. */
async function detailsOf(
  ids: readonly string[],
  dashboard: Dashboard,
): Promise<readonly RequestDetail[]> {
  const found: RequestDetail[] = [];
  for (const id of ids.slice(0, mostDetails)) {
    const detail = await dashboard.detail(id);
    if (detail !== undefined) found.push(detail);
    await ownTurn();
  }
  return found;
}

/** The session of a page for the code of the link, which it sends in a header. See `DashboardLink`. */
function answerSession(exchange: Exchange, dashboard: Dashboard): Result<Response> {
  const { servedApi, mode, client, headers, requestId } = exchange;
  const refusal = crossSite(exchange);
  if (refusal !== undefined) return fail(refusal);
  const code = headers['x-dashboard-link'];
  const session =
    opensByLink(servedApi.api, mode) && client.isLoopback && typeof code === 'string'
      ? dashboard.link.exchange(code)
      : undefined;
  return session === undefined
    ? fail(apiError('FORBIDDEN', 'This link opens nothing, or was used before'))
    : ok(jsonResponse(200, JSON.stringify({ session }), requestId));
}

/** Whether a page of this machine was opened by the link. */
function isLinked({ client, headers }: Exchange, { link }: Dashboard): boolean {
  const session = headers['x-dashboard-session'];
  return client.isLoopback && typeof session === 'string' && link.hasSession(session);
}

/** The event stream; it continues after `Last-Event-ID` if that is from this server. */
function answerEvents(asked: Asked): Result<Response> {
  const { exchange, caller, dashboard } = asked;
  const { mode, headers, requestId } = exchange;
  const seen = readEventId(dashboard.server, String(headers['last-event-id'] ?? ''));
  const hello = {
    token: dashboard.token,
    mode,
    caller: caller.name ?? null,
    isLinked: isLinked(exchange, dashboard),
    mayChange: mayDebug(exchange, caller),
    processes: dashboard.processes,
    hasSandboxes: exchange.servedApi.sandboxes !== undefined,
    isContinued: seen !== undefined,
    specification: dashboard.specification ?? null,
  };
  const body = dashboard.watch({ hello, seen: seen ?? {} });
  if (body === undefined)
    return fail(apiError('OVERLOADED', 'Too many dashboards are open, or the server is stopping'));
  const response = streamResponse('text/event-stream', body, requestId, {
    // Otherwise proxies would buffer it.
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  return ok({ ...response, isLive: true });
}

/** Refuses pages of other origins, whatever `server.cors` allows. */
function crossSite({ headers }: Exchange): ApiError | undefined {
  const site = headers['sec-fetch-site'];
  const { origin, host } = headers;
  const isOwn =
    site === undefined
      ? origin === undefined || URL.parse(origin)?.host === host
      : site === 'same-origin' || site === 'none';
  return isOwn ? undefined : apiError('FORBIDDEN', 'The dashboard answers only its own page');
}

function versionOf({ api }: ServedApi, parameters: URLSearchParams): Result<Version> {
  const text = parameters.get('version') ?? String(api.defaultVersion);
  const version = api.versions.get(Number(text));
  return version === undefined
    ? fail(apiError('UNKNOWN_VERSION', `There is no version ${text}`))
    : ok(version);
}

function namesFor({ exchange, caller, version }: Asked): readonly string[] {
  return exchange.servedApi
    .view(version, caller)
    .resourceViews()
    .map(({ name }) => name);
}

async function changeNetwork(asked: Asked): Promise<Result<object>> {
  const { exchange, caller, dashboard } = asked;
  const { network, headers, servedApi } = exchange;
  const sent = headers['x-dashboard-token'];
  if (typeof sent !== 'string' || !isSame(sent, dashboard.token))
    return fail(apiError('FORBIDDEN', 'A change needs the token of this page (X-Dashboard-Token)'));
  if (!mayDebug(exchange, caller))
    return fail(apiError('FORBIDDEN', 'Changes are for the roles that `debug` names'));
  const bytes = await exchange.readBody();
  if (!bytes.ok) return bytes;
  const { settings } = servedApi.api;
  const change = readNetworkChange(bytes.value, namesFor(asked), (resource) =>
    network.settingsOf(settings, resource),
  );
  if (!change.ok) return change;
  await dashboard.changeNetwork(change.value);
  return ok(networkDocument(network, servedApi.api, namesFor(asked)));
}

function isSame(sent: string, token: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const counted = new WeakMap<
  ServedApi,
  { at: number; counts: Promise<ReadonlyMap<string, number>> }
>();

/** Record counts of resources that the caller may read without a row rule; cached for all callers. */
async function countsFor(
  { servedApi, clockAndIds }: Exchange,
  caller: Caller,
  version: Version,
): Promise<RowCounts['rows']> {
  const now = clockAndIds.now().getTime();
  let latest = counted.get(servedApi);
  if (latest === undefined || Math.abs(now - latest.at) > countsKept) {
    const { api, database } = servedApi;
    latest = { at: now, counts: rowCounts(api.resources.values(), database, countedRows) };
    latest.counts.catch(() => counted.delete(servedApi));
    counted.set(servedApi, latest);
  }
  const counts = await latest.counts;
  const view = servedApi.view(version, caller);
  return Object.fromEntries(
    view.resourceViews().map(({ name, rules }) => {
      const seesAll = decide(rules.read).allowed === 'all';
      return [name, seesAll ? (counts.get(name) ?? null) : null];
    }),
  );
}
