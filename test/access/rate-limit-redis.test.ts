import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveApi, type TestApi } from '../support/api.ts';
import { startProxy } from '../support/proxy.ts';
import { noOwnRedis, noRedis, startRedis } from '../support/redis.ts';
import type { TestService } from '../support/service.ts';
import { hashOf } from '../support/tokens.ts';

const specification = (url: string, quota: string): string => `
auth: { apiKeys: [{ name: "${quota}", hash: "${hashOf('key')}" }] }
rateLimit: { store: "${url}", failures: { max: 3, window: 10s }, perKey: { ${quota} }, perIp: { ${quota} } }
resources: { notes: { access: public, fields: { title: { type: string } } } }
`;
const key = { 'x-api-key': 'key' };
const statuses = async (apis: readonly TestApi[], times: number): Promise<readonly number[]> => {
  const answers = [];
  for (let index = 0; index < times; index += 1)
    answers.push((await apis[index % apis.length]?.get('/v1/notes', key))?.status ?? 0);
  return answers;
};
const stopAll = (apis: readonly TestApi[]): Promise<unknown> =>
  Promise.all(apis.map((api) => api.stop()));

describe.skipIf(noRedis !== undefined)(
  `servers that share a Redis${noRedis === undefined ? '' : ` (skipped: ${noRedis})`}`,
  () => {
    let redis: TestService;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis?.stop());
    const serve = (quota: string): Promise<TestApi> => serveApi(specification(redis.url, quota));

    test('share a count', async () => {
      const quota = `max: 5, window: ${60_000 + (Date.now() % 1_000_000)}ms`;
      const apis = [await serve(quota), await serve(quota)];
      expect(await statuses(apis, 7)).toEqual([200, 200, 200, 200, 200, 429, 429]);
      expect(apis.flatMap((api) => api.dependencies)).toEqual([]);
      await stopAll(apis);
    });

    test('begin a window again when it is over', async () => {
      const api = await serve('max: 1, window: 300ms');
      expect(await statuses([api], 1)).toEqual([200]);
      await expect.poll(async () => await statuses([api], 1)).toEqual([200]);
      await api.stop();
    });

    test('share the count of failed logins', async () => {
      const quota = 'max: 10000, window: 1h';
      const apis = [await serve(quota), await serve(quota)];
      const answers = [];
      for (let index = 0; index < 5; index += 1)
        answers.push((await apis[index % 2]?.get('/v1/notes', { 'x-api-key': 'wrong' }))?.status);
      expect(answers).toEqual([401, 401, 401, 429, 429]);
      // Failures lock out failures only.
      expect(await statuses(apis, 2)).toEqual([200, 200]);
      await stopAll(apis);
    });
  },
);

describe('while the Redis is out of reach', () => {
  test('each server counts in its own memory, and says so once', async () => {
    // Nothing listens there.
    const apis = [0, 1].map(() =>
      serveApi(specification('redis://127.0.0.1:1', 'max: 2, window: 1h')),
    );
    const both = await Promise.all(apis);
    expect(await statuses(both, 6)).toEqual([200, 200, 200, 200, 429, 429]);
    for (const { dependencies } of both)
      expect(dependencies).toMatchObject([{ kind: 'dependency', name: 'rate limit store' }]);
    expect(String(both[0]?.dependencies[0]?.error)).toContain('ECONNREFUSED');
    await stopAll(both);
  });

  test('it is said before anybody asks', async () => {
    const api = await serveApi(specification('redis://127.0.0.1:1', 'max: 2, window: 1h'));
    await expect.poll(() => api.dependencies).toMatchObject([{ name: 'rate limit store' }]);
    expect(String(api.dependencies[0]?.error)).toContain('ECONNREFUSED');
    await api.stop();
  });

  test('one that never answers holds nobody up for long', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const api = await serveApi(specification(`redis://127.0.0.1:${port}`, 'max: 100, window: 1h'));
    expect(new Set(await statuses([api], 30))).toEqual(new Set([200]));
    expect(api.dependencies).toHaveLength(1);
    await api.stop();
    silent.close();
  });

  test.skipIf(noOwnRedis !== undefined)(
    `it is used again when it is back${noOwnRedis === undefined ? '' : ` (skipped: ${noOwnRedis})`}`,
    async () => {
      const first = await startRedis();
      const api = await serveApi(specification(first.url, 'max: 10000, window: 1h'));
      expect(await statuses([api], 2)).toEqual([200, 200]);
      await first.stop();
      expect(await statuses([api], 3)).toEqual([200, 200, 200]);
      expect(api.dependencies).toHaveLength(1);
      expect(String(api.dependencies[0]?.error)).toMatch(/the connection was lost|ECONNREFUSED/u);
      const second = await startRedis(Number(new URL(first.url).port));
      await expect
        .poll(async () => [await statuses([api], 1), api.dependencies.length])
        .toEqual([[200], 2]);
      expect(api.dependencies[1]?.error).toBeUndefined();
      expect(api.failures).toEqual([]);
      await api.stop();
      await second.stop();
    },
  );

  test.skipIf(noRedis !== undefined)(
    `a connection through which nothing comes any more is left for another${noRedis === undefined ? '' : ` (skipped: ${noRedis})`}`,
    async () => {
      const redis = await startRedis();
      const proxy = await startProxy(redis.url);
      const api = await serveApi(specification(proxy.url, 'max: 10000, window: 1h'));
      expect(await statuses([api], 2)).toEqual([200, 200]);
      proxy.silence();
      expect(await statuses([api], 1)).toEqual([200]);
      expect(api.dependencies).toHaveLength(1);
      await expect
        .poll(async () => [await statuses([api], 1), api.dependencies.length])
        .toEqual([[200], 2]);
      expect(api.dependencies[1]?.error).toBeUndefined();
      await api.stop();
      await proxy.stop();
      await redis.stop();
    },
  );
});
