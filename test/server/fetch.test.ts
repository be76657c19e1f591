import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveApi, type TestApi } from '../support/api.ts';

const specification = `
server: { bodyLimit: 2KiB }
auth: { apiKeys: [{ name: ci, hash: 'sha256:3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9', roles: [writer] }] }
access: { read: public, create: writer, update: writer, delete: writer }
resources:
  notes: { fields: { text: { type: string, required: true }, size: { type: integer } } }
`;
const key = { 'x-api-key': '0123456789abcdef0123456789abcdef' };
const json = { ...key, 'content-type': 'application/json' };

const endpoints = {
  'GET /endless': async function* endless() {
    yield 1;
    await new Promise(() => undefined);
  },
  // No server of Fetch sends such a status, but the Response of a package may have one.
  'GET /odd': () => Object.defineProperty(new Response('a'), 'status', { value: 999 }),
};

let api: TestApi;
let streams: TestApi;
beforeAll(async () => {
  const own = `code: ./api.ts\n${specification}`;
  streams = await serveApi(own, {}, undefined, { code: { endpoints } });
  api = await serveApi(specification, {}, () => new Date('2026-01-02T03:04:05Z'));
  for (let size = 1; size <= 3; size += 1)
    await ask('POST', '/v1/notes', { headers: json, body: JSON.stringify({ text: 'a', size }) });
});
afterAll(async () => {
  await api.stop();
  await streams.stop();
});

function ask(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  return api.fetch(new Request(`http://api.example${path}`, { method, ...init }));
}

type Asked = readonly [
  method: string,
  path: string,
  init: Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> },
];

/** What differs in every response. */
const own = new Set(['x-request-id', 'date', 'connection', 'keep-alive', 'transfer-encoding']);

async function shown(response: Response): Promise<unknown> {
  const headers = [...response.headers].filter(([name]) => !own.has(name));
  const text = (await response.text()).replace(/"requestId":"[^"]*"/u, '');
  return { status: response.status, headers, text };
}

test.each([
  ['GET', '/v1/notes?limit=2', {}],
  ['GET', '/v1/notes?fields=id&sort=-size', {}],
  ['HEAD', '/v1/notes', {}],
  ['OPTIONS', '/v1/notes', {}],
  [
    'OPTIONS',
    '/v1/notes',
    { headers: { origin: 'http://a.example', 'access-control-request-method': 'GET' } },
  ],
  ['GET', '/v1/notes/2', {}],
  ['GET', '/v1/notes/9', {}],
  ['GET', '/v1/note', {}],
  ['GET', '/v2/notes', {}],
  ['GET', '/v1/notes/%ff', {}],
  ['GET', '/', { headers: { accept: 'text/html' }, redirect: 'manual' }],
  ['GET', '/v1/notes', { headers: { accept: 'text/csv' } }],
  [
    'GET',
    '/v1/notes',
    { headers: { accept: 'application/x-ndjson', 'accept-encoding': 'identity' } },
  ],
  ['GET', '/_health', {}],
  ['GET', '/_docs', {}],
  ['PATCH', '/v1/notes/1', { headers: json, body: '{"size":7}' }],
  ['PATCH', '/v1/notes/1', { headers: json, body: '{"size":' }],
  ['PATCH', '/v1/notes/1', { headers: json, body: `{"text":"${'x'.repeat(3_000)}"}` }],
  ['PATCH', '/v1/notes/1', { headers: json }],
  ['PATCH', '/v1/notes/1', { headers: { 'content-type': 'application/json' }, body: '{}' }],
  ['POST', '/v1/notes', { headers: json, body: '{}' }],
  ['DELETE', '/v1/notes/8', { headers: key }],
] satisfies Asked[] as Asked[])(
  '%s %s is answered as over a socket (%#)',
  async (method, path, init) => {
    const headers = { 'accept-encoding': 'identity', accept: '*/*', ...init.headers };
    const over = await fetch(`${api.url}${path}`, { method, ...init, headers });
    expect(await shown(await ask(method, path, { ...init, headers }))).toEqual(await shown(over));
  },
);

test('a body that is streamed is read piece by piece', async () => {
  const pieces = ['{"text":', '"in pieces"', ',"size":5}'];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = pieces.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(Buffer.from(next));
    },
  });
  const answer = await ask('POST', '/v1/notes', {
    headers: json,
    body,
    duplex: 'half',
  });
  expect([answer.status, await answer.json()]).toMatchObject([201, { text: 'in pieces', size: 5 }]);
  expect(answer.headers.get('location')).toMatch(/^\/v1\/notes\/\d+$/u);
});

test('a streamed body that is too long is refused before its end', async () => {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      controller.enqueue(Buffer.alloc(1_024, ' '));
    },
  });
  const answer = await ask('POST', '/v1/notes', {
    headers: json,
    body,
    duplex: 'half',
  });
  expect([answer.status, sent < 10]).toEqual([413, true]);
});

test('a body that was read before is 500, which says what to do', async () => {
  const request = new Request('http://api.example/v1/notes', {
    method: 'POST',
    headers: json,
    body: '{"text":"a"}',
  });
  await request.text();
  const answer = await api.fetch(request);
  expect([answer.status, await answer.json()]).toMatchObject([
    500,
    {
      code: 'INTERNAL_ERROR',
      message: expect.stringContaining('before what parses bodies') as string,
    },
  ]);
});

test('a request that was aborted rejects with its reason, and the server goes on', async () => {
  const reason = new Error('Not wanted any more');
  await expect(ask('GET', '/v1/notes', { signal: AbortSignal.abort(reason) })).rejects.toThrow(
    reason,
  );
  expect((await ask('GET', '/v1/notes')).status).toBe(200);
});

test('a body whose request is aborted fails, and does not pass for the whole', async () => {
  const left = new AbortController();
  const answer = await streams.fetch(
    new Request('http://api.example/v1/endless', { signal: left.signal }),
  );
  const reader = answer.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('1\n');
  const reason = new Error('Not wanted any more');
  left.abort(reason);
  await expect(reader?.read()).rejects.toThrow(reason);
});

test('a response that Fetch does not take is 500', async () => {
  const answer = await streams.fetch(new Request('http://api.example/v1/odd'));
  expect([answer.status, streams.failures.splice(0).length]).toEqual([500, 1]);
});

test('a body without a media type is refused as over a socket', async () => {
  const body = new Blob(['{"text":"a"}']);
  expect((await ask('POST', '/v1/notes', { headers: key, body })).status).toBe(415);
});

test.each(['api', '/api', '//api//'])('a mount is written as %s', async (mountedAt) => {
  const request = new Request('http://api.example/api/nothing');
  const answer = await api.fetch(request, { mountedAt });
  expect(await answer.json()).toMatchObject({ status: 404, path: '/api/nothing' });
});

test.each(['data:text/plain,a', 'about:blank', 'other:a/b', 'http://a//b/v1/notes'])(
  'a URL that names nothing is 404: %s',
  async (url) => {
    expect((await api.fetch(new Request(url))).status).toBe(404);
  },
);

test('a list whose reader leaves ends, and the server goes on', async () => {
  const answer = await ask('GET', '/v1/notes', { headers: { accept: 'application/x-ndjson' } });
  await answer.body?.cancel();
  expect((await ask('GET', '/v1/notes')).status).toBe(200);
});

test('more requests at once than may be in flight are served or refused, one after the other too', async () => {
  const all = await Promise.all(Array.from({ length: 300 }, () => ask('GET', '/v1/notes/1')));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
  const statuses = new Set<number>();
  for (let index = 0; index < 1_500; index += 1)
    statuses.add((await ask('GET', '/v1/notes/1')).status);
  expect(statuses).toEqual(new Set([200]));
});

test.each([
  ['the whole path', '/api/v1/notes?limit=1'],
  ['a path that the application has cut', '/v1/notes?limit=1'],
])('links begin with the path of the mount: %s', async (_, path) => {
  const request = new Request(`http://api.example${path}`);
  const answer = await api.fetch(request, { mountedAt: '/api/' });
  expect(answer.headers.get('link') ?? (await answer.text())).toContain(
    '</api/v1/notes?limit=1&page=1>; rel="first"',
  );
});

test('a caller without an address is not of this machine, one with an address counts as that', async () => {
  const strict = await serveApi(specification, {}, undefined, {
    mode: 'start',
  });
  const metrics = (context?: { ip: string }): Promise<Response> =>
    strict.fetch(new Request('http://api.example/_metrics'), context);
  expect([
    (await metrics()).status,
    (await metrics({ ip: '127.0.0.1' })).status,
    (await metrics({ ip: '192.0.2.1' })).status,
  ]).toEqual([401, 200, 401]);
  // Neither plain HTTP nor the host is refused.
  expect((await strict.fetch(new Request('http://other.example/v1/notes'))).status).toBe(200);
  await strict.stop();
});

test('a server that is closed takes no more requests', async () => {
  const one = await serveApi(specification);
  await one.stop();
  await expect(one.fetch(new Request('http://api.example/v1/notes'))).rejects.toThrow('is closed');
});
