/** For how long activity is told, and in what spans, in s. */
const spans = 60;
const spanLength = 5;
/** Durations are counted in classes, eight for each doubling from 0.01 ms on. */
const classes = 192;
const perDoubling = 8;
const shortest = 0.01;

/** What happened in one span. */
interface Counted {
  number: number;
  requests: number;
  clientErrors: number;
  serverErrors: number;
  databaseTime: number;
  readonly durations: Uint32Array;
}

/** What has happened in one span, in one process or in several, with how many requests took so long, by class. */
export interface Span extends Readonly<Omit<Counted, 'durations'>> {
  readonly durations: readonly number[];
}

/** Requests of a span of time: their number, errors, time in the database in ms, and durations in ms. */
export interface ActivityPoint {
  /** Of spans that follow each other. */
  readonly number: number;
  /** When it ended, in ms before now; 0 or less for the one that runs. */
  readonly age: number;
  /** How many seconds of it have passed. */
  readonly seconds: number;
  readonly requests: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly databaseTime: number;
  readonly p50?: number | undefined;
  readonly p95?: number | undefined;
  /** How many of them took so long, by class, the shortest first; of those classes alone in which there is any. */
  readonly durations: readonly ClassCount[];
}

type ClassCount = readonly [index: number, count: number];

/**
 * Counts the requests of the last five minutes, in plain numbers: next to nothing for each. Times are of a clock that is
 * the same for all whose spans are put together.
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

  /** A request has ended at `now` (ms); `databaseTime` is all that was ever spent in the database, in ms. */
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

  /** The spans of the last five minutes in which something has happened, from a number on. */
  since(now: number, from: number): readonly Span[] {
    // Below 0 are those of which there was none yet.
    const first = Math.max(from, firstSpan(now), 0);
    return this.spans
      .filter(({ number }) => number >= first)
      .map((span) => ({ ...span, durations: [...span.durations] }));
  }
}

function firstSpan(now: number): number {
  return Math.floor(now / 1_000 / spanLength) - spans + 1;
}

/** The spans of several processes as if they were one. */
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

/** What is told of the spans of the last five minutes, from a number on, oldest first; the last one still runs. */
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

/** How long the part of all requests of these spans took at most, in ms, within 5 %; undefined where there was none. */
export function percentileOf(points: readonly ActivityPoint[], part: number): number | undefined {
  const sums = new Map<number, number>();
  for (const [index, count] of points.flatMap(({ durations }) => durations))
    sums.set(index, (sums.get(index) ?? 0) + count);
  return percentile(
    [...sums].sort(([one], [other]) => one - other),
    part,
  );
}

/** The middle of the class in which the part of the durations ends; within 5 %. */
function percentile(durations: readonly ClassCount[], part: number): number | undefined {
  const total = durations.reduce((sum, [, count]) => sum + count, 0);
  let left = Math.ceil(total * part);
  for (const [index, count] of durations) {
    left -= count;
    if (left <= 0) return shortest * 2 ** ((index + 0.5) / perDoubling);
  }
  return undefined;
}
