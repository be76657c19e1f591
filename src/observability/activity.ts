/** How many spans are kept, and their length in s. */
const spans = 60;
const spanLength = 5;
/** Durations are counted in a histogram with eight buckets for each doubling, from 0.01 ms. */
const classes = 192;
const perDoubling = 8;
const shortest = 0.01;

/** The counts of one span. */
interface Counted {
  number: number;
  requests: number;
  clientErrors: number;
  serverErrors: number;
  databaseTime: number;
  readonly durations: Uint32Array;
}

/** The counts of one span, in one process or several, with the histogram of durations. */
export interface Span extends Readonly<Omit<Counted, 'durations'>> {
  readonly durations: readonly number[];
}

/** The requests of a span: count, errors, database time and durations in ms. */
export interface ActivityPoint {
  /** Spans are numbered consecutively. */
  readonly number: number;
  /** How long ago it ended, in ms; 0 or less for the current span. */
  readonly age: number;
  /** How many of its seconds have passed. */
  readonly seconds: number;
  readonly requests: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly databaseTime: number;
  readonly p50?: number | undefined;
  readonly p95?: number | undefined;
  /** The non-empty buckets of the histogram, shortest first. */
  readonly durations: readonly ClassCount[];
}

type ClassCount = readonly [index: number, count: number];

/**
 * Counts the requests of the last five minutes in plain numbers, which costs next to nothing. Processes whose spans are
 * merged must use the same clock.
 */
export class Activity {
  private readonly spans: Counted[] = Array.from({ length: spans + 1 }, () => ({
    number: -1,
    requests: 0,
    clientErrors: 0,
    serverErrors: 0,
    databaseTime: 0,
    durations: new Uint32Array(classes),
  }));
  private lastDatabaseTime = 0;

  /** A request has ended at `now` (ms). `databaseTime`: the total time ever spent in the database, in ms. */
  add(now: number, status: number, duration: number, databaseTime: number): void {
    const number = Math.floor(now / 1_000 / spanLength);
    const span = this.spans[number % this.spans.length];
    if (span === undefined) return;
    if (span.number !== number) {
      span.number = number;
      span.requests = span.clientErrors = span.serverErrors = span.databaseTime = 0;
      span.durations.fill(0);
    }
    span.requests += 1;
    if (status >= 500) span.serverErrors += 1;
    else if (status >= 400) span.clientErrors += 1;
    span.databaseTime += databaseTime - this.lastDatabaseTime;
    this.lastDatabaseTime = databaseTime;
    const place = Math.floor(Math.log2(duration / shortest) * perDoubling);
    const index = Math.min(classes - 1, Math.max(0, place));
    span.durations[index] = (span.durations[index] ?? 0) + 1;
  }

  /** The non-empty spans of the last five minutes, from a number on. */
  since(now: number, from: number): readonly Span[] {
    // Unused entries have the number -1.
    const first = Math.max(from, firstSpan(now), 0);
    return this.spans
      .filter(({ number }) => number >= first)
      .map((span) => ({ ...span, durations: [...span.durations] }));
  }
}

function firstSpan(now: number): number {
  return Math.floor(now / 1_000 / spanLength) - spans + 1;
}

/** Merges the spans of several processes. */
export function mergedSpans(lists: readonly (readonly Span[])[]): readonly Span[] {
  const merged = new Map<number, Span>();
  for (const span of lists.flat()) {
    const other = merged.get(span.number);
    merged.set(span.number, other === undefined ? span : sumOf(span, other));
  }
  return [...merged.values()];
}

function sumOf(one: Span, other: Span): Span {
  return {
    number: one.number,
    requests: one.requests + other.requests,
    clientErrors: one.clientErrors + other.clientErrors,
    serverErrors: one.serverErrors + other.serverErrors,
    databaseTime: one.databaseTime + other.databaseTime,
    durations: one.durations.map((count, index) => count + (other.durations[index] ?? 0)),
  };
}

/** The points of the last five minutes, from a number on, oldest first; the last one is current. */
export function pointsOf(
  found: readonly Span[],
  now: number,
  from: number,
): readonly ActivityPoint[] {
  const byNumber = new Map(found.map((span) => [span.number, span]));
  const first = Math.max(from, firstSpan(now));
  return Array.from({ length: firstSpan(now) + spans - first }, (_, index) => {
    const number = first + index;
    const span = byNumber.get(number);
    const age = now - (number + 1) * spanLength * 1_000;
    const seconds = age >= 0 ? spanLength : Math.max(1, (age + spanLength * 1_000) / 1_000);
    if (span === undefined) return { ...nothing, number, age, seconds };
    const durations = [...span.durations.entries()].filter(([, count]) => count > 0);
    const [p50, p95] = [percentile(durations, 0.5), percentile(durations, 0.95)];
    return { ...span, age, seconds, p50, p95, durations };
  });
}

const nothing = {
  requests: 0,
  clientErrors: 0,
  serverErrors: 0,
  databaseTime: 0,
  durations: [],
};

/** A percentile of the durations in ms, within 5 %; undefined without requests. `part`: 0.95 for p95. */
export function percentileOf(points: readonly ActivityPoint[], part: number): number | undefined {
  const sums = new Map<number, number>();
  for (const [index, count] of points.flatMap(({ durations }) => durations))
    sums.set(index, (sums.get(index) ?? 0) + count);
  return percentile(
    [...sums].sort(([one], [other]) => one - other),
    part,
  );
}

/** The middle of the bucket that holds the percentile; within 5 %. */
function percentile(durations: readonly ClassCount[], part: number): number | undefined {
  const total = durations.reduce((sum, [, count]) => sum + count, 0);
  let left = Math.ceil(total * part);
  for (const [index, count] of durations) {
    left -= count;
    if (left <= 0) return shortest * 2 ** ((index + 0.5) / perDoubling);
  }
  return undefined;
}
