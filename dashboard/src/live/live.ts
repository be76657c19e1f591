import { mount } from '../mount.ts';
import { useSyncExternalStore } from 'react';
import type { Hello, RequestRow } from '../../../src/http/dashboard/wire.ts';
import type { ActivityPoint } from '../../../src/observability/activity.ts';
import type { ReloadEvent } from '../../../src/observability/events.ts';
import { credential, Refusal, refusalOf } from '../api.ts';
import { sessionHeaders } from '../link.ts';
import { EventStreamParser, type StreamEvent } from './event-stream.ts';

/** How many requests were told of since the page was opened. */
export interface Came {
  /** Of the dashboard itself. */
  readonly own: number;
  readonly others: number;
}

/** What the stream of the server has told so far. */
export interface Live {
  /** Absent before the server has said it. */
  readonly session: Hello | undefined;
  /** Why the page gets nothing. */
  readonly problem: Refusal | undefined;
  /** Newest first; at most as many as the server keeps. */
  readonly rows: readonly RequestRow[] | undefined;
  readonly came: Came;
  /** Oldest first. */
  readonly points: readonly ActivityPoint[] | undefined;
  readonly specification: ReloadEvent | null;
}

const keptRequests = 1_000;
const keptPoints = 60;
/** The server says something every two seconds; after so long without a byte it is taken for gone. In ms. */
const longestSilence = 10_000;
const longestPause = 5_000;
/** A stream that ends sooner is not followed by the next at once. In ms. */
const shortStream = 1_000;

const noneCame: Came = { own: 0, others: 0 };
const nothing: Live = {
  session: undefined,
  problem: undefined,
  rows: undefined,
  came: noneCame,
  points: undefined,
  specification: null,
};
let live = nothing;
/** The place in the stream up to which the list of requests was cleared, for as long as the tab is open. */
const clearedKey = 'plinth-cleared';
let lastId = sessionStorage.getItem(clearedKey) ?? '';
const readers = new Set<() => void>();

function change(next: Partial<Live>): void {
  live = { ...live, ...next };
  for (const changed of readers) changed();
}

/** What a view shows of it: `choose` gives the same value as long as there is nothing new for it. */
export function useLive<Value>(choose: (live: Live) => Value): Value {
  return useSyncExternalStore(
    (changed) => {
      readers.add(changed);
      return () => readers.delete(changed);
    },
    () => choose(live),
  );
}

/** What the page does when the server has said that something else is no longer as it was. */
export type Changed = (what: 'all' | 'network') => void;

/**
 * Follows the stream, and opens the next one whenever one ends, until `stop` says so: at once where it has lasted, else
 * after pauses that grow, and are never quite the same, so that not all pages come at once.
 */
export async function follow(changed: Changed, stop: AbortSignal): Promise<void> {
  for (let failures = 0; !stop.aborted;) {
    const begin = performance.now();
    try {
      await readStream(changed, stop);
      failures = performance.now() - begin < shortStream ? failures + 1 : 0;
    } catch (error) {
      if (stop.aborted) return;
      failures += 1;
      const problem =
        error instanceof Refusal ? error : new Refusal(0, 'GONE', 'The server does not answer');
      change({ problem });
      // Another credential is needed first, which begins anew.
      if (problem.status === 401 || problem.status === 403) return;
    }
    if (failures > 0) await pause(Math.min(longestPause, 250 * 2 ** failures), stop);
  }
}

/** Empties the list of requests; those that come later are told. */
export function clearRequests(): void {
  sessionStorage.setItem(clearedKey, lastId);
  change({ rows: [], came: noneCame });
}

/** Forgets all that was told to whoever was there before. */
export function forget(): void {
  lastId = '';
  change(nothing);
}

/** Reads one stream to its end; throws where there is none, or it breaks off. */
async function readStream(changed: Changed, stop: AbortSignal): Promise<void> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), longestSilence);
  };
  heard();
  try {
    const own = credential();
    const response = await fetch(`${mount}/_dashboard/api/events`, {
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.any([stop, silence.signal]),
      headers: {
        ...sessionHeaders(),
        ...(own === '' ? {} : { authorization: `Bearer ${own}` }),
        ...(lastId === '' ? {} : { 'last-event-id': lastId }),
      },
    });
    if (!response.ok || response.body === null)
      throw refusalOf({ status: response.status, text: await response.text() });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new EventStreamParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      for (const event of parser.push(value)) take(event, changed);
    }
  } finally {
    clearTimeout(timer);
  }
}

function take({ name, data, id }: StreamEvent, changed: Changed): void {
  const value = JSON.parse(data) as unknown;
  lastId = id === '' ? lastId : id;
  switch (name) {
    case 'hello': {
      const session = value as Hello;
      const isFirst = live.session === undefined;
      // A page that has just been opened continues after what was cleared.
      const rows = session.isContinued ? (live.rows ?? []) : undefined;
      const { specification } = session;
      change({ session, rows, specification, problem: undefined });
      if (!isFirst) changed('all');
      break;
    }
    case 'requests': {
      const rows = (value as readonly RequestRow[]).toReversed();
      const all = [...rows, ...(live.rows ?? [])];
      const own = rows.filter(({ isOwn }) => isOwn).length;
      const { came } = live;
      change({
        rows: (live.session?.processes === 1 ? all : inOrder(all)).slice(0, keptRequests),
        came: { own: came.own + own, others: came.others + rows.length - own },
      });
      break;
    }
    case 'activity': {
      const points = value as readonly ActivityPoint[];
      const first = points[0]?.number ?? 0;
      const isContinued = live.points?.some(({ number }) => number === first) === true;
      const before = isContinued ? (live.points ?? []).filter(({ number }) => number < first) : [];
      change({ points: [...before, ...points].slice(-keptPoints) });
      break;
    }
    case 'specification':
      change({ specification: value as ReloadEvent | null });
      break;
    case 'network':
      changed('network');
      break;
    default:
  }
}

/** Newest first by when they have ended: one process may have told of its own a moment after another. */
function inOrder(rows: readonly RequestRow[]): readonly RequestRow[] {
  return rows
    .map((row) => ({ row, end: Date.parse(row.time) + row.duration }))
    .sort((a, b) => b.end - a.end)
    .map(({ row }) => row);
}

/** Ends early with the signal. */
function pause(time: number, stop: AbortSignal): Promise<void> {
  const about = time * (0.5 + Math.random() / 2);
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, about);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
