import type { DashboardNews, NewsWanted } from '../dashboard/news.ts';
import type { NetworkChange, RequestDetail } from '../dashboard/wire.ts';

/** A metric as prom-client writes it as JSON. */
export interface SerializedMetric {
  readonly name: string;
  readonly type: unknown;
  readonly values: readonly {
    readonly metricName?: string;
    readonly labels: Readonly<Partial<Record<string, string | number>>>;
    readonly value: number;
  }[];
}

/** The calls between workers: argument and result of each, sent as JSON. */
export interface WorkerCalls {
  /** The argument is the caller's own metrics: the primary keeps them for times when that worker does not respond. */
  readonly metrics: {
    readonly argument: readonly SerializedMetric[];
    readonly result: readonly SerializedMetric[];
  };
  /** New requests and activity, for a page of the dashboard. */
  readonly news: { readonly argument: NewsWanted; readonly result: DashboardNews };
  /** The details of a request, by its id. */
  readonly request: { readonly argument: string; readonly result: RequestDetail | null };
  /** Changes the simulated network of every worker; null only returns the changes so far. */
  readonly network: {
    readonly argument: NetworkChange | null;
    readonly result: readonly NetworkChange[];
  };
}

/** The workers of a server, as one of them sees them. */
export interface Workers {
  readonly count: number;
  /** The id of this worker; a replacement gets a new one. */
  readonly id: number;
  /** A secret that the workers share with the dashboard's pages. */
  readonly token: string;
  /** Sets how this worker responds to a call. */
  readonly respond: <Name extends keyof WorkerCalls>(
    name: Name,
    respond: (argument: WorkerCalls[Name]['argument']) => Promise<WorkerCalls[Name]['result']>,
  ) => void;
  /** Calls the other workers; workers that do not respond within a second are left out. */
  readonly callOthers: <Name extends keyof WorkerCalls>(
    name: Name,
    argument: WorkerCalls[Name]['argument'],
  ) => Promise<readonly WorkerCalls[Name]['result'][]>;
}
