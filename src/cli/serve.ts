import type { Api } from '../model/api.ts';
import { isLoopbackName } from '../http/edge/client.ts';
import { dashboardPath, hasDashboard } from '../http/dashboard/dashboard.ts';
import type { Mode } from '../http/edge/edge.ts';
import { anonymous } from '../model/access.ts';
import type { View } from '../model/view.ts';
import type { Context } from '../server/context.ts';
import type { OpenDatabase } from '../server/database/target.ts';
import { possibleRowCounts } from '../databases/tables.ts';
import { columns, grouped } from '../server/output.ts';
import { listenAddress, urlHost, type ServeFlags } from '../server/serve/address.ts';
import { composeServer } from '../server/serve/compose.ts';
import type { Reload } from '../server/serve/versions.ts';
import type { SpecificationFile } from '../server/files/specification.ts';
import { openTls } from '../server/serve/tls.ts';
import type { WorkerRole } from './workers/worker.ts';

/** How long a server that is no longer ready stays reachable, in ms. See docs/contract/6-operation.md#stopping. */
export const drainDelays = { dev: 0, start: 1_000 } as const;
/** The banner counts no further, so that a large database is served at once. */
const countedRows = 1_000_000;

/** Parts that only some servers have. */
export interface ServeOptions {
  /** Follows edits of the specification. */
  readonly live: Reload;
  /** Present if this process is a worker. */
  readonly worker?: WorkerRole | undefined;
}

/** Serves until a signal, then ends the requests in flight. */
export async function serve(
  context: Context,
  { api, folder }: Pick<SpecificationFile, 'api' | 'folder'>,
  open: OpenDatabase,
  flags: ServeFlags,
  mode: Mode,
  { live, worker }: ServeOptions,
): Promise<void> {
  const { output } = context;
  const announces = worker?.printsBanner ?? true;
  const { host, port } = listenAddress(context, flags, api.settings.server);
  const servedApi = live.current;
  // Of the rows that only callers see, a count by the service's own role tells nothing.
  const isCounted = announces && api.settings.database?.session === undefined;
  const counts = isCounted
    ? await possibleRowCounts(api.resources.values(), open.database, countedRows)
    : new Map<string, number>();
  const tls = await openTls(context, api.settings.server ?? {}, folder, host, worker);
  const stop = worker?.stop ?? context.stop();
  if (stop.aborted) return;
  const server = await composeServer(context, open, mode, live, {
    isVerbose: flags.verbose === true,
    worker,
  });
  const bound = await server.listen({ host, port, tls, connectionSource: worker?.connections });
  const address = `${tls === undefined ? 'http' : 'https'}://${urlHost(host)}:${bound}`;
  const version = api.versions.get(api.defaultVersion);
  const view = version && servedApi.view(version, anonymous);
  const example = address + (view === undefined ? '/_ready' : exampleUrl(api, counts, view));
  const curl = tls?.isSelfSigned === true ? 'curl --insecure' : 'curl';
  const page = hasDashboard(live.current.api, mode) ? address + dashboardPath : undefined;
  output.serving();
  if (announces) {
    banner(context, api, address, counts, `${curl} "${example}"`, page);
    warnOfPlainHttp(context, api, host);
    for (const warning of open.warnings) output.note(`Warning: ${warning}`);
  }
  if (flags.open === true && announces) await openBrowser(context, page ?? example);
  live.begin(server.api.readers);
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve());
  });
  await server.close(api.settings.server?.drainDelay ?? drainDelays[mode]);
  tls?.close();
}

/** Opens a URL in the browser of this machine. A failure does not end the server. */
async function openBrowser({ output }: Context, url: string): Promise<void> {
  const failed = (): void => output.note(`No browser could be opened. Open ${url} yourself.`);
  try {
    const { default: open } = await import('open');
    const browser = await open(url);
    browser.once('error', failed);
  } catch {
    failed();
  }
}

/** Warns if the server listens for other machines and rejects all of their requests. */
function warnOfPlainHttp({ output }: Context, { settings }: Api, host: string): void {
  const { tls, trustProxy, plainHttp } = settings.server ?? {};
  const isMeant = tls !== undefined || trustProxy !== undefined || plainHttp !== undefined;
  if (isMeant || isLoopbackName(host)) return;
  output.note(
    `Warning: requests from other machines get 403, since plain HTTP is only for this machine. Add "server: { tls: … }", name your proxy in server.trustProxy, or your network in server.plainHttp.`,
  );
}

function banner(
  { output }: Context,
  api: Api,
  address: string,
  counts: ReadonlyMap<string, number>,
  example: string,
  page: string | undefined,
): void {
  output.print(`${api.name} is served at ${address}${api.basePath}\n`);
  const shown = ([name, count]: readonly [string, number]): readonly [string, string] => [
    name,
    `${grouped(count)}${count === countedRows ? '+' : ''}`,
  ];
  for (const line of columns([...counts].map(shown))) output.print(line);
  output.print(`\nTry:   ${example}`);
  if (page !== undefined) output.print(`See:   ${page}`);
  output.print('Stop:  Ctrl+C');
}

/**
 * An example list for callers without credentials: of the resource with the most records, if possible expanded with a
 * belongsTo relation.
 */
function exampleUrl(api: Api, counts: ReadonlyMap<string, number>, view: View): string {
  const readable = [...api.resources.keys()].flatMap((name) => {
    const resourceView = view.resource(name);
    if (resourceView === undefined || resourceView.rules.read.length === 0) return [];
    const relation = [...resourceView.relations.values()].find(
      (candidate) => candidate.relation.kind === 'belongsTo',
    );
    return [{ name, expand: relation?.name, size: counts.get(name) ?? 0 }];
  });
  const [best] = readable.sort(
    (a, b) => Number(b.expand !== undefined) - Number(a.expand !== undefined) || b.size - a.size,
  );
  if (best === undefined) return '/_ready';
  const list = `${api.basePath}/v${api.defaultVersion}/${best.name}?limit=3`;
  return best.expand === undefined ? list : `${list}&expand=${best.expand}`;
}
