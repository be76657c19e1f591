import { afterEach, describe, expect, test } from 'vitest';
import type { Mode } from '../../src/http/edge/edge.ts';
import { prettyLines, requestLog } from '../../src/http/debug/logging.ts';
import { buildValid, serveApi, type TestApi } from '../support/api.ts';
import { breakTable } from '../support/broken.ts';

const things = `
api: { versions: { 1: {}, 2: { resources: { users: { fields: { pin: { from: secret } } } } } } }
resources:
  users:
    fields:
      name: { type: string }
      secret: { type: string, writeOnly: true, minLength: 3 }
      badge: { type: string, writeOnly: true, reference: badges.code }
      notes: { type: text }
  badges: { fields: { code: { type: string, unique: true } } }
`;

type Line = Readonly<Record<string, unknown>>;
interface Logged {
  readonly api: TestApi;
  readonly lines: Line[];
  readonly text: () => string;
}

const open: TestApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.stop();
});
async function logging(logging: string, mode: Mode = 'start'): Promise<Logged> {
  const specification = `access: public\n${logging === '' ? '' : `logging: ${logging}`}\n${things}`;
  const lines: Line[] = [];
  let text = '';
  const write = (line: string): void => {
    text += line;
    lines.push(JSON.parse(line) as Line);
  };
  const model = buildValid(specification);
  const readers = [requestLog(() => model, mode, { write })];
  const api = await serveApi(specification, {}, undefined, { mode, readers });
  open.push(api);
  return { api, lines, text: () => text };
}

/** Headers by which credentials are sent, to this server or to what stands before it. */
const credentialHeaders = [
  'Proxy-Authorization',
  'X-Auth-Token',
  'X-Access-Token',
  'X-Amz-Security-Token',
  'X-Amzn-Oidc-Data-Assertion',
  'X-Forwarded-Access-Token',
  'Cf-Access-Jwt-Assertion',
  'X-CSRF-Token',
  'Private-Token',
  'Api-Key',
  'ApiKey',
  'X_Api_Key',
  'X-Auth',
  'X-Client-Secret',
  'X-Password',
  'X-Session-Id',
  'X-Hub-Signature-256',
];

describe('a line', () => {
  test('says what was asked and how it was answered', async () => {
    const { api, lines } = await logging('');
    const { headers } = await api.get('/v1/users?name=Ann&sort=name&_trace=true');
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
        requestId: headers.get('x-request-id'),
        method: 'GET',
        path: '/v1/users',
        query: ['name', 'sort', '_trace'],
        route: 'users.list',
        status: 200,
        duration: expect.any(Number),
        client: '127.0.0.1',
        msg: 'GET /v1/users 200',
      },
    ]);
  });

  const requests: readonly [method: string, path: string, line: Line][] = [
    ['GET', '/v1/users/9', { status: 404, code: 'RESOURCE_NOT_FOUND', route: 'users.read' }],
    ['DELETE', '/v1/users/9', { status: 404, route: 'users.delete', method: 'DELETE' }],
    [
      'GET',
      '/v1/nope?a=1',
      { status: 404, code: 'UNKNOWN_RESOURCE', route: 'unknown', query: ['a'] },
    ],
    ['GET', '/_schema.json', { status: 200, route: '/_schema.json' }],
    ['GET', '/_nope', { status: 404, route: 'unknown' }],
    ['HEAD', '/users', { status: 200, method: 'HEAD', path: '/users', route: 'users.list' }],
    ['GET', '/v1/users?%zz=1', { status: 400, query: ['%zz'] }],
  ];
  test.each(requests)('%s %s', async (method, path, line) => {
    const { api, lines } = await logging('');
    await api.send(method, path);
    expect(lines).toMatchObject([{ level: 'info', ...line }]);
  });

  test('of a failure is an error with its stack', async () => {
    const { api, lines } = await logging('');
    breakTable(api, 'users');
    await api.get('/v1/users');
    expect(lines).toMatchObject([
      {
        level: 'error',
        status: 500,
        code: 'INTERNAL_ERROR',
        err: {
          message: expect.stringContaining('integer overflow'),
          stack: expect.stringContaining('\n    at '),
        },
        msg: 'GET /v1/users failed',
      },
    ]);
    expect(api.failures.splice(0)).toHaveLength(1);
  });

  test('of who has gone is no failure: nobody was answered', async () => {
    const { api, lines } = await logging('', 'dev');
    const gone = new AbortController();
    const metrics = `${api.url}/_metrics`;
    const asked = fetch(`${api.url}/v1/users`, {
      headers: { 'x-simulate': 'latency=30000' },
      signal: gone.signal,
    });
    // Until it has come, whoever asks for the metrics is alone.
    const inFlight = async (): Promise<string> => (await fetch(metrics)).text();
    await expect.poll(inFlight).toMatch(/^plinth_requests_in_flight 2$/mu);
    gone.abort();
    await expect(asked).rejects.toThrow('aborted');
    await expect.poll(() => lines.length).toBe(1);
    const [line] = lines;
    expect(line).toMatchObject({ level: 'info', status: 499, msg: 'GET /v1/users 499' });
    expect(line).toMatchObject({ route: 'users.list' });
    expect(line).not.toHaveProperty('code');
  });

  test('of a stream is written when it has ended', async () => {
    const { api, lines } = await logging('');
    const { status } = await api.get('/v1/users', { accept: 'text/csv' });
    expect(status).toBe(200);
    await expect.poll(() => lines.length).toBe(1);
  });
});

describe('what is told', () => {
  test('in `start` no values of parameters, in headers neither', async () => {
    const { api, text } = await logging('{ includeHeaders: true }');
    await api.send('POST', '/v1/users', { name: 'n1' });
    const made = await api.send('POST', '/v1/users', { name: 'n2' });
    const page = await api.get('/v1/users?limit=1&cursor=');
    const told = [made.headers.get('location'), page.headers.get('x-next-cursor')];
    const { headers } = await api.get('/v1/users?name_neq=topvalue&limit=1', {
      referer: 'http://x/?name=topvalue',
    });
    await api.get('/v1/users?secret:topvalue');
    expect(headers.get('link')).toContain('topvalue');
    expect(text()).toContain('name_neq');
    expect(text()).not.toContain('topvalue');
    expect(told).not.toContain(null);
    for (const value of told) expect(text()).not.toContain(value);
  });

  test('in `dev` the values too', async () => {
    const { api, lines } = await logging('', 'dev');
    await api.get('/v1/users?name=Ann&name=Bob&limit=1');
    expect(lines).toMatchObject([{ query: { name: ['Ann', 'Bob'], limit: '1' } }]);
  });

  test('headers where they are included, less those that are excluded', async () => {
    const sent = {
      authorization: 'Bearer abc',
      cookie: 'a=b',
      'set-cookie': 'c=d',
      'x-api-key': 'k',
      ...Object.fromEntries(credentialHeaders.map((name) => [name, 'canary'])),
      'x-own': 'mine',
      accept: 'application/json',
    };
    const { api, lines, text } = await logging('{ includeHeaders: true }');
    await api.get('/v1/users', sent);
    expect(lines).toMatchObject([
      {
        requestHeaders: { 'x-own': 'mine' },
        responseHeaders: { 'cache-control': 'private, no-cache' },
      },
    ]);
    expect(text()).not.toMatch(/Bearer|a=b|c=d|x-api-key|canary/u);
    const own = await logging('{ includeHeaders: true, excludeHeaders: [X-Own] }');
    await own.api.get('/v1/users', sent);
    expect(own.text()).toContain('a=b');
    // Credentials are never told, whatever else is left out.
    expect(own.text()).not.toMatch(/mine|Bearer|"x-api-key"/u);
  });

  test('bodies where they are included, and the values of parameters with them', async () => {
    const { api, lines } = await logging('{ includeBodies: true }');
    await api.send('POST', '/v1/users', { name: 'Ann', secret: 'sesame' });
    await api.get('/v1/users?name=Ann');
    await api.send('POST', '/v1/users', '{"name": ');
    await api.send('POST', '/v1/users', { notes: 'x'.repeat(70_000) });
    await api.send('DELETE', '/v1/users/1');
    expect(lines[0]).toMatchObject({
      requestBody: { name: 'Ann', secret: '[redacted]' },
      responseBody: { id: 1, name: 'Ann' },
    });
    expect(lines[1]).toMatchObject({ query: { name: 'Ann' }, responseBody: [{ name: 'Ann' }] });
    expect(lines[1]).not.toHaveProperty('requestBody');
    expect(lines[2]).toMatchObject({ requestBody: '[9 bytes, not JSON]', status: 400 });
    expect(lines[3]).toMatchObject({ requestBody: expect.stringMatching(/^\[70\d+ bytes\]$/u) });
    expect(lines[4]).not.toHaveProperty('responseBody');
  });

  test('bodies that a slow line brings in pieces, compressed or not', async () => {
    const slow = '{ includeBodies: true }\nnetwork: { throttling: { rate: 1MiB } }';
    const { api, lines } = await logging(slow);
    const written = { name: 'Ann', notes: 'é'.repeat(900) };
    const plain = await api.send('POST', '/v1/users', written, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-length')).toBe(String(Buffer.byteLength(plain.text)));
    await api.get('/v1/users', { 'accept-encoding': 'gzip' });
    await api.get('/v1/users/2');
    expect(lines.map(({ responseBody }) => responseBody)).toMatchObject([
      { id: 1, name: 'Ann' },
      [{ id: 1, name: 'Ann' }],
      { code: 'RESOURCE_NOT_FOUND' },
    ]);
  });

  test.each(['start', 'dev'] as const)('in %s no value of a writeOnly field', async (mode) => {
    const { api, lines, text } = await logging(
      '{ includeBodies: true, includeHeaders: true }',
      mode,
    );
    await api.send('POST', '/v1/users', { secret: 'sesame1' });
    await api.send('POST', '/v2/users', { pin: 'sesame2' });
    await api.send('POST', '/v1/users', [{ secret: ['sesame3'] }, { secret: { a: 'sesame4' } }]);
    await api.send('PATCH', '/v1/users/1', { secret: 'sesame5', nope: 1 });
    await api.get('/v1/users?secret=sesame6&secret_eq=sesame7&_or=name:a,secret:sesame8');
    await api.get('/v2/users?a.pin_in=sesame9&_verbose=true&sort=name');
    await api.get('/v1/users?_or=name:a,secret=sesame10&_verbose=true');
    await api.get('/v1/users?_or=secret:sesame"11&limit=no&_verbose=true');
    await api.get('/v1/users?secret[eq]=sesame12&where[secret]=sesame13');
    await api.get('/v1/users?secret_regex=sesame14');
    await api.get('/v1/users?fields=name,secret:sesame15&_verbose=true');
    await api.get('/v1/users?filter=secret%20eq%20sesame16&name=Ann');
    await api.send('POST', '/v1/users', { Secret: 'sesame17', PIN: { a: 'sesame18' } });
    await api.get('/v1/users?SECRET_EQ=sesame19&_or=name:a,Secret:sesame20');
    const { body } = await api.send('POST', '/v1/users', { badge: 'sesame21' });
    expect(body.errors).toEqual([
      { field: 'badge', message: 'there is no such record', rule: 'reference', params: {} },
    ]);
    await api.get(
      '/v1/users?secret%3Esesame22&a.secret:sesame23&secret_at=sesame24&secret%20eq%20sesame25',
    );
    await api.get('/favicon.ico', { referer: 'http://x/v1/users?se%63ret=sesame26' });
    await api.send('POST', '/v1/users', { secret_eq: 'sesame27' });
    const operations = [{ op: 'replace', path: '/secret', value: 'sesame28' }];
    await api.send('PATCH', '/v1/users/1', operations);
    await api.send('PATCH', '/v1/users/1', '"secret=sesame29"');
    expect(lines).toHaveLength(20);
    expect(lines[18]).toMatchObject({
      requestBody: `[${JSON.stringify(operations).length} bytes, withheld]`,
      responseBody: { code: 'INVALID_BODY' },
    });
    expect(text()).not.toContain('sesame');
    const names = ['secret[redacted]', 'a.secret[redacted]', 'secret_at'];
    expect(lines[15]?.['query']).toEqual(
      Object.fromEntries(names.map((name) => [name, '[redacted]'])),
    );
    expect(lines[11]).toMatchObject({
      query: { filter: '[redacted]', name: '[redacted]' },
      responseBody: { code: 'INVALID_PARAMETER', message: '[redacted]' },
    });
  });
});

describe('with a name that no resource has, the values are withheld as a whole', () => {
  const bodies: readonly unknown[] = [
    { name: 'Ann', secert: 'sesame' },
    { newSecret: { a: 'sesame' } },
    { SECRET_KEY: 'sesame' },
    { field: 'secret', value: 'sesame' },
    [{ path: '/Badge', name: 'sesame' }],
    { name: 'sesame', note: 'seen' },
    { 'secret sesame': 1 },
  ];
  test.each(bodies)('in the body %j', async (sent) => {
    const { api, lines, text } = await logging('{ includeBodies: true }');
    const { status } = await api.send('POST', '/v1/users', sent);
    expect(status).toBe(400);
    const requestBody = `[${JSON.stringify(sent).length} bytes, withheld]`;
    expect(lines[0]).toMatchObject({ requestBody, responseBody: { message: '[redacted]' } });
    expect(text()).not.toContain('sesame');
  });

  test('but of a body with known names only the secret values', async () => {
    const { api, lines, text } = await logging('{ includeBodies: true }');
    await api.send('POST', '/v1/users', { name: 5, notes: 'about a secret', secret: 'sesame' });
    expect(lines[0]).toMatchObject({
      status: 400,
      requestBody: { name: 5, notes: 'about a secret', secret: '[redacted]' },
      responseBody: { validationErrors: [{ field: 'name' }] },
    });
    expect(text()).not.toContain('sesame');
  });

  const parameters: readonly [sent: string, told: object][] = [
    ['secert=sesame&name=Ann', { secert: '[redacted]', name: '[redacted]' }],
    ['secert:sesame', { 'secert[redacted]': '[redacted]' }],
    ['my_secret>sesame', { 'my_secret[redacted]': '[redacted]' }],
    ['_or=name:a,secert:sesame', { _or: '[redacted]' }],
    ['fields=name,secert:sesame&limit=1', { fields: '[redacted]', limit: '[redacted]' }],
    // Names that are known show all that is not secret.
    ['name=a+secert&limit=1', { name: 'a secert', limit: '1' }],
    [
      'sort=-name&name_like=a%25&secret=sesame',
      { sort: '-name', name_like: 'a%', secret: '[redacted]' },
    ],
  ];
  test.each(parameters)('in the parameters %s', async (sent, query) => {
    const { api, lines, text } = await logging('{ includeBodies: true }');
    await api.get(`/v1/users?${sent}`);
    expect(lines).toMatchObject([{ query }]);
    expect(text()).not.toContain('sesame');
  });

  test.each([
    ['/v1/users/secret=sesame', '/v1/users/secret[redacted]'],
    ['/v1/users/se%63ert:sesame', '/v1/users/secert[redacted]'],
    ['/v1/users/1/secret/sesame', '/v1/users/1/secret[redacted]'],
    ['/v1/users/secret', '/v1/users/secret'],
    ['/v1/badges/9', '/v1/badges/9'],
  ])('in the path %s that leads nowhere', async (path, told) => {
    const { api, lines, text } = await logging('{ includeBodies: true, includeHeaders: true }');
    const { status } = await api.get(path, { referer: `http://x${path}` });
    expect(status).toBe(404);
    expect(lines).toMatchObject([
      { path: told, msg: `GET ${told} 404`, responseBody: { path: told } },
    ]);
    expect(text()).not.toContain('sesame');
  });
});

describe('what is logged', () => {
  const cases: readonly [logging: string, paths: readonly string[]][] = [
    ['', ['/v1/users', '/_schema.json']],
    ['{ excludePatterns: [] }', ['/v1/users', '/_health', '/_ready', '/_metrics', '/_schema.json']],
    ['{ excludePatterns: ["/_*"] }', ['/v1/users']],
    ['{ excludePatterns: ["/v1/**"] }', ['/_health', '/_ready', '/_metrics', '/_schema.json']],
    ['{ excludePatterns: [/v1/users] }', ['/_health', '/_ready', '/_metrics', '/_schema.json']],
    ['{ level: error }', []],
    ['{ level: warn }', []],
    ['{ level: silent }', []],
    ['{ level: debug }', ['/v1/users', '/_schema.json']],
  ];
  test.each(cases)('%s', async (settings, paths) => {
    const { api, lines } = await logging(settings);
    for (const path of ['/v1/users?sort=name', '/_health', '/_ready', '/_metrics', '/_schema.json'])
      await api.get(path);
    expect(lines.map(({ path }) => path)).toEqual(paths);
  });

  test('failures at level error', async () => {
    const { api, lines } = await logging('{ level: error }');
    breakTable(api, 'users');
    await api.get('/v1/users');
    await api.get('/v1/nope');
    expect(lines).toMatchObject([{ level: 'error', path: '/v1/users' }]);
    api.failures.splice(0);
  });
});

describe('for people', () => {
  const line = { level: 'info', time: 0, msg: 'GET /v1/users 200', caller: 'ann', took: 1 };
  const shown = async (more: object): Promise<string> =>
    (await prettyLines(false))(JSON.stringify({ ...line, ...more }));

  test('a line says the same', async () => {
    expect(await shown({})).toMatch(/^\[\S+\] INFO <ann>: GET \/v1\/users 200 \{"took":1\}\n$/u);
  });

  test.each([
    ['caller', 'ann>: DELETE /v1/users\n'],
    ['caller', '\u001B[2J'],
    ['msg', 'GET /v1/\r\n\u001B]0;x\u0007'],
    ['msg', 'GET /v1/\u009B2J'],
    ['route', '\u009B2J\u007F'],
  ])('what is in %s stays on its line and does nothing to a terminal: %j', async (name, text) => {
    const told = await shown({ [name]: text });
    expect(told.indexOf('\n')).toBe(told.length - 1);
    // oxlint-disable-next-line no-control-regex -- none of them is to be there
    expect(told.slice(0, -1)).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/u);
  });
});
