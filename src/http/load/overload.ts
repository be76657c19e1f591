import { monitorEventLoopDelay } from 'node:perf_hooks';
import { apiError, type ApiError } from '../../errors.ts';
import { Crowd, few } from './crowd.ts';
import type { Departures } from './departures.ts';
import { goOn, halt, type Readable } from './halts.ts';
import { bytesPerBodyByte, Reservation, type MemoryBudget } from './memory-budget.ts';

/** A turn of the event loop may take, and the loop be late, for so long before requests are refused, in ms. */
export const longestDelay = 250;
/**
 * The system gives up to 1,024 connections at once that have sent something, and in the same turn the next ones where it
 * was as many: so once that many have come in a turn, nothing more is read of who was answered, so that it ends when each
 * was heard once.
 */
const manyInTurn = 512;
/** After a turn that took longer and met more than a few, connections may wait that the system gives, one a turn; in ms. */
const short = 5;
/** Who connects goes before who asks, for so long at a time, in ms. */
const accepting = 50;
/** How long a look at the event loop is, and its ticks in it, in ms. */
const window = 500;
const resolution = 20;

export const overloaded: ApiError = apiError(
  'OVERLOADED',
  'The server has more requests than it can answer; try again in a second',
);

export interface OverloadOptions {
  /** Requests at once. */
  readonly maxInFlight: number;
  /** How many connections have been accepted so far. */
  readonly accepted: () => number;
  /** On how many connections requests may come soon. */
  readonly askers: () => number;
  /** In ms; `longestDelay` where there is no reason for another. */
  readonly maxDelay: number;
  /** A time that only grows, in ms. */
  readonly clock: () => number;
  /** The answers of a turn, which are part of what it takes. */
  readonly departures: Pick<Departures, 'endTurn'>;
}

/**
 * Decides, as requests are read, which of them the server takes on. Each is begun or refused at once, since requests
 * that wait in the process would cost memory, and collecting it a quarter of the time. Others wait in the system,
 * unread. See docs/contract/6-operation.md#overload.
 */
export class Overload {
  private inFlight = 0;
  /** How many have ended in this turn of the event loop. */
  private ended = 0;
  private readonly crowd: Crowd;
  /** Nothing is read of these until the turn has ended. */
  private resting: Readable[] = [];
  /** Who begins when the connections that are coming have been accepted, or after a pause. */
  private waiting: Begin[] = [];
  /** How many connections and requests had come so by the end of the last turn, and since when each turn brings some. */
  private arrived = 0;
  private arrivingSince: number | undefined;
  private isPaused = false;
  private isLate = false;
  private lateWindows = 0;
  private readonly options: OverloadOptions;
  private readonly delays = monitorEventLoopDelay({ resolution });
  private readonly look: NodeJS.Timeout;
  private readonly atTurnEnd = (): void => this.endTurn();

  constructor(options: OverloadOptions) {
    this.options = options;
    this.crowd = new Crowd(options.maxDelay, options.askers);
    this.delays.enable();
    this.look = setInterval(() => this.lookAtLoop(), window).unref();
  }

  close(): void {
    clearInterval(this.look);
    this.delays.disable();
  }

  /** Why the request that has come cannot be taken on. */
  refusal(): ApiError | undefined {
    const isIn = this.isHeld || this.hasTime();
    if (this.isFull()) return overloaded;
    if (this.isLate && this.inFlight > few) return overloaded;
    return isIn ? undefined : overloaded;
  }

  /** Counts a request in; resolves when it may begin, or with an error. Mostly there is nothing to be waited for. */
  enter(): Promise<ApiError | undefined> | undefined {
    this.inFlight += 1;
    if (!this.isHeld) return undefined;
    return new Promise((begin) => {
      this.waiting.push(begin);
    });
  }

  leave(): void {
    this.inFlight -= 1;
    if (this.crowd.come > 0) this.ended += 1;
  }

  /** No request begins until `resume`. */
  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    if (this.crowd.come === 0 && this.arrivingSince === undefined) this.goOn();
  }

  /** After an answer: where others are to be heard first, nothing more is read of this connection for a while. */
  rest(connection: Readable): void {
    if (this.crowd.come <= manyInTurn) return;
    halt(connection);
    this.resting.push(connection);
  }

  private isFull(): boolean {
    const { maxInFlight, askers } = this.options;
    if (this.inFlight >= maxInFlight) return true;
    // Those of one turn came at once, though the first of them has its answer before the last one is read: each on a
    // connection of its own, for who is answered may ask again within the turn.
    return this.inFlight + this.ended >= maxInFlight && askers() > maxInFlight;
  }

  private get isHeld(): boolean {
    return this.isPaused || this.arrivingSince !== undefined;
  }

  /** Whether this turn of the event loop has time for one more, which comes in it. */
  private hasTime(): boolean {
    const now = this.options.clock();
    if (this.crowd.come === 0) {
      setImmediate(this.atTurnEnd);
      this.crowd.beginTurn(now);
    }
    return this.crowd.takes(now);
  }

  /** All that had come in was read. After a long turn connections may be coming: while each brings some, they go first. */
  private endTurn(): void {
    this.options.departures.endTurn();
    const [before, now] = [this.arrived, this.options.clock()];
    const { come } = this.crowd;
    const took = come === 0 ? 0 : this.crowd.endTurn(now);
    const wasLong = come > few && took >= short;
    this.ended = 0;
    this.arrived = this.options.accepted() + this.waiting.length;
    const since = this.arrivingSince ?? now;
    const mayArrive = wasLong || this.arrivingSince !== undefined;
    const isArriving = mayArrive && this.arrived !== before && now - since < accepting;
    this.arrivingSince = isArriving ? since : undefined;
    if (isArriving) setImmediate(this.atTurnEnd);
    else if (!this.isPaused) this.goOn();
  }

  private goOn(): void {
    const { resting } = this;
    if (resting.length > 0) this.resting = [];
    for (const connection of resting) goOn(connection);
    if (this.waiting.length > 0) this.beginWaiting();
  }

  /** Those who wait begin, one after the other, as if they came now. */
  private beginWaiting(): void {
    const waiting = this.waiting.values();
    this.waiting = [];
    const next = (): void => {
      const { value: begin } = waiting.next();
      if (begin === undefined) return;
      begin(this.hasTime() ? undefined : overloaded);
      // A tick that is asked for here comes when all that the request can do at once is done.
      queueMicrotask(() => process.nextTick(next));
    };
    next();
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
  private readonly body: Reservation;
  private isIn = false;

  /** `budget`: for its body. */
  constructor(overload: Overload, budget: MemoryBudget) {
    this.overload = overload;
    this.body = new Reservation(budget);
  }

  /** Takes it on; resolves when it may begin, or with why it may not. */
  enter(): Promise<ApiError | undefined> | undefined {
    this.isIn = true;
    return this.overload.enter();
  }

  /** Whether this piece of its body can be held. */
  hold(bytes: number): boolean {
    return this.body.tryGrow(bytesPerBodyByte * bytes);
  }

  /** Gives back what it held. */
  leave(): void {
    if (this.isIn) this.overload.leave();
    this.isIn = false;
    this.body.release();
  }
}
