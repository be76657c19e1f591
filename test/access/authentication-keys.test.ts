import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { serveApi, type Answer, type TestApi } from '../support/api.ts';
import { ecKeys, edKeys, publicPem, rsaKeys, yamlText, type KeyPair } from '../support/keys.ts';
import { bearer, makeToken, type TokenOptions } from '../support/tokens.ts';
import { expectError } from '../server/exchanges.ts';

const start = Date.parse('2026-03-01T12:00:00Z');
/** The clock that nobody sets, and how far the one on the wall is ahead of it. */
let now = start;
let ahead = 0;
let api: TestApi | undefined;
afterEach(async () => {
  expect(api?.failures).toEqual([]);
  await api?.stop();
  api = undefined;
  now = start;
  ahead = 0;
});

async function serve(jwt: string): Promise<TestApi> {
  api = await serveApi(
    `
auth: { jwt: ${jwt} }
rateLimit: { max: 100000, window: 1h, failures: { max: 100000, window: 1h } }
resources: { notes: { fields: { title: { type: string } } } }
`,
    {},
    () => new Date(now + ahead),
    { clock: () => now },
  );
  return api;
}

const claims = { sub: '7', exp: start / 1_000 + 36_000 };
const ask = (served: TestApi, options: TokenOptions): Promise<Answer> =>
  served.get('/v1/notes', bearer(makeToken(claims, options)));

const pairs: Readonly<Record<string, KeyPair>> = { RS: rsaKeys, PS: rsaKeys, ES: ecKeys };
const pairOf = (alg: string): KeyPair => pairs[alg.slice(0, 2)] ?? edKeys;
const privateKey = (alg: string): TokenOptions['key'] => pairOf(alg).privateKey;
const pem = (alg: string): string => yamlText(publicPem(pairOf(alg)));
const secrets = ['first', 'second', 'third'].map((word) => word.repeat(8));

describe('the algorithm comes from the file, never from the token', () => {
  const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'EdDSA'];
  test.each(asymmetric)('a public key takes %s where it fits', async (alg) => {
    const served = await serve(`{ publicKey: ${pem(alg)} }`);
    const statuses = [];
    for (const other of asymmetric)
      statuses.push([other, (await ask(served, { alg: other, key: privateKey(other) })).status]);
    expect(statuses).toEqual(
      asymmetric.map((other) => [other, pairOf(other) === pairOf(alg) ? 200 : 401]),
    );
  });

  test('only what `algorithms` lists', async () => {
    const served = await serve(`{ publicKey: ${pem('RS256')}, algorithms: [PS256] }`);
    expect((await ask(served, { alg: 'PS256', key: rsaKeys.privateKey })).status).toBe(200);
    expect((await ask(served, { alg: 'RS256', key: rsaKeys.privateKey })).status).toBe(401);
    const shared = await serve(`{ secret: ${secrets[0]}…………, algorithms: [HS384] }`);
    const key = `${secrets[0]}…………`;
    expect((await ask(shared, { alg: 'HS384', key })).status).toBe(200);
    expect((await ask(shared, { alg: 'HS256', key })).status).toBe(401);
    await served.stop();
  });

  test.each<[audience: string, aud: unknown, status: number]>([
    ['any', undefined, 200],
    ['any', 'shop', 200],
    ['any', ['a', 'b'], 200],
    ['[any]', 'shop', 401],
    ['[any]', 'any', 200],
    ['shop', 'any', 401],
  ])('audience %s and %j: %i', async (audience, aud, status) => {
    const served = await serve(`{ publicKey: ${pem('RS256')}, issuer: me, audience: ${audience} }`);
    const sent = makeToken(
      { ...claims, iss: 'me', aud },
      { alg: 'RS256', key: privateKey('RS256') },
    );
    expect((await served.get('/v1/notes', bearer(sent))).status).toBe(status);
    const other = makeToken({ ...claims, aud }, { alg: 'RS256', key: privateKey('RS256') });
    expect((await served.get('/v1/notes', bearer(other))).status).toBe(401);
  });

  test('a public key is no secret', async () => {
    const served = await serve(`{ publicKey: ${pem('RS256')} }`);
    for (const key of [publicPem(rsaKeys), publicPem(rsaKeys).trim()])
      expect((await ask(served, { alg: 'HS256', key })).status).toBe(401);
  });

  test('a key in the header of the token is not looked at', async () => {
    const served = await serve(`{ publicKey: ${pem('RS256')} }`);
    const jwk = ecKeys.publicKey.export({ format: 'jwk' });
    const header = { jwk, jku: 'http://127.0.0.1:1/keys', x5u: 'http://127.0.0.1:1/keys' };
    const answer = await ask(served, { alg: 'ES256', key: ecKeys.privateKey, header });
    expectError(answer, 'INVALID_CREDENTIALS', '/v1/notes');
  });
});

describe('several keys', () => {
  const keys = `{ keys: [
    { kid: old, alg: HS256, secret: "${secrets[0]}" },
    { kid: new, alg: HS512, secret: "${secrets[1]}" },
    { kid: rsa, alg: RS256, publicKey: ${pem('RS256')} }] }`;
  test.each<[name: string, options: TokenOptions, status: number]>([
    ['the first', { key: secrets[0] ?? '', header: { kid: 'old' } }, 200],
    ['the second', { alg: 'HS512', key: secrets[1] ?? '', header: { kid: 'new' } }, 200],
    ['an asymmetric one', { alg: 'RS256', key: rsaKeys.privateKey, header: { kid: 'rsa' } }, 200],
    ['the kid of another', { key: secrets[0] ?? '', header: { kid: 'rsa' } }, 401],
    [
      'another algorithm than the key has',
      { alg: 'HS512', key: secrets[0] ?? '', header: { kid: 'old' } },
      401,
    ],
    [
      'another of the same kind',
      { alg: 'PS256', key: rsaKeys.privateKey, header: { kid: 'rsa' } },
      401,
    ],
    ['a kid that is not known', { key: secrets[0] ?? '', header: { kid: 'Old' } }, 401],
    [
      'the kid of what every object has',
      { key: secrets[0] ?? '', header: { kid: '__proto__' } },
      401,
    ],
    ['no kid', { key: secrets[0] ?? '' }, 401],
    [
      'no kid, where the algorithm leaves no choice',
      { alg: 'RS256', key: rsaKeys.privateKey },
      401,
    ],
  ])('%s', async (_name, options, status) => {
    expect((await ask(await serve(keys), options)).status).toBe(status);
  });

  test('one alone needs no kid, and takes no other', async () => {
    const served = await serve(`{ keys: [{ kid: a, alg: HS256, secret: "${secrets[0]}" }] }`);
    const key = secrets[0] ?? '';
    expect((await ask(served, { key })).status).toBe(200);
    expect((await ask(served, { key, header: { kid: 'a' } })).status).toBe(200);
    expect((await ask(served, { key, header: { kid: 'b' } })).status).toBe(401);
  });
});

describe('the roles', () => {
  test.each<[path: string, claims: object, status: number]>([
    ['groups', { groups: ['editor'] }, 200],
    ['groups', { roles: ['editor'] }, 403],
    ['realm_access.roles', { realm_access: { roles: ['editor'] } }, 200],
    ['realm_access.roles', { realm_access: null }, 403],
    ['realm_access.roles', { realm_access: { roles: { editor: true } } }, 403],
    ['https://shop.test/roles', { 'https://shop.test/roles': ['editor'] }, 200],
    ['a.b', { 'a.b': ['editor'], a: { b: [] } }, 200],
    ['__proto__.roles', {}, 403],
  ])('come from %s in %j', async (path, own, status) => {
    api = await serveApi(
      `
auth: { jwt: { secret: "${secrets[0]}", rolesClaim: "${path}" } }
resources: { notes: { access: editor, fields: { title: { type: string } } } }
`,
      {},
      () => new Date(now),
    );
    const key = secrets[0] ?? '';
    const answer = await api.get('/v1/notes', bearer(makeToken({ ...claims, ...own }, { key })));
    expect(answer.status).toBe(status);
  });
});

describe('the keys that an issuer publishes', () => {
  /** What the issuer answers, and how often it was asked. */
  let [status, body, asked, hold]: [number, string, number, Promise<void> | undefined] = [
    200,
    '',
    0,
    undefined,
  ];
  let issuer: Server;
  let uri = '';
  beforeAll(async () => {
    issuer = createServer((_request, response) => {
      asked += 1;
      const answer = (): unknown => response.writeHead(status, { location: '/no' }).end(body);
      if (hold === undefined) answer();
      else void hold.then(answer);
    });
    await new Promise<void>((done) => issuer.listen(0, '127.0.0.1', done));
    const address = issuer.address();
    uri = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/keys`;
  });
  afterAll(() => issuer.close());
  afterEach(() => {
    [status, asked, hold] = [200, 0, undefined];
  });

  const jwk = (pair: KeyPair, more: object): object => ({
    ...pair.publicKey.export({ format: 'jwk' }),
    ...more,
  });
  const set = (...keys: readonly object[]): string => JSON.stringify({ keys });
  const rsa = jwk(rsaKeys, { kid: 'rsa', alg: 'RS256', use: 'sig' });
  const ec = jwk(ecKeys, { kid: 'ec' });
  const byRsa = (kid?: string): TokenOptions => ({
    alg: 'RS256',
    key: rsaKeys.privateKey,
    header: kid === undefined ? {} : { kid },
  });
  const byEc = (kid?: string): TokenOptions => ({
    ...byRsa(kid),
    alg: 'ES256',
    key: ecKeys.privateKey,
  });
  const served = (more = ''): Promise<TestApi> => serve(`{ jwksUri: "${uri}"${more} }`);

  test('are fetched once, when the first token comes', async () => {
    body = set(rsa, ec);
    const one = await served();
    expect((await one.get('/v1/notes')).status).toBe(401);
    expect(asked).toBe(0);
    const answers = await Promise.all(
      [byRsa('rsa'), byEc('ec'), byRsa('rsa')].map((by) => ask(one, by)),
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    now += 590_000;
    expect((await ask(one, byEc('ec'))).status).toBe(200);
    expect(asked).toBe(1);
  });

  test.each<[name: string, keys: readonly object[], by: TokenOptions, status: number]>([
    ['no kid where there are several', [rsa, ec], byRsa(), 401],
    ['no kid where there is one', [rsa], byRsa(), 200],
    [
      'no kid where there is one of use',
      [rsa, { ...ec, use: 'enc' }, { kty: 'oct', k: 'AA' }],
      byRsa(),
      200,
    ],
    ['a key for encryption', [rsa, { ...ec, use: 'enc' }], byEc('ec'), 401],
    ['a key that may not verify', [rsa, { ...ec, key_ops: ['sign'] }], byEc('ec'), 401],
    ['another algorithm than the key is for', [rsa], { ...byRsa('rsa'), alg: 'PS256' }, 401],
    ['one kid for two algorithms', [rsa, { ...ec, kid: 'rsa' }], byEc('rsa'), 200],
    [
      'a shared secret in it',
      [rsa, { kty: 'oct', kid: 'oct', k: btoa(secrets[0] ?? '') }],
      { key: secrets[0] ?? '', header: { kid: 'oct' } },
      401,
    ],
    ['what is no key beside it', [{}, { kty: 'RSA' }, { kty: 7 }, rsa], byRsa('rsa'), 200],
  ])('%s', async (_name, keys, by, expected) => {
    body = set(...keys);
    expect((await ask(await served(), by)).status).toBe(expected);
  });

  test('only with the algorithms that are listed', async () => {
    body = set(rsa, ec);
    const one = await served(', algorithms: [ES256]');
    expect((await ask(one, byRsa('rsa'))).status).toBe(401);
    expect((await ask(one, byEc('ec'))).status).toBe(200);
  });

  test('are fetched again for a kid that is new, at most every 30 s', async () => {
    body = set(rsa);
    const one = await served();
    expect((await ask(one, byRsa('rsa'))).status).toBe(200);
    body = set(rsa, ec);
    expect((await ask(one, byEc('ec'))).status).toBe(200);
    expect(asked).toBe(2);
    for (const kid of ['x', 'y', 'z']) expect((await ask(one, byEc(kid))).status).toBe(401);
    now += 29_999;
    expect((await ask(one, byEc('x'))).status).toBe(401);
    expect(asked).toBe(2);
    now += 1;
    await Promise.all(['x', 'y', 'z'].map((kid) => ask(one, byEc(kid))));
    expect(asked).toBe(3);
  });

  test('are not fetched for what is no unknown kid', async () => {
    body = set(rsa, ec);
    const one = await served();
    expect((await ask(one, byRsa('rsa'))).status).toBe(200);
    const wrong = [{ ...byRsa('rsa'), alg: 'PS256' }, byEc('rsa'), byRsa()];
    for (const by of wrong) expect((await ask(one, by)).status).toBe(401);
    expect(asked).toBe(1);
  });

  test.each([-86_400_000, -3_600_000])(
    'are asked for as ever where the clock on the wall is set by %i ms',
    async (difference) => {
      const one = await served();
      status = 500;
      expect((await ask(one, byRsa('rsa'))).headers.get('retry-after')).toBe('5');
      ahead = difference;
      expect((await ask(one, byRsa('rsa'))).headers.get('retry-after')).toBe('5');
      [status, body] = [200, set(rsa)];
      now += 5_000;
      expect((await ask(one, byRsa('rsa'))).status).toBe(200);
      expect((await ask(one, byEc('x'))).status).toBe(401);
      body = set(rsa, ec);
      ahead = 2 * difference;
      now += 30_000;
      expect((await ask(one, byEc('ec'))).status).toBe(200);
      body = set(rsa);
      ahead = 3 * difference;
      now += 600_000;
      await expect.poll(async () => (await ask(one, byEc('ec'))).status).toBe(401);
    },
  );

  test('end when they are withdrawn, for tokens that were found good too', async () => {
    body = set(rsa, ec);
    const one = await served();
    expect((await ask(one, byEc('ec'))).status).toBe(200);
    body = set(rsa);
    expect((await ask(one, byRsa('new'))).status).toBe(401);
    expect((await ask(one, byEc('ec'))).status).toBe(401);
    expect((await ask(one, byRsa('rsa'))).status).toBe(200);
  });

  test('are looked at again after 10 minutes, beside the requests', async () => {
    body = set(rsa, ec);
    const one = await served();
    expect((await ask(one, byEc('ec'))).status).toBe(200);
    body = set(rsa);
    now += 600_000;
    expect((await ask(one, byEc('ec'))).status).toBe(200);
    await expect.poll(async () => (await ask(one, byEc('ec'))).status).toBe(401);
    // Once because it was old, and once because the kid is new by now.
    expect(asked).toBe(3);
  });

  test('stay the last good ones while the issuer fails', async () => {
    body = set(rsa);
    const one = await served();
    expect((await ask(one, byRsa('rsa'))).status).toBe(200);
    status = 500;
    now += 600_000;
    for (let times = 0; times < 3; times += 1)
      expect((await ask(one, byRsa('rsa'))).status).toBe(200);
    await expect.poll(() => one.dependencies.length).toBe(1);
    expect(asked).toBe(2);
    expect((await ask(one, byEc('ec'))).body.code).toBe('INVALID_CREDENTIALS');
    status = 200;
    now += 30_000;
    expect((await ask(one, byEc('ec'))).status).toBe(401);
    expect(one.dependencies.map(({ name, error }) => [name, error === undefined])).toEqual([
      ['signing keys', false],
      ['signing keys', true],
    ]);
  });

  const bad: readonly (readonly [string, number, string])[] = [
    ['an error', 500, set(rsa)],
    ['another address', 302, set(rsa)],
    ['nothing', 204, ''],
    ['no JSON', 200, '<html>'],
    ['no set', 200, '[]'],
    ['null', 200, 'null'],
    ['keys that are no list', 200, '{"keys":{}}'],
    ['no key of use', 200, set({ ...ec, use: 'enc' })],
    ['too much', 200, set(rsa, { pad: 'x'.repeat(300_000) })],
  ];
  test.each(bad)(
    'without any: 503, where the issuer answers with %s',
    async (_name, code, text) => {
      [status, body] = [code, text];
      const one = await served();
      const answer = await ask(one, byRsa('rsa'));
      expectError(answer, 'KEYS_UNAVAILABLE', '/v1/notes');
      expect(answer.headers.get('retry-after')).toBe('5');
      now += 3_500;
      const again = await ask(one, byRsa('rsa'));
      expect([again.status, again.headers.get('retry-after'), asked]).toEqual([503, '2', 1]);
      [status, body] = [200, set(rsa)];
      now += 1_500;
      expect((await ask(one, byRsa('rsa'))).status).toBe(200);
      expect(asked).toBe(2);
      expect(one.dependencies.map(({ error }) => error === undefined)).toEqual([false, true]);
    },
  );

  test('without any, what is no token is 401 nevertheless, and a public list needs none', async () => {
    status = 500;
    const one = await served();
    expect((await one.get('/v1/notes', bearer('abc'))).status).toBe(401);
    expect((await one.get('/v1/notes')).body.code).toBe('UNAUTHENTICATED');
    expect((await one.get('/_health', bearer(makeToken(claims, byRsa('rsa'))))).status).toBe(200);
    expect(asked).toBe(0);
  });

  test('one slow fetch serves all who wait', async () => {
    body = set(rsa);
    let go = (): void => undefined;
    hold = new Promise((done) => {
      go = done;
    });
    const one = await served();
    const answers = Promise.all(Array.from({ length: 20 }, () => ask(one, byRsa('rsa'))));
    await expect.poll(() => asked).toBe(1);
    go();
    expect(new Set((await answers).map((answer) => answer.status))).toEqual(new Set([200]));
    expect(asked).toBe(1);
  });
});
