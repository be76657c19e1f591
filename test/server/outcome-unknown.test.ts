import { expect, test } from 'vitest';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { migrate } from '../../src/migrations/postgres/schema.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { buildValid, serve } from '../support/api.ts';
import { createDatabase } from '../support/postgres.ts';
import { startProxy } from '../support/proxy.ts';
import { expectError } from './exchanges.ts';

// Whoever repeats such a write at once might do it twice. See docs/contract/3-writing.md#transactions, rule 4.
test('a write whose connection is cut is 503 without Retry-After, and advises a key', async () => {
  const model = buildValid('resources: { notes: { fields: { text: { type: string } } } }');
  const own = await createDatabase();
  const proxy = await startProxy(own.url);
  const database = await openPostgres(proxy.url, { poolSize: 1 });
  await migrate(database, model);
  const failures: unknown[] = [];
  const api = await serve(model, database, { now: () => new Date(), uuid: uuidv7 }, failures);
  proxy.cutOn('cut here');
  const answer = await api.send('POST', '/v1/notes', { text: 'cut here' });
  expectError(answer, 'OUTCOME_UNKNOWN', '/v1/notes');
  expect(answer.headers.has('retry-after')).toBe(false);
  expect(answer.body.message).toContain('Idempotency-Key');
  expect((await api.get('/v1/notes')).body).toEqual([]);
  await api.stop();
  await proxy.stop();
  await own.drop();
});
