import type { Api } from '../model/api.ts';
import { isLoopbackName } from '../http/edge/client.ts';
import { dashboardPath, hasDashboard } from '../http/dashboard/dashboard.ts';
import { opensByLink } from '../http/dashboard/link.ts';
import type { Mode } from '../http/edge/edge.ts';
import { anonymous } from '../model/access.ts';
import type { View } from '../model/view.ts';
import type { Context } from '../server/context.ts';
import { closingOnFailure } from '../server/database/database.ts';
import { possibleRowCounts } from '../databases/tables.ts';
import { columns, grouped } from '../server/output.ts';
import type { ListenFlags } from '../server/serve/address.ts';
import type { OpenServer } from '../server/serve/open-server.ts';
import type { SpecificationFlags } from '../server/files/specification.ts';
import type { WorkerRole } from './workers/worker.ts';

/** How long a server that is no longer ready stays reachable, in ms. See docs/contract/6-operation.md#stopping. */
export const drainDelays = { dev: 0, start: 1_000 } as const;
/** The banner counts no further, so that a large database is served at once. */
const countedRows = 1_000_000;

/** Flags of both `dev` and `start`. */
export interface ServeFlags extends ListenFlags, SpecificationFlags {
  readonly database?: string;
  /** Opens the API in a browser. */
  readonly open?: true;
  /** Prints the stacks of errors. */
  readonly verbose?: true;
}

/** Serves until a signal, then ends the requests in flight. `worker`: present if this process is one. */
export async function serve(
  context: Context,
  server: OpenServer,
  flags: ServeFlags,
  mode: Mode,
  worker?: WorkerRole,
): Promise<void> {
  const stop = worker?.stop ?? context.stop();
  const { drainDelay = drainDelays[mode] } = server.specification.api.settings.server ?? {};
  await closingOnFailure({ name: server.open.name, close: server.close }, async () => {
    if (!stop.aborted) await announce(context, server, flags, mode, worker?.printsBanner ?? true);
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      else stop.addEventListener('abort', () => resolve());
    });
    await server.close(drainDelay);
  });
}

/** Listens, tells the user where, and follows the specification. */
async function announce(
  context: Context,
  server: OpenServer,
  flags: ServeFlags,
  mode: Mode,
  announces: boolean,
): Promise<void> {
  const { output } = context;
  const { live, open } = server;
  const { api } = server.specification;
  // Of the rows that only callers see, a count by the service's own role tells nothing.
  const isCounted = announces && api.settings.database?.session === undefined;
  const counts = isCounted
    ? await possibleRowCounts(api.resources.values(), open.database, countedRows)
    : new Map<string, number>();
  const { url: address, host, isSelfSigned } = await server.listen(flags);
  const { dashboardLink: link } = server.api;
  const version = api.versions.get(api.defaultVersion);
  const view = version && live.current.view(version, anonymous);
  const example = address + (view === undefined ? '/_ready' : exampleUrl(api, counts, view));
  const curl = isSelfSigned ? 'curl --insecure' : 'curl';
  const page = hasDashboard(live.current.api, mode)
    ? `${address}${dashboardPath}${opensByLink(live.current.api, mode) ? (link?.hash ?? '') : ''}`
    : undefined;
  if (link !== undefined)
    link.renewed = (hash) =>
      output.note(`The dashboard was opened. Another link: ${address}${dashboardPath}${hash}`);
  output.serving();
  if (announces) {
    banner(context, api, address, counts, `${curl} "${example}"`, page);
    warnOfPlainHttp(context, api, host);
    for (const warning of open.warnings) output.note(`Warning: ${warning}`);
  }
  if (flags.open === true && announces) await openBrowser(context, page ?? example);
  server.follow();
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
