import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A Redis of a test's own, or one that `PLINTH_TEST_REDIS_URL` names, which cannot be stopped. */
export interface TestRedis {
  readonly url: string;
  /** Ends it at once, as a crash would. */
  readonly stop: () => Promise<void>;
}

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

/** Starts a Redis on a port that is free, or on the one given. */
export async function startRedis(port?: number): Promise<TestRedis> {
  if (!isInstalled && named !== undefined) return { url: named, stop: () => Promise.resolve() };
  const folder = mkdtempSync(join(tmpdir(), 'plinth-redis-'));
  const own = port ?? (await freePort());
  const args = ['--port', String(own), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise<void>((done) => {
    child.once('exit', () => {
      rmSync(folder, { recursive: true, force: true });
      done();
    });
  });
  let printed = '';
  await new Promise<void>((done, failed) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.includes('Ready to accept connections')) done();
    });
    void ended.then(() => failed(new Error(printed)));
  });
  return {
    url: `redis://127.0.0.1:${own}`,
    stop: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** A port of this machine that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
