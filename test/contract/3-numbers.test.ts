import { expect, test } from 'vitest';
import { drainDelays } from '../../src/cli/serve.ts';
import { defaultStatementTimeout } from '../../src/execute/sqlite.ts';
import { busyPatience } from '../../src/execute/sqlite-errors.ts';
import { longestDelay } from '../../src/http/overload.ts';

/** What these do is tested with other values; which ones hold by themselves only a clock could tell from outside. */
test.each([
  ['a read of SQLite may take', defaultStatementTimeout, 10_000],
  ['a busy SQLite file is waited for', busyPatience, 5_000],
  ['a request may wait for its turn', longestDelay, 250],
  ['start is reachable after a signal', drainDelays.start, 1_000],
  ['dev is reachable after a signal', drainDelays.dev, 0],
])('contract 3, Overload: how long %s, in ms', (_what, found, promised) => {
  expect(found).toBe(promised);
});
