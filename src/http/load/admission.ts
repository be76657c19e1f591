import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { apiError, type ApiError } from '../../errors.ts';
import { bytesPerBodyByte, Reservation, type MemoryBudgets } from './memory-budget.ts';
import type { ResponseBatch } from './response-batch.ts';

/** The event-loop delay, and the time in queue, beyond which requests are refused; in ms. See docs/contract/6-operation.md#overload. */
export const longestDelay = 250;
/**
 * Once that was exceeded, requests queue for so much of it at most until all of a turn are served again: a request waits for
 * the rest of one turn and for its place in the next, and both have to fit into the longest delay.
 */
const overloadedShare = 0.4;
/** So many requests of one turn are served however long they take: refusing the others would not help them. */
const alwaysServed = 32;
/**
 * Refusing may take so much of the time that serving takes, saved up to `mostRefusing` ms; then requests are served however
 * long they have queued. A refusal costs as much as a read by id, and clients that retry at once would take all the time.
 */
const refusingShare = 1 / 6;
const mostRefusing = 100;
/**
 * After a turn that took longer and served more than `alwaysServed`, new connections may wait: libuv accepts one a turn. They
 * go before requests for so long; in ms.
 */
const longTurn = 5;
const longestAccepting = 50;
/** How often the event-loop delay is looked at, and its resolution; in ms. */
const window = 500;
const resolution = 20;

export const overloaded: ApiError = apiError(
  'OVERLOADED',
  'The server has more requests than it can answer; try again in a second',
);

export interface AdmissionOptions {
  /** Requests at once. */
  readonly maxInFlight: number;
  /** How many connections have been accepted so far. */
  readonly accepted: () => number;
  /** `longestDelay` unless a test says otherwise. */
  readonly maxDelay: number;
  /** A time that only grows, in ms. */
  readonly clock: () => number;
  /** The responses of a turn count as a part of it. */
  readonly batch: Pick<ResponseBatch, 'endTurn'>;
}

/**
 * Decides for each request, as it is read, whether the server serves it or answers 503 `OVERLOADED` at once: by the requests
 * in flight, the time that the request has queued, and the event-loop delay. Requests queue in their sockets, unread: those
 * that one turn of the event loop reads have queued since it began.
 */
export class Admission {
  private inFlight = 0;
  /** Of the turn of the event loop: when it began, how many requests it has read and refused, and how many have ended. */
  private began = 0;
  private read = 0;
  private refused = 0;
  private ended = 0;
  /** When the last request was judged, whether it was refused, and how long refusing may take. */
  private judged = 0;
  private wasRefused = false;
  private refusingTime = mostRefusing;
  /** Some request has queued for too long; all since then have not been served in time. */
  private isOverloaded = false;
  private accepted = 0;
  /** Until when new connections go before requests; undefined if none do. */
  private acceptingUntil: number | undefined;
  private isPaused = false;
  /** Requests that begin after new connections, or after `resume`. */
  private held: ((refusal?: ApiError) => void)[] = [];
  private isLate = false;
  private lateWindows = 0;
  private readonly options: AdmissionOptions;
  private readonly delays = monitorEventLoopDelay({ resolution });
  private readonly look: NodeJS.Timeout;
  private readonly atTurnEnd = (): void => this.endTurn();

  constructor(options: AdmissionOptions) {
    this.options = options;
    this.delays.enable();
    this.look = setInterval(() => this.lookAtDelay(), window).unref();
  }

  close(): void {
    clearInterval(this.look);
    this.delays.disable();
  }

  /** Why the request that has come is not served; undefined if it is. */
  refusal(): ApiError | undefined {
    // A held request is judged when it begins.
    const isInTime = this.isHolding || this.isInTime();
    const isFull = this.inFlight >= this.options.maxInFlight;
    const isLate = this.isLate && this.inFlight > alwaysServed;
    return isFull || isLate || !isInTime ? overloaded : undefined;
  }

  /** Counts a request in. Mostly it may begin at once; else resolves when it may, or with why it may not. */
  enter(): Promise<ApiError | undefined> | undefined {
    this.inFlight += 1;
    if (!this.isHolding) return undefined;
    return new Promise((begin) => {
      this.held.push(begin);
    });
  }

  leave(): void {
    // Requests of one turn came at once, even if the first is answered before the last is read.
    if (this.read > 0) this.ended += 1;
    else this.inFlight -= 1;
  }

  /** No request begins until `resume`. */
  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.beginHeld();
  }

  private get isHolding(): boolean {
    return this.isPaused || this.acceptingUntil !== undefined;
  }

  /** Whether a request that is read now has not queued for too long. */
  private isInTime(): boolean {
    const { clock, maxDelay } = this.options;
    const now = clock();
    if (this.read === 0) {
      setImmediate(this.atTurnEnd);
      [this.began, this.judged, this.wasRefused] = [now, now, false];
    }
    this.read += 1;
    const passed = now - this.judged;
    this.judged = now;
    if (this.wasRefused) this.refusingTime -= passed;
    else this.refusingTime = Math.min(mostRefusing, this.refusingTime + passed * refusingShare);
    const queued = now - this.began;
    if (queued > maxDelay) this.isOverloaded = true;
    const most = this.isOverloaded ? maxDelay * overloadedShare : maxDelay;
    const isFew = this.read - this.refused <= alwaysServed;
    this.wasRefused = queued > most && !isFew && this.refusingTime > 0;
    if (this.wasRefused) this.refused += 1;
    return !this.wasRefused;
  }

  /** All that had come in was read. */
  private endTurn(): void {
    const { batch, clock, accepted, maxDelay } = this.options;
    batch.endTurn();
    const now = clock();
    const took = this.read === 0 ? 0 : now - this.began;
    const served = this.read - this.refused;
    if (took > maxDelay) this.isOverloaded = true;
    else if (this.refused === 0) this.isOverloaded = false;
    this.inFlight -= this.ended;
    [this.read, this.refused, this.ended] = [0, 0, 0];
    const before = this.accepted;
    this.accepted = accepted();
    const isAccepting = this.accepted !== before;
    if (this.acceptingUntil === undefined) {
      if (!isAccepting || took < longTurn || served <= alwaysServed) return;
      this.acceptingUntil = now + longestAccepting;
    }
    if (isAccepting && now < this.acceptingUntil) setImmediate(this.atTurnEnd);
    else {
      this.acceptingUntil = undefined;
      this.beginHeld();
    }
  }

  /** Held requests begin one after the other, as if they came now. */
  private beginHeld(): void {
    if (this.isHolding || this.held.length === 0) return;
    const held = this.held.values();
    this.held = [];
    const next = (): void => {
      const { value: begin } = held.next();
      if (begin === undefined) return;
      begin(this.isInTime() ? undefined : overloaded);
      // A tick that is requested in a microtask comes after all that the request does at once.
      queueMicrotask(() => process.nextTick(next));
    };
    next();
  }

  /** The event loop is late if the median delay was too long in two windows: a single long step says nothing. */
  private lookAtDelay(): void {
    const median = this.delays.percentile(50) / 1e6;
    this.delays.reset();
    this.lateWindows = median > this.options.maxDelay ? this.lateWindows + 1 : 0;
    this.isLate = this.lateWindows > 1;
  }
}

/**
 * What one request holds: until its response is made, its place in flight and the bytes of its body; until that is sent, the
 * bytes of what it has read.
 */
export class Admitted {
  readonly rows: Reservation;
  private readonly admission: Admission;
  private readonly body: Reservation;
  private isIn = false;

  constructor(admission: Admission, { all, small, reads }: MemoryBudgets) {
    this.admission = admission;
    this.body = new Reservation(small, all);
    this.rows = new Reservation(small, reads);
  }

  /** See `Admission.enter`. */
  enter(): Promise<ApiError | undefined> | undefined {
    this.isIn = true;
    return this.admission.enter();
  }

  /** Reserves the memory that so many more bytes of its body take. */
  tryReserve(bytes: number): boolean {
    return this.body.tryGrow(bytesPerBodyByte * bytes);
  }

  /** Gives back all that it holds. */
  release(): void {
    this.leave();
    this.rows.release();
  }

  /** Its response is made. */
  leave(): void {
    if (this.isIn) this.admission.leave();
    this.isIn = false;
    this.body.release();
  }
}
