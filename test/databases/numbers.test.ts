import { expect, test } from 'vitest';
import { drainDelays } from '../../src/cli/serve.ts';
import { busyPatience } from '../../src/databases/sqlite/errors.ts';
import { longestDelay } from '../../src/http/load/admission.ts';
import { defaults } from '../../src/http/server/server.ts';
import { buildLimits } from '../../src/model/build/api.ts';
import { databaseDefaults } from '../../src/specification/keys/server.ts';
import schema from '../../schema.json' with { type: 'json' };

/**
 * What these do is tested with other values; which ones hold by themselves only a clock could tell from outside. See
 * docs/contract/6-operation.md#overload and docs/contract/4-errors-and-limits.md#limits.
 */
test.each([
  ['a read may take', databaseDefaults.statementTimeout, 10_000],
  ['a busy SQLite file is waited for', busyPatience, 5_000],
  ['a request may queue', longestDelay, 250],
  ['start is reachable after a signal', drainDelays.start, 1_000],
  ['dev is reachable after a signal', drainDelays.dev, 0],
  ['requests in flight have to end after a signal', defaults.stopTimeout, 10_000],
])('how long %s, in ms', (_what, found, promised) => {
  expect(found).toBe(promised);
});

test.each([
  ['bodyLimit', defaults.bodyLimit, 1024 * 1024],
  ['requestTimeout', defaults.requestTimeout, 30_000],
  ['maxInFlight', defaults.maxInFlight, 1_000],
])('what server.%s is when the file says nothing', (_name, found, promised) => {
  expect(found).toBe(promised);
});

test('the limits that hold when the file sets none', () => {
  expect(buildLimits({})).toEqual({
    defaultLimit: 20,
    maxLimit: 1_000,
    defaultDepth: 3,
    maxDepth: 5,
    expandedItems: 100,
    responseItems: 20_000,
    exportItems: 1_000_000,
    inItems: 500,
    filters: 50,
    sorts: 8,
    groups: 10_000,
    pathDepth: 5,
    urlLength: 8_192,
    batchItems: 1_000,
    bulkItems: 1_000,
    searchWords: 10,
  });
});

test('how long a reader of CSV or NDJSON may stall, in ms', () => {
  expect(defaults.stallTimeout).toBe(60_000);
});

test('and the schema says the same', () => {
  const { bodyLimit, requestTimeout, maxInFlight, maxConnections } =
    schema.properties.server.properties;
  expect([bodyLimit.default, requestTimeout.default]).toEqual(['1MiB', '30s']);
  expect([maxInFlight.default, maxConnections.default]).toEqual([1_000, defaults.maxConnections]);
  const properties = schema.properties.database.anyOf.find(
    (one) => 'properties' in one,
  )?.properties;
  expect([properties?.poolSize.default, properties?.statementTimeout.default]).toEqual([10, '10s']);
  expect(schema.properties.limits.properties.urlLength.default).toBe('8KiB');
});
