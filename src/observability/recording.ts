/**
 * Wall-clock time with fractions of a ms, from the monotonic clock and its offset. What begins later, in this process or in
 * one that it calls, gets a later time.
 */
export class WallClock {
  private offset: number;

  /** `offset`: a first guess of what to add to `performance.now()`. */
  constructor(offset: number) {
    this.offset = offset;
  }

  /** The wall-clock time at a time of `performance.now()`. `wall` (whole ms) and `now` are the present time. */
  at(time: number, wall: number, now: number): number {
    // The wall clock shows whole ms, so the true offset is from `least` to less than one ms more.
    const least = wall - now;
    if (this.offset < least || this.offset >= least + 1) this.offset = least;
    return time + this.offset;
  }
}

/** A time rounded to hundredths of a ms. */
export function toldTime(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** One step of a request. Times are of `performance.now()`. */
export interface Step {
  readonly stage: string;
  readonly begin: number;
  end: number;
}

/** A statement that ran, with placeholders for values. */
export interface RanStatement {
  readonly sql: string;
  /** It is SQL of own code, whose names need not be quoted. */
  readonly isGiven?: boolean | undefined;
  readonly step: Step | undefined;
  readonly begin: number;
  readonly end: number;
  /** Rows read or changed; undefined if it failed. */
  readonly rows: number | undefined;
}

/**
 * A part of a step that is no statement: waiting for admission, planning a new query, making or entering a sandbox, and the
 * time of a transaction outside its statements.
 */
export interface Part {
  readonly kind: 'queue' | 'plan' | 'sandbox' | 'begin' | 'commit';
  readonly step: Step | undefined;
  readonly begin: number;
  end: number;
}

/**
 * The measured steps of one request, without gaps, so that their durations add up to the total; and the statements that
 * ran.
 */
export class Recording {
  /** Wall-clock time of the beginning, in ms since 1970. */
  readonly wallBegin: number;
  readonly begin: number;
  readonly steps: Step[] = [];
  readonly statements: RanStatement[] = [];
  readonly parts: Part[] = [];
  private endedAt: number | undefined;

  constructor(wallBegin: number, begin: number) {
    this.wallBegin = wallBegin;
    this.begin = begin;
    this.steps.push({ stage: 'init', begin, end: begin });
  }

  /** The current step. */
  get current(): Step | undefined {
    return this.steps.at(-1);
  }

  /** Ends the current step and begins another; does nothing if it is the same stage. */
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

  beginPart(kind: Part['kind'], begin = performance.now()): void {
    this.parts.push({ kind, step: this.current, begin, end: begin });
  }

  /** Ends the part that began last, if it is of this kind and has not ended. */
  endPart(kind: Part['kind']): void {
    const part = this.parts.at(-1);
    if (part?.kind === kind && part.end === part.begin) part.end = performance.now();
  }

  /** Ends the last step and the measurement. */
  finish(now = performance.now()): void {
    if (this.endedAt !== undefined) return;
    this.endedAt = now;
    if (this.current !== undefined) this.current.end = now;
  }

  /** The response was sent. What followed the end of the measurement is a step of its own. */
  sent(now: number): void {
    const { endedAt } = this;
    this.finish(now);
    if (endedAt === undefined || now <= endedAt) return;
    this.steps.push({ stage: 'send', begin: endedAt, end: now });
    this.endedAt = now;
  }

  /** In ms. */
  get total(): number {
    return (this.endedAt ?? performance.now()) - this.begin;
  }

  /** The part spent in the database, in ms. */
  get databaseTime(): number {
    let time = 0;
    for (const { begin, end } of this.statements) time += end - begin;
    for (const { kind, begin, end } of this.parts)
      if (kind === 'begin' || kind === 'commit') time += end - begin;
    return Math.min(time, this.total);
  }

  /** The wall-clock time at a time of `performance.now()`, in ms since 1970. */
  wallTime(at: number): number {
    return this.wallBegin + (at - this.begin);
  }
}
