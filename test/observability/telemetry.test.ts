import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { sendTraces } from '../../src/http/debug/telemetry.ts';
import { WallClock } from '../../src/observability/recording.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { breakTable } from '../support/broken.ts';
import { blog, records } from './debug.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
  readonly status: { readonly code: number };
}

/** A collector that keeps what it is sent. */
interface Collector {
  readonly url: string;
  readonly spans: Span[];
  readonly resources: unknown[];
  readonly paths: (string | undefined)[];
  readonly server: Server;
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function collect(): Promise<Collector> {
  const [spans, resources, paths]: [Span[], unknown[], (string | undefined)[]] = [[], [], []];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      paths.push(request.url);
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as {
        resourceSpans: { resource: unknown; scopeSpans: { spans: Span[] }[] }[];
      };
      for (const { resource, scopeSpans } of resourceSpans) {
        resources.push(resource);
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => new Promise((done) => server.close(done)));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans, resources, paths, server };
}

/** What arrives of the requests that `ask` makes. */
async function traced(ask: (api: TestApi) => Promise<unknown>): Promise<Collector> {
  const collector = await collect();
  const telemetry = sendTraces({
    endpoint: `${collector.url}/`,
    serviceName: 'blog-api',
    database: 'sqlite',
    pathOf: (path) => path,
    told: (error) => expect(error).toBeUndefined(),
  });
  // The requests that write the records are traced too; their spans have other names.
  const api = await serveApi(blog, records, undefined, { readers: [telemetry] });
  await ask(api);
  api.failures.length = 0;
  await api.stop();
  await telemetry.close();
  return collector;
}

const valueOf = ({ attributes }: Span, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

describe('the time on the wall', () => {
  // What the clock on the wall says, in whole ms, and the one that is never set; how far apart they are told to be.
  const moments: readonly (readonly [wall: number, now: number, apart: number])[] = [
    [1_000_000, 10.25, 999_990.5],
    [1_000_001, 10.5, 999_990.5],
    // The clock on the wall was put forward, and back.
    [1_005_000, 11, 1_004_989],
    [1_005_000, 11.75, 1_004_989],
    [1_002_000, 12.5, 1_001_987.5],
    [1_002_001, 12.75, 1_001_988.25],
  ];
  test('is told to fractions of a ms, and never further from the clock than these', () => {
    const clock = new WallClock(999_990.5);
    for (const [wall, now, apart] of moments) expect(clock.at(now, wall, now) - now).toBe(apart);
  });
});

describe('a request', () => {
  test('is a span with its steps and statements below it', async () => {
    const { spans, resources, paths } = await traced((api) =>
      api.get('/v1/posts?expand=author&title=s3cret&limit=1'),
    );
    expect(new Set(paths)).toEqual(new Set(['/v1/traces']));
    expect(JSON.stringify(resources)).toContain('blog-api');
    expect(JSON.stringify(spans)).not.toContain('s3cret');
    const root = spans.find(({ name }) => name === 'GET posts.list');
    if (root === undefined) throw new Error('There is no span of the request');
    expect(root.parentSpanId ?? '').toBe('');
    expect(valueOf(root, 'http.request.method')).toBe('GET');
    expect(valueOf(root, 'url.path')).toBe('/v1/posts');
    expect(valueOf(root, 'http.route')).toBe('posts.list');
    expect(valueOf(root, 'http.response.status_code')).toBe(200);
    const steps = spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
    expect(steps.map(({ name }) => name)).toEqual([
      'init',
      'authentication',
      'authorization',
      'parse_query',
      'fetch_posts',
      'expand_author',
      'finalize',
      'send',
    ]);
    const fetch = steps.find(({ name }) => name === 'fetch_posts');
    const statements = spans.filter(({ parentSpanId }) => parentSpanId === fetch?.spanId);
    expect(statements.map((span) => valueOf(span, 'db.query.text'))).toEqual([
      expect.stringMatching(/^SELECT .* WHERE t\."title" = \+\?/u),
    ]);
    for (const span of spans.filter((other) => other.traceId === root.traceId)) {
      const parent = spans.find((other) => other.spanId === span.parentSpanId) ?? root;
      const times = [parent.startTimeUnixNano, span.startTimeUnixNano];
      times.push(span.endTimeUnixNano, parent.endTimeUnixNano);
      expect(times.toSorted(), span.name).toEqual(times);
    }
  });

  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const spanId = 'b7ad6b7169203331';
  const headers: readonly [header: string, isTaken: boolean, isSent: boolean][] = [
    [`00-${traceId}-${spanId}-01`, true, true],
    // Whoever called has decided that it is not recorded.
    [`00-${traceId}-${spanId}-00`, true, false],
    [`00-${'0'.repeat(32)}-${spanId}-01`, false, true],
    [`00-${traceId}-${'0'.repeat(16)}-01`, false, true],
    [`ff-${traceId}-${spanId}-01`, false, true],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, false, true],
    ['nonsense', false, true],
  ];
  test.each(headers)('goes on with traceparent %s: %s', async (header, isTaken, isSent) => {
    const { spans } = await traced((api) => api.get('/v1/posts', { traceparent: header }));
    const root = spans.find(({ name }) => name === 'GET posts.list');
    expect(root !== undefined).toBe(isSent);
    if (root === undefined) return;
    expect(root.traceId === traceId).toBe(isTaken);
    expect((root.parentSpanId ?? '') === spanId).toBe(isTaken);
  });

  test('that fails is an error with the exception', async () => {
    const { spans } = await traced(async (api) => {
      breakTable(api, 'events');
      await api.get('/v1/events');
      await api.get('/v1/posts/99');
    });
    const failed = spans.find(({ name }) => name === 'GET events.list');
    expect(failed?.status.code).toBe(2);
    expect(JSON.stringify(failed)).toContain('integer overflow');
    const missing = spans.find(({ name }) => name === 'GET posts.read');
    expect(missing?.status.code ?? 0).toBe(0);
    expect(missing && valueOf(missing, 'error.type')).toBe('RESOURCE_NOT_FOUND');
  });

  test('of a probe is none', async () => {
    const { spans } = await traced(async (api) => {
      for (const path of ['/_health', '/_ready', '/_metrics', '/_schema.json']) await api.get(path);
    });
    const routes = spans.map((span) => valueOf(span, 'http.route'));
    expect(routes.filter((route) => String(route).startsWith('/_'))).toEqual(['/_schema.json']);
  });

  test('holds no value that was written', async () => {
    const { spans } = await traced((api) =>
      api.send('POST', '/v1/users', { name: 'Zoe', password: 'hunter4' }),
    );
    expect(spans.map(({ name }) => name)).toContain('write_users');
    expect(JSON.stringify(spans)).not.toMatch(/hunter|Zoe/u);
  });
});

test('the environment may say more of the service', async () => {
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=staging,service.name=blog');
  const { resources } = await traced((api) => api.get('/v1/posts'));
  vi.unstubAllEnvs();
  expect(resources[0]).toMatchObject({
    attributes: expect.arrayContaining([
      { key: 'deployment.environment.name', value: { stringValue: 'staging' } },
      { key: 'service.name', value: { stringValue: 'blog' } },
    ]),
  });
});

test('a collector that is not there holds nobody up, and that it is not is told once', async () => {
  const told: unknown[] = [];
  const telemetry = sendTraces({
    endpoint: 'http://127.0.0.1:9',
    serviceName: 'x',
    database: 'sqlite',
    pathOf: (path) => path,
    told: (error) => told.push(error),
  });
  const api = await serveApi(blog, {}, undefined, { readers: [telemetry] });
  expect((await api.get('/v1/posts')).status).toBe(200);
  await api.stop();
  await expect(telemetry.close()).resolves.toBeUndefined();
  expect(told).toEqual([
    expect.objectContaining({ message: expect.stringContaining('ECONNREFUSED') }),
  ]);
});

test('a collector that answers nothing is waited for 3 s at the end', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  closing.push(() => {
    silent.closeAllConnections();
    return new Promise((done) => silent.close(done));
  });
  const { port } = silent.address() as AddressInfo;
  const telemetry = sendTraces({
    endpoint: `http://127.0.0.1:${port}`,
    serviceName: 'x',
    database: 'sqlite',
    pathOf: (path) => path,
    told: () => undefined,
  });
  const api = await serveApi(blog, {}, undefined, { readers: [telemetry] });
  expect((await api.get('/v1/posts')).status).toBe(200);
  await api.stop();
  const begun = performance.now();
  await telemetry.close();
  expect(performance.now() - begun).toBeLessThan(4_500);
});
