import { apiError, type ApiError } from '../../errors.ts';
import { ownTurn } from '../../lib/event-loop.ts';
import { refusalOf, type Caller } from '../../model/access.ts';
import type { Api } from '../../model/api.ts';
import { Activity, pointsOf } from '../../observability/activity.ts';
import type {
  ReloadEvent,
  RequestEnd,
  RequestTrace,
  TraceReader,
} from '../../observability/events.ts';
import { RecentRequests } from '../../observability/recent.ts';
import type { StreamedBody } from '../response/response.ts';
import { mostRows, newsTogether, type DashboardNews, type NewsWanted } from './news.ts';
import { requestDetail, requestRow, type Telling } from './requests.ts';
import { Watcher, type Source } from './watcher.ts';
import type { NetworkChange, RequestDetail, RequestRow } from './wire.ts';
import type { Mode } from '../edge/edge.ts';
import type { Workers } from '../server/workers.ts';
import { isInAudience } from '../debug/audience.ts';
import { DashboardLink, opensByLink } from './link.ts';

/** How long requests are recorded in `start` after the last request of a dashboard page, in ms. */
const watchedFor = 60_000;
/**
 * How many requests are recorded in a burst in `start`, and how many a second after it: enough for all requests of a front end, and
 * next to no cost for a busy server.
 */
const recordedAtOnce = 200;
const recordedASecond = 20;
/** How many rows are made in one turn of the event loop. */
const rowsATurn = 20;
/** How long rows are collected for another worker, in ms. It waits for a second, and fetches the rest later. */
const longestTelling = 400;
/** How many pages may be open at once. */
const mostWatchers = 16;

/** The path of the dashboard page; its data is below it. */
export const dashboardPath = '/_dashboard';
/** The path of the reference page; its files are below it. */
export const referencePath = '/_docs';

/** Whether a path belongs to the dashboard. */
export function isDashboardPath(path: string): boolean {
  return isWithin(dashboardPath, path);
}

/** Whether a path belongs to the reference page. */
export function isReferencePath(path: string): boolean {
  return isWithin(referencePath, path);
}

function isWithin(page: string, path: string): boolean {
  return path === page || path.startsWith(`${page}/`);
}

/**
 * Whether the dashboard is on: in `dev` by default, in `start` only with `dashboard`. See
 * docs/contract/6-operation.md#modes.
 */
export function hasDashboard({ settings }: Pick<Api, 'settings'>, mode: Mode): boolean {
  const { dashboard } = settings;
  return dashboard === undefined ? mode === 'dev' : dashboard !== false;
}

/**
 * Why a caller may not use the dashboard. Without `auth`, everyone who reaches `dev` may; otherwise it takes a role of
 * `dashboard.roles`, in `dev` without that list one of `debug.roles`, or else the link that `dev` prints (`isLinked`).
 */
export function refuseDashboard(
  api: Pick<Api, 'settings'>,
  mode: Mode,
  caller: Caller,
  isLinked: boolean,
): ApiError | undefined {
  const { settings } = api;
  const { auth, dashboard, debug } = settings;
  if (opensByLink(api, mode))
    return isLinked
      ? undefined
      : apiError('FORBIDDEN', 'Open the dashboard by the link that `plinth dev` prints');
  const isOpen =
    isInAudience(dashboard, caller) ||
    (mode === 'dev' &&
      (auth === undefined || (dashboard === undefined && isInAudience(debug, caller))));
  if (isOpen) return undefined;
  const forbidden = apiError('FORBIDDEN', 'The dashboard is for the roles that `dashboard` names');
  return refusalOf(caller, settings, forbidden);
}

export interface DashboardOptions {
  /** The token that a page sends with each change. */
  readonly token: string;
  /** Monotonic, in ms. */
  readonly clock: () => number;
  /** Wall-clock time. */
  readonly now: () => Date;
  /** The total database time of all requests, in ms. */
  readonly databaseTime: () => number;
  /** The start of `clock` on a clock shared by all processes of the machine, in ms. */
  readonly origin: number;
  readonly api: () => Api;
  readonly mode: Mode;
  /** The simulated network's changes, and how to change it. */
  readonly network: {
    readonly changes: readonly NetworkChange[];
    readonly change: (
      resource: NetworkChange['resource'],
      settings: NetworkChange['settings'],
    ) => void;
  };
  /** Present with workers. */
  readonly workers?: Workers | undefined;
}

/**
 * The data of the dashboard: latest requests and activity. Steps, statements and bodies are recorded of every request in
 * `dev`, and in `start` while a page is open.
 */
export class Dashboard implements TraceReader {
  readonly token: string;
  readonly recent = new RecentRequests();
  readonly link = new DashboardLink();
  /** Why the last saved file is not served; undefined if it is. */
  specification: ReloadEvent | undefined;
  private readonly options: DashboardOptions;
  private readonly watchers = new Set<Watcher>();
  private isClosed = false;
  private readonly activity = new Activity();
  /** 0: no page is open. */
  private watchedUntil = 0;
  /** How many more requests may be recorded, and when that was computed. */
  private left = recordedAtOnce;
  private leftAt = 0;

  constructor(options: DashboardOptions) {
    this.options = options;
    this.token = options.workers?.token ?? options.token;
  }

  /** Joins the other workers: answers them, and takes over network changes made before this one started. */
  async join(): Promise<void> {
    const { workers, network } = this.options;
    if (workers === undefined) return;
    workers.respond('news', async (wanted) => {
      this.look();
      return this.ownNews(wanted, longestTelling);
    });
    workers.respond('request', async (id) => this.ownDetail(id) ?? null);
    workers.respond('network', async (change) => {
      if (change !== null) this.takeChange(change);
      return network.changes;
    });
    const known = await workers.callOthers('network', null);
    const first = known.find(({ length }) => length > 0) ?? [];
    if (network.changes.length === 0) for (const change of first) this.takeChange(change);
  }

  get wantsSteps(): boolean {
    const { mode, api } = this.options;
    if (mode === 'dev') return hasDashboard(api(), mode);
    if (this.watchedUntil === 0) return false;
    const now = this.options.clock();
    if (now >= this.watchedUntil) this.watchedUntil = 0;
    if (this.watchedUntil === 0) return false;
    const more = ((now - this.leftAt) / 1_000) * recordedASecond;
    this.left = Math.min(recordedAtOnce, this.left + more);
    this.leftAt = now;
    return this.left >= 1;
  }

  get wantsBodies(): boolean {
    return this.wantsSteps;
  }

  /** A page has sent a request. */
  look(): void {
    this.watchedUntil = this.options.clock() + watchedFor;
  }

  readonly ended = (trace: RequestTrace, end: RequestEnd): void => {
    // A page has dozens of files, among which the requests of the API would be hard to find.
    if (isDashboardPath(trace.start.path) || isReferencePath(trace.start.path)) return;
    const now = trace.begin + end.duration;
    this.activity.add(
      this.options.origin + now,
      end.status,
      end.duration,
      this.options.databaseTime(),
    );
    const isDev = this.options.mode === 'dev';
    const isRecorded = trace.recording !== undefined && (isDev || now < this.watchedUntil);
    this.recent.add(trace, end, isRecorded);
    if (isRecorded) this.left -= 1;
  };

  /** What to add to `performance.now()` for ms since 1970. */
  private get wallOffset(): number {
    return this.options.now().getTime() - this.options.clock();
  }

  /** Tells pages that an edit was refused, or makes them reload what is served now. */
  readonly reloaded = (event: ReloadEvent): void => {
    this.specification = event.problems.length === 0 ? undefined : event;
    for (const watcher of this.watchers) watcher.specification(this.specification);
  };

  /** Changes the simulated network in all workers, and tells the pages. */
  async changeNetwork(change: NetworkChange): Promise<void> {
    this.takeChange(change);
    await this.options.workers?.callOthers('network', change);
  }

  private takeChange({ resource, settings }: NetworkChange): void {
    this.options.network.change(resource, settings);
    for (const watcher of this.watchers) watcher.network();
  }

  /** The details of a request, from whichever worker has answered it. */
  async detail(id: string): Promise<RequestDetail | undefined> {
    const own = this.ownDetail(id);
    if (own !== undefined) return own;
    const others = await this.options.workers?.callOthers('request', id);
    return others?.find((one) => one !== null) ?? undefined;
  }

  private ownDetail(id: string): RequestDetail | undefined {
    const request = this.recent.find(id);
    return request === undefined ? undefined : requestDetail(request, this.telling);
  }

  private get telling(): Telling {
    return { api: this.options.api(), mode: this.options.mode, wallOffset: this.wallOffset };
  }

  private async news(wanted: NewsWanted): Promise<DashboardNews> {
    const others = (await this.options.workers?.callOthers('news', wanted)) ?? [];
    return newsTogether([await this.ownNews(wanted, Infinity), ...others]);
  }

  private async ownNews({ seen, from }: NewsWanted, longest: number): Promise<DashboardNews> {
    const { workers, origin, clock } = this.options;
    const member = String(workers?.id ?? 0);
    const spans = from === undefined ? [] : this.activity.since(origin + clock(), from);
    if (seen === undefined) return { seen: {}, rows: [], spans };
    const last = Object.hasOwn(seen, member) ? (seen[member] ?? 0) : 0;
    const { rows, read } = await this.rowsAfter(last, clock() + longest);
    return { seen: { [member]: read }, rows, spans };
  }

  /** The rows of requests after one, until `end`; a few in a turn, since the longest URLs take some ms each. */
  private async rowsAfter(
    number: number,
    end: number,
  ): Promise<{ readonly rows: readonly RequestRow[]; readonly read: number }> {
    const rows: RequestRow[] = [];
    let read = number;
    for (;;) {
      const { telling } = this;
      const some = this.recent.after(read, rowsATurn);
      for (const request of some) rows.push(requestRow(request, telling));
      read = some.at(-1)?.number ?? read;
      const isEnough = rows.length >= mostRows || this.options.clock() >= end;
      if (some.length < rowsATurn || isEnough) return { rows, read };
      await ownTurn();
    }
  }

  get processes(): number {
    return this.options.workers?.count ?? 1;
  }

  /** Identifies this server in event ids. */
  get server(): string {
    return this.token.slice(0, 8);
  }

  /** The event stream of a page; undefined if there are too many, or the server is stopping. */
  watch(source: Pick<Source, 'hello' | 'seen'>): StreamedBody | undefined {
    const isFull = this.isClosed || this.watchers.size >= mostWatchers;
    return isFull ? undefined : this.events(source);
  }

  private async *events(source: Pick<Source, 'hello' | 'seen'>): StreamedBody {
    const watcher = new Watcher();
    const { clock } = this.options;
    // Not reached if the body is never read.
    this.watchers.add(watcher);
    try {
      if (this.isClosed) return;
      yield* watcher.events({
        ...source,
        server: this.server,
        news: (wanted) => this.news(wanted),
        points: (spans, from) => pointsOf(spans, this.options.origin + clock(), from),
        clock,
        looks: () => this.look(),
      });
    } finally {
      this.watchers.delete(watcher);
    }
  }

  /** Ends all streams and refuses new ones. */
  close(): void {
    this.isClosed = true;
    for (const watcher of this.watchers) watcher.end();
  }
}
