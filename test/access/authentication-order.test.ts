import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveApi, type TestApi } from '../support/api.ts';
import { bearer, makeToken } from '../support/tokens.ts';
import { ask, check, type Exchange } from '../server/exchanges.ts';
import { seconds, start, serveCredentials, token } from './credentials.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveCredentials(() => start);
});
afterAll(() => api.stop());

type Headers = Record<string, string>;

test('of what a token claims, roles that everyone or no one has are told to nobody', async () => {
  const roles = ['public', 'editor', 'authenticated', 'none'];
  const secret = 'x'.repeat(32);
  const own = await serveApi(
    `auth: { jwt: { secret: ${secret} } }\nresources: { notes: { fields: { a: { type: string } } } }`,
    {},
    () => new Date(start),
    { mode: 'dev' },
  );
  const claimed = makeToken({ sub: 'x', roles, exp: seconds + 60 }, { key: secret });
  const { body } = await own.get('/v1/notes?_trace=true', bearer(claimed));
  expect(body._trace[1].details).toEqual({ authenticated: true, name: 'x', roles: ['editor'] });
  await own.stop();
});

describe('roles that everyone or no one has cannot be claimed', () => {
  const claim = (roles: unknown): Headers => bearer(token({ roles, jti: JSON.stringify(roles) }));
  const rows: readonly Exchange[] = [
    ...['public', 'authenticated', 'none'].map((role) => ({
      name: `${role} opens nothing`,
      request: 'GET /v1/drafts',
      headers: claim([role]),
      status: 403,
      code: 'FORBIDDEN' as const,
    })),
    {
      name: 'none, where a rule says none',
      request: 'POST /v1/lists',
      headers: claim(['none']),
      body: { title: 'a' },
      status: 403,
      code: 'FORBIDDEN',
    },
    {
      name: 'beside a real one it is dropped',
      request: 'GET /v1/drafts',
      headers: claim(['none', 'editor']),
      status: 200,
    },
    {
      name: 'no roles',
      request: 'GET /v1/drafts',
      headers: claim(undefined),
      status: 403,
      code: 'FORBIDDEN',
    },
    {
      name: 'roles in an object',
      request: 'GET /v1/drafts',
      headers: claim({ editor: true }),
      status: 403,
      code: 'FORBIDDEN',
    },
    {
      name: 'roles in one text',
      request: 'GET /v1/drafts',
      headers: claim('editor admin'),
      status: 403,
      code: 'FORBIDDEN',
    },
    {
      name: 'roles in other case',
      request: 'GET /v1/drafts',
      headers: claim(['Editor']),
      status: 403,
      code: 'FORBIDDEN',
    },
  ];
  test.each(rows)('$name', async (row) => {
    check(await ask(api, row.request, row.body, row.headers), row);
  });
});

describe('the order of checks', () => {
  const bad = bearer('bad');
  const known = bearer(token({ roles: [] }));
  const rows: readonly Exchange[] = [
    {
      name: '400 of what is malformed before 401',
      request: 'GET /v1/%zz',
      headers: bad,
      status: 400,
      code: 'MALFORMED_REQUEST',
    },
    {
      name: '414 before 401',
      request: `GET /v1/news?x=${'a'.repeat(9000)}`,
      headers: bad,
      status: 414,
      code: 'URI_TOO_LONG',
    },
    {
      name: '401 of a bad credential before 404',
      request: 'GET /v1/nope',
      headers: bad,
      status: 401,
      code: 'INVALID_CREDENTIALS',
    },
    {
      name: 'and of a version',
      request: 'GET /v9/news',
      headers: bad,
      status: 401,
      code: 'INVALID_CREDENTIALS',
    },
    {
      name: 'and of a system path',
      request: 'GET /_nope',
      headers: bad,
      status: 401,
      code: 'INVALID_CREDENTIALS',
    },
    {
      name: '401 of a bad credential before 405',
      request: 'PUT /v1/news',
      headers: bad,
      status: 401,
      code: 'INVALID_CREDENTIALS',
    },
    {
      name: '401 of a bad credential before 406',
      request: 'GET /v1/news',
      headers: { ...bad, accept: 'text/html' },
      status: 401,
      code: 'INVALID_CREDENTIALS',
    },
    {
      name: '404 before 401 of a missing one',
      request: 'GET /v1/nope',
      status: 404,
      code: 'UNKNOWN_RESOURCE',
    },
    {
      name: '405 before 401 of a missing one',
      request: 'PUT /v1/drafts',
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
    },
    {
      name: '405 before 403',
      request: 'PUT /v1/drafts',
      headers: known,
      status: 405,
      code: 'METHOD_NOT_ALLOWED',
    },
    {
      name: '401 of a missing one before 406',
      request: 'GET /v1/drafts',
      headers: { accept: 'text/html' },
      status: 401,
      code: 'UNAUTHENTICATED',
    },
    {
      name: '401 of a missing one before 415',
      request: 'POST /v1/drafts',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
      status: 401,
      code: 'UNAUTHENTICATED',
    },
    {
      name: '401 of a missing one before 400',
      request: 'GET /v1/drafts?nope=1',
      status: 401,
      code: 'UNAUTHENTICATED',
    },
    {
      name: '401 of a missing one before 404 of the record',
      request: 'GET /v1/drafts/99',
      status: 401,
      code: 'UNAUTHENTICATED',
    },
    {
      name: '403 before 406',
      request: 'GET /v1/drafts',
      headers: { ...known, accept: 'text/html' },
      status: 403,
      code: 'FORBIDDEN',
    },
    {
      name: '403 before 400',
      request: 'POST /v1/drafts?nope=1',
      body: '{',
      headers: known,
      status: 403,
      code: 'FORBIDDEN',
    },
    {
      name: '403 before 404 of the record',
      request: 'DELETE /v1/drafts/99',
      headers: known,
      status: 403,
      code: 'FORBIDDEN',
    },
    ...['GET /v1/vaults', 'POST /v1/vaults', 'DELETE /v1/vaults/1'].flatMap((request) => [
      {
        name: `401 of a missing one where all is for no one: ${request}`,
        request,
        status: 401,
        code: 'UNAUTHENTICATED' as const,
      },
      {
        name: `403 where all is for no one: ${request}`,
        request,
        headers: known,
        status: 403,
        code: 'FORBIDDEN' as const,
      },
    ]),
    {
      name: 'an operation for no one is 401 without credentials',
      request: 'POST /v1/lists',
      body: {},
      status: 401,
      code: 'UNAUTHENTICATED',
    },
    {
      name: 'an operation for no one is 403 with them',
      request: 'POST /v1/lists',
      body: {},
      headers: bearer(token()),
      status: 403,
      code: 'FORBIDDEN',
    },
    {
      name: 'with auth and no access, credentials are needed',
      request: 'GET /v1/notes',
      status: 401,
      code: 'UNAUTHENTICATED',
    },
    { name: 'and are enough', request: 'GET /v1/notes', headers: known, status: 200 },
    { name: 'a public list needs none', request: 'GET /v1/news', status: 200 },
    {
      name: 'a public write needs none',
      request: 'POST /v1/news',
      body: { title: 'b' },
      status: 201,
    },
    {
      name: 'a role writes',
      request: 'POST /v1/drafts',
      body: { title: 'b' },
      headers: bearer(token()),
      status: 201,
    },
  ];
  test.each(rows)('$name', async (row) => {
    check(await ask(api, row.request, row.body, row.headers), row);
  });

  test.each(['/_health', '/_ready'])('%s looks at no credential', async (path) => {
    expect((await api.get(path, bad)).status).toBe(200);
  });

  test.each([
    ['GET, HEAD, POST, PATCH, DELETE, OPTIONS', '/v1/drafts'],
    ['GET, HEAD, OPTIONS', '/_schema.json'],
  ])('OPTIONS says %s of %s to everyone', async (allow, path) => {
    for (const headers of [{}, bad, bearer(token())]) {
      const answer = await api.send('OPTIONS', path, undefined, headers);
      expect([answer.status, answer.headers.get('allow')]).toEqual([204, allow]);
    }
  });

  test('HEAD is refused as GET is', async () => {
    const answer = await api.send('HEAD', '/v1/news', undefined, bad);
    expect([answer.status, answer.text, answer.headers.get('www-authenticate')]).toEqual([
      401,
      '',
      expect.stringMatching(/^Bearer error=/u),
    ]);
  });

  test('a cookie is no credential', async () => {
    const headers = { cookie: `authorization=Bearer ${token()}; token=${token()}` };
    expect((await api.get('/v1/news', headers)).status).toBe(200);
    expect((await api.get('/v1/drafts', headers)).body.code).toBe('UNAUTHENTICATED');
  });

  test('a token in the query is no credential', async () => {
    const answer = await api.get(`/v1/drafts?access_token=${token()}`);
    expect(answer.body.code).toBe('UNAUTHENTICATED');
  });
});

test('without auth, credentials are not looked at', async () => {
  const other = await serveApi('resources: { news: { fields: { title: { type: string } } } }');
  try {
    for (const headers of [bearer('bad'), { authorization: 'Basic x' }, { 'x-api-key': '' }])
      expect((await other.get('/v1/news', headers)).status).toBe(200);
  } finally {
    await other.stop();
  }
});
