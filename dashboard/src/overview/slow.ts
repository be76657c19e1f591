import type { RequestRow } from '../../../src/http/dashboard/wire.ts';
import { explained } from '../requests/detail/Statements.tsx';
import { urlOf } from '../requests/list/rows.ts';

/** Requests of one kind: the same method and route. */
export interface SlowKind {
  readonly name: string;
  readonly count: number;
  /** The slowest of them. */
  readonly slowest: RequestRow;
  /** In ms. */
  readonly total: number;
}

/** The kinds of requests that took longest, by their slowest; without what a simulated network did. */
export function slowKinds(rows: readonly RequestRow[], most: number): readonly SlowKind[] {
  const kinds = Map.groupBy(
    rows.filter(({ isSimulated }) => !isSimulated),
    ({ method, route }) => `${method} ${route}`,
  );
  return [...kinds]
    .flatMap(([name, all]) => {
      const slowest = all.reduce<RequestRow | undefined>(
        (found, row) => (found === undefined || row.duration > found.duration ? row : found),
        undefined,
      );
      const total = all.reduce((sum, { duration }) => sum + duration, 0);
      return slowest === undefined ? [] : [{ name, count: all.length, slowest, total }];
    })
    .sort((a, b) => b.slowest.duration - a.slowest.duration)
    .slice(0, most);
}

/** An index that is missing, and a request that would be quicker with it. */
export interface MissingIndex {
  readonly index: string;
  readonly row: RequestRow;
}

/** So many requests are sent again to look for missing indexes. */
export const explainedAtMost = 10;

/** Has the database explain the slowest lists, and gives the indexes that they lack. */
export async function missingIndexes(
  rows: readonly RequestRow[],
): Promise<readonly MissingIndex[]> {
  const byUrl = new Map<string, RequestRow>();
  for (const row of rows.toSorted((a, b) => b.duration - a.duration))
    if (row.method === 'GET' && row.status < 300 && row.route.endsWith('.list'))
      if (!row.query.includes('[redacted]') && !byUrl.has(urlOf(row))) byUrl.set(urlOf(row), row);
  const found = new Map<string, MissingIndex>();
  for (const row of [...byUrl.values()].slice(0, explainedAtMost)) {
    const queries = await explained({ ...row, requestHeaders: {}, requestBody: null });
    for (const { index } of queries)
      if (index !== undefined && !found.has(index)) found.set(index, { index, row });
  }
  return [...found.values()];
}
