/**
 * Tells the time on the wall to fractions of a ms, which the clock on the wall has not: from a clock that is never set,
 * and how far the two are apart. What begins after something else, in this process or in one that calls it, is told so.
 */
export class WallClock {
  private offset: number;

  /** `offset`: what to add to a time of `performance.now()`, as far as is known. */
  constructor(offset: number) {
    this.offset = offset;
  }

  /** The time on the wall at a time of `performance.now()`; `wall`, in whole ms, and `now` are of this moment. */
  at(time: number, wall: number, now: number): number {
    // The wall's clock stands at this ms until the next one: so far apart are they at least, and less than one ms more.
    const least = wall - now;
    if (this.offset < least || this.offset >= least + 1) this.offset = least;
    return time + this.offset;
  }
}

/** A time as it is told, in ms: to the hundredth. */
export function toldTime(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** One step of a request. Times are of `performance.now()`. */
export interface Step {
  readonly stage: string;
  readonly begin: number;
  end: number;
}

/** A statement that ran, with placeholders in place of values. */
export interface RanStatement {
  readonly sql: string;
  readonly step: Step | undefined;
  readonly begin: number;
  readonly end: number;
  /** Rows read or changed; absent where it failed. */
  readonly rows: number | undefined;
}

/**
 * The steps of one request as they were measured, one after the other without a gap, so that their durations add up
 * to the total, and the statements that ran.
 */
export class Recording {
  /** When it began by the clock on the wall, in ms since 1970. */
  readonly wallBegin: number;
  readonly begin: number;
  readonly steps: Step[] = [];
  readonly statements: RanStatement[] = [];
  /** Time of transactions outside of their statements: beginning, committing, and waiting for either; in ms. */
  private transactionTime = 0;
  private endedAt: number | undefined;

  constructor(wallBegin: number, begin: number) {
    this.wallBegin = wallBegin;
    this.begin = begin;
    this.steps.push({ stage: 'init', begin, end: begin });
  }

  /** The step that runs. */
  get current(): Step | undefined {
    return this.steps.at(-1);
  }

  /** Ends the step that runs and begins another; the one that runs already just goes on. */
  enter(stage: string): void {
    const { current } = this;
    if (current?.stage === stage || this.endedAt !== undefined) return;
    const now = performance.now();
    if (current !== undefined) current.end = now;
    this.steps.push({ stage, begin: now, end: now });
  }

  ran(statement: RanStatement): void {
    this.statements.push(statement);
  }

  addTransactionTime(time: number): void {
    this.transactionTime += time;
  }

  /** Ends the last step; what comes after is not measured. */
  finish(now = performance.now()): void {
    if (this.endedAt !== undefined) return;
    this.endedAt = now;
    if (this.current !== undefined) this.current.end = now;
  }

  /** From the beginning to the end, in ms. */
  get total(): number {
    return (this.endedAt ?? performance.now()) - this.begin;
  }

  /** What of it was spent in the database, in ms. */
  get databaseTime(): number {
    let time = this.transactionTime;
    for (const { begin, end } of this.statements) time += end - begin;
    return Math.min(time, this.total);
  }

  /** The time on the wall at a time of `performance.now()`, in ms since 1970. */
  wallTime(at: number): number {
    return this.wallBegin + (at - this.begin);
  }
}
