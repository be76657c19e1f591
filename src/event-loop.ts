import { performance } from 'node:perf_hooks';
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

const waiting: (() => void)[] = [];

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

/**
 * Waits for a turn of the event loop. Only one of all that wait begins in each, so that many who go through long lists in
 * portions hold up everybody else for no longer than one of them does.
 */
export function ownTurn(): Promise<void> {
  return new Promise((begin) => {
    waiting.push(begin);
    if (waiting.length === 1) setImmediate(nextTurn);
  });
}

function nextTurn(): void {
  const begin = waiting.shift();
  if (waiting.length > 0) setImmediate(nextTurn);
  begin?.();
}
