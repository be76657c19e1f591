import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { serveBoth } from '../support/both.ts';
import { notes, serveEdge, type Asked, type EdgeServer } from './edge.ts';

const from = (origin: string, asked: Asked = {}): Asked => ({
  ...asked,
  headers: { ...asked.headers, origin },
});
const allowed = (headers: IncomingHttpHeaders): unknown => headers['access-control-allow-origin'];
const list =
  'server: { cors: { origins: ["https://shop.example", "http://LOCALHOST:80", "https://x.example:8443"] } }\n';
const asking = {
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'x-api-key',
};

const exposedHeaders = [
  'x-total-count',
  'x-total-pages',
  'x-page',
  'x-limit',
  'x-next-cursor',
  'link',
  'etag',
  'location',
  'allow',
  'preference-applied',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'www-authenticate',
  'deprecation',
  'sunset',
  'x-request-id',
  'x-debug',
  'plinth-position',
];

describe('which origins may call', () => {
  test.each([
    ['start', '', 'https://shop.example', undefined],
    ['start', '', 'http://localhost:5173', undefined],
    ['start', 'server: { cors: true }\n', 'https://any.example', '*'],
    ['start', 'server: { cors: true }\n', 'null', '*'],
    ['start', 'server: { cors: false }\n', 'https://shop.example', undefined],
    ['start', 'server: { cors: { origins: ["*"] } }\n', 'https://any.example', '*'],
    ['start', list, 'https://shop.example', 'https://shop.example'],
    ['start', list, 'http://localhost', 'http://localhost'],
    ['start', list, 'https://x.example:8443', 'https://x.example:8443'],
    ['start', list, 'https://x.example', undefined],
    ['start', list, 'http://shop.example', undefined],
    ['start', list, 'https://shop.example.evil.example', undefined],
    ['start', list, 'https://a.shop.example', undefined],
    ['start', list, 'null', undefined],
    ['start', list, '', undefined],
    ['dev', '', 'http://localhost:5173', 'http://localhost:5173'],
    ['dev', '', 'https://127.0.0.1:8443', 'https://127.0.0.1:8443'],
    ['dev', '', 'http://[::1]:3000', 'http://[::1]:3000'],
    ['dev', '', 'http://app.localhost:3000', 'http://app.localhost:3000'],
    ['dev', '', 'https://shop.example', undefined],
    ['dev', '', 'http://localhost.evil.example', undefined],
    ['dev', '', 'null', undefined],
    ['dev', 'server: { cors: false }\n', 'http://localhost:5173', undefined],
    ['dev', list, 'http://localhost:5173', undefined],
  ] as const)('%s, %j: %s', async (mode, server, origin, expected) => {
    const served = await serveEdge(`${server}${notes}`, { mode });
    const { headers, status } = await served.ask(from(origin));
    expect([status, allowed(headers)]).toEqual([200, expected]);
    expect('access-control-expose-headers' in headers).toBe(expected !== undefined);
    // A page of this machine may say `credentials: 'include'`, as many are written.
    const isLocal = mode === 'dev' && server === '' && expected !== undefined;
    expect(headers['access-control-allow-credentials']).toBe(isLocal ? 'true' : undefined);
    await served.stop();
  });
});

describe('every answer', () => {
  const withServer = async (
    server: string,
    work: (one: EdgeServer) => Promise<void>,
  ): Promise<void> => {
    const served = await serveEdge(`${server}${notes}`);
    await work(served);
    await served.stop();
  };
  const origin = 'https://shop.example';
  const answers: readonly (readonly [string, Asked, number])[] = [
    ['a list', {}, 200],
    ['HEAD', { method: 'HEAD' }, 200],
    ['CSV', { headers: { accept: 'text/csv' } }, 200],
    ['not modified', { headers: { 'if-none-match': '*' } }, 304],
    ['a missing record', { path: '/v1/notes/9' }, 404],
    ['no resource', { path: '/v1/nope' }, 404],
    ['a bad parameter', { path: '/v1/notes?x=1' }, 400],
    ['a method', { method: 'PUT' }, 405],
    ['health', { path: '/_health' }, 200],
    ['plain HTTP', { headers: { 'x-forwarded-for': '192.0.2.1' } }, 403],
  ];

  test('says who may read it, and depends on the origin', async () => {
    await withServer(list, async ({ ask }) => {
      for (const [name, asked, status] of answers) {
        const one = await ask(from(origin, asked));
        expect([one.status, allowed(one.headers)], name).toEqual([status, origin]);
        for (const other of [
          one,
          await ask(asked),
          await ask(from('https://other.example', asked)),
        ])
          expect(other.headers.vary?.split(', '), name).toContain('Origin');
        expect(allowed((await ask(asked)).headers), name).toBeUndefined();
      }
    });
  });

  test('is the same for all where all may read it', async () => {
    await withServer('server: { cors: true }\n', async ({ ask }) => {
      for (const [name, asked] of answers)
        for (const one of [await ask(asked), await ask(from(origin, asked))]) {
          expect(allowed(one.headers), name).toBe('*');
          expect(one.headers.vary, name).not.toContain('Origin');
          expect(one.headers, name).not.toHaveProperty('access-control-allow-credentials');
        }
    });
  });

  test('of a version that has ended can be read, too: a browser may ask for it', async () => {
    const versions = 'api: { versions: { 1: { sunset: 2020-01-01 }, 2: {} } }\n';
    await withServer(`${versions}${list}`, async ({ ask }) => {
      const preflight = await ask(from(origin, { method: 'OPTIONS', headers: asking }));
      expect([preflight.status, allowed(preflight.headers)]).toEqual([204, origin]);
      const plain = await ask(from(origin, { method: 'OPTIONS' }));
      expect([plain.status, allowed(plain.headers)]).toEqual([410, origin]);
      const read = await ask(from(origin));
      expect([read.status, allowed(read.headers)]).toEqual([410, origin]);
    });
  });

  test('exposes the headers that the API sends', async () => {
    await withServer(list, async ({ ask }) => {
      const { headers } = await ask(from(origin));
      const exposed = headers['access-control-expose-headers']?.toLowerCase().split(', ');
      const own = Object.keys(headers).filter(
        (name) =>
          !/^(access-control|vary|date|connection|keep-alive|cache-control|content-|x-content|cross-origin)/u.test(
            name,
          ),
      );
      expect(own).toContain('x-total-count');
      expect(exposed).toEqual(expect.arrayContaining([...own, ...exposedHeaders]));
    });
  });

  test('takes credentials where they are allowed', async () => {
    await withServer(
      `server: { cors: { origins: ["${origin}"], credentials: true } }\n`,
      async ({ ask }) => {
        expect((await ask(from(origin))).headers).toMatchObject({
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
        });
        expect((await ask(from('https://other.example'))).headers).not.toHaveProperty(
          'access-control-allow-credentials',
        );
        const wanted = { 'access-control-request-headers': 'x-client,sentry-trace, bad header,' };
        const { headers } = await ask(
          from(origin, { method: 'OPTIONS', headers: { ...asking, ...wanted } }),
        );
        // Beside credentials an asterisk is a header of that name.
        expect(headers['access-control-allow-headers']).toMatch(
          /^Authorization, .*, baggage, x-client, sentry-trace$/u,
        );
      },
    );
  });
});

describe('a browser that asks first', () => {
  const preflight = (path: string, headers: Record<string, string> = {}): Asked => ({
    method: 'OPTIONS',
    path,
    headers: { origin: 'https://shop.example', ...asking, ...headers },
  });

  test.each([
    ['/v1/notes', 'GET, HEAD, POST, PATCH, DELETE, OPTIONS'],
    ['/v1/notes/1', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    ['/notes/none', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    ['/_health', 'GET, HEAD, OPTIONS'],
    // The call itself tells the script that there is nothing.
    ['/v1/nope', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
  ])('%s', async (path, methods) => {
    const served = await serveEdge(`${list}${notes}`);
    const answer = await served.ask(preflight(path));
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://shop.example',
      'access-control-allow-methods': methods,
      'access-control-max-age': '600',
    });
    const sendable = answer.headers['access-control-allow-headers']?.split(', ');
    expect(sendable).toEqual(
      expect.arrayContaining([
        'Authorization',
        'X-API-Key',
        'Accept',
        'Content-Type',
        'If-Match',
        'If-None-Match',
        'Idempotency-Key',
        'Prefer',
        'X-Sandbox',
        'X-Simulate',
        'X-Request-Id',
        '*',
      ]),
    );
    await served.stop();
  });

  test('without a method, of another origin, or where nobody may call: only what OPTIONS says', async () => {
    const served = await serveEdge(`${list}${notes}`);
    const closed = await serveEdge(notes);
    for (const answer of [
      await served.ask({ method: 'OPTIONS', headers: { origin: 'https://shop.example' } }),
      await served.ask(preflight('/v1/notes', { origin: 'https://evil.example' })),
      await closed.ask(preflight('/v1/notes')),
    ]) {
      expect([answer.status, answer.headers.allow]).toEqual([
        204,
        'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
      ]);
      expect(answer.headers).not.toHaveProperty('access-control-allow-methods');
    }
    expect(
      (await served.ask(preflight('/v1/nope', { origin: 'https://evil.example' }))).status,
    ).toBe(404);
    await served.stop();
    await closed.stop();
  });

  test('over plain HTTP where that is refused hears why', async () => {
    const served = await serveEdge(`${list}${notes}`);
    const asked = preflight('/v1/notes', { 'x-forwarded-for': '192.0.2.1' });
    const { status, code, headers } = await served.ask(asked);
    expect([status, code, allowed(headers)]).toEqual([
      403,
      'HTTPS_REQUIRED',
      'https://shop.example',
    ]);
    await served.stop();
  });

  test('needs no credentials, and everyone hears the same', async () => {
    const auth =
      'auth: { jwt: { algorithms: [HS256], secret: "0123456789abcdef0123456789abcdef" } }\n';
    const served = await serveEdge(`${auth}${list}${notes.replace('public', 'none')}`);
    const answer = await served.ask(preflight('/v1/notes'));
    expect([answer.status, answer.headers['access-control-allow-methods']]).toEqual([
      204,
      'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
    ]);
    await served.stop();
  });

  test('is answered alike over both databases', async () => {
    const both = await serveBoth(`${list}${notes}`);
    const answer = await both.raw('/v1/notes', {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', ...asking },
    });
    expect([answer.status, allowed(answer.headers)]).toEqual([204, 'https://shop.example']);
    await both.stop();
  });
});
