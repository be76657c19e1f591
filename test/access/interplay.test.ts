import { afterEach, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { breakTable } from '../support/broken.ts';
import { buildValid, serveApi, type TestApi } from '../support/api.ts';
import { requestLog } from '../../src/http/debug/logging.ts';
import { caller, withTokens } from '../support/callers.ts';
import { hashOf } from '../support/tokens.ts';

/** What parts of the service that were made apart have to say together. */
const open: { readonly stop: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.stop();
});
const serving = async (...request: Parameters<typeof serveApi>): Promise<TestApi> => {
  const api = await serveApi(...request);
  open.push(api);
  return api;
};
const servingBoth = async (specification: string): Promise<Both> => {
  const both = await serveBoth(specification);
  open.push(both);
  return both;
};

const posts = `
resources:
  posts: { fields: { title: { type: string, nullable: true } } }
`;

describe('an error that no rule foresaw', () => {
  test.each(['', '?_trace=true'])('has the headers of quota and version: %s', async (search) => {
    const api = await serving(`access: public
rateLimit: { max: 5, window: 60s }
api: { versions: { 1: { deprecated: 2030-01-01 } } }
${posts}`);
    breakTable(api, 'posts');
    const { status, headers } = await api.get(`/v1/posts${search}`);
    expect(status).toBe(500);
    expect(headers.get('ratelimit')).toMatch(/^"address";r=4;t=\d+$/u);
    expect(headers.get('deprecation')).toBe('@1893456000');
    expect(api.failures.splice(0)).toHaveLength(1);
  });
});

describe('X-Sandbox where there is no isolated data', () => {
  test.each([
    ['GET', '/v1/posts', undefined, 400],
    ['HEAD', '/v1/posts', undefined, 400],
    ['POST', '/v1/posts', { title: 'x' }, 400],
    ['GET', '/v1/nope', undefined, 404],
    ['GET', '/_health', undefined, 200],
    ['OPTIONS', '/v1/posts', undefined, 204],
  ])('%s %s: %i', async (method, path, body, status) => {
    const both = await servingBoth(`access: public\n${posts}`);
    const answer = await both.send(method, path, body, { 'x-sandbox': 'mine' });
    expect(answer.status).toBe(status);
    expect((await both.get('/v1/posts')).body).toEqual([]);
  });
});

describe('an Idempotency-Key', () => {
  test('belongs to one caller, though another kind of credential has its name', async () => {
    const both = await servingBoth(
      `${withTokens.replace('auth: { ', `auth: { apiKeys: [{ name: ci, hash: "${hashOf('ci-key')}" }], `)}\n${posts}`,
    );
    const key = { 'idempotency-key': 'k' };
    const post = async (title: string, headers: Record<string, string>): Promise<number> =>
      (await both.send('POST', '/v1/posts', { title }, { ...key, ...headers })).status;
    expect(await post('a', { 'x-api-key': 'ci-key' })).toBe(201);
    expect(await post('b', caller({ sub: 'ci' }))).toBe(201);
    expect(await post('c', caller({ sub: 'ci' }))).toBe(422);
    expect((await both.get('/v1/posts', caller({ sub: 'ci' }))).body).toHaveLength(2);
  });
});

describe('an Idempotency-Key of tokens without a subject', () => {
  const send = (both: Both, claims: object): Promise<{ status: number; body: unknown }> =>
    both.send(
      'POST',
      '/v1/posts',
      { title: 'a' },
      { 'idempotency-key': 'k', ...caller({ ...claims }) },
    );

  test.each<[name: string, other: object, records: number]>([
    ['that speak of another', { tenant: 'b' }, 2],
    ['that have been renewed', { tenant: 'a', iat: 1_700_000_000, jti: 'other' }, 1],
  ])('%s', async (_name, other, records) => {
    const both = await servingBoth(`${withTokens}\n${posts}`);
    expect((await send(both, { tenant: 'a', jti: 'one' })).status).toBe(201);
    expect((await send(both, other)).status).toBe(201);
    expect((await both.get('/v1/posts', caller({ sub: 'x' }))).body).toHaveLength(records);
  });
});

describe('a simulated network', () => {
  const spec = `debug: { roles: [dev] }
${withTokens}
access: authenticated
${posts}`;
  const developer = caller({ sub: 'dora', roles: ['dev'] });
  /** Past the harness: simulated errors are not in the document. */
  const ask = async ({ url }: TestApi, simulate: string): Promise<Record<string, unknown>> => {
    const headers = { ...developer, 'x-simulate': simulate };
    const asked = '/v1/posts?_trace=true&_inspectNetwork=true';
    return (await (await fetch(`${url}${asked}`, { headers })).json()) as Record<string, unknown>;
  };

  test.each([
    ['latency=5', ['parse_query', 'fetch_posts']],
    ['latency=5,error=503', []],
  ])('is a step of its own, for who may debug in start: %s', async (simulate, others) => {
    const told = await ask(await serving(spec), simulate);
    const steps = told['_trace'] as { readonly stage: string; readonly details?: object }[];
    expect(steps.map(({ stage }) => stage)).toEqual([
      'init',
      'authentication',
      'network',
      ...(others.length === 0 ? [] : ['authorization']),
      ...others,
      'finalize',
    ]);
    expect(steps[1]?.details).toMatchObject({ authenticated: true, name: 'dora' });
    expect(told['_network']).toMatchObject({ latency: { applied: true, min: 5, max: 5 } });
  });

  test('tells the log who met an error that it made, and what was asked for', async () => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string): void => void lines.push(JSON.parse(line) as (typeof lines)[0]);
    const readers = [requestLog(() => buildValid(spec), 'start', { write })];
    const api = await serving(spec, {}, undefined, { readers });
    await ask(api, 'error=503');
    await api.get('/_openapi.json', developer);
    await expect
      .poll(() => lines.map(({ caller: who, route }) => [who, route]))
      .toEqual([
        ['dora', 'posts.list'],
        ['dora', '/_openapi.json'],
      ]);
  });
});
