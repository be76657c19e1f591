import { describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { SimulatedNetwork } from '../../src/http/simulation/simulated-network.ts';
import { buildValid } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { ask, draws, useServers } from './network.ts';

const serve = useServers();

test('who waits, or reads over a slow line, holds up nobody else', async () => {
  // Of the one connection that there is, a transaction or a statement left open would keep everybody else.
  const both = await serveBoth(
    `debug: true
resources:
  notes: { fields: { title: { type: string } } }
  slow: { network: { throttling: { rate: 5 } }, fields: { title: { type: string } } }
`,
    {},
    undefined,
    {},
    (url) => openPostgres(url, { poolSize: 1 }),
  );
  const long = { title: 'x'.repeat(500) };
  await both.send('POST', '/v1/slow', long, { prefer: 'return=minimal' });
  const gone = new AbortController();
  const { signal } = gone;
  const asked = both.sides.flatMap(({ url }) => [
    ...Array.from({ length: 20 }, () =>
      fetch(`${url}/v1/notes`, { headers: { 'x-simulate': 'latency=60000' }, signal }),
    ),
    ...['application/json', 'text/csv', 'application/x-ndjson'].map((accept) =>
      fetch(`${url}/v1/slow`, { headers: { accept }, signal }).then((answer) => answer.text()),
    ),
  ]);
  const ended = asked.map((one) =>
    one.then(
      () => 'answered',
      () => 'gone',
    ),
  );
  for (let times = 0; times < 10; times += 1) {
    expect((await both.send('POST', '/v1/notes', { title: 'a' })).status).toBe(201);
    expect((await both.get('/v1/notes?limit=1')).headers.get('x-total-count')).toBe(`${times + 1}`);
  }
  gone.abort();
  expect(new Set(await Promise.all(ended))).toEqual(new Set(['gone']));
  await both.stop();
});

describe('what was done is measured, and told', () => {
  const settings = {
    latency: { min: 20, max: 60 },
    errorRate: 0.3,
    throttling: { rate: 4_000 },
    seed: 11,
  };
  const head = `debug: true\nnetwork: ${JSON.stringify(settings)}`;

  test('of every request in its turn, as the seed has it', async () => {
    const titles = Array.from({ length: 8 }, () => 'x'.repeat(10));
    const api = await serve('debug: true', `, network: ${JSON.stringify(settings)}`);
    for (const title of titles) await api.send('POST', '/v1/others', { title });
    const expected = draws(settings, 8);
    expect(new Set(expected.map(({ errors }) => errors?.status))).toEqual(
      new Set([undefined, 500]),
    );
    for (const { latency, errors } of expected) {
      const begin = performance.now();
      const { status, text, body } = await ask(api, '/v1/notes?_inspectNetwork=true');
      const took = performance.now() - begin;
      const { _network, ...rest } = body as { _network: Record<string, Record<string, number>> };
      expect(status).toBe(errors?.status ?? 200);
      if (status === 200) expect(rest).toEqual({ data: [] });
      else expect(rest).toMatchObject({ status: 500, code: 'SIMULATED_ERROR' });
      const originalSize = status === 200 ? 2 : JSON.stringify(rest).length;
      expect(_network).toEqual({
        latency: { applied: true, min: 20, max: 60, actual: expect.any(Number) as number },
        errorRate: { applied: true, rate: 0.3, triggered: status !== 200 },
        throttling: { applied: true, rate: 4_000, originalSize, additionalDelay: originalSize / 4 },
      });
      // None waits less than was drawn, though timers may come early; what comes late says nothing.
      const wait = latency?.wait ?? 0;
      expect(_network['latency']?.['actual']).toBeGreaterThan(wait - 0.01);
      expect(took).toBeGreaterThan(wait + text.length / 4 - 8);
    }
  });

  test('asking for it switches nothing on', async () => {
    const api = await serve('debug: true');
    for (const path of ['/v1/notes', '/v1/notes/7']) {
      const plain = await ask(api, path);
      const { body } = await ask(api, `${path}?_inspectNetwork=true`);
      expect(body._network).toEqual({
        latency: { applied: false, min: 0, max: 0, actual: 0 },
        errorRate: { applied: false, rate: 0, triggered: false },
        throttling: {
          applied: false,
          rate: 0,
          originalSize: plain.text.length,
          additionalDelay: 0,
        },
      });
    }
  });

  test('in dev as in start', async () => {
    for (const mode of ['dev', 'start'] as const) {
      const api = await serve(head, '', [], mode);
      const { body } = await ask(api, '/v1/notes?_inspectNetwork=true&_trace=true');
      expect(body._network.latency).toMatchObject({ applied: true, min: 20, max: 60 });
      const stages = body._trace.map(({ stage }: { stage: string }) => stage);
      expect(stages.slice(0, 4)).toEqual(['init', 'authentication', 'network', 'authorization']);
    }
  });
});

test('a slow line brings the same bytes', async () => {
  const titles = Array.from({ length: 20 }, (_, index) => `${index} ${'é'.repeat(40)}`);
  const api = await serve('network: { throttling: { rate: 20kb } }', ', network: {}', titles);
  const answer = await api.get('/v1/others?limit=100', { 'accept-encoding': 'identity' });
  expect(answer.body.map(({ title }: { title: string }) => title)).toEqual(titles);
  expect(answer.headers.get('etag')).toMatch(/^"/u);
  const length = String(Buffer.byteLength(answer.text));
  expect(answer.headers.get('content-length')).toBe(length);
  const pressed = await api.get('/v1/others?limit=100', { 'accept-encoding': 'gzip' });
  expect(pressed.text).toBe(answer.text);
  expect(pressed.headers.get('content-length')).toBeNull();
  const lines = await api.get('/v1/others?limit=100', { accept: 'text/csv' });
  expect(lines.text.trim().split('\r\n')).toHaveLength(21);
  expect(lines.headers.get('content-length')).toBeNull();
  const head = await api.send('HEAD', '/v1/others?limit=100', undefined, {
    'accept-encoding': 'identity',
  });
  expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', length]);
  expect((await api.send('DELETE', '/v1/others/1')).status).toBe(204);
});

test('the report tells what was done, and a wait ends when its client goes', async () => {
  const { settings, ...rest } = buildValid(`
debug: true
network: { latency: { min: 2, max: 9 }, errorRate: 0, throttling: { rate: 1000 } }
resources: { notes: { fields: { title: { type: string } } } }
`);
  let now = 0;
  let gone = new AbortController();
  const network = new SimulatedNetwork({ mode: 'start', clock: () => (now += 7.123) });
  const arrive = (asked?: string) =>
    network.simulate(
      {
        method: 'GET',
        headers: asked === undefined ? {} : { 'x-simulate': asked },
        servedApi: { api: { settings, ...rest } },
        whileThere: (work) => work(gone.signal),
      },
      '/v1/notes',
    );
  const caller = {
    authenticated: false,
    roles: new Set<string>(),
    claims: {},
    name: undefined,
    id: undefined,
  };
  const plain = arrive();
  expect(await plain?.delayOrFail(caller)).toBeUndefined();
  expect(plain?.report(250)).toEqual({
    latency: { applied: true, min: 2, max: 9, actual: 7.12 },
    errorRate: { applied: true, rate: 0, triggered: false },
    throttling: { applied: true, rate: 1000, originalSize: 250, additionalDelay: 250 },
  });
  const left = arrive('latency=60000')?.delayOrFail(caller);
  gone.abort();
  await expect(left).rejects.toThrow();
  gone = new AbortController();
  const asked = arrive('latency=3,error=503');
  expect((await asked?.delayOrFail(caller))?.status).toBe(503);
  expect(asked?.report(0)).toMatchObject({
    latency: { applied: true, min: 3, max: 3 },
    errorRate: { applied: true, rate: 1, triggered: true },
  });
});

test('answers that wait on a slow line hold no more together than others that are not taken', async () => {
  const both = await serveBoth(
    `limits: { maxLimit: 100 }
resources:
  notes: { network: { throttling: { rate: 60000 } }, fields: { title: { type: string } } }
`,
    { notes: Array.from({ length: 20 }, () => ({ title: 'x'.repeat(20_000) })) },
    undefined,
    { unsentBytes: 1_200_000 },
  );
  const askedOf = (url: string): Promise<boolean[]> =>
    // Each takes seven seconds, and 800 kB. After five the largest may be cut.
    Promise.all(
      Array.from({ length: 4 }, async () => {
        try {
          return (await (await fetch(`${url}/v1/notes`)).text()).length > 400_000;
        } catch {
          return false;
        }
      }),
    );
  const answers = await Promise.all(both.sides.map(({ url }) => askedOf(url)));
  for (const one of answers) expect(one.filter(Boolean)).toHaveLength(2);
  await both.stop();
});
