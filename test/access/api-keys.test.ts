import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build, serveApi } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { bearer, hashOf, makeToken } from '../support/tokens.ts';

const start = Date.parse('2026-03-01T12:00:00Z');
const key = (name: string): Record<string, string> => ({ 'x-api-key': `${name}-key` });
const entry = (name: string, more: string): string =>
  `    - { name: ${name}, hash: "${hashOf(`${name}-key`)}", ${more} }`;
const secret = 's'.repeat(32);
const specification = `
auth:
  jwt: { secret: "${secret}" }
  apiKeys:
${[
  entry('north', 'sub: "1", claims: { tenant: 1, regions: [a, b], org: { id: "x" } }'),
  entry('south', 'claims: { tenant: "2", regions: [c], org: { id: y } }'),
  entry('bare', 'roles: [reader]'),
  entry('ended', 'expires: 2026-03-01, claims: { tenant: 1 }'),
  entry('ending', 'expires: 2026-03-02, claims: { tenant: 1 }'),
].join('\n')}
rateLimit: false
resources:
  notes:
    access: { read: [{ where: "tenant={user.tenant}" }], write: authenticated }
    fields: { tenant: { type: integer } }
  posts:
    access: { read: [{ where: "region={user.regions}&org={user.org.id}" }], write: authenticated }
    fields: { region: { type: string }, org: { type: string } }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {}, () => new Date(start));
  const posts = ['a', 'b', 'c'].flatMap((region) => ['x', 'y'].map((org) => ({ region, org })));
  for (const [path, records] of [
    ['notes', [{ tenant: 1 }, { tenant: 2 }, { tenant: 3 }]],
    ['posts', posts],
  ] as const)
    expect((await both.send('POST', `/v1/${path}`, records, key('bare'))).status).toBe(201);
});
afterAll(() => both?.stop());

test.each<[name: string, notes: readonly number[], posts: readonly number[]]>([
  ['north', [1], [1, 3]],
  ['south', [2], [6]],
  ['bare', [], []],
  ['ending', [1], []],
])('claims of the key %s open what they would in a token', async (name, notes, posts) => {
  for (const [path, ids] of [
    ['notes', notes],
    ['posts', posts],
  ] as const) {
    const { body } = await both.get(`/v1/${path}`, key(name));
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual(ids);
  }
});

test('a key ends with its day, also on a connection that has used it, and is no failed login', async () => {
  let at = start;
  const api = await serveApi(specification, {}, () => new Date(at));
  const statusOf = async (name: string): Promise<unknown> => {
    const { status, body } = await api.get('/v1/notes', key(name));
    return status === 200 ? status : [status, body.code, body.message];
  };
  const ended = [401, 'TOKEN_EXPIRED', 'The API key has expired'];
  expect(await statusOf('ended')).toEqual(ended);
  at = Date.parse('2026-03-01T23:59:59.999Z');
  expect(await statusOf('ending')).toBe(200);
  at += 1;
  for (let times = 0; times < 12; times += 1) expect(await statusOf('ending')).toEqual(ended);
  expect(await statusOf('north')).toBe(200);
  await api.stop();
});

test('the metrics tell when each key was last used', async () => {
  let at = start;
  const api = await serveApi(specification, {}, () => new Date(at));
  const uses = async (): Promise<Record<string, number>> => {
    const { text } = await api.get('/_metrics');
    const lines = [...text.matchAll(/^plinth_key_last_used_seconds\{key="(\w+)"\} (\d+)$/gmu)];
    return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]));
  };
  const none = { north: 0, south: 0, bare: 0, ended: 0, ending: 0 };
  expect(await uses()).toEqual(none);
  await api.get('/v1/notes', key('north'));
  at += 60_000;
  await api.get('/v1/notes', bearer('south-key'));
  await api.get('/v1/notes', key('ended'));
  await api.get('/v1/notes', key('unknown'));
  const seconds = start / 1_000;
  expect(await uses()).toEqual({ ...none, north: seconds, south: seconds + 60 });
  await api.stop();
});

describe('typ', () => {
  test.each<[wanted: string, typ: string | undefined, status: number]>([
    ['typ: at+jwt', 'at+jwt', 200],
    ['typ: at+jwt', 'AT+JWT', 200],
    ['typ: at+jwt', 'application/at+jwt', 200],
    ['typ: at+jwt', 'JWT', 401],
    ['typ: at+jwt', undefined, 401],
    ['', 'at+jwt', 200],
    ['', 'JWT', 200],
    ['', undefined, 200],
  ])('%s and a token of %s: %i', async (wanted, typ, status) => {
    const api = await serveApi(
      `auth: { jwt: { secret: "${secret}", ${wanted} } }\nresources: { notes: { fields: { title: { type: string } } } }`,
      {},
      () => new Date(start),
    );
    const token = makeToken({ exp: start / 1_000 + 60 }, { key: secret, header: { typ } });
    expect((await api.get('/v1/notes', bearer(token))).status).toBe(status);
    await api.stop();
  });
});

describe('an entry that cannot be', () => {
  const told = (more: string): readonly string[] =>
    build(
      `auth: { apiKeys: [{ name: a, hash: "${hashOf('a')}", ${more} }] }\nresources: { a: { fields: { b: { type: string } } } }`,
    )
      .problems.filter(({ severity }) => severity === 'error')
      .map(({ message }) => message);
  test.each<[more: string, message: string]>([
    ['claims: { sub: "7" }', '`sub` stands beside `claims`, not in it'],
    ['claims: { tenant: 9007199254740993 }', 'has more digits than a number holds exactly'],
    ['claims: { "a b": 7 }', "`a b` cannot be a claim's name"],
    ['claims: [7]', '`claims` must be a map such as { tenant: 7 }'],
    ['expires: soon', '`expires` must be a date such as 2026-03-01'],
    ['expires: 2026-02-30', '`2026-02-30` is not a day of the calendar'],
    ['roles: [public]', "an item of `roles` must be a role's name (other than public"],
    [
      'roles: [admin, authenticated]',
      "an item of `roles` must be a role's name (other than public",
    ],
    ['roles: [none]', "an item of `roles` must be a role's name (other than public"],
  ])('%s: %s', (more, message) => {
    expect(told(more)).toEqual([expect.stringContaining(message)]);
  });
});
