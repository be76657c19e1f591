import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Code } from '../../src/extensions/code.ts';
import { eventBody } from '../../src/http/api/endpoints/portions.ts';
import { look, rowsOf } from '../dashboard/dashboard.ts';
import { serveApi, type TestApi } from '../support/api.ts';

const code: Code = {
  endpoints: {
    'GET /hello': ({ request: { ip, id } }) => ({ ip, id }),
    'POST /limited/:id': () => undefined,
    'GET /never': () => new Promise(() => undefined),
  },
};

/** The routes of the requests that have ended, as the log gets them. */
const routes: string[] = [];
const readers = [
  {
    wantsSteps: false,
    wantsBodies: false,
    ended: ({ routeName }: { readonly routeName: string }) => void routes.push(routeName),
  },
];

let api: TestApi;
beforeAll(async () => {
  api = await serveApi(
    `code: ./api.ts
access: public
api: { basePath: /api, versions: { 1: {}, 2: {} } }
server: { requestTimeout: 1s, cors: { origins: ["https://shop.example"] } }
rateLimit: { max: 1000, routes: { "POST /limited/:id": { max: 2, window: 1h } } }
resources: { notes: { fields: { text: { type: string } } } }`,
    {},
    undefined,
    { code, readers, mode: 'dev' },
  );
});
afterAll(() => api.stop());
afterEach(() => {
  vi.useRealTimers();
});

test('endpoints lie below the base path, with and without a version', async () => {
  for (const path of ['/api/hello', '/api/v1/hello', '/api/v2/hello'])
    expect((await api.get(path)).status).toBe(200);
  for (const path of ['/hello', '/v1/hello', '/api/v3/hello'])
    expect((await api.get(path)).status).toBe(404);
});

test('the edge answers for them: CORS', async () => {
  const origin = { origin: 'https://shop.example' };
  const asked = await api.send('OPTIONS', '/api/hello', undefined, {
    ...origin,
    'access-control-request-method': 'GET',
  });
  expect(asked.headers.get('access-control-allow-origin')).toBe('https://shop.example');
  const { headers } = await api.get('/api/hello', origin);
  expect(headers.get('access-control-allow-origin')).toBe('https://shop.example');
});

test('quotas count them, those of a route too', async () => {
  expect((await api.get('/api/hello')).headers.get('ratelimit')).not.toBeNull();
  const statuses: number[] = [];
  for (const id of ['1', '2', '3'])
    statuses.push((await api.send('POST', `/api/limited/${id}`)).status);
  expect(statuses).toEqual([204, 204, 429]);
});

test('the simulated network is before them', async () => {
  const { status, body } = await api.get('/api/hello', { 'x-simulate': 'error=503' });
  expect([status, body.code]).toEqual([503, 'SIMULATED_ERROR']);
});

test('log, metrics, trace and dashboard know them by method and path', async () => {
  await look(api);
  routes.length = 0;
  const { headers } = await api.get('/api/v1/hello?_trace=true');
  const id = headers.get('x-request-id');
  await expect.poll(() => routes).toContain('GET /hello');
  expect((await api.get('/_metrics')).text).toMatch(
    /plinth_requests_total\{route="GET \/hello",status="200"\} [1-9]/u,
  );
  const rows = await rowsOf(api);
  expect(rows.find((row) => row.id === id)).toMatchObject({ route: 'GET /hello', status: 200 });
  const { _trace } = (await api.get('/api/v1/hello?_trace=true')).body as {
    readonly _trace: readonly { readonly stage: string }[];
  };
  expect(_trace.map(({ stage }) => stage)).toContain('endpoint');
});

test('the request has the address of the client, and its id', async () => {
  const { body, headers } = await api.get('/api/hello');
  expect(body).toEqual({ ip: '127.0.0.1', id: headers.get('x-request-id') });
});

test('an endpoint without a timeout has that of a request', async () => {
  expect((await api.get('/api/never')).body).toMatchObject({ code: 'HANDLER_TIMEOUT' });
});

test('an event stream that has nothing to say sends a comment every 15 seconds', async () => {
  vi.useFakeTimers();
  const over = new AbortController();
  const never = { next: () => new Promise<never>(() => undefined) };
  const body = eventBody({ source: never, over: over.signal })[Symbol.asyncIterator]();
  let sent = 0;
  for (const seconds of [15, 30]) {
    const next = body.next().then(({ value }) => {
      sent += 1;
      return value;
    });
    await vi.advanceTimersByTimeAsync(14_999);
    expect(sent).toBe(seconds / 15 - 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await next).toBe(':\n\n');
  }
  const last = body.next();
  over.abort();
  expect(await last).toMatchObject({ done: true });
});
