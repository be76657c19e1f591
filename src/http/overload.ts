import { monitorEventLoopDelay } from 'node:perf_hooks';
import { apiError, type ApiError } from '../errors.ts';

/** A request may wait for its turn, and the event loop be late, for so long before more are refused, in ms. */
export const longestDelay = 250;
/** In one turn of the event loop requests begin for so long after the first that it reads, in ms. */
const firstSlice = 10;
/**
 * After that, the turns of those who wait: short ones, so that others are read and refused soon; but many times as long
 * as reading has taken, so that callers who ask again at once do not keep the server from answering anybody. In ms.
 */
const slice = { shortest: 2, longest: 100, share: 6 } as const;
/**
 * Who connects goes before who waits, for so long at a time, in ms: the system accepts one connection a turn, so that a
 * thousand at once would wait for seconds.
 */
const accepting = 25;
/** So few are never too many: each takes long then, and refusing others would not help them. */
const few = 64;
/** After so many that have begun their places in the queue are given free. */
const forgotten = 1_024;
/** How long one look at the event loop is, and what its clock ticks in, in ms. */
const window = 500;
const resolution = 20;

const overloaded = apiError(
  'OVERLOADED',
  'The server has more requests than it can answer; try again in a second',
);

export interface OverloadOptions {
  /** Requests at once. */
  readonly maxInFlight: number;
  /** Bytes of bodies at once. */
  readonly maxBodyBytes: number;
  /** How many connections have been accepted so far. */
  readonly accepted: () => number;
  /** In ms; `longestDelay` where there is no reason for another. */
  readonly maxDelay: number;
}

/**
 * Decides which requests the server takes on, so that those which it does have their answer soon, and lets each begin
 * when the event loop has time for it. Contract 3, Overload.
 */
export class Overload {
  private inFlight = 0;
  private bodyBytes = 0;
  /** In order of arrival; those before `next` have begun. */
  private waiting: { readonly since: number; readonly begin: Begin }[] = [];
  private next = 0;
  /** Until when requests may begin in this turn of the event loop; 0 before the first. */
  private turnEnd = 0;
  /** When those who wait last gave way to reading. */
  private workEnd = 0;
  /** Connections that had been accepted at the end of the last turn, and since when each turn has brought one. */
  private accepted = 0;
  private comingSince: number | undefined;
  private isPaused = false;
  private isLate = false;
  private lateWindows = 0;
  private readonly options: OverloadOptions;
  private readonly delays = monitorEventLoopDelay({ resolution });
  private readonly look: NodeJS.Timeout;
  private readonly atTurnEnd = (): void => this.endTurn();

  constructor(options: OverloadOptions) {
    this.options = options;
    this.delays.enable();
    this.look = setInterval(() => this.lookAtLoop(), window).unref();
  }

  /** Begins to watch over one request. */
  visit(): Visit {
    return new Visit(this);
  }

  close(): void {
    clearInterval(this.look);
    this.delays.disable();
  }

  /** Why no more can be taken on at the moment. */
  refusal(): ApiError | undefined {
    const { maxInFlight } = this.options;
    if (this.inFlight >= maxInFlight) return overloaded;
    if (this.isLate && this.inFlight > few) return overloaded;
    const oldest = this.waiting[this.next];
    return oldest !== undefined && this.hasWaitedLong(oldest.since) ? overloaded : undefined;
  }

  private hasWaitedLong(since: number): boolean {
    const isCrowded = this.waiting.length - this.next > few;
    return isCrowded && performance.now() - since > this.options.maxDelay;
  }

  /**
   * Counts a request in; resolves when it may begin, or with an error when it has waited for too long. Nothing is to
   * be waited for where there is time at once.
   */
  enter(): Promise<ApiError | undefined> | undefined {
    this.inFlight += 1;
    const now = performance.now();
    if (this.waiting.length === 0 && !this.isPaused && this.mayBegin(now)) return undefined;
    return new Promise((begin) => {
      this.waiting.push({ since: now, begin });
    });
  }

  leave(): void {
    this.inFlight -= 1;
  }

  /** No request begins until `resume`. */
  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    if (this.turnEnd === 0) this.endTurn();
  }

  /** Whether so many more bytes of bodies can be held. */
  hold(bytes: number): boolean {
    if (this.bodyBytes + bytes > this.options.maxBodyBytes) return false;
    this.bodyBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.bodyBytes -= bytes;
  }

  private mayBegin(now: number): boolean {
    if (this.turnEnd > 0) return now < this.turnEnd;
    this.turnEnd = now + firstSlice;
    this.workEnd = now;
    setImmediate(this.atTurnEnd);
    return true;
  }

  /** What has come in was read: those who wait go on, in a turn of their own. */
  private endTurn(): void {
    const now = performance.now();
    if (this.waiting.length === 0 || this.isPaused) this.turnEnd = 0;
    else if (this.areComing(now)) {
      // Long past: nobody begins in the next turn either.
      this.turnEnd = 1;
      setImmediate(this.atTurnEnd);
    } else {
      const wanted = (now - this.workEnd) * slice.share;
      this.turnEnd = now + Math.min(slice.longest, Math.max(slice.shortest, wanted));
      this.beginNext();
    }
  }

  /** Whether there are connections to be accepted before others go on: the last turn tells of the next. */
  private areComing(now: number): boolean {
    const before = this.accepted;
    this.accepted = this.options.accepted();
    const areComing = this.accepted !== before && now - (this.comingSince ?? now) < accepting;
    this.comingSince = areComing ? (this.comingSince ?? now) : undefined;
    return areComing;
  }

  private beginNext(): void {
    const one = this.waiting[this.next];
    if (one === undefined) {
      this.waiting = [];
      this.next = 0;
    } else if (performance.now() < this.turnEnd) {
      const refusal = this.hasWaitedLong(one.since) ? overloaded : undefined;
      this.next += 1;
      if (this.next === forgotten) {
        this.waiting = this.waiting.slice(forgotten);
        this.next = 0;
      }
      one.begin(refusal);
      // A tick that is asked for here comes when all that the request can do at once is done.
      queueMicrotask(() => process.nextTick(() => this.beginNext()));
      return;
    }
    this.workEnd = performance.now();
    setImmediate(this.atTurnEnd);
  }

  /** Late is a loop that was so for most of the time of two looks: a single long step says nothing. */
  private lookAtLoop(): void {
    const median = this.delays.percentile(50) / 1e6;
    this.delays.reset();
    this.lateWindows = median > this.options.maxDelay ? this.lateWindows + 1 : 0;
    this.isLate = this.lateWindows > 1;
  }
}

type Begin = (refusal?: ApiError) => void;

/** One request, from its arrival until its answer is made. */
export class Visit {
  private readonly overload: Overload;
  private isIn = false;
  private bytes = 0;

  constructor(overload: Overload) {
    this.overload = overload;
  }

  /** Why it cannot be taken on. */
  refusal(): ApiError | undefined {
    return this.overload.refusal();
  }

  /** Takes it on; resolves when it may begin, or with why it may not. */
  enter(): Promise<ApiError | undefined> | undefined {
    this.isIn = true;
    return this.overload.enter();
  }

  /** Whether this piece of its body can be held. */
  hold(bytes: number): boolean {
    if (!this.overload.hold(bytes)) return false;
    this.bytes += bytes;
    return true;
  }

  /** Gives back what it held. */
  leave(): void {
    if (this.isIn) this.overload.leave();
    if (this.bytes > 0) this.overload.release(this.bytes);
    [this.isIn, this.bytes] = [false, 0];
  }
}

/** What a body that finds no room is told. */
export const noRoom: ApiError = overloaded;
