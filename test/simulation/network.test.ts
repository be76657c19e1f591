import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveApi, type TestApi } from '../support/api.ts';
import { bearer, hashOf } from '../support/tokens.ts';
import { expectError } from '../server/exchanges.ts';
import { ask, draws, useServers } from './network.ts';

const serve = useServers();

describe('what is drawn', () => {
  const settings = {
    latency: { min: 50, max: 200 },
    errorRate: 0.3,
    errors: [{ status: 503, weight: 3 }, { status: 429 }],
  };

  test('is the same for the same seed, and other for another', () => {
    expect(draws(settings, 50)).toEqual(draws(settings, 50));
    expect(draws(settings, 50)).toEqual(draws({ ...settings, seed: 1 }, 50));
    const seeds = [2, -1, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER].map((seed) => ({
      ...settings,
      seed,
    }));
    for (const other of seeds) expect(draws(other, 50)).not.toEqual(draws(settings, 50));
  });

  test('is pinned, so that a run can be repeated on another machine', () => {
    expect(draws({ latency: { min: 0, max: 1_000 } }, 3)).toMatchInlineSnapshot(`
      [
        {
          "errors": undefined,
          "latency": {
            "max": 1000,
            "min": 0,
            "wait": 367.8755429573357,
          },
          "rate": undefined,
        },
        {
          "errors": undefined,
          "latency": {
            "max": 1000,
            "min": 0,
            "wait": 701.2168897781521,
          },
          "rate": undefined,
        },
        {
          "errors": undefined,
          "latency": {
            "max": 1000,
            "min": 0,
            "wait": 535.5897359549999,
          },
          "rate": undefined,
        },
      ]
    `);
  });

  test('keeps to what is configured', () => {
    const all = draws(settings, 10_000);
    const waits = all.map(({ latency }) => latency?.wait ?? 0);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(50);
    expect(Math.max(...waits)).toBeLessThanOrEqual(200);
    const statuses = all.flatMap(({ errors }) => errors?.status ?? []);
    expect(statuses.length / all.length).toBeCloseTo(0.3, 1);
    expect(statuses.filter((status) => status === 503).length / statuses.length).toBeCloseTo(
      0.75,
      1,
    );
    expect(new Set(statuses)).toEqual(new Set([503, 429]));
  });

  test('one setting does not change what another draws', () => {
    const waits = (more: object): unknown =>
      draws({ latency: { min: 1, max: 9 }, ...more }, 20).map(({ latency }) => latency);
    expect(waits({ errorRate: 1, throttling: { rate: 5 } })).toEqual(waits({}));
  });

  test.each([
    [{ latency: { min: 5 } }, { wait: 5, min: 5, max: 5 }],
    [{ latency: {} }, { wait: 0, min: 0, max: 0 }],
  ])('%j', (network, latency) => {
    expect(draws(network, 1)).toMatchObject([{ latency }]);
  });
});

describe('errors', () => {
  test('come at the rate given, and nothing is written then', async () => {
    const api = await serve('network: { errorRate: 1 }', ', network: {}');
    expectError(await api.get('/v1/others'), 'SIMULATED_ERROR', '/v1/others');
    expect((await api.send('POST', '/v1/others', { title: 'a' })).status).toBe(500);
    // A resource's own settings replace those of the API.
    expect((await api.send('POST', '/v1/notes', { title: 'a' })).status).toBe(201);
    const [database] = [api.servedApi.database];
    expect(
      await database.all({ sql: 'SELECT count(*) FROM others', parameters: [] }, { bound: [] }),
    ).toEqual([[0]]);
  });

  test.each([404, 429, 503, 599])('of status %d', async (status) => {
    const api = await serve(`network: { errorRate: 1, errors: [{ status: ${status} }] }`);
    const { body, headers, status: got } = await ask(api, '/v1/notes');
    expect([got, body.status, body.code]).toEqual([status, status, 'SIMULATED_ERROR']);
    expect(headers.has('retry-after')).toBe(status === 429 || status >= 503);
  });

  test('repeat themselves in order of arrival', async () => {
    const head = 'network: { errorRate: 0.5, seed: 7 }';
    const run = async (): Promise<readonly number[]> => {
      const api = await serve(head);
      const statuses = [];
      for (let times = 0; times < 30; times += 1)
        statuses.push((await api.get('/v1/notes')).status);
      return statuses;
    };
    const first = await run();
    expect(new Set(first)).toEqual(new Set([200, 500]));
    expect(await run()).toEqual(first);
  });

  test('never come at what is not a resource, nor for OPTIONS', async () => {
    const api = await serve('network: { errorRate: 1 }');
    for (const path of ['/_health', '/_ready', '/_schema.json'])
      expect((await api.get(path, { 'x-simulate': 'error=503' })).status).toBe(200);
    expect((await api.get('/_nope')).status).toBe(404);
    expect((await api.send('OPTIONS', '/v1/notes')).status).toBe(204);
    expect((await api.get('/elsewhere/a/b')).status).toBe(404);
  });
});

describe('X-Simulate', () => {
  let shared: TestApi;
  beforeAll(async () => {
    shared = await serveApi(
      'debug: true\nresources: { notes: { fields: { title: { type: string } } } }',
    );
  });
  afterAll(() => shared.stop());

  test.each([
    ['error=503', 503],
    ['error=400', 400],
    ['error=599', 599],
    ['latency=1,error=404', 404],
    [' error=500 , latency=0', 500],
    ['latency=1', 200],
  ])('%s', async (header, status) => {
    const { body, ...answer } = await ask(shared, '/v1/notes', header);
    expect(answer.status).toBe(status);
    if (status !== 200) expect(body).toMatchObject({ status, code: 'SIMULATED_ERROR' });
    expect((await shared.get('/v1/notes')).status).toBe(200);
  });

  test.each([
    '',
    'latency',
    'latency=',
    'latency=-1',
    'latency=60001',
    'latency=1.5',
    'latency=1e3',
    'error=399',
    'error=600',
    'error=0503',
    'latency=1,latency=1',
    'latency=1,',
    'rate=5',
    '__proto__=5',
    'toString=1',
    'LATENCY=5',
  ])('%j is 400', async (header) => {
    const answer = await ask(shared, '/v1/notes', header);
    expectError(answer, 'INVALID_PARAMETER', '/v1/notes');
    expect(answer.body.validationErrors).toMatchObject([{ field: 'X-Simulate' }]);
  });

  const auth = `
auth: { apiKeys: [{ name: a, hash: "${hashOf('a')}", roles: [tester] }, { name: b, hash: "${hashOf('b')}" }] }
access: public
debug: { roles: [tester] }`;
  test.each<[head: string, headers: Record<string, string>, status: number]>([
    ['', {}, 200],
    ['debug: false', {}, 200],
    [auth, {}, 200],
    [auth, bearer('b'), 200],
    [auth, bearer('a'), 418],
    [auth, bearer('c'), 401],
  ])('%s: where debug is off it says so', async (head, headers, status) => {
    const api = await serve(head);
    const answer = await ask(api, '/v1/notes', 'error=418', headers);
    expect([answer.status, answer.headers.get('x-debug')]).toEqual([
      status,
      status === 418 ? null : 'disabled',
    ]);
  });

  test('takes the place of what is configured', async () => {
    const api = await serve('debug: true\nnetwork: { errorRate: 1 }');
    expect((await ask(api, '/v1/notes', 'latency=1')).status).toBe(500);
    expect((await ask(api, '/v1/notes', 'error=404')).status).toBe(404);
  });
});
