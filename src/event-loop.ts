import { performance } from 'node:perf_hooks';

const { nodeTiming } = performance;

/**
 * Grows each time the event loop asks the system what has come in. While it stays the same, nothing has come that was
 * sent later.
 */
export function timesRead(): number {
  const { loopCount, events } = nodeTiming.uvMetricsInfo;
  return loopCount + events;
}
