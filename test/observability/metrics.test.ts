import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Mode } from '../../src/http/edge/edge.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { breakTable } from '../support/broken.ts';
import { serveBoth } from '../support/both.ts';
import { until } from '../support/command.ts';
import { bossAndHand } from '../support/keys.ts';

const things = `
resources:
  things:
    fields:
      name: { type: string }
`;
const open: TestApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.stop();
});
async function serving(head: string, mode: Mode): Promise<TestApi> {
  const api = await serveApi(`access: public\n${head}\n${things}`, {}, undefined, { mode });
  open.push(api);
  return api;
}

/** The samples of a metric: labels → value. */
async function samplesOf(api: TestApi, name: string): Promise<Readonly<Record<string, number>>> {
  const { text } = await api.get('/_metrics');
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return Object.fromEntries(
    lines.map((line) => {
      const [labels = '', value] = line.slice(name.length).split(/ (?=[^ ]+$)/u);
      return [labels, Number(value)];
    }),
  );
}

describe('what is counted', () => {
  test('requests by route and status', async () => {
    const api = await serving('', 'start');
    await api.send('POST', '/v1/things', { name: 'a' });
    await api.get('/v1/things');
    await api.get('/things?limit=1');
    await api.get('/v1/things?nope=1');
    await api.get('/v1/things/1');
    await api.get('/v1/things/2');
    await api.send('PUT', '/v1/things/1', {});
    await api.send('PATCH', '/v1/things/1', {});
    await api.send('DELETE', '/v1/things/1');
    await api.send('POST', '/v1/things/1');
    await api.get('/_health');
    for (const path of ['/a', '/b', '/_c', '/v1/d', '/v9/things']) await api.get(path);
    expect(await samplesOf(api, 'plinth_requests_total')).toEqual({
      '{route="things.create",status="201"}': 1,
      '{route="things.list",status="200"}': 2,
      '{route="things.list",status="400"}': 1,
      '{route="things.read",status="200"}': 1,
      '{route="things.read",status="404"}': 1,
      '{route="things.replace",status="200"}': 1,
      '{route="things.update",status="200"}': 1,
      '{route="things.delete",status="204"}': 1,
      '{route="things",status="405"}': 1,
      '{route="/_health",status="200"}': 1,
      '{route="unknown",status="404"}': 5,
    });
  });

  test('what the simulated network has failed counts where it was going', async () => {
    const api = await serving('network: { errorRate: 1 }', 'start');
    await api.get('/v1/things');
    await api.get('/v1/things/1');
    await api.send('POST', '/v1/things/1');
    await api.get('/v1/others');
    expect(await samplesOf(api, 'plinth_requests_total')).toEqual({
      '{route="things.list",status="500"}': 1,
      '{route="things.read",status="500"}': 1,
      '{route="things",status="500"}': 1,
      '{route="unknown",status="500"}': 1,
    });
  });

  test('how long they took, in a histogram that adds up', async () => {
    const api = await serving('', 'start');
    for (let count = 0; count < 5; count += 1) await api.get('/v1/things');
    const name = 'plinth_request_duration_seconds';
    const buckets = Object.entries(await samplesOf(api, `${name}_bucket`)).filter(([labels]) =>
      labels.includes('things.list'),
    );
    expect(buckets.length).toBeGreaterThan(10);
    const values = buckets.map(([, value]) => value);
    expect(values.toSorted((a, b) => a - b)).toEqual(values);
    expect(buckets.at(-1)).toEqual(['{le="+Inf",route="things.list"}', 5]);
    expect((await samplesOf(api, `${name}_count`))['{route="things.list"}']).toBe(5);
    expect((await samplesOf(api, `${name}_sum`))['{route="things.list"}']).toBeGreaterThan(0);
  });

  test('requests in flight, of which this is one', async () => {
    const api = await serving('', 'start');
    await api.get('/v1/things');
    expect(await samplesOf(api, 'plinth_requests_in_flight')).toEqual({ '': 1 });
  });

  test('failures', async () => {
    const api = await serving('', 'start');
    breakTable(api, 'things');
    await api.get('/v1/things');
    expect(await samplesOf(api, 'plinth_requests_total')).toEqual({
      '{route="things.list",status="500"}': 1,
    });
    expect(api.failures.splice(0)).toHaveLength(1);
  });

  test('refusals by quota', async () => {
    const api = await serving('rateLimit: { max: 2, window: 60s }', 'start');
    for (let count = 0; count < 5; count += 1) await api.get('/v1/things');
    expect(await samplesOf(api, 'plinth_requests_rate_limited_total')).toEqual({ '': 3 });
    expect(await samplesOf(api, 'plinth_requests_total')).toMatchObject({
      '{route="things.list",status="200"}': 2,
      '{route="unknown",status="429"}': 3,
    });
  });

  test('what cannot be reached', async () => {
    const store = 'rateLimit: { max: 9, window: 60s, store: "redis://127.0.0.1:9" }';
    const [api, other] = [await serving('', 'start'), await serving(store, 'start')];
    const name = 'plinth_dependency_failing';
    const label = '{dependency="rate limit store"}';
    await other.get('/v1/things');
    expect((await samplesOf(api, name))[label]).toBe(0);
    await expect.poll(async () => (await samplesOf(other, name))[label]).toBe(1);
  });

  test('refusals by load; who asks for metrics is none of those who are too many', async () => {
    const api = await serving('server: { maxInFlight: 1 }', 'dev');
    const leaving = new AbortController();
    // It is under way until its client goes.
    const held = fetch(`${api.url}/v1/things`, {
      headers: { 'x-simulate': 'latency=30000' },
      signal: leaving.signal,
    }).catch(() => 'gone');
    const underWay = async (): Promise<number | undefined> =>
      (await samplesOf(api, 'plinth_requests_in_flight'))[''];
    await until(async () => (await underWay()) === 2);
    expect(await samplesOf(api, 'plinth_requests_shed_total')).toEqual({ '': 0 });
    for (const path of ['/v1/things', '/v1/things/1'])
      expect((await api.get(path)).body.code).toBe('OVERLOADED');
    expect(await samplesOf(api, 'plinth_requests_shed_total')).toEqual({ '': 2 });
    expect(await samplesOf(api, 'plinth_requests_total')).toEqual({
      '{route="unknown",status="503"}': 2,
      '{route="/_metrics",status="200"}': expect.any(Number),
    });
    leaving.abort();
    expect(await held).toBe('gone');
    await until(async () => (await underWay()) === 1);
    expect(await samplesOf(api, 'plinth_requests_total')).toMatchObject({
      '{route="things.list",status="499"}': 1,
    });
    expect((await api.get('/v1/things')).status).toBe(200);
  });

  test('the event loop and the process', async () => {
    const api = await serving('', 'start');
    const { text } = await api.get('/_metrics');
    for (const name of ['nodejs_eventloop_lag_seconds', 'process_resident_memory_bytes'])
      expect(text).toContain(`\n${name} `);
  });
});

describe('the database', async () => {
  const both = await serveBoth(`access: public\n${things}`, { things: [{ name: 'a' }] });
  afterAll(() => both.stop());

  test('time and calls', async () => {
    const [sqlite] = both.sides;
    for (const side of both.sides) {
      const calls = (await samplesOf(side, 'plinth_database_calls_total'))[''] ?? 0;
      expect(calls).toBeGreaterThan(0);
      await side.get('/v1/things?limit=1');
      await side.send('PATCH', '/v1/things/1', { name: 'b' });
      // Rows and their number, which PostgreSQL gives at once; the write with all of its statements.
      const made = side === sqlite ? 3 : 2;
      expect(await samplesOf(side, 'plinth_database_calls_total')).toEqual({ '': calls + made });
      expect((await samplesOf(side, 'plinth_database_seconds_total'))['']).toBeGreaterThan(0);
    }
  });

  test('the pool of PostgreSQL', async () => {
    const [sqlite, postgres] = both.sides;
    const name = 'plinth_database_connections';
    expect(sqlite && (await samplesOf(sqlite, name))).toEqual({});
    const states = (postgres && (await samplesOf(postgres, name))) ?? {};
    expect(Object.keys(states)).toEqual(['{state="busy"}', '{state="idle"}', '{state="waiting"}']);
    expect(states['{state="busy"}']).toBe(0);
    expect(states['{state="idle"}']).toBeGreaterThan(0);
  });
});

describe('who may read them', () => {
  const far = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
  const cases: readonly [mode: Mode, head: string, isFar: boolean, status: number][] = [
    ['dev', '', false, 200],
    ['dev', '', true, 200],
    ['start', '', false, 200],
    ['start', 'metrics: true', true, 200],
    ['start', '', true, 403],
    ['start', `metrics: { roles: [admin] }\n${bossAndHand}`, true, 401],
    ['start', `metrics: { roles: [admin] }\n${bossAndHand}`, false, 200],
    ['start', 'metrics: false', false, 404],
    ['dev', 'metrics: false', false, 404],
  ];
  test.each(cases)('%s, %s, from afar %s: %i', async (mode, head, isFar, status) => {
    const api = await serving(`server: { trustProxy: [127.0.0.1] }\n${head}`, mode);
    const answer = await api.get('/_metrics', isFar ? far : {});
    expect(answer.status).toBe(status);
    if (status === 200)
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/u);
    else expect(answer.text).not.toContain('plinth_');
  });
  test('callers from afar with a role of `metrics.roles`', async () => {
    const head = `server: { trustProxy: [127.0.0.1] }\nmetrics: { roles: [admin] }\n${bossAndHand}`;
    const api = await serving(head, 'start');
    const ask = async (key: string): Promise<number> =>
      (await api.get('/_metrics', { ...far, 'x-api-key': key })).status;
    expect([await ask('boss-key'), await ask('hand-key'), await ask('nobody')]).toEqual([
      200, 403, 401,
    ]);
  });
  test('only by GET and HEAD', async () => {
    const api = await serving('', 'start');
    expect((await api.send('POST', '/_metrics', {})).status).toBe(405);
    expect((await api.send('HEAD', '/_metrics')).status).toBe(200);
  });
});
