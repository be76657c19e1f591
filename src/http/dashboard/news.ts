import { mergedSpans, type Span } from '../../observability/activity.ts';
import type { RequestRow } from './wire.ts';

/** What a page has: the number of each worker → the number of its last request sent. */
export type Seen = Readonly<Record<string, number>>;

/** What a page wants: requests after those it has, activity from a span on, or both. */
export interface NewsWanted {
  readonly seen?: Seen;
  readonly from?: number;
}

/** The news of one worker, or of several. */
export interface DashboardNews {
  readonly seen: Seen;
  /** In the order of their ends. */
  readonly rows: readonly RequestRow[];
  readonly spans: readonly Span[];
}

/** As many as each worker keeps; a page shows no more. */
export const mostRows = 1_000;

/** Merges the news of several workers. */
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

/** The id of an event, from which the next stream continues. */
export function writeEventId(server: string, seen: Seen): string {
  return (
    server +
    Object.entries(seen)
      .map(([member, last]) => `.${member}-${last}`)
      .join('')
  );
}

/** What a page has of this server; undefined if the id is malformed or of another server. */
export function readEventId(server: string, id: string): Seen | undefined {
  const [, from, places = ''] = eventId.exec(id) ?? [];
  if (from !== server) return undefined;
  const pairs = places
    .slice(1)
    .split('.')
    .map((place) => place.split('-'));
  return Object.fromEntries(pairs.map(([member = '', last]) => [member, Number(last)]));
}
