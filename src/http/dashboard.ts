import { apiError, needsCredentials, type ApiError } from '../errors.ts';
import type { Caller } from '../model/access.ts';
import type { Api } from '../model/api.ts';
import { Activity, type ActivityPoint } from '../trace/activity.ts';
import type { ReloadEvent, RequestEnd, RequestTrace, TraceReader } from '../trace/events.ts';
import { RecentRequests } from '../trace/recent.ts';
import type { StreamedBody } from '../respond/response.ts';
import { Watcher, type Source } from './dashboard-watcher.ts';
import type { Mode } from './edge.ts';
import { isAmong } from './honoured.ts';

/** For how long after the last question of a page everything of a request is recorded, in ms. */
const watchedFor = 60_000;
/** How many requests of a second are recorded in full, so that looking on costs a busy server next to nothing. */
const recordedASecond = 200;
/** How many pages may look on at once. */
const mostWatchers = 16;

export const dashboardPath = '/_dashboard';

/** Whether a path is one of the dashboard's own, whose requests it does not show. */
export function isDashboardPath(path: string): boolean {
  return path === dashboardPath || path.startsWith(`${dashboardPath}/`);
}

/** Whether there is a dashboard at all: on in `dev`, in `start` where `dashboard` says so. Contract 3, Modes. */
export function hasDashboard({ settings }: Pick<Api, 'settings'>, mode: Mode): boolean {
  const { dashboard } = settings;
  return dashboard === undefined ? mode === 'dev' : dashboard !== false;
}

/**
 * Why a caller may not use the dashboard. Where there is no `auth`, everyone who reaches `dev` may; else it takes a
 * role of `dashboard.roles`, or in `dev`, where none are named, any credential.
 */
export function refuseDashboard(
  { settings }: Pick<Api, 'settings'>,
  mode: Mode,
  caller: Caller,
): ApiError | undefined {
  const { auth, dashboard } = settings;
  const isOpen =
    auth === undefined
      ? mode === 'dev' || isAmong(dashboard, caller)
      : isAmong(dashboard, caller) ||
        (mode === 'dev' && dashboard === undefined && caller.authenticated);
  if (isOpen) return undefined;
  return caller.authenticated
    ? apiError('FORBIDDEN', 'The dashboard is for the roles that `dashboard` names')
    : needsCredentials;
}

export interface DashboardOptions {
  /** What a page has to send with each change. */
  readonly token: string;
  /** ms on a clock that is never set. */
  readonly clock: () => number;
  /** The clock on the wall. */
  readonly now: () => Date;
  /** All the time that requests have spent in the database, in ms. */
  readonly databaseTime: () => number;
  /** How many processes serve together. */
  readonly processes: number;
}

/**
 * What the dashboard knows of a server: its last requests and its activity. Steps, statements and bodies are recorded
 * only while a page looks on, so that nobody else pays for them.
 */
export class Dashboard implements TraceReader {
  readonly token: string;
  readonly recent = new RecentRequests();
  /** Why what was saved last is not what is served; undefined where it is. */
  specification: ReloadEvent | undefined;
  private readonly options: DashboardOptions;
  private readonly watchers = new Set<Watcher>();
  private isClosed = false;
  private readonly activity = new Activity();
  /** 0: nobody looks on. */
  private watchedUntil = 0;
  /** The second that runs, and how many requests were recorded in it. */
  private second = 0;
  private recorded = 0;

  constructor(options: DashboardOptions) {
    this.options = options;
    this.token = options.token;
  }

  get wantsSteps(): boolean {
    if (this.watchedUntil === 0) return false;
    const now = this.options.clock();
    if (now >= this.watchedUntil) this.watchedUntil = 0;
    if (this.watchedUntil === 0) return false;
    return this.recorded < recordedASecond || Math.floor(now / 1_000) !== this.second;
  }

  get wantsBodies(): boolean {
    return this.wantsSteps;
  }

  /** A page has asked for something. */
  look(): void {
    this.watchedUntil = this.options.clock() + watchedFor;
  }

  readonly ended = (trace: RequestTrace, end: RequestEnd): void => {
    if (isDashboardPath(trace.start.path)) return;
    const now = trace.begin + end.duration;
    this.activity.add(now, end.status, end.duration, this.options.databaseTime());
    const isRecorded = trace.recording !== undefined && now < this.watchedUntil;
    this.recent.add(trace, end, isRecorded);
    if (!isRecorded) return;
    const second = Math.floor(now / 1_000);
    if (second !== this.second) [this.second, this.recorded] = [second, 0];
    this.recorded += 1;
  };

  /** What is to be added to a time of `performance.now()` to have ms since 1970, as the clock on the wall has it now. */
  get wallOffset(): number {
    return this.options.now().getTime() - this.options.clock();
  }

  /** Tells the pages of an edit that was refused, or lets them ask anew for what is served now. */
  readonly reloaded = (event: ReloadEvent): void => {
    this.specification = event.problems.length === 0 ? undefined : event;
    for (const watcher of this.watchers) watcher.specification(this.specification);
  };

  /** The simulated network was changed. */
  networkChanged(): void {
    for (const watcher of this.watchers) watcher.network();
  }

  get processes(): number {
    return this.options.processes;
  }

  /** What tells one server from another. */
  get server(): string {
    return this.token.slice(0, 8);
  }

  /** The stream of one more page; undefined where there are too many, or the server takes its leave. */
  watch(source: Pick<Source, 'hello' | 'seen' | 'requests'>): StreamedBody | undefined {
    const isFull = this.isClosed || this.watchers.size >= mostWatchers;
    return isFull ? undefined : this.events(source);
  }

  private async *events(source: Pick<Source, 'hello' | 'seen' | 'requests'>): StreamedBody {
    const watcher = new Watcher();
    const { clock } = this.options;
    // A body that nobody reads after all never gets here.
    this.watchers.add(watcher);
    try {
      if (this.isClosed) return;
      yield* watcher.events({
        ...source,
        server: this.server,
        points: (from) => this.points(from),
        clock,
        looks: () => this.look(),
      });
    } finally {
      this.watchers.delete(watcher);
    }
  }

  /** Ends all streams, and begins no more. */
  close(): void {
    this.isClosed = true;
    for (const watcher of this.watchers) watcher.end();
  }

  /** Of the last five minutes, the spans from a number on. */
  private points(from: number): readonly ActivityPoint[] {
    return this.activity.points(this.options.clock(), from);
  }
}
