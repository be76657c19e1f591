import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';

const { nodeTiming } = performance;

/**
 * Grows each time the event loop asks the system what has come in. While it stays the same, nothing has come that was
 * sent later.
 */
export function timesRead(): number {
  const { loopCount, events } = nodeTiming.uvMetricsInfo;
  return loopCount + events;
}

/** After so many ms others have their turn: a signal, requests that are served meanwhile. */
const longestTurn = 20;

/** The turns of long work that nobody hurries. */
export class Turns {
  private end = performance.now() + longestTurn;

  /** Whether it has had its turn, and is to pass it on. */
  get isOver(): boolean {
    return performance.now() > this.end;
  }

  async pass(): Promise<void> {
    await turn();
    this.end = performance.now() + longestTurn;
  }
}

/** Who waits for a turn of their own. */
const waiting: (() => void)[] = [];
/** How many connections and requests have come, and how many had when a turn was looked at last. */
let come = 0;
let seen = 0;
/** Until when those who come go first. */
let others = 0;
/** The turn of the event loop in which one has begun last, as `loopCount` has it. */
let begun = -1;

/** Somebody has come, a connection or a request: work that waits for a turn of its own lets them go first. */
export function noteArrival(): void {
  come += 1;
}

/**
 * Waits for a turn of the event loop. Only one of all that wait begins in each, so that many who go through long lists in
 * portions hold up everybody else for no longer than one of them does. The system gives one connection a turn: so as long
 * as each turn brings somebody, the next one begins only when those had as much time as the last one took.
 */
export function ownTurn(): Promise<void> {
  return new Promise((begin) => {
    waiting.push(begin);
    if (waiting.length === 1) setImmediate(nextTurn);
  });
}

/** As `ownTurn`, but at once where nobody waits and none has begun in this turn. */
export function freeTurn(): Promise<void> | undefined {
  const now = performance.now();
  if (waiting.length > 0 || now < others || isTaken()) return ownTurn();
  take(now);
  return undefined;
}

function nextTurn(): void {
  const now = performance.now();
  const hasBrought = come !== seen;
  seen = come;
  if (isTaken() || (hasBrought && now < others)) {
    setImmediate(nextTurn);
    return;
  }
  const begin = waiting.shift();
  if (waiting.length > 0) setImmediate(nextTurn);
  begin?.();
  take(now);
}

function isTaken(): boolean {
  return nodeTiming.uvMetricsInfo.loopCount === begun;
}

/** One begins now. */
function take(now: number): void {
  begun = nodeTiming.uvMetricsInfo.loopCount;
  whenDone(() => {
    const end = performance.now();
    others = end + (end - now);
  });
}

/** Goes on when all is done that what has just been begun does at once: a tick that is asked for behind it comes then. */
export function whenDone(goOn: () => void): void {
  queueMicrotask(() => process.nextTick(goOn));
}
