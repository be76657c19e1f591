import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';

/** Version 1 has ended, 2 is deprecated, 3 will end, 4 is the one to use, and 5 is deprecated before it began. */
const specification = `
server: { publicUrl: "https://api.example.com/" }
api:
  basePath: /api
  versions:
    1:
      deprecated: 2025-01-01
      sunset: 2026-01-01
      link: https://example.com/v1
    2:
      deprecated: 2026-02-03
      sunset: 2027-03-01
      link: https://example.com/moving?from=2
      resources: { posts: { fields: { headline: { from: title }, secret: false } } }
    3: { sunset: 2028-02-29, link: "https://example.com/v3", resources: { drafts: false } }
    4: { resources: { drafts: false } }
    5: { deprecated: 2030-01-01 }
resources:
  posts:
    fields:
      title: { type: string, required: true }
      secret: { type: string }
      drafts: { type: relation, relation: hasMany, resource: drafts }
  drafts: { fields: { postId: { type: integer, reference: posts.id } } }
`;

let now = new Date('2026-11-21T00:00:00Z');
let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification, {}, () => now);
  await api.send('POST', '/api/v5/posts', { title: 'a', secret: 's' });
});
afterAll(() => api.stop());

const said = ({ headers }: Answer): object => ({
  deprecation: headers.get('deprecation'),
  sunset: headers.get('sunset'),
  link: headers.get('link'),
});
const nothing = { deprecation: null, sunset: null, link: null };
const second = {
  deprecation: '@1770076800',
  sunset: 'Mon, 01 Mar 2027 00:00:00 GMT',
};
const moving = '<https://example.com/moving?from=2>; rel="deprecation"';
const successor = (path: string): string =>
  `<https://api.example.com/api/v4/${path}>; rel="successor-version"`;

describe('what is said of a version', () => {
  test.each([
    ['/api/v2/posts/1', 200, { ...second, link: `${moving}, ${successor('posts/1')}` }],
    ['/api/v2/posts/9', 404, { ...second, link: `${moving}, ${successor('posts/9')}` }],
    ['/api/v2/posts?nope=1', 400, { ...second, link: `${moving}, ${successor('posts')}` }],
    // What the next version does not have is not linked to.
    ['/api/v2/drafts/1', 404, { ...second, link: moving }],
    ['/api/v2/nope', 404, { ...second, link: moving }],
    ['/api/v2/posts/%C3%A9?x', 400, { ...second, link: `${moving}, ${successor('posts/%C3%A9')}` }],
    [
      '/api/v3/posts/1',
      200,
      {
        deprecation: null,
        sunset: 'Tue, 29 Feb 2028 00:00:00 GMT',
        link: `<https://example.com/v3>; rel="sunset", ${successor('posts/1')}`,
      },
    ],
    ['/api/v4/posts/1', 200, nothing],
    ['/api/posts/1', 200, nothing],
    [
      '/api/v5/posts/1',
      200,
      { deprecation: '@1893456000', sunset: null, link: successor('posts/1') },
    ],
    [
      '/api/v1/posts/1',
      410,
      {
        deprecation: '@1735689600',
        sunset: 'Thu, 01 Jan 2026 00:00:00 GMT',
        link: `<https://example.com/v1>; rel="deprecation", ${successor('posts/1')}`,
      },
    ],
    ['/api/v6/posts', 404, nothing],
    ['/_health', 200, nothing],
  ])('%s', async (path, status, expected) => {
    const answer = await api.get(path);
    expect([answer.status, said(answer)]).toEqual([status, expected]);
  });

  test('stands beside the links of a list', async () => {
    const { headers } = await api.get('/api/v2/posts?limit=1');
    expect(headers.get('link')).toBe(
      '<https://api.example.com/api/v2/posts?limit=1&page=1>; rel="first", ' +
        '<https://api.example.com/api/v2/posts?limit=1&page=1>; rel="last", ' +
        `${moving}, ${successor('posts')}`,
    );
  });

  test.each([
    ['POST', '/api/v2/posts', { headline: 'b' }, 201],
    ['PATCH', '/api/v2/posts/1', { headline: 'c' }, 200],
    ['HEAD', '/api/v2/posts/1', undefined, 200],
    ['OPTIONS', '/api/v2/posts', undefined, 204],
    ['PUT', '/api/v2/posts', { headline: 'c' }, 405],
    ['DELETE', '/api/v2/posts/2', undefined, 204],
  ])('%s %s', async (method, path, body, status) => {
    const answer = await api.send(method, path, body);
    expect([answer.status, said(answer)]).toEqual([status, expect.objectContaining(second)]);
  });

  test.each([['text/csv'], ['application/x-ndjson']])('a stream of %s', async (accept) => {
    expect(said(await api.get('/api/v2/posts', { accept }))).toMatchObject(second);
  });
});

describe('a version that has ended', () => {
  test.each([
    ['GET', '/api/v1/posts'],
    ['GET', '/api/v1/posts/1'],
    ['GET', '/api/v1/nope'],
    ['POST', '/api/v1/posts'],
    ['OPTIONS', '/api/v1/nope'],
    ['OPTIONS', '/api/v1/posts'],
  ])('%s %s', async (method, path) => {
    const { status, body } = await api.send(method, path, method === 'POST' ? {} : undefined);
    expect([status, body?.code]).toEqual([410, 'VERSION_SUNSET']);
    expect(body?.message).toBe(
      'Version v1 ended on 2026-01-01; use v4. See https://example.com/v1',
    );
  });

  test('ends at midnight UTC', async () => {
    now = new Date('2027-02-28T23:59:59.999Z');
    expect((await api.get('/api/v2/posts')).status).toBe(200);
    now = new Date('2027-03-01T00:00:00.000Z');
    const answer = await api.get('/api/v2/posts');
    expect([answer.status, answer.body.code]).toEqual([410, 'VERSION_SUNSET']);
    expect(answer.headers.get('sunset')).toBe(second.sunset);
    now = new Date('2026-11-21T00:00:00Z');
  });
});

describe('an unknown version', () => {
  test.each([
    '/api/v6/posts',
    '/api/v0/posts',
    '/api/v01/posts',
    '/api/v99999999999/posts',
    '/api/v6',
    '/api/v6/_openapi.json',
    '/v6/_openapi.json',
  ])('%s', async (path) => {
    const { status, body } = await api.get(path);
    expect([status, body.code]).toEqual([404, 'UNKNOWN_VERSION']);
    expect(body.message).toContain('there is v1, v2, v3, v4, v5');
  });
});

describe('one database', () => {
  test('what one version writes, the others show under their own names', async () => {
    const made = await api.send('POST', '/api/v2/posts', { headline: 'shared' });
    expect(made.body).toEqual({ id: made.body.id, headline: 'shared' });
    expect(made.headers.get('location')).toBe(
      `https://api.example.com/api/v2/posts/${made.body.id}`,
    );
    const { id } = made.body;
    expect((await api.get(`/api/v4/posts/${id}`)).body).toEqual({
      id,
      title: 'shared',
      secret: null,
    });
    expect((await api.send('PATCH', `/api/v5/posts/${id}`, { secret: 'x' })).status).toBe(200);
    expect((await api.get(`/api/v2/posts/${id}`)).body).toEqual({ id, headline: 'shared' });
    expect((await api.send('PUT', `/api/v2/posts/${id}`, { headline: 'put' })).status).toBe(200);
    // What a version hides, its PUT leaves alone.
    expect((await api.get(`/api/posts/${id}`)).body).toEqual({ id, title: 'put', secret: 'x' });
    for (const path of [
      `/api/v2/posts?title=put`,
      `/api/v2/posts?secret=x`,
      `/api/v4/posts?headline=put`,
    ])
      expect((await api.get(path)).body.code).toBe('INVALID_PARAMETER');
    expect((await api.send('PATCH', `/api/v2/posts/${id}`, { secret: 'y' })).status).toBe(400);
    expect((await api.get(`/api/v4/drafts`)).status).toBe(404);
    expect((await api.get(`/api/v4/posts?expand=drafts`)).status).toBe(400);
    expect((await api.get(`/api/v5/posts?expand=drafts`)).status).toBe(200);
  });

  test('a cursor is good in its own version only', async () => {
    await api.send('POST', '/api/v4/posts', { title: 'more' });
    const { headers } = await api.get('/api/v4/posts?limit=1');
    const cursor = headers.get('x-next-cursor');
    expect((await api.get(`/api/v4/posts?cursor=${cursor}&limit=1`)).status).toBe(200);
    expect((await api.get(`/api/v5/posts?cursor=${cursor}&limit=1`)).body.code).toBe(
      'INVALID_CURSOR',
    );
  });
});

describe('the alias without a number', () => {
  const alone = (versions: string): string => `
access: public
api: ${versions}
resources: { posts: { fields: { title: { type: string } } } }
`;
  test.each([
    [
      'the default version that is deprecated',
      '{ versions: { 1: { deprecated: 2026-02-03 }, 2: {} }, defaultVersion: 1 }',
      200,
      { deprecation: '@1770076800', sunset: null, link: '</v2/posts>; rel="successor-version"' },
    ],
    [
      'a default version that has ended',
      '{ versions: { 1: { sunset: 2026-02-03 }, 2: {} }, defaultVersion: 1 }',
      410,
      {
        deprecation: null,
        sunset: 'Tue, 03 Feb 2026 00:00:00 GMT',
        link: '</v2/posts>; rel="successor-version"',
      },
    ],
    // It is the highest that is not deprecated: a version that is to go says so by `deprecated`.
    [
      'the highest, which has ended without having been deprecated',
      '{ versions: { 1: {}, 2: { sunset: 2026-02-03 } } }',
      410,
      { deprecation: null, sunset: 'Tue, 03 Feb 2026 00:00:00 GMT', link: null },
    ],
    [
      'the highest below one that is deprecated and has ended',
      '{ versions: { 1: {}, 2: { deprecated: 2026-02-03, sunset: 2026-02-03 } } }',
      200,
      nothing,
    ],
    [
      'the only version',
      '{ versions: { 1: { deprecated: 2026-02-03 } } }',
      200,
      { deprecation: '@1770076800', sunset: null, link: null },
    ],
    [
      'the highest that is not deprecated',
      '{ versions: { 1: {}, 2: { deprecated: 2026-02-03 } } }',
      200,
      nothing,
    ],
    [
      'none',
      '{ versions: { 1: { deprecated: 2026-02-03 } }, unversioned: false }',
      404,
      { deprecation: null, sunset: null, link: null },
    ],
  ])('%s', async (_, versions, status, expected) => {
    const one = await serveBoth(alone(versions));
    const answer = await one.get('/posts');
    expect([answer.status, said(answer)]).toEqual([status, { ...expected, link: expected.link }]);
    await one.stop();
  });
});

describe('the document of a version', () => {
  const next = '<https://api.example.com/v4/_openapi.json>; rel="successor-version"';
  test.each([
    ['/v2/_openapi.json', 200, { ...second, link: `${moving}, ${next}` }],
    ['/api/v2/_openapi.json', 200, { ...second, link: `${moving}, ${next}` }],
    [
      '/v1/_openapi.json',
      410,
      {
        deprecation: '@1735689600',
        sunset: 'Thu, 01 Jan 2026 00:00:00 GMT',
        link: `<https://example.com/v1>; rel="deprecation", ${next}`,
      },
    ],
    ['/v4/_openapi.json', 200, nothing],
    // The highest one that is not deprecated.
    ['/_openapi.json', 200, nothing],
    ['/_docs', 200, nothing],
  ])('%s says of it what its other answers say', async (path, status, expected) => {
    now = new Date('2026-11-21T00:00:00Z');
    const answer = await api.get(path);
    expect([answer.status, said(answer)]).toEqual([status, expected]);
  });

  test('is that of a deprecated one where nothing else is meant without a number', async () => {
    const one = await serveBoth(
      'api: { versions: { 1: { deprecated: 2026-02-03 } } }\nresources: { posts: { fields: { a: { type: string } } } }',
    );
    const answer = await one.get('/_openapi.json');
    expect(said(answer)).toEqual({ deprecation: '@1770076800', sunset: null, link: null });
    await one.stop();
  });
});

describe('of a version that has ended', () => {
  test('there is no document either', async () => {
    for (const path of ['/v1/_openapi.json', '/api/v1/_openapi.json']) {
      const { status, body } = await api.get(path);
      expect([status, body.code]).toEqual([410, 'VERSION_SUNSET']);
    }
    expect((await api.get('/v2/_openapi.json')).status).toBe(200);
  });

  test('the reader of the documents offers none', async () => {
    const { text } = await api.get('/_docs');
    expect(text).toContain('&quot;v2&quot;');
    expect(text).not.toContain('&quot;v1&quot;');
  });
});

test('addresses of any script and with a slash at the end stand in headers as URLs do', async () => {
  const own = await serveBoth(`
server: { publicUrl: "https://bücher.example/ä/" }
api: { versions: { 1: { deprecated: 2026-02-03, link: "https://example.com/ü€" }, 2: {} } }
resources: { posts: { fields: { title: { type: string } } } }
`);
  const base = 'https://xn--bcher-kva.example/%C3%A4/v';
  const made = await own.send('POST', '/v1/posts', { title: 'a' });
  expect(made.headers.get('location')).toBe(`${base}1/posts/1`);
  const { status, headers } = await own.get('/v1/posts');
  expect([status, headers.get('link')]).toEqual([
    200,
    [
      `<${base}1/posts?page=1>; rel="first"`,
      `<${base}1/posts?page=1>; rel="last"`,
      '<https://example.com/%C3%BC%E2%82%AC>; rel="deprecation"',
      `<${base}2/posts>; rel="successor-version"`,
    ].join(', '),
  ]);
  await own.stop();
});

test('a value that the version hides is refused without a name', async () => {
  const own = await serveBoth(`
api: { versions: { 1: {}, 2: { resources: { posts: { fields: { code: false } } } } } }
resources: { posts: { fields: { title: { type: string }, code: { type: string, unique: true, default: x } } } }
`);
  expect((await own.send('POST', '/v2/posts', { title: 'a' })).status).toBe(201);
  const { status, body } = await own.send('POST', '/v2/posts', { title: 'b' });
  expect([status, body.code, body.errors]).toEqual([422, 'INVALID_VALUE', []]);
  const told = await own.send('POST', '/v1/posts', { title: 'b' });
  expect(told.body.errors).toEqual([
    { field: 'code', message: 'is taken: it must be unique', rule: 'unique', params: {} },
  ]);
  await own.stop();
});
