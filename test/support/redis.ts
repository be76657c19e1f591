import { spawnSync } from 'node:child_process';
import { freePort } from './ports.ts';
import { startProgram, type TestService } from './service.ts';

const named = process.env['PLINTH_TEST_REDIS_URL'];
const isInstalled = spawnSync('redis-server', ['--version']).error === undefined;

/** Why tests with a Redis do not run; undefined where they do. */
export const noRedis: string | undefined =
  isInstalled || named !== undefined
    ? undefined
    : 'no redis-server is installed and PLINTH_TEST_REDIS_URL is not set';

/** Why tests that stop their Redis do not run; undefined where they do. */
export const noOwnRedis: string | undefined = isInstalled
  ? undefined
  : 'no redis-server is installed';

/** Starts a Redis on a port that is free, or on the one given. One that `PLINTH_TEST_REDIS_URL` names cannot be stopped. */
export async function startRedis(port?: number): Promise<TestService> {
  if (!isInstalled && named !== undefined) return { url: named, stop: () => Promise.resolve() };
  const own = port ?? (await freePort());
  const stop = await startProgram('redis-server', (folder) => ({
    args: ['--port', String(own), '--bind', '127.0.0.1', '--save', '', '--dir', folder],
    ready: 'Ready to accept connections',
  }));
  return { url: `redis://127.0.0.1:${own}`, stop };
}
