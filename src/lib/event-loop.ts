import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

const { nodeTiming } = performance;

/** Grows each time the event loop polls. While it stays the same, nothing was received that was sent later. */
export function timesRead(): number {
  const { loopCount, events } = nodeTiming.uvMetricsInfo;
  return loopCount + events;
}

/** After so many ms long work yields to others: a signal, requests that are served meanwhile. */
const sliceLength = 20;

/** Cuts long work that is not urgent into time slices. */
export class TimeSlice {
  private end = performance.now() + sliceLength;

  get isOver(): boolean {
    return performance.now() > this.end;
  }

  /** Yields to others and begins the next slice. */
  async yield(): Promise<void> {
    await turn();
    this.end = performance.now() + sliceLength;
  }
}

const waiting: (() => void)[] = [];
/** The turn of the event loop in which the last caller began, as `loopCount` counts turns. */
let begunIn = -1;

/**
 * Waits for a turn of the event loop in which no other caller begins, in the order of the calls. Work that takes some ms, as
 * a portion of a long list, delays everything else by one portion then, however many lists are read.
 */
export function ownTurn(): Promise<void> {
  return new Promise((begin) => {
    waiting.push(begin);
    if (waiting.length === 1) setImmediate(beginNext);
  });
}

/**
 * As `ownTurn`, but begins at once if no caller waits and none has begun in this turn. A client that has closed its side
 * counts as gone in the next turn.
 */
export function freeTurn(): Promise<void> | undefined {
  const now = nodeTiming.uvMetricsInfo.loopCount;
  if (waiting.length > 0 || now === begunIn) return ownTurn();
  begunIn = now;
  return undefined;
}

function beginNext(): void {
  const now = nodeTiming.uvMetricsInfo.loopCount;
  if (now === begunIn) {
    setImmediate(beginNext);
    return;
  }
  begunIn = now;
  const begin = waiting.shift();
  if (waiting.length > 0) setImmediate(beginNext);
  begin?.();
}
