import { setTimeout as delay } from 'node:timers/promises';
import type { ServedApi } from '../../http/server/served-api.ts';

/** How long requests wait for others to end before the database is changed, and are then let in again, in ms. */
const longestSuspension = 1_000;
const betweenSuspensions = 250;
/** After it the database is changed whoever is still there: a stream that nobody reads must not hold it up. */
const patience = 5_000;

/** Runs what changes the database while no request does, as far as that can be had in time. */
export async function withoutRequests<Value>(
  servedApi: ServedApi,
  work: () => Promise<Value>,
): Promise<Value> {
  const end = performance.now() + patience;
  for (;;) {
    const resume = servedApi.suspend();
    try {
      const over = new AbortController();
      const late = delay(longestSuspension, false, { signal: over.signal }).catch(() => false);
      const isQuiet = await Promise.race([servedApi.inFlight.none().then(() => true), late]);
      over.abort();
      if (isQuiet || performance.now() > end) return await work();
    } finally {
      resume();
    }
    await delay(betweenSuspensions);
  }
}
