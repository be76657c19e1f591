import { mergedSpans, type Span } from '../../observability/activity.ts';
import type { RequestRow } from './wire.ts';

/** How far the requests of each process were seen: the number of the process → that of its last request. */
export type Seen = Readonly<Record<string, number>>;

/** What a page wants to know: the requests after those that it has seen, the activity from a span on, or either. */
export interface NewsWanted {
  readonly seen?: Seen;
  readonly from?: number;
}

/** What one process tells of, or several together. */
export interface DashboardNews {
  readonly seen: Seen;
  /** In the order in which they have ended. */
  readonly rows: readonly RequestRow[];
  readonly spans: readonly Span[];
}

/** As many as each process keeps: a page has no place for more. */
export const mostRows = 1_000;

/** What several processes tell, as if they were one. */
export function newsTogether(all: readonly DashboardNews[]): DashboardNews {
  const [first] = all;
  if (first !== undefined && all.length === 1) return first;
  const ends = (row: RequestRow): number => Date.parse(row.time) + row.duration;
  const rows = all.flatMap((news) => news.rows).map((row) => ({ row, end: ends(row) }));
  return {
    seen: Object.assign({}, ...all.map(({ seen }) => seen)) as Seen,
    rows: rows
      .sort((a, b) => a.end - b.end)
      .slice(-mostRows)
      .map(({ row }) => row),
    spans: mergedSpans(all.map(({ spans }) => spans)),
  };
}

const eventId = /^([\da-f]{8})((?:\.\d{1,9}-\d{1,15})+)$/u;

/** The id of an event, from which the next stream goes on. */
export function writeEventId(server: string, seen: Seen): string {
  return (
    server +
    Object.entries(seen)
      .map(([member, last]) => `.${member}-${last}`)
      .join('')
  );
}

/** What a page has seen of this server; undefined where the id is of another one, or is none. */
export function readEventId(server: string, id: string): Seen | undefined {
  const [, from, places = ''] = eventId.exec(id) ?? [];
  if (from !== server) return undefined;
  const pairs = places
    .slice(1)
    .split('.')
    .map((place) => place.split('-'));
  return Object.fromEntries(pairs.map(([member = '', last]) => [member, Number(last)]));
}
