import type { Api } from '../../model/api.ts';
import { isLoopbackName } from '../../http/edge/client.ts';
import { dashboardPath, hasDashboard } from '../../http/dashboard/dashboard.ts';
import type { ServedApi } from '../../http/server/served-api.ts';
import type { Mode } from '../../http/edge/edge.ts';
import { startServer } from '../../http/server/server.ts';
import { anonymous } from '../../model/access.ts';
import type { View } from '../../model/view.ts';
import type { DependencyEvent, TraceEvent } from '../../observability/events.ts';
import type { Context } from '../context.ts';
import type { OpenDatabase } from '../database/target.ts';
import { possibleRowCounts } from '../../databases/tables.ts';
import { DatabaseFailure } from '../../databases/database.ts';
import { columns, grouped } from '../output.ts';
import { listenAddress, listenFailure, urlHost, type ServeFlags } from './address.ts';
import { openLogAndTraces } from './log-and-traces.ts';
import type { Reload } from './versions.ts';
import type { SpecificationFile } from '../files/specification.ts';
import { openTls } from './tls.ts';
import type { WorkerRole } from '../workers/worker.ts';

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
  const { output, clockAndIds, memory, heapLimit } = context;
  const announces = worker?.printsBanner ?? true;
  const { host, port } = listenAddress(context, flags, api.settings.server);
  const servedApi = live.current;
  const current = (): ServedApi => live.current;
  // Of the rows that only callers see, a count by the service's own role tells nothing.
  const isCounted = announces && api.settings.database?.session === undefined;
  const counts = isCounted
    ? await possibleRowCounts(api.resources.values(), open.database, countedRows)
    : new Map<string, number>();
  const tls = await openTls(context, api.settings.server ?? {}, folder, host, worker);
  const stop = worker?.stop ?? context.stop();
  if (stop.aborted) return;
  const note = (event: TraceEvent): void => output.note(noteOf(event, flags.verbose === true));
  // All workers depend on the same things: one of them reports.
  const report = (event: DependencyEvent): void => {
    if (worker?.isReporter !== false) note(event);
  };
  const { readers, isLogged, close } = await openLogAndTraces(
    context,
    () => current().api,
    open.database,
    mode,
    report,
  );
  const server = await startServer(current, {
    host,
    port,
    clockAndIds,
    memory: Math.min(memory, heapLimit * heapShare),
    mode,
    ...(tls === undefined ? {} : { tls }),
    readers,
    ...(worker === undefined
      ? {}
      : { workers: worker.workers, connectionSource: worker.connections }),
    trace: (event) => {
      // The log has failures with their request.
      if (event.kind === 'dependency') report(event);
      else if (!isLogged) note(event);
    },
  }).catch((error: unknown) => {
    throw listenFailure(error, host, port);
  });
  const address = `${tls === undefined ? 'http' : 'https'}://${urlHost(host)}:${server.port}`;
  const version = api.versions.get(api.defaultVersion);
  const view = version && servedApi.view(version, anonymous);
  const example = address + (view === undefined ? '/_ready' : exampleUrl(api, counts, view));
  const curl = tls?.isSelfSigned === true ? 'curl --insecure' : 'curl';
  const page = hasDashboard(current().api, mode) ? address + dashboardPath : undefined;
  output.serving();
  if (announces) {
    banner(context, api, address, counts, `${curl} "${example}"`, page);
    warnOfPlainHttp(context, api, host);
    for (const warning of open.warnings) output.note(`Warning: ${warning}`);
  }
  if (flags.open === true && announces) await openBrowser(context, page ?? example);
  live.begin(server.readers);
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve());
  });
  await live.end();
  await server.close(api.settings.server?.drainDelay ?? drainDelays[mode]);
  await live.close();
  await close();
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

/** The process may take so many bytes for each byte of heap: two thirds of what requests hold are in the heap. */
const heapShare = 1.5;

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

function noteOf(event: TraceEvent, isVerbose: boolean): string {
  const { error } = event;
  if (event.kind === 'failure') {
    const what = `${event.method} ${event.path} failed (request ${event.requestId})`;
    const stack = error instanceof Error ? error.stack : undefined;
    return `${what}: ${isVerbose && stack !== undefined ? stack : sentence(error)}`;
  }
  if (error === undefined) return `The ${event.name} can be used again.`;
  return `Warning: the ${event.name} cannot be used now: ${reasonOf(error)}. ${meanwhile[event.name]}`;
}

const meanwhile: Readonly<Record<DependencyEvent['name'], string>> = {
  'signing keys': 'Tokens are checked with the keys known before, or else answered 503.',
  'trace collector': 'Traces are lost until it can.',
  'rate limit store': 'This server counts by itself until it can.',
};

/** The message of an error without its full stop. Errors of the network or a database have the reason in their cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  const reason = cause instanceof Error ? cause.message || String(cause) : '';
  return (reason === '' ? message : `${message} (${reason})`).replace(/\.+$/u, '');
}

function sentence(error: unknown): string {
  const reason = reasonOf(error);
  return error instanceof DatabaseFailure
    ? `${reason}.`
    : `Unexpected error: ${reason}. Start it with --verbose for more.`;
}
