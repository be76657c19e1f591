import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { bearer, hashOf, makeToken, unsigned } from '../support/tokens.ts';
import { rsaKeys } from '../support/keys.ts';
import { expectError } from '../server/exchanges.ts';
import {
  apiKey,
  good,
  secret,
  seconds,
  serveCredentials,
  start,
  token,
  without,
} from './credentials.ts';

let now = start;
let api: TestApi;
beforeAll(async () => {
  api = await serveCredentials(() => now);
});
afterAll(() => api.stop());

type Headers = Record<string, string>;
const challenge = 'Bearer error="invalid_token", error_description="The credentials are not valid"';
const expired = 'Bearer error="invalid_token", error_description="The token has expired"';

describe('credentials that are good', () => {
  test.each<[name: string, headers: Headers]>([
    ['a token', bearer(token())],
    ['a scheme in other case', { authorization: `bEARER  ${token()} ` }],
    ['an API key as Bearer', bearer(apiKey)],
    ['an API key in its own header', { 'x-api-key': apiKey }],
    ['a token for one of several audiences', bearer(token({ aud: ['other', 'app'] }))],
    ['a token that has expired 29 s ago', bearer(token({ exp: seconds - 29 }))],
    ['a token that begins in 30 s', bearer(token({ nbf: seconds + 30 }))],
    ['a token of HS512', bearer(token({}, { alg: 'HS512' }))],
    ['a token with a kid, where there is one key', bearer(token({}, { header: { kid: 'a' } }))],
    ['a role alone', bearer(token({ roles: 'editor' }))],
    ['roles among what is no role', bearer(token({ roles: [7, null, 'editor', {}] }))],
    ['a token of another type', bearer(token({}, { header: { typ: 'at+jwt' } }))],
    ['a token without sub', bearer(without('sub'))],
  ])('%s', async (_name, headers) => {
    expect((await api.get('/v1/drafts', headers)).status).toBe(200);
    // What was found good is remembered.
    expect((await api.get('/v1/drafts', headers)).status).toBe(200);
  });

  test('a key without roles is authenticated', async () => {
    const headers = { 'x-api-key': 'bare-key' };
    expect((await api.get('/v1/lists', headers)).status).toBe(200);
    expect((await api.get('/v1/drafts', headers)).body.code).toBe('FORBIDDEN');
  });

  test('each request of a connection is looked at for itself', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const statusOf = async (headers: Headers): Promise<number | undefined> => {
      const outgoing = request(`${api.url}/v1/drafts`, { agent, headers }).end();
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      await once(incoming.resume(), 'end');
      return incoming.statusCode;
    };
    const other = bearer(token({ sub: '8', roles: [] }));
    const asked: [Headers, number][] = [
      [bearer(token()), 200],
      [other, 403],
      [bearer(token()), 200],
      [{ 'x-api-key': token() }, 401],
      [{}, 401],
      [{ 'x-api-key': apiKey }, 200],
      [{ authorization: apiKey }, 401],
      [bearer(apiKey), 200],
      [{ 'x-api-key': 'bare-key' }, 403],
    ];
    for (const [headers, status] of asked)
      expect(await statusOf(headers), JSON.stringify(headers)).toBe(status);
    agent.destroy();
  });

  test('every word of the challenge is in the answer to a caller without credentials', async () => {
    const answer = await api.get('/v1/lists');
    expectError(answer, 'UNAUTHENTICATED', '/v1/lists');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('vary')).toBe(
      'Accept, Accept-Encoding, Prefer, Authorization, X-API-Key',
    );
  });
});

const [head = '', body = '', end = ''] = token().split('.');

/** The good claims in JSON, but for the end. */
const goodMembers = JSON.stringify({ ...good, exp: undefined }).slice(1, -1);
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

describe('something invalid is 401, on public operations too', () => {
  test.each<[name: string, headers: Headers]>([
    ['no key of anyone', bearer('plinth_other')],
    ['a key in other case', bearer(apiKey.toUpperCase())],
    ['a key with more behind it', { 'x-api-key': `${apiKey}x` }],
    ['the hash of a key', { 'x-api-key': hashOf(apiKey) }],
    ['a token as an API key', { 'x-api-key': token() }],
    ['an empty API key', { 'x-api-key': '' }],
    ['two words as an API key', { 'x-api-key': `${apiKey} ${apiKey}` }],
    ['an empty Authorization', { authorization: '' }],
    ['Bearer alone', { authorization: 'Bearer' }],
    ['a token without scheme', { authorization: token() }],
    ['two tokens', { authorization: `Bearer ${token()} ${token()}` }],
    ['Basic', { authorization: `Basic ${btoa(`user:${apiKey}`)}` }],
    ['another scheme', { authorization: `Digest ${apiKey}` }],
    ['a token and an API key', { ...bearer(token()), 'x-api-key': apiKey }],
    ['letters beyond ASCII', { authorization: 'Bearer schl\u00fcssel' }],
    ['another secret', bearer(makeToken(good, { key: 'x'.repeat(32) }))],
    ['another payload under the signature', bearer(`${head}.${body.slice(0, -2)}x9.${end}`)],
    ['no signature', bearer(`${head}.${body}.`)],
    ['a part too few', bearer(`${head}.${body}`)],
    ['a part too many', bearer(`${token()}.${end}`)],
    ['dots alone', bearer('..')],
    ['none', bearer(unsigned(good))],
    ['NONE', bearer(unsigned(good, 'NONE'))],
    ['none with the signature of another', bearer(`${unsigned(good)}${end}`)],
    ['an algorithm that nobody knows', bearer(`${unsigned(good, 'HS255')}${end}`)],
    ['no algorithm', bearer(token({}, { header: { alg: undefined } }))],
    ['an algorithm that is no text', bearer(token({}, { header: { alg: ['HS256'] } }))],
    [
      'an algorithm of another kind of key',
      bearer(makeToken(good, { alg: 'RS256', key: rsaKeys.privateKey })),
    ],
    ['a critical header', bearer(token({}, { header: { crit: ['x'], x: 1 } }))],
    ['a payload that is not encoded', bearer(token({}, { header: { crit: ['b64'], b64: false } }))],
    ['a kid that is no text', bearer(token({}, { header: { kid: { a: 1 } } }))],
    ['another issuer', bearer(token({ iss: 'https://issuer.test/' }))],
    ['no issuer', bearer(without('iss'))],
    ['another audience', bearer(token({ aud: 'shop2' }))],
    ['an audience that is no text', bearer(token({ aud: { shop: true } }))],
    ['no audience', bearer(without('aud'))],
    ['no exp', bearer(without('exp'))],
    ['an exp that is no number', bearer(token({ exp: '9999999999' }))],
    ['an exp that is null', bearer(token({ exp: null }))],
    ['an exp that never comes', bearer(makeToken(`{${goodMembers},"exp":1e400}`, { key: secret }))],
    [
      'an nbf before all time',
      bearer(makeToken(`{${goodMembers},"exp":9e9,"nbf":-1e400}`, { key: secret })),
    ],
    ['claims that are nested too deep', bearer(token({ deep: nested(40) }))],
    ['a token that begins in 31 s', bearer(token({ nbf: seconds + 31 }))],
    ['an nbf that is no number', bearer(token({ nbf: 'now' }))],
    ['claims that are a list', bearer(makeToken([good], { key: secret }))],
    ['claims that are null', bearer(makeToken(null, { key: secret }))],
    ['claims that are not JSON', bearer(makeToken('{"sub":', { key: secret }))],
    ['claims that are no UTF-8', bearer(`${head}.${Buffer.from([0xff]).toString('base64url')}.x`)],
    ['a header that is no JSON', bearer(`e30x.${body}.${end}`)],
    [
      'a header that is null',
      bearer(`${Buffer.from('null').toString('base64url')}.${body}.${end}`),
    ],
    ['a header that is a list', bearer(`W10.${body}.${end}`)],
    ['padding behind the signature', bearer(`${token()}=`)],
    ['characters that are no base64', bearer(`${head}.${body}.${end.slice(0, -1)}!`)],
  ])('%s', async (_name, headers) => {
    const answer = await api.get('/v1/news', headers);
    expectError(answer, 'INVALID_CREDENTIALS', '/v1/news');
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
    expect(answer.body.message).toBe('The credentials are not valid');
    expect(api.failures.splice(0)).toEqual([]);
  });

  test.each<[name: string, headers: readonly (readonly [string, string])[]]>([
    [
      'Authorization twice',
      [
        ['Authorization', `Bearer ${apiKey}`],
        ['authorization', `Bearer ${apiKey}`],
      ],
    ],
    [
      'X-API-Key twice',
      [
        ['X-API-Key', apiKey],
        ['X-Api-Key', apiKey],
      ],
    ],
    [
      'the good one last',
      [
        ['Authorization', 'Bearer x'],
        ['X-API-Key', apiKey],
      ],
    ],
  ])('%s', async (_name, lines) => {
    const { hostname, port } = new URL(api.url);
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      const flat = ['Host', hostname, ...lines.flat()];
      request({ hostname, port, path: '/v1/news', headers: flat }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(401);
  });
});

describe('a token that has expired', () => {
  test.each([
    ['30 s ago', seconds - 30],
    ['long ago', 0],
    ['before there was time', -1e300],
  ])('%s', async (_name, exp) => {
    const answer = await api.get('/v1/news', bearer(token({ exp })));
    expectError(answer, 'TOKEN_EXPIRED', '/v1/news');
    expect(answer.headers.get('www-authenticate')).toBe(expired);
  });

  test('after it was good', async () => {
    const headers = bearer(token({ exp: seconds + 60, jti: 'short' }));
    expect((await api.get('/v1/drafts', headers)).status).toBe(200);
    now = start + 89_000;
    expect((await api.get('/v1/drafts', headers)).status).toBe(200);
    now = start + 90_000;
    expectError(await api.get('/v1/drafts', headers), 'TOKEN_EXPIRED', '/v1/drafts');
    now = start;
  });

  test('another wrong thing beside it is not told', async () => {
    const answer = await api.get('/v1/news', bearer(token({ exp: 0, aud: 'x' })));
    expect(answer.body.code).toBe('INVALID_CREDENTIALS');
  });
});

test('a token that was good is not where the clock is set back to before it begins', async () => {
  const headers = bearer(token({ nbf: seconds - 60, jti: 'later' }));
  expect((await api.get('/v1/drafts', headers)).status).toBe(200);
  now = start - 90_000;
  expect((await api.get('/v1/drafts', headers)).status).toBe(200);
  now = start - 91_000;
  expectError(await api.get('/v1/drafts', headers), 'INVALID_CREDENTIALS', '/v1/drafts');
  now = start;
});
