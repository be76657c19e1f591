import { useQuery } from '@tanstack/react-query';
import { askDashboard } from '../api.ts';

export interface RequestRow {
  readonly number: number;
  readonly id: string;
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly route: string;
  readonly status: number;
  readonly code: string | null;
  readonly duration: number;
  readonly caller: string | null;
  readonly client: string | null;
  readonly statements: number | null;
  readonly databaseTime: number | null;
}

export interface Step {
  readonly stage: string;
  readonly begin: number;
  readonly duration: number;
}

export interface RanStatement extends Step {
  readonly sql: string;
  readonly rows: number | null;
}

export interface RequestDetail extends RequestRow {
  readonly parameters: Readonly<Record<string, string | readonly string[]>> | readonly string[];
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly tellsValues: boolean;
  readonly isRecorded: boolean;
  readonly size: number | null;
  readonly requestBody: unknown;
  readonly responseBody: unknown;
  readonly failure: string | null;
  readonly steps?: readonly Step[];
  readonly statementList?: readonly RanStatement[];
}

const keptRequests = 1_000;
/** What was loaded so far, newest first; of another server (another token) nothing is kept. */
let kept: { readonly token: string; readonly rows: readonly RequestRow[] } = {
  token: '',
  rows: [],
};

async function load(token: string): Promise<readonly RequestRow[]> {
  const before = kept.token === token ? kept.rows : [];
  const after = before[0]?.number ?? 0;
  const { requests } = await askDashboard<{ requests: readonly RequestRow[] }>(
    `requests?after=${after}`,
  );
  const rows =
    requests.length === 0 ? before : [...requests.toReversed(), ...before].slice(0, keptRequests);
  kept = { token, rows };
  return rows;
}

/** The last requests, newest first, and each second those that have come since. */
export function useRequests(token: string, isPaused: boolean) {
  return useQuery({
    queryKey: ['requests', token],
    queryFn: () => load(token),
    refetchInterval: isPaused ? false : 1_000,
    structuralSharing: false,
  });
}

export function useRequest(id: string) {
  return useQuery({
    queryKey: ['request', id],
    queryFn: () => askDashboard<RequestDetail>(`requests/${encodeURIComponent(id)}`),
    enabled: id !== '',
    staleTime: Infinity,
  });
}

export interface RequestFilter {
  readonly text: string;
  readonly method: string;
  readonly status: string;
}

/** The rows that a filter leaves: every word of its text is somewhere in what a row shows. */
export function filtered(
  rows: readonly RequestRow[],
  { text, method, status }: RequestFilter,
): readonly RequestRow[] {
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean);
  return rows.filter((row) => {
    if (method !== '' && row.method !== method) return false;
    if (status !== '' && !String(row.status).startsWith(status)) return false;
    if (words.length === 0) return true;
    const { path, query, route, caller, client, code, id } = row;
    const all = [row.method, path, query, route, row.status, caller, client, code, id]
      .join(' ')
      .toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** The path with its query, as it was asked for. */
export function urlOf({ path, query }: Pick<RequestRow, 'path' | 'query'>): string {
  return query === '' ? path : `${path}?${query}`;
}
