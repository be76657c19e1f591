import { expect, test } from 'vitest';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { until } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';
import { startProxy } from '../support/proxy.ts';
import { none, statement } from '../support/things.ts';

const isWriting = (): boolean => process.getActiveResourcesInfo().includes('SimpleWriteWrap');

test('what a server that stands still does not take is not kept for it', async () => {
  const server = await createDatabase();
  const proxy = await startProxy(server.url);
  const database = await openPostgres(proxy.url, { poolSize: 1, statementTimeout: 2_000 });
  proxy.silence();
  // More than the system holds of a connection.
  const long = statement(`SELECT '${'x'.repeat(30_000_000)}'`);
  await expect(database.all(long, none)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(isWriting()).toBe(true);
  await until(() => !isWriting());
  await database.close();
  await proxy.stop();
  await server.drop();
});
