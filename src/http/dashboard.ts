import { apiError, needsCredentials, type ApiError } from '../errors.ts';
import type { Caller } from '../model/access.ts';
import type { Api } from '../model/api.ts';
import { Activity, type ActivityPoint } from '../trace/activity.ts';
import type { RequestEnd, RequestTrace, TraceReader } from '../trace/events.ts';
import { RecentRequests } from '../trace/recent.ts';
import type { Mode } from './edge.ts';
import { isAmong } from './honoured.ts';

/** For how long after the last question of a page everything of a request is recorded, in ms. */
const watchedFor = 60_000;
/** How many requests of a second are recorded in full, so that looking on costs a busy server next to nothing. */
const recordedASecond = 200;

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
}

/**
 * What the dashboard knows of a server: its last requests and its activity. Steps, statements and bodies are recorded
 * only while a page looks on, so that nobody else pays for them.
 */
export class Dashboard implements TraceReader {
  readonly token: string;
  readonly recent = new RecentRequests();
  private readonly options: DashboardOptions;
  private readonly activity = new Activity();
  private lookedAt = -Infinity;
  /** The second that runs, and how many requests were recorded in it. */
  private second = 0;
  private recorded = 0;

  constructor(options: DashboardOptions) {
    this.options = options;
    this.token = options.token;
  }

  get wantsSteps(): boolean {
    const now = this.options.clock();
    if (now - this.lookedAt >= watchedFor) return false;
    return this.recorded < recordedASecond || Math.floor(now / 1_000) !== this.second;
  }

  get wantsBodies(): boolean {
    return this.wantsSteps;
  }

  /** A page has asked for something. */
  look(): void {
    this.lookedAt = this.options.clock();
  }

  readonly ended = (trace: RequestTrace, end: RequestEnd): void => {
    if (isDashboardPath(trace.start.path)) return;
    const now = trace.begin + end.duration;
    this.activity.add(now, end.status, end.duration, this.options.databaseTime());
    const time = this.options.now().getTime() - end.duration;
    const isRecorded = trace.recording !== undefined && now - this.lookedAt < watchedFor;
    this.recent.add(trace, end, time, isRecorded);
    if (!isRecorded) return;
    const second = Math.floor(now / 1_000);
    if (second !== this.second) [this.second, this.recorded] = [second, 0];
    this.recorded += 1;
  };

  /** The last five minutes. */
  points(): readonly ActivityPoint[] {
    return this.activity.points(this.options.clock());
  }
}
