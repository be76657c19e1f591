import { afterEach, describe, expect, test } from 'vitest';
import { networkOf, policiesOf, routePolicies } from '../../src/http/callers/rate-limit.ts';
import { serveApi, buildValid, type Answer, type TestApi } from '../support/api.ts';
import { bearer, hashOf, makeToken } from '../support/tokens.ts';
import { expectError } from '../server/exchanges.ts';
import { problemsIn } from '../specification/problems.ts';

const start = Date.parse('2026-03-01T12:00:00Z');
/** The clock that nobody sets, and how far the one on the wall is ahead of it. */
let now = start;
let ahead = 0;
let api: TestApi | undefined;
afterEach(async () => {
  expect(api?.failures ?? []).toEqual([]);
  await api?.stop();
  api = undefined;
  now = start;
  ahead = 0;
});

const secret = 's'.repeat(32);
const auth = `
auth:
  apiKeys: [{ name: ci, hash: "${hashOf('ci-key')}", sub: "7" }, { name: web, hash: "${hashOf('web-key')}" }]
  jwt: { secret: "${secret}" }
`;
async function serve(rateLimit: string, more = auth): Promise<TestApi> {
  const specification = `
${more}
rateLimit: ${rateLimit}
resources: { notes: { access: public, fields: { title: { type: string } } } }
`;
  api = await serveApi(specification, {}, () => new Date(now + ahead), { clock: () => now });
  return api;
}

const token = (claims: object): Record<string, string> =>
  bearer(makeToken({ exp: start / 1_000 + 36_000, ...claims }, { key: secret }));
const policy = (answer: Answer): readonly (string | null)[] =>
  ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => answer.headers.get(name));

// What all of them count in one place is no one's share.
test.each([
  ['memory', 2],
  ['redis://127.0.0.1:1', 8],
])('of four processes that count in %s each gives %i of 8', async (store, max) => {
  const workers = {
    count: 4,
    id: 0,
    token: 'of-the-workers',
    respond: () => undefined,
    callOthers: async () => [],
  };
  const notes = 'resources: { notes: { access: public, fields: { title: { type: string } } } }';
  api = await serveApi(`rateLimit: { max: 8, store: "${store}" }\n${notes}`, {}, undefined, {
    workers,
  });
  expect(policy(await api.get('/v1/notes'))[0]).toBe(`"address";q=${max};w=60`);
});

test('a window begins with the first request, and says how many are left', async () => {
  const served = await serve('{ max: 3, window: 10s }', '');
  expect(policy(await served.get('/v1/notes'))).toEqual([
    '"address";q=3;w=10',
    '"address";r=2;t=10',
    null,
  ]);
  now += 4_001;
  expect(policy(await served.get('/v1/notes'))).toEqual([
    '"address";q=3;w=10',
    '"address";r=1;t=6',
    null,
  ]);
  expect(policy(await served.get('/v1/nope'))[1]).toBe('"address";r=0;t=6');
  const refused = await served.get('/v1/notes');
  expectError(refused, 'RATE_LIMITED', '/v1/notes');
  expect(policy(refused)).toEqual(['"address";q=3;w=10', '"address";r=0;t=6', '6']);
  expect(refused.body.message).toBe('Too many requests: more than 3 in 10 s; try again in 6 s');
  now = start + 9_999;
  expect(policy(await served.get('/v1/notes'))).toEqual([
    '"address";q=3;w=10',
    '"address";r=0;t=1',
    '1',
  ]);
  now = start + 10_000;
  expect(policy(await served.get('/v1/notes'))).toEqual([
    '"address";q=3;w=10',
    '"address";r=2;t=10',
    null,
  ]);
});

test.each([-86_400_000, -3_600_000, -5_000, 5_000, 3_600_000, 86_400_000])(
  'a clock on the wall that is set by %i ms neither locks anyone out nor lets anyone in',
  async (set) => {
    const served = await serve('{ max: 1, window: 10s, failures: { max: 1, window: 10s } }');
    const asked = async (): Promise<readonly number[]> => {
      const headers = [{}, bearer('no token'), bearer('nor this')];
      const answers = [];
      for (const one of headers) answers.push((await served.get('/v1/notes', one)).status);
      return answers;
    };
    expect(await asked()).toEqual([200, 429, 429]);
    now += 4_000;
    ahead = set;
    expect(await asked()).toEqual([429, 429, 429]);
    expect(policy(await served.get('/v1/notes'))[2]).toBe('6');
    now += 6_000;
    expect(await asked()).toEqual([200, 429, 429]);
  },
);

test('a window lasts as long as it says, whatever the moment in which it begins', async () => {
  api = await serveApi(
    `
server: { trustProxy: [127.0.0.1] }
rateLimit: { max: 2, window: 1s }
resources: { notes: { access: public, fields: { title: { type: string } } } }
`,
  );
  for (let index = 0; index < 200; index += 1) {
    const headers = { 'x-forwarded-for': `10.0.0.${index}`, 'x-forwarded-proto': 'https' };
    const answer = await api.get('/v1/notes', headers);
    expect(policy(answer)).toEqual(['"address";q=2;w=1', '"address";r=1;t=1', null]);
  }
});

test('of requests at once, as many as the quota has get through', async () => {
  const served = await serve('{ max: 7, window: 10s }');
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => served.get('/v1/notes', index % 2 ? {} : token({}))),
  );
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(7);
});

test.each<[name: string, method: string, path: string, statuses: readonly number[]]>([
  ['a list', 'GET', '/v1/notes', [200, 429]],
  ['HEAD', 'HEAD', '/v1/notes', [200, 429]],
  ['a write', 'DELETE', '/v1/notes/1', [404, 429]],
  ['another method', 'PUT', '/v1/notes', [405, 429]],
  ['an unknown path', 'GET', '/nope', [404, 429]],
  ['a document', 'GET', '/_schema.json', [200, 429]],
  ['what is malformed', 'GET', '/v1/%zz', [400, 400]],
  ['OPTIONS', 'OPTIONS', '/v1/notes', [204, 204]],
  ['/_health', 'GET', '/_health', [200, 200]],
  ['/_ready', 'GET', '/_ready', [200, 200]],
])('what counts: %s', async (_name, method, path, statuses) => {
  const served = await serve('{ max: 1, window: 10s }');
  const first = await served.send(method, path);
  const second = await served.send(method, path);
  expect([first.status, second.status]).toEqual(statuses);
  expect(first.headers.has('ratelimit')).toBe(statuses[1] === 429);
});

describe('whose quota it is', () => {
  const rows: readonly (readonly [string, Record<string, string>, string])[] = [
    ['nobody', {}, 'address'],
    ['an API key', { 'x-api-key': 'ci-key' }, 'caller'],
    ['another API key', { 'x-api-key': 'web-key' }, 'caller'],
    ['a subject', token({ sub: '7' }), 'caller'],
    ['another subject', token({ sub: 'ci' }), 'caller'],
    ['a subject that is a number', token({ sub: 8 }), 'caller'],
  ];

  test('each caller has its own', async () => {
    const served = await serve('{ max: 2, window: 10s }');
    for (const [name, headers, kind] of rows)
      expect([name, policy(await served.get('/v1/notes', headers))[1]]).toEqual([
        name,
        `"${kind}";r=1;t=10`,
      ]);
  });

  test('however it says who it is', async () => {
    const served = await serve('{ max: 2, window: 10s }');
    await served.get('/v1/notes', { 'x-api-key': 'ci-key' });
    await served.get('/v1/notes', bearer('ci-key'));
    expect((await served.get('/v1/notes', bearer('ci-key'))).status).toBe(429);
    await served.get('/v1/notes', token({ sub: '7' }));
    await served.get('/v1/notes', token({ sub: '7', jti: 'another' }));
    expect((await served.get('/v1/notes', token({ sub: '7', jti: 'third' }))).status).toBe(429);
  });

  test('a token without a subject counts for its address', async () => {
    const served = await serve('{ max: 2, window: 10s }');
    await served.get('/v1/notes');
    expect(policy(await served.get('/v1/notes', token({})))[1]).toBe('"address";r=0;t=10');
  });

  test('without auth a credential makes no difference', async () => {
    const served = await serve('{ max: 1, window: 10s }', '');
    await served.get('/v1/notes', { 'x-api-key': 'ci-key' });
    expect((await served.get('/v1/notes')).status).toBe(429);
  });

  test('perKey and perIp are quotas of their own', async () => {
    const served = await serve(
      '{ perKey: { max: 5, window: 1m }, perIp: { max: 2, window: 500ms } }',
    );
    expect(policy(await served.get('/v1/notes', token({ sub: 'a' })))[0]).toBe('"caller";q=5;w=60');
    expect(policy(await served.get('/v1/notes'))[0]).toBe('"address";q=2;w=1');
  });

  test.each([
    ['{ max: 9, window: 10s, perKey: { max: 5 } }', '"caller";q=5;w=10', '"address";q=9;w=10'],
    ['{ max: 9, perIp: { window: 1s } }', '"caller";q=9;w=60', '"address";q=9;w=1'],
    ['{ perKey: { window: 2s } }', '"caller";q=300;w=2', '"address";q=300;w=60'],
  ])('what %s leaves out', async (rateLimit, caller, address) => {
    const served = await serve(rateLimit);
    expect(policy(await served.get('/v1/notes', token({ sub: 'a' })))[0]).toBe(caller);
    expect(policy(await served.get('/v1/notes'))[0]).toBe(address);
  });

  test('a proxy that is trusted says whose', async () => {
    const served = await serve('{ max: 1, window: 10s }', 'server: { trustProxy: [127.0.0.1] }');
    const from = async (address: string): Promise<number> =>
      (await served.get('/v1/notes', { ...https, 'x-forwarded-for': address })).status;
    const https = { 'x-forwarded-proto': 'https' };
    expect(await from('1.1.1.1')).toBe(200);
    expect(await from('2.2.2.2')).toBe(200);
    expect(await from('6.6.6.6, 1.1.1.1')).toBe(429);
    // Of IPv6 whoever has one address has the whole /64.
    expect(await from('2001:db8:1:2::7')).toBe(200);
    expect(await from('2001:db8:1:3::7')).toBe(200);
    expect(await from('2001:db8:1:2:f:f:f:f')).toBe(429);
  });
});

describe('failed logins', () => {
  const bad = bearer('wrong');
  const good = { 'x-api-key': 'ci-key' };

  test.each(['false', '{ max: 1000 }'])('10 a minute, with rateLimit: %s', async (rateLimit) => {
    const served = await serve(rateLimit);
    for (let times = 0; times < 10; times += 1)
      expect((await served.get('/v1/notes', bad)).status).toBe(401);
    const refused = await served.get('/v1/notes', bad);
    expectError(refused, 'RATE_LIMITED', '/v1/notes');
    expect(policy(refused)).toEqual(['"failures";q=10;w=60', '"failures";r=0;t=60', '60']);
    // Failures lock out failures only.
    for (const headers of [good, bearer('web-key'), token({ sub: '7' })])
      expect((await served.get('/v1/notes', headers)).status).toBe(200);
    expect((await served.get('/_schema.json', good)).status).toBe(200);
    const others = [{ authorization: 'Basic eDp5' }, token({ nbf: 1e12 }), { 'x-api-key': '' }];
    for (const headers of others) expect((await served.get('/v1/notes', headers)).status).toBe(429);
    expect((await served.get('/v1/notes', token({ exp: 0 }))).body.code).toBe('TOKEN_EXPIRED');
    expect((await served.get('/_schema.json', bad)).status).toBe(429);
    expect((await served.get('/_health', bad)).status).toBe(200);
    expect((await served.get('/v1/notes')).status).toBe(200);
    now += 60_000;
    expect((await served.get('/v1/notes', good)).status).toBe(200);
    expect((await served.get('/v1/notes', bad)).status).toBe(401);
  });

  test.each([
    ['{ failures: { max: 2 } }', '"failures";q=2;w=60'],
    ['{ failures: { window: 5s } }', '"failures";q=10;w=5'],
  ])('as %s says', async (rateLimit, expected) => {
    const served = await serve(rateLimit);
    let answer = await served.get('/v1/notes', bad);
    while (answer.status === 401) answer = await served.get('/v1/notes', bad);
    expect(policy(answer)[0]).toBe(expected);
  });

  test('at once, further ones are 429', async () => {
    const served = await serve('{ failures: { max: 3, window: 1m } }');
    const wrong = makeToken({ exp: 1e10 }, { key: 'x'.repeat(32) });
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => served.get('/v1/notes', bearer(wrong))),
    );
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(3);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(27);
  });

  test('bar their own address alone', async () => {
    const served = await serve(
      '{ failures: { max: 1, window: 1m } }',
      `server: { trustProxy: [127.0.0.1] }\n${auth}`,
    );
    const from = async (address: string, headers: object): Promise<number> => {
      const through = { 'x-forwarded-proto': 'https', 'x-forwarded-for': address };
      return (await served.get('/v1/notes', { ...through, ...headers })).status;
    };
    expect(await from('1.1.1.1', bad)).toBe(401);
    expect([await from('1.1.1.1', bad), await from('1.1.1.1', good)]).toEqual([429, 200]);
    expect(await from('2.2.2.2', bad)).toBe(401);
  });

  test('what has expired, what is missing and what is good are none', async () => {
    const served = await serve('{ failures: { max: 1, window: 1m } }');
    for (const headers of [token({ exp: 0 }), {}, good, token({ exp: 0 }), token({ sub: 'a' })])
      expect((await served.get('/v1/notes', headers)).status).not.toBe(429);
  });

  test('they count as requests of the address too', async () => {
    const served = await serve('{ max: 2, window: 10s }');
    expect(policy(await served.get('/v1/notes', bad))[1]).toBe('"address";r=1;t=10');
    expect(policy(await served.get('/v1/notes'))[1]).toBe('"address";r=0;t=10');
    const refused = await served.get('/v1/notes', bad);
    expectError(refused, 'RATE_LIMITED', '/v1/notes');
    expect((await served.get('/v1/notes', good)).status).toBe(200);
  });

  test('without auth there are none', async () => {
    const served = await serve('false', '');
    for (let times = 0; times < 12; times += 1)
      expect((await served.get('/v1/notes', bad)).status).toBe(200);
  });
});

describe('what holds without being written', () => {
  const settings = (rateLimit: string) =>
    buildValid(`${rateLimit}\nresources: { notes: { fields: { title: { type: string } } } }`)
      .settings;
  const failures = { name: 'failures', max: 10, window: 60_000 };
  const requests = (max: number, window: number): object => ({
    caller: { name: 'caller', max, window },
    address: { name: 'address', max, window },
  });
  test.each<
    [rateLimit: string, mode: 'dev' | 'start', requests: object | undefined, more?: object]
  >([
    ['', 'dev', undefined],
    ['', 'start', requests(300, 60_000)],
    ['rateLimit: false', 'dev', undefined],
    ['rateLimit: false', 'start', undefined],
    ['rateLimit: {}', 'dev', requests(300, 60_000)],
    ['rateLimit: { max: 5 }', 'dev', requests(5, 60_000)],
    ['rateLimit: { window: 1s }', 'start', requests(300, 1_000)],
    [
      'rateLimit: { failures: { max: 3, window: 1h } }',
      'start',
      requests(300, 60_000),
      { max: 3, window: 3_600_000 },
    ],
  ])('%s in %s', (rateLimit, mode, expected, more = {}) => {
    expect(policiesOf(settings(rateLimit), mode)).toEqual({
      requests: expected,
      routes: [],
      failures: { ...failures, ...more },
    });
  });

  test('where several processes count for themselves, each has its share, one at least', () => {
    const rateLimit = 'rateLimit: { perKey: { max: 9 }, perIp: { max: 2 }, failures: { max: 7 } }';
    expect(policiesOf(settings(rateLimit), 'start', 3)).toMatchObject({
      requests: { caller: { max: 3 }, address: { max: 1 } },
      failures: { max: 2 },
    });
    expect(policiesOf(settings(''), 'start', 3)).toMatchObject({
      requests: { caller: { max: 100 }, address: { max: 100 } },
      failures: { max: 3 },
    });
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::ffff', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

describe('quotas of routes', () => {
  const routes = `{ max: 100, routes: { "POST /notes": { max: 2 }, "* /notes/:id": { max: 3, window: 10s }, "GET /*": { max: 4 } } }`;

  test('count for each caller, beside the quota of all requests', async () => {
    const { send, get } = await serve(routes);
    const post = (headers = {}): Promise<Answer> =>
      send('POST', '/v1/notes', { title: 'x' }, headers);
    const first = await post();
    expect(policy(first)).toEqual([
      '"address";q=100;w=60, "POST /notes";q=2;w=60',
      '"address";r=99;t=60, "POST /notes";r=1;t=60',
      null,
    ]);
    expect((await send('POST', '/notes', { title: 'y' })).status).toBe(201);
    const refused = await post();
    expectError(refused, 'RATE_LIMITED', '/v1/notes');
    expect(policy(refused)).toEqual(['"POST /notes";q=2;w=60', '"POST /notes";r=0;t=60', '60']);
    expect((await post(token({ sub: 'ann' }))).status).toBe(201);
    expect((await get('/v1/notes')).status).toBe(200);
    now += 60_000;
    expect((await post()).status).toBe(201);
  });

  test.each([
    ['GET', '/v1/notes', ['GET /*']],
    ['HEAD', '/notes', ['GET /*']],
    ['GET', '/v1/notes/1', ['* /notes/:id']],
    ['DELETE', '/notes/7', ['* /notes/:id']],
    ['POST', '/v1/notes', ['POST /notes']],
    ['PATCH', '/v1/notes', []],
    ['GET', '/v1/notes/1/more', []],
  ])('%s %s has %j', (method, path, names) => {
    const policies = policiesOf(
      buildValid(
        `rateLimit: ${routes}\nresources: { notes: { fields: { title: { type: string } } } }`,
      ).settings,
      'start',
    );
    expect(routePolicies(policies, method, path, '').map(({ name }) => name)).toEqual(names);
    expect(routePolicies(policies, method, `/api${path}`, '/api').map(({ name }) => name)).toEqual(
      names,
    );
    expect(routePolicies(policies, method, path, '/api')).toEqual([]);
  });

  test('a route that is none is a problem of the file', () => {
    const problems = problemsIn(
      `rateLimit: { routes: { "post /notes": { max: 2 }, "POST notes": { max: 2 } } }\nresources: { notes: { fields: { title: { type: string } } } }`,
    );
    expect(problems).toHaveLength(2);
    for (const problem of problems)
      expect(problem).toContain('is not a route: write a method or *');
  });
});
