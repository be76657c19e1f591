import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorTable } from '../../src/errors.ts';
import type { TestApi } from '../support/api.ts';
import { ask, expectError, serveExchanges, testExchanges, type Rows } from './exchanges.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveExchanges();
});
afterAll(() => api.stop());

const json = { 'content-type': 'application/json' };
const large = JSON.stringify({ title: 'x'.repeat(3000) });

describe('paths', () => {
  const unknown = (...paths: string[]): Rows =>
    paths.map((path) => ({
      name: path,
      request: `GET ${path}`,
      status: 404,
      code: 'UNKNOWN_RESOURCE',
    }));
  testExchanges(
    () => api,
    [
      ...unknown(
        '/',
        '/?_debug=true',
        '/v1',
        '/v1/',
        '/v1/posts/',
        '/v1/Posts',
        '/V1/posts',
        '//v1/posts',
        '/v1//posts',
      ),
      ...unknown(
        '/v1/posts/1/',
        '/v1/posts/1/comments',
        '/v1/posts//1',
        '/nothing',
        '/v1/constructor',
      ),
      ...unknown(
        '/v1/__proto__',
        '/_nothing',
        '/_health/',
        '/__proto__',
        '/v1/posts%2F1',
        '/v1/posts;a=1',
      ),
      { name: 'another version', request: 'GET /v2/posts', status: 404, code: 'UNKNOWN_VERSION' },
      {
        name: 'a version with a zero',
        request: 'GET /v01/posts',
        status: 404,
        code: 'UNKNOWN_VERSION',
      },
      { name: 'version 0', request: 'GET /v0/posts', status: 404, code: 'UNKNOWN_VERSION' },
      {
        name: 'bad encoding',
        request: 'GET /v1/posts/%zz',
        status: 400,
        code: 'MALFORMED_REQUEST',
      },
      { name: 'bad UTF-8', request: 'GET /v1/posts/%ff', status: 400, code: 'MALFORMED_REQUEST' },
      {
        name: 'half an escape',
        request: 'GET /v1/posts/%',
        status: 400,
        code: 'MALFORMED_REQUEST',
      },
      { name: 'an encoded letter', request: 'GET /v1/%70osts/1', status: 200 },
      {
        name: 'a long URL',
        request: `GET /v1/posts?fields=${'a'.repeat(8192)}`,
        status: 414,
        code: 'URI_TOO_LONG',
      },
    ],
  );

  test('404 names the nearest resource', async () => {
    const { body } = await api.get('/v1/post');
    expect(body.message).toBe('There is no resource post; did you mean posts?');
  });
});

describe('methods', () => {
  const collection = 'GET, HEAD, POST, PATCH, DELETE, OPTIONS';
  const record = 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS';
  test.each([
    ['PUT', '/v1/posts', collection],
    ['PROPFIND', '/v1/posts', collection],
    ['POST', '/v1/posts/1', record],
    ['POST', '/v1/posts/none', record],
    ['LOCK', '/v1/posts/1', record],
    ['POST', '/_health', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/_schema.json', 'GET, HEAD, OPTIONS'],
  ])('%s %s: 405', async (method, path, allow) => {
    const answer = await ask(api, `${method} ${path}`);
    expectError(answer, 'METHOD_NOT_ALLOWED', path);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test.each([
    ['/v1/posts', collection],
    ['/v1/posts/1', record],
    ['/v1/posts/none', record],
    ['/_ready', 'GET, HEAD, OPTIONS'],
  ])('OPTIONS %s', async (path, allow) => {
    const answer = await ask(api, `OPTIONS ${path}`);
    expect([answer.status, answer.text, answer.headers.get('allow')]).toEqual([204, '', allow]);
  });

  testExchanges(
    () => api,
    [
      {
        name: 'OPTIONS of nothing',
        request: 'OPTIONS /v1/nope',
        status: 404,
        code: 'UNKNOWN_RESOURCE',
      },
    ],
  );

  test.each([
    '/v1/posts',
    '/v1/posts/1',
    '/v1/posts/99',
    '/v1/posts?nope=1',
    '/_health',
    '/v9/posts',
  ])('HEAD %s is GET without its body', async (path) => {
    const [get, head] = [await api.get(path), await ask(api, `HEAD ${path}`)];
    expect([head.status, head.text]).toEqual([get.status, '']);
    const lasting = ({ headers }: typeof get): unknown[] =>
      [...headers].filter(
        ([name]) => !['date', 'x-request-id', 'connection', 'keep-alive'].includes(name),
      );
    expect(lasting(head)).toEqual(lasting(get));
  });
});

describe('media types', () => {
  const body = JSON.stringify({ title: 'media' });
  const refused: readonly (readonly [string, Record<string, string>])[] = [
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form with files', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['another JSON', { 'content-type': 'application/vnd.api+json' }],
    ['a longer name', { 'content-type': 'application/jsonp' }],
    ['another charset', { 'content-type': 'application/json; charset=latin1' }],
    ['no type', { 'content-type': ';;;' }],
    ['rubbish', { 'content-type': '"' }],
    ['an encoded body', { ...json, 'content-encoding': 'gzip' }],
    ['two encodings', { ...json, 'content-encoding': 'identity, br' }],
  ];
  test.each(refused)('415: %s', async (_, headers) => {
    for (const request of ['POST /v1/posts', 'PUT /v1/posts/1', 'PATCH /v1/posts/1'])
      expectError(
        await ask(api, request, body, headers),
        'UNSUPPORTED_MEDIA_TYPE',
        request.split(' ')[1],
      );
  });

  test.each([
    ['application/json'],
    ['Application/JSON'],
    ['application/json;charset=utf-8'],
    ['application/json; charset="UTF-8"'],
    ['application/json; foo=bar'],
  ])('taken: %s', async (type) => {
    const answer = await ask(api, 'PATCH /v1/posts/2', '{}', { 'content-type': type });
    expect(answer.status).toBe(200);
  });

  test('taken: Content-Encoding identity', async () => {
    const headers = { ...json, 'content-encoding': 'identity' };
    expect((await ask(api, 'PATCH /v1/posts/2', '{}', headers)).status).toBe(200);
  });

  test.each([
    ['application/json', 200],
    ['application/*', 200],
    ['*/*', 200],
    ['', 200],
    ['APPLICATION/JSON', 200],
    ['text/html, */*;q=0.1', 200],
    ['application/json; q=0.001', 200],
    ['text/html', 406],
    ['application/xml, text/*', 406],
    ['*/*;q=0', 406],
    ['application/json;q=0, */*', 406],
    ['application/*;q=0, */*', 406],
    ['application/*;q=0, application/json', 200],
  ])('Accept: %s', async (accept, status) => {
    const answer = await api.get('/v1/posts/1', { accept });
    expect(answer.status).toBe(status);
    if (status === 406) expectError(answer, 'NOT_ACCEPTABLE', '/v1/posts/1');
  });

  test('406 changes nothing', async () => {
    const headers = { ...json, accept: 'text/html' };
    expectError(await ask(api, 'POST /v1/posts', body, headers), 'NOT_ACCEPTABLE', '/v1/posts');
    expectError(
      await ask(api, 'DELETE /v1/posts/2', undefined, headers),
      'NOT_ACCEPTABLE',
      '/v1/posts/2',
    );
    expect((await api.get('/v1/posts/2')).status).toBe(200);
  });
});

describe('the headers of every answer', () => {
  test.each([
    ['GET /v1/posts', undefined, 200],
    ['GET /v1/posts/1', undefined, 200],
    ['HEAD /v1/posts/1', undefined, 200],
    ['OPTIONS /v1/posts', undefined, 204],
    ['OPTIONS /_health', undefined, 204],
    ['GET /_health', undefined, 200],
    ['POST /v1/posts', { title: 'headers' }, 201],
    ['PATCH /v1/posts/2', {}, 200],
    ['PUT /v1/posts/2', { title: 'two' }, 200],
    ['DELETE /v1/posts/3', undefined, 204],
    ['GET /v1/posts/99', undefined, 404],
    ['GET /nope', undefined, 404],
    ['POST /v1/posts', {}, 400],
    ['POST /v1/posts', large, 413],
  ])('%s', async (request, body, status) => {
    const answer = await ask(api, request, body);
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/u),
      vary: expect.stringContaining('Accept'),
    });
    const hasBody = status !== 204;
    expect(answer.headers.get('content-type')).toBe(
      hasBody ? 'application/json; charset=utf-8' : null,
    );
    expect(answer.headers.has('content-length')).toBe(hasBody);
    expect(answer.headers.get('transfer-encoding')).toBeNull();
    expect(answer.headers.get('server')).toBeNull();
    expect(answer.headers.get('x-powered-by')).toBeNull();
  });

  test('304 has its tag and neither type nor length', async () => {
    const first = await api.get('/v1/posts/1');
    const tag = first.headers.get('etag') ?? '';
    for (const sent of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const again = await api.get('/v1/posts/1', { 'if-none-match': sent });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
      expect(again.headers.get('content-type')).toBeNull();
      expect(again.headers.get('content-length')).toBeNull();
      expect(again.headers.get('cache-control')).toBe('private, no-cache');
    }
    expect((await api.get('/v1/posts/1', { 'if-none-match': '"x"' })).status).toBe(200);
  });

  test('every request has an id of its own', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await api.get('/nope')).body.requestId as string),
    );
    expect(new Set(ids).size).toBe(20);
  });
});

/** What clients were promised, beside the table of the server, from which documents and other tests are made. */
const promised: Readonly<Record<number, readonly string[]>> = {
  400: [
    'DATABASE_REFUSED',
    'INVALID_JSON',
    'INVALID_SQL',
    'INVALID_BODY',
    'INVALID_PARAMETER',
    'INVALID_FILTER',
    'INVALID_SORT',
    'INVALID_CURSOR',
    'PAGINATION_CONFLICT',
    'FIELDS_CONFLICT',
    'LIMIT_EXCEEDED',
    'DEPTH_EXCEEDED',
    'MALFORMED_REQUEST',
    'VALIDATION_FAILED',
    'REFUSED',
  ],
  401: ['UNAUTHENTICATED', 'INVALID_CREDENTIALS', 'TOKEN_EXPIRED'],
  403: ['FORBIDDEN', 'HTTPS_REQUIRED', 'HOST_NOT_ALLOWED'],
  404: ['RESOURCE_NOT_FOUND', 'UNKNOWN_RESOURCE', 'UNKNOWN_VERSION'],
  405: ['METHOD_NOT_ALLOWED'],
  406: ['NOT_ACCEPTABLE'],
  408: ['REQUEST_TIMEOUT'],
  409: [
    'CONFLICT',
    'HAS_DEPENDENTS',
    'DELETE_TOO_LARGE',
    'TOO_MANY_AFFECTED',
    'IDEMPOTENCY_IN_PROGRESS',
  ],
  410: ['VERSION_SUNSET'],
  412: ['PRECONDITION_FAILED'],
  413: ['BODY_TOO_LARGE'],
  414: ['URI_TOO_LONG'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  422: ['INVALID_VALUE', 'IDEMPOTENCY_MISMATCH'],
  429: ['RATE_LIMITED'],
  431: ['HEADERS_TOO_LARGE'],
  500: ['HOOK_DEPTH', 'INTERNAL_ERROR', 'SIMULATED_ERROR'],
  501: ['NOT_SUPPORTED'],
  503: [
    'OVERLOADED',
    'DATABASE_UNAVAILABLE',
    'DATABASE_BUSY',
    'KEYS_UNAVAILABLE',
    'SANDBOXES_FULL',
    'OUTCOME_UNKNOWN',
  ],
  504: ['HANDLER_TIMEOUT', 'QUERY_TIMEOUT'],
};

test('every code has the status that was promised', () => {
  const statuses = Object.entries(errorTable).map(([code, { status }]) => `${status} ${code}`);
  const expected = Object.entries(promised).flatMap(([status, codes]) =>
    codes.map((code) => `${status} ${code}`),
  );
  expect(statuses.toSorted()).toEqual(expected.toSorted());
});

test('the table of errors has one row a code, with a status that HTTP knows', () => {
  for (const [code, { status, about }] of Object.entries(errorTable)) {
    expect(code).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/u);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(about).toMatch(/^[A-Z`].*\.$/u);
  }
});
