import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { EndpointContext } from '../../src/extensions/code.ts';
import { caller, withTokens } from '../support/callers.ts';
import { serveOwn, type Own } from '../support/own-code.ts';

const specification = `${withTokens}
name: Orders
api: { versions: { 1: { deprecated: 2026-01-01 }, 2: {} } }
access: { read: public, create: authenticated, update: clerk, delete: none }
server: { requestTimeout: 2s, bodyLimit: 1kb }
resources:
  orders:
    access: { read: public, write: [{ where: 'owner={user.sub}' }] }
    fields:
      customer: { type: string, required: true }
      owner: { type: string, default: '{user.sub}' }
      status: { type: enum, values: [open, paid], default: open }
`;

/** What a test has looked for: aborted signals, closed streams. */
const seen: string[] = [];

async function* numbers({ signal }: EndpointContext): AsyncGenerator {
  try {
    yield { n: 1 };
    yield { n: 2 };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    yield { n: 3 };
  } finally {
    seen.push('closed');
  }
}

const response = new Response('once');

const endpoints = {
  'POST /orders/:id/pay': {
    access: 'authenticated',
    summary: 'Pay an order',
    body: z.object({ token: z.string().min(3) }),
    response: { type: 'object', properties: { paid: { type: 'boolean' } }, required: ['paid'] },
    async handler({ params, body, db, fail }: EndpointContext) {
      const order = await db['orders']?.get(params['id']);
      if (order?.['status'] === 'paid') throw fail(409, 'This order is paid');
      await db['orders']?.update(params['id'], { status: 'paid' });
      return { paid: true, token: body.token as unknown };
    },
  },
  'GET /orders/stats': () => ({ stats: true }),
  'GET /reports/latest': () => 'latest',
  'GET /reports/:year': {
    query: {
      type: 'object',
      properties: { all: { type: 'boolean' } },
      additionalProperties: false,
    },
    handler: ({ params, query }: EndpointContext) => ({ ...params, ...query }),
  },
  'POST /reports/:year': ({ params }: EndpointContext) => ({ made: params['year'] }),
  'PUT /things/:name': () => undefined,
  'DELETE /things/:name': () => 'deleted',
  'GET /echo': {
    access: 'public',
    handler: ({ query, user, request, mode, now }: EndpointContext) => ({
      query,
      sub: user?.sub ?? null,
      method: request.method,
      path: request.path,
      search: request.query.get('a'),
      header: request.headers.get('x-own'),
      mode,
      now: now.getTime() > 0,
    }),
  },
  'GET /claims': ({ user }: EndpointContext) => {
    const claims = user?.claims as Record<string, unknown>;
    const was = claims['set'] ?? null;
    claims['set'] = true;
    return was;
  },
  'GET /clerks': { access: ['clerk', 'admin'], handler: () => 'for clerks' },
  'GET /nobody': { access: 'none', handler: () => 'never' },
  'POST /raw/bytes': {
    access: 'public',
    body: 'bytes',
    handler: ({ body, request, fail }: EndpointContext) => {
      const right = createHmac('sha256', 'key')
        .update(body as Buffer)
        .digest('hex');
      if (request.headers.get('x-signature') !== right) throw fail(401, 'The signature is wrong');
      return { length: (body as Buffer).length };
    },
  },
  'POST /raw/text': {
    access: 'public',
    body: 'text',
    bodyLimit: '4kb',
    handler: ({ body }: EndpointContext) => ({ length: (body as string).length }),
  },
  'POST /raw/form': {
    access: 'public',
    body: 'form',
    handler: ({ body }: EndpointContext) => Object.fromEntries(body as FormData),
  },
  'POST /raw/multipart': {
    access: 'public',
    body: 'multipart',
    async handler({ body }: EndpointContext) {
      const file = (body as FormData).get('file') as File;
      return { name: file.name, text: await file.text(), other: (body as FormData).get('other') };
    },
  },
  'POST /none': {
    access: 'public',
    handler: ({ body }: EndpointContext) => ({ body: body ?? null }),
  },
  'GET /out/null': () => null,
  'GET /out/undefined': async () => undefined,
  'GET /out/list': () => [1, 'a', { b: null }],
  'GET /out/redirect': () => Response.redirect('https://example.com/a', 303),
  'GET /out/cookies': () =>
    new Response('two', {
      status: 203,
      headers: [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x-own', 'yes'],
        ['content-type', 'text/plain'],
        ['content-length', '999'],
        ['connection', 'upgrade'],
        ['cache-control', 'public, max-age=5'],
      ],
    }),
  'GET /out/empty': () => new Response(null, { status: 204 }),
  'GET /out/bytes': () =>
    new Response(new Uint8Array([0, 1, 255]), { headers: { 'content-type': 'image/png' } }),
  'GET /out/twice': () => response,
  'GET /out/error': () => Response.error(),
  'GET /out/raw': () => new Uint8Array([1]),
  'GET /out/function': () => () => 1,
  'GET /out/circle': () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    return circle;
  },
  'GET /out/throws': () => {
    throw new Error('a secret of the inside');
  },
  'GET /out/rejects': async () => {
    await delay(1);
    throw new Error('a secret of the inside');
  },
  'GET /out/fails': ({ fail }: EndpointContext) => fail(418, 'No tea'),
  'GET /out/fails-wrongly': ({ fail }: EndpointContext) => fail(503, 'not a status of callers'),
  'GET /out/lacks': ({ db }: EndpointContext) => db['orders']?.get(999),
  'GET /out/hangs': {
    timeout: '50ms',
    handler: ({ signal }: EndpointContext) =>
      new Promise(() => signal.addEventListener('abort', () => seen.push('aborted'))),
  },
  'GET /streams/numbers': numbers,
  'GET /streams/short': async function* short() {
    yield 1;
    yield 'two';
  },
  'GET /streams/empty': async function* empty() {
    // It ends at once.
  },
  'GET /streams/late': {
    timeout: '50ms',
    handler: async function* late() {
      await delay(10_000, undefined, { ref: false });
      yield 1;
    },
  },
  'GET /streams/long': {
    timeout: '1s',
    handler: async function* long({ signal }: EndpointContext) {
      yield 1;
      await delay(1_200);
      yield signal.aborted;
    },
  },
  'POST /orders/:id/batch': {
    access: 'authenticated',
    handler: async ({ params, request, db }: EndpointContext) => {
      const etag = request.headers.get('x-etag') ?? '';
      const answers = await db.batch([
        { method: 'POST', path: '/orders', body: { customer: 'beside' } },
        {
          method: 'PATCH',
          path: `/orders/${params['id']}`,
          body: { customer: 'changed' },
          headers: { 'If-Match': etag },
        },
      ]);
      return answers.map(({ status }) => status as unknown);
    },
  },
  'GET /streams/fails': async function* fails({ fail }: EndpointContext) {
    yield fail(409, 'before the first value');
  },
  'GET /streams/breaks': async function* breaks() {
    yield 1;
    throw new Error('in the middle');
  },
};

let own: Own;
beforeAll(async () => {
  own = await serveOwn(specification, { endpoints });
});
afterAll(() => own.stop());

const ann = caller({ sub: 'ann' });
const clerk = caller({ sub: 'cleo', roles: ['clerk'] });

describe('a path', () => {
  test.each([
    ['GET', '/v1/reports/latest', 200, '"latest"'],
    ['GET', '/v2/reports/latest', 200, '"latest"'],
    ['GET', '/reports/latest', 200, '"latest"'],
    ['GET', '/v1/reports/2026', 200, '{"year":"2026"}'],
    ['GET', '/v1/reports/a%20%2Fb', 200, '{"year":"a /b"}'],
    ['GET', '/v1/orders/stats', 200, '{"stats":true}'],
    ['HEAD', '/v1/reports/latest', 200, ''],
  ])('%s %s', async (method, path, status, text) => {
    const answer = await own.send(method, path);
    expect([answer.status, answer.text]).toEqual([status, text]);
  });

  test.each([
    ['GET', '/v1/reports', 404, 'UNKNOWN_RESOURCE'],
    ['GET', '/v1/reports/', 404, 'UNKNOWN_RESOURCE'],
    ['GET', '/v1/reports/2026/more', 404, 'UNKNOWN_RESOURCE'],
    ['GET', '/v3/reports/latest', 404, 'UNKNOWN_VERSION'],
    ['GET', '/v1/Reports/latest', 404, 'UNKNOWN_RESOURCE'],
    ['PATCH', '/v1/reports/latest', 405, 'METHOD_NOT_ALLOWED'],
    ['DELETE', '/v1/orders/stats', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '/v1/nobody', 401, 'UNAUTHENTICATED'],
  ])('%s %s is %i', async (method, path, status, code) => {
    const answer = await own.send(method, path);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('that is no UTF-8 is 400', async () => {
    expect((await own.raw('/v1/reports/%ff')).status).toBe(400);
  });

  test('names its methods', async () => {
    expect((await own.send('OPTIONS', '/v1/reports/latest')).headers.get('allow')).toBe(
      'GET, HEAD, POST, OPTIONS',
    );
    expect((await own.send('PUT', '/v1/reports/latest')).headers.get('allow')).toBe(
      'GET, HEAD, POST, OPTIONS',
    );
  });

  test('of a deprecated version links to the next', async () => {
    const { headers } = await own.get('/v1/reports/latest');
    expect(headers.get('deprecation')).not.toBeNull();
    expect(headers.get('link')).toContain('</v2/reports/latest>; rel="successor-version"');
  });
});

describe('access', () => {
  test.each([
    ['GET', '/v1/reports/2026', {}, 200],
    ['POST', '/v1/reports/2026', {}, 401],
    ['POST', '/v1/reports/2026', ann, 200],
    ['PUT', '/v1/things/a', ann, 403],
    ['PUT', '/v1/things/a', clerk, 204],
    ['DELETE', '/v1/things/a', clerk, 403],
    ['GET', '/v1/clerks', {}, 401],
    ['GET', '/v1/clerks', ann, 403],
    ['GET', '/v1/clerks', clerk, 200],
    ['GET', '/v1/nobody', clerk, 403],
    ['GET', '/v1/clerks', { authorization: 'Bearer nonsense' }, 401],
  ])('%s %s', async (method, path, headers, status) => {
    expect((await own.send(method, path, undefined, headers)).status).toBe(status);
  });
});

test('the context tells of the request', async () => {
  const answer = await own.get('/v1/echo?a=1&b=x&b=y', { ...ann, 'x-own': 'yes' });
  expect(answer.body).toEqual({
    query: { a: '1', b: ['x', 'y'] },
    sub: 'ann',
    method: 'GET',
    path: '/v1/echo',
    search: '1',
    header: 'yes',
    mode: 'start',
    now: true,
  });
  expect((await own.get('/v1/echo')).body.sub).toBeNull();
});

test('what a function does to the claims of a caller is gone with its request', async () => {
  expect((await own.get('/v1/claims', ann)).text).toBe('null');
  expect((await own.get('/v1/claims', ann)).text).toBe('null');
});

describe('an order is paid', () => {
  test('with the rights of the caller', async () => {
    const { body: order } = await own.send('POST', '/v1/orders', { customer: 'Ann' }, ann);
    const pay = `/v1/orders/${String(order.id)}/pay`;
    const token = { token: 'tok' };
    expect((await own.send('POST', pay, token)).status).toBe(401);
    expect((await own.send('POST', pay, token, caller({ sub: 'bob' }))).status).toBe(403);
    const paid = await own.send('POST', pay, token, ann);
    expect([paid.status, paid.body]).toEqual([200, { paid: true, token: 'tok' }]);
    const again = await own.send('POST', pay, token, ann);
    expect([again.status, again.body.message]).toEqual([409, 'This order is paid']);
    expect((await own.send('POST', '/v1/orders/999/pay', token, ann)).status).toBe(404);
  });

  test.each([
    [{ token: 'a' }, {}, 400, 'VALIDATION_FAILED'],
    [{}, {}, 400, 'VALIDATION_FAILED'],
    ['{"token"', {}, 400, 'INVALID_JSON'],
    ['', {}, 400, 'INVALID_BODY'],
    ['{"token":"abc","token":"abd"}', {}, 400, 'INVALID_JSON'],
    ['token=abc', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [{ token: 'a'.repeat(2_000) }, {}, 413, 'BODY_TOO_LARGE'],
  ])('but not for %j', async (body, headers, status, code) => {
    const answer = await own.send('POST', '/v1/orders/1/pay', body, { ...ann, ...headers });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('and all problems are told', async () => {
    const { body } = await own.send('POST', '/v1/orders/1/pay', { token: 1 }, ann);
    expect(body.validationErrors).toEqual([
      expect.objectContaining({ field: 'token', error: expect.any(String) as string }),
    ]);
  });
});

test.each([
  ['/v1/reports/2026?all=true', 200, { year: '2026', all: true }],
  ['/v1/reports/2026?all=maybe', 400, undefined],
  ['/v1/reports/2026?other=1', 400, undefined],
])('parameters are checked: %s', async (path, status, body) => {
  const answer = await own.get(path);
  expect(answer.status).toBe(status);
  if (body === undefined) expect(answer.body.code).toBe('INVALID_PARAMETER');
  else expect(answer.body).toEqual(body);
});

describe('a body as it came', () => {
  const sign = (text: string): string => createHmac('sha256', 'key').update(text).digest('hex');

  test('is bytes', async () => {
    const text = '{"a": 1}\n';
    const signed = { 'x-signature': sign(text) };
    expect((await own.send('POST', '/v1/raw/bytes', text, signed)).body).toEqual({ length: 9 });
    const unsigned = await own.send('POST', '/v1/raw/bytes', text);
    expect([unsigned.status, unsigned.body.message]).toEqual([401, 'The signature is wrong']);
  });

  test('is text within a limit of its own', async () => {
    const send = (length: number) => own.send('POST', '/v1/raw/text', 'a'.repeat(length));
    expect((await send(3_000)).body).toEqual({ length: 3_000 });
    expect((await send(5_000)).status).toBe(413);
    const bytes = new Uint8Array([0xff]);
    expect((await own.send('POST', '/v1/raw/text', bytes)).body.code).toBe('INVALID_BODY');
  });

  test('is a form', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await own.send('POST', '/v1/raw/form', 'a=1&b=%20x', type);
    expect(answer.body).toEqual({ a: '1', b: ' x' });
    expect((await own.send('POST', '/v1/raw/form', '{}')).status).toBe(415);
  });

  test('is a form with files', async () => {
    const lines = (name: string, text: string) =>
      `--B\r\ncontent-disposition: form-data; name=${name}\r\n\r\n${text}\r\n`;
    const body = `${lines('"file"; filename="a.txt"', 'text')}${lines('"other"', 'x')}--B--\r\n`;
    const type = { 'content-type': 'multipart/form-data; boundary=B' };
    const answer = await own.send('POST', '/v1/raw/multipart', body, type);
    expect(answer.body).toEqual({ name: 'a.txt', text: 'text', other: 'x' });
    const broken = await own.send('POST', '/v1/raw/multipart', 'nothing', type);
    expect([broken.status, broken.body.code]).toEqual([400, 'INVALID_BODY']);
  });

  test('is refused where none is taken', async () => {
    expect((await own.send('POST', '/v1/none')).body).toEqual({ body: null });
    expect((await own.send('POST', '/v1/none', { a: 1 })).body.code).toBe('INVALID_BODY');
  });
});

describe('an answer', () => {
  test.each([
    ['null', 200, 'null'],
    ['undefined', 204, ''],
    ['list', 200, '[1,"a",{"b":null}]'],
    ['empty', 204, ''],
  ])('of %s', async (name, status, text) => {
    const answer = await own.get(`/v1/out/${name}`);
    expect([answer.status, answer.text]).toEqual([status, text]);
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });

  test('is a Response as it is', async () => {
    const redirect = await own.raw('/v1/out/redirect');
    expect([redirect.status, redirect.headers['location']]).toEqual([303, 'https://example.com/a']);
    const { status, text, headers } = await own.raw('/v1/out/cookies');
    expect([status, text]).toEqual([203, 'two']);
    expect(headers).toMatchObject({
      'set-cookie': ['a=1', 'b=2'],
      'x-own': 'yes',
      'content-type': 'text/plain',
      'cache-control': 'public, max-age=5',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-length']).toBeUndefined();
    const bytes = await own.raw('/v1/out/bytes');
    expect(bytes.headers['content-type']).toBe('image/png');
  });

  test('of a Response that was sent before is 500', async () => {
    expect((await own.get('/v1/out/error')).status).toBe(500);
    // Each side has taken it once, or found it taken.
    await own.sides[0]?.get('/v1/out/twice');
    const again = await own.sides[0]?.get('/v1/out/twice');
    expect(again?.status).toBe(500);
    expect(own.taken().join('\n')).toMatch(/make a new one for each request/u);
  });

  test.each([
    ['raw', /return `new Response\(bytes/u],
    ['function', /a function, which is not JSON/u],
    ['circle', /circular/iu],
    ['throws', /a secret of the inside/u],
    ['rejects', /a secret of the inside/u],
    ['fails-wrongly', /503/u],
  ])('of %s is 500 without a word of the inside', async (name, told) => {
    const answer = await own.get(`/v1/out/${name}`);
    expect([answer.status, answer.body.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(answer.text).not.toMatch(/secret/u);
    expect(own.taken().join('\n')).toMatch(told);
  });

  test('is what the handler or db refuses', async () => {
    expect((await own.get('/v1/out/fails')).body).toMatchObject({ status: 418, message: 'No tea' });
    expect((await own.get('/v1/out/lacks')).body).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(own.taken()).toEqual([]);
  });

  test('comes in time, or is 504', async () => {
    seen.length = 0;
    const answer = await own.get('/v1/out/hangs');
    expect([answer.status, answer.body.code]).toEqual([504, 'HANDLER_TIMEOUT']);
    expect(seen).toEqual(['aborted', 'aborted']);
    expect((await own.get('/v1/streams/late')).body.code).toBe('HANDLER_TIMEOUT');
    own.taken();
  });
});

describe('a stream', () => {
  test('is lines of JSON, or events', async () => {
    const lines = await own.get('/v1/streams/short');
    expect([lines.headers.get('content-type'), lines.text]).toEqual([
      'application/x-ndjson; charset=utf-8',
      '1\n"two"\n',
    ]);
    const events = await own.get('/v1/streams/short', { accept: 'text/event-stream' });
    expect([events.headers.get('content-type'), events.text]).toEqual([
      'text/event-stream; charset=utf-8',
      'data: 1\n\ndata: "two"\n\n',
    ]);
    expect(events.headers.get('cache-control')).toBe('no-store');
    // The deadline ends with the first value.
    expect((await own.get('/v1/streams/long')).text).toBe('1\nfalse\n');
    expect((await own.get('/v1/streams/empty')).text).toBe('');
    expect((await own.send('HEAD', '/v1/streams/short')).text).toBe('');
  });

  test('that fails before its first value is an error, and later it is cut', async () => {
    expect((await own.get('/v1/streams/fails')).body).toMatchObject({ status: 409 });
    const [side] = own.sides;
    await expect(side?.get('/v1/streams/breaks')).rejects.toThrow();
    expect(own.taken().join('\n')).toMatch(/in the middle/u);
  });

  test('ends when its client leaves', async () => {
    seen.length = 0;
    const left = new AbortController();
    const answer = await fetch(`${own.url}/v1/streams/numbers`, { signal: left.signal });
    const reader = answer.body?.getReader();
    let text = '';
    while (!text.includes('2')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    expect(text).toBe('{"n":1}\n{"n":2}\n');
    left.abort();
    await expect.poll(() => seen).toEqual(['closed']);
  });
});

test('no endpoint is part of a batch', async () => {
  const operations = [{ method: 'POST', path: '/orders/1/pay', body: { token: 'tok' } }];
  const answer = await own.send('POST', '/v1/_batch', operations, ann);
  expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_PARAMETER']);
});

test('what must hold together is a batch with If-Match', async () => {
  const { body: order } = await own.send('POST', '/v1/orders', { customer: 'Ann' }, ann);
  const path = `/v1/orders/${String(order.id)}`;
  const etag = (await own.get(path, ann)).headers.get('etag') ?? '';
  const batch = () => own.send('POST', `${path}/batch`, undefined, { ...ann, 'x-etag': etag });
  expect((await batch()).body).toEqual([201, 200]);
  expect((await batch()).body).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' });
  expect((await own.get('/v1/orders?customer=beside', ann)).body).toHaveLength(1);
});

test('event streams end when the server stops', async () => {
  const other = await serveOwn(specification, { endpoints });
  const answer = await fetch(`${other.url}/v1/streams/numbers`, {
    headers: { accept: 'text/event-stream' },
  });
  const text = answer.text();
  await delay(20);
  await other.stop();
  expect(await text).toBe('data: {"n":1}\n\ndata: {"n":2}\n\n');
});
