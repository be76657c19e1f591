import type { DashboardNews, NewsWanted } from '../dashboard/news.ts';
import type { NetworkChange, RequestDetail } from '../dashboard/wire.ts';

/** A metric as its library writes it down. */
export interface ToldMetric {
  readonly name: string;
  readonly type: unknown;
  readonly values: readonly {
    readonly metricName?: string;
    readonly labels: Readonly<Partial<Record<string, string | number>>>;
    readonly value: number;
  }[];
}

/** What processes that serve together ask each other: of each kind the question and the answer, which go as JSON. */
export interface Questions {
  /** Who asks tells its own: all are kept for when their process does not answer. */
  readonly metrics: {
    readonly question: readonly ToldMetric[];
    readonly answer: readonly ToldMetric[];
  };
  /** What has happened since, for a page of the dashboard. */
  readonly news: { readonly question: NewsWanted; readonly answer: DashboardNews };
  /** All that is known of a request, by its id. */
  readonly request: { readonly question: string; readonly answer: RequestDetail | null };
  /** To change the simulated network alike; null to tell what was changed. */
  readonly network: {
    readonly question: NetworkChange | null;
    readonly answer: readonly NetworkChange[];
  };
}

/** Several processes that serve together. */
export interface Fleet {
  readonly size: number;
  /** Which one this is; one that takes the place of another has a number of its own. */
  readonly member: number;
  /** Known to all of them, and to nobody else but the pages that they serve. */
  readonly token: string;
  /** Takes what answers the questions of one kind. */
  readonly answer: <Kind extends keyof Questions>(
    kind: Kind,
    give: (question: Questions[Kind]['question']) => Promise<Questions[Kind]['answer']>,
  ) => void;
  /** The answers of the others, as far as they give any. */
  readonly ask: <Kind extends keyof Questions>(
    kind: Kind,
    question: Questions[Kind]['question'],
  ) => Promise<readonly Questions[Kind]['answer'][]>;
}
