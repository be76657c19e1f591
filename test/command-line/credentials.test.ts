import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makeFolder, plinth, servePlinth, type Ended } from '../support/command.ts';
import { ecKeys, privatePem, publicPem, rsaKeys, yamlText } from '../support/keys.ts';

const secret = 'a secret that has 32 bytes or more';
const resources = `resources:
  notes:
    access: { read: editor, write: none }
    fields: { title: { type: string } }
`;
const signed = (jwt: string): string => `auth: { jwt: ${jwt} }\n${resources}`;
const rsa = yamlText(publicPem(rsaKeys));
const folder = makeFolder({
  'plinth.yaml': `database: sqlite:notes.db\n${signed('{ secret: "${SECRET}", issuer: shop, audience: [web, app], rolesClaim: groups }')}`,
  'open.yaml': resources,
  'rsa.yaml': signed(`{ publicKey: ${rsa}, algorithms: [PS256, RS256] }`),
  'several.yaml': signed(
    `{ keys: [{ kid: a, alg: RS256, publicKey: ${rsa} }, { kid: b, alg: HS256, secret: "${secret}" }, { kid: c, alg: HS512, secret: "${secret}" }] }`,
  ),
  'issuer.yaml': signed('{ jwksUri: "https://issuer.test/keys", algorithms: [ES256] }'),
  'rsa.pem': privatePem(rsaKeys),
  'ec.pem': privatePem(ecKeys),
  'public.pem': publicPem(rsaKeys),
  'small.pem': privatePem(generateKeyPairSync('rsa', { modulusLength: 1024 })),
});
const here = { cwd: folder.path, env: { SECRET: secret } };

interface Made {
  readonly token: string;
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
}
async function make(...args: readonly string[]): Promise<Made> {
  const { code, out, err } = await plinth(['token', ...args, '--json'], here);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as Made;
}

/** One sentence on standard error, and nothing of any secret. */
function expectFailure({ code, out, err }: Ended, exit: number, message: string): void {
  expect({ code, out }).toEqual({ code: exit, out: '' });
  expect(err).toContain(message);
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(err).not.toContain(secret);
}

describe.concurrent('plinth key', () => {
  test('shows a key once, and the entry that knows it by its hash', async () => {
    const args = ['key', '--name', 'c"i ${X}', '--role', 'editor', '--role', 'a b', '--sub', '7'];
    const { code, out, err } = await plinth(args, here);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [, text = ''] = /^ {2}(plinth_[\w-]{43})$/mu.exec(out) ?? [];
    const hash = createHash('sha256').update(text).digest('hex');
    const entry = `{ name: "c\\"i $\${X}", hash: "sha256:${hash}", roles: ["editor", "a b"], sub: "7" }`;
    expect(out).toBe(
      `The key, shown only now:\n\n  ${text}\n\nAdd this to plinth.yaml, under auth.apiKeys:\n\n  - ${entry}\n`,
    );
    folder.write('keyed.yaml', `auth: { apiKeys: [${entry}] }\n${resources}`);
    expect(await plinth(['check', 'keyed.yaml'], here)).toMatchObject({ code: 0 });
  });

  test('is another one each time, and JSON on demand', async () => {
    const made = await Promise.all([0, 1].map(() => plinth(['key', '--json'], here)));
    type Shown = { ok: boolean; key: string; entry: { name: string; hash: string } };
    const [first, second] = made.map(({ out }) => JSON.parse(out) as Shown);
    expect(first?.ok).toBe(true);
    expect(first?.key).not.toBe(second?.key);
    const hash = createHash('sha256')
      .update(first?.key ?? '')
      .digest('hex');
    expect(first?.entry).toEqual({ name: `key-${hash.slice(0, 8)}`, hash: `sha256:${hash}` });
  });

  test.each([
    [['--role', 'authenticated'], 'Nobody can be given the role authenticated'],
    [['--role', ' editor'], '" editor" is not a valid role name. Change --role.'],
    [['--role', ''], '"" is not a valid role name'],
    [['--name', ' '], '--name is empty.'],
    [['--sub', ''], '--sub is empty.'],
    [['ci'], 'Too many arguments'],
  ])('%j is a wrong call', async (args, message) => {
    expectFailure(await plinth(['key', ...args], here), 2, message);
  });
});

describe.concurrent('plinth token', () => {
  test('signs what the specification asks for', async () => {
    const { header, claims } = await make('--sub', '7', '--role', 'editor', '--expires', '2h');
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' });
    const { iat } = claims;
    const exp = Number(iat) + 7_200;
    const fixed = { iss: 'shop', aud: 'web', sub: '7', groups: ['editor'] };
    expect(claims).toEqual({ ...fixed, iat, exp });
    expect(Math.abs(Number(iat) * 1_000 - Date.now())).toBeLessThan(60_000);
  });

  test('claims are JSON where they can be', async () => {
    const args = ['a=1', 'b={"c":[2]}', 'd=x=y', 'e=', 'f=true', 'iss=other'];
    const { claims } = await make(...args.flatMap((claim) => ['--claim', claim]));
    // Where nothing else is said it is good for an hour.
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(3_600);
    expect(claims).toMatchObject({ a: 1, b: { c: [2] }, d: 'x=y', e: '', f: true, iss: 'other' });
  });

  test.each<[name: string, args: readonly string[], header: object]>([
    ['a private key', ['--spec', 'rsa.yaml', '--private-key', 'rsa.pem'], { alg: 'RS256' }],
    [
      'another algorithm',
      ['--spec', 'rsa.yaml', '--private-key', 'rsa.pem', '--alg', 'PS256'],
      { alg: 'PS256' },
    ],
    ['of several keys the first secret', ['--spec', 'several.yaml'], { alg: 'HS256', kid: 'b' }],
    [
      'of several keys the one named',
      ['--spec', 'several.yaml', '--kid', 'c'],
      { alg: 'HS512', kid: 'c' },
    ],
    [
      'of several keys the one it belongs to',
      ['--spec', 'several.yaml', '--private-key', 'rsa.pem'],
      { alg: 'RS256', kid: 'a' },
    ],
    [
      'for an issuer',
      ['--spec', 'issuer.yaml', '--private-key', 'ec.pem', '--kid', 'x'],
      { alg: 'ES256', kid: 'x' },
    ],
    ['another algorithm of a secret', ['--alg', 'HS384'], { alg: 'HS384' }],
  ])('%s', async (_name, args, header) => {
    expect((await make(...args)).header).toEqual({ ...header, typ: 'JWT' });
  });

  test.each<[args: readonly string[], exit: number, message: string]>([
    [['--expires', '0h'], 2, 'The time must be written as 30s, 15m, 1h or 7d, not "0h".'],
    [['--expires', '1w'], 2, 'not "1w". Change --expires.'],
    [['--expires', '-1h'], 2, 'not "-1h"'],
    [['--role', 'none'], 2, 'Nobody can be given the role none'],
    [
      ['--claim', 'n=[9007199254740993]'],
      2,
      'A number in the claim n has more digits than this command can sign.',
    ],
    [['--claim', 'a'], 2, 'A claim is written as name=value, not "a".'],
    [['--claim', '=a'], 2, 'A claim is written as name=value'],
    [['--claim', 'a', '--spec', 'nope.yaml'], 2, 'A claim is written as name=value'],
    [['--claim', 'groups=admin'], 2, 'The claim groups comes from --sub, --role or --expires.'],
    [['--claim', 'exp=1'], 2, 'The claim exp comes from'],
    [['--alg', 'RS256'], 1, 'This key signs by HS256, HS384, HS512, not by RS256. Change --alg.'],
    [['--alg', 'none'], 1, 'not by none'],
    [
      ['--private-key', 'rsa.pem'],
      1,
      'plinth.yaml checks tokens with a secret. Leave --private-key out.',
    ],
    [['--private-key', 'nope.pem'], 1, 'nope.pem cannot be read: there is no such file or folder.'],
    [['--private-key', 'public.pem'], 1, 'public.pem is not a private key in PEM'],
    [['--spec', 'rsa.yaml'], 2, 'rsa.yaml has only public keys, which cannot sign.'],
    [
      ['--spec', 'rsa.yaml', '--private-key', 'ec.pem'],
      1,
      'The private key belongs to no public key in rsa.yaml.',
    ],
    [['--spec', 'several.yaml', '--kid', 'z'], 1, 'several.yaml has no key with the kid z.'],
    [['--spec', 'several.yaml', '--kid', 'a'], 2, 'several.yaml has only public keys'],
    [['--spec', 'issuer.yaml'], 2, 'issuer.yaml has only public keys'],
    [
      ['--spec', 'issuer.yaml', '--private-key', 'rsa.pem'],
      1,
      'No algorithm that issuer.yaml accepts fits this key.',
    ],
    [
      ['--spec', 'issuer.yaml', '--private-key', 'small.pem'],
      1,
      'No algorithm that issuer.yaml accepts',
    ],
    [
      ['--spec', 'open.yaml'],
      1,
      'open.yaml takes no tokens. Add "jwt" to its "auth", or make an API key with "plinth key".',
    ],
    [['--spec', 'nope.yaml'], 1, 'nope.yaml cannot be read'],
  ])('%j fails', async (args, exit, message) => {
    expectFailure(await plinth(['token', ...args], here), exit, message);
  });
});

test('start takes what they make, and has a quota without being told', async () => {
  expect(await plinth(['migrate', '--apply'], here)).toMatchObject({ code: 0 });
  const server = await servePlinth(['start'], here);
  const { out } = await plinth(['token', '--sub', '7', '--role', 'editor'], here);
  const get = (url: string, token: string): Promise<Response> =>
    fetch(`${url}/v1/notes`, { headers: { authorization: `Bearer ${token}` } });
  const answer = await get(server.url, out.trim());
  const policy = '"caller";q=300;w=60';
  expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([200, policy]);
  expect((await get(server.url, `${out.trim()}x`)).status).toBe(401);
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, err: '' });

  const dev = await servePlinth(['dev'], here);
  const free = await get(dev.url, out.trim());
  expect([free.status, free.headers.has('ratelimit')]).toEqual([200, false]);
  expect(await dev.stop('SIGTERM')).toMatchObject({ code: 0 });
});

describe('start without auth', () => {
  const start = async (access: string, more = ''): Promise<Ended> => {
    folder.write(
      'bare.yaml',
      `${access}\nresources: { notes: { ${more} fields: { title: { type: string } } } }\n`,
    );
    return plinth(['start', 'bare.yaml', '--database', 'mysql://nope'], here);
  };
  test.each<[access: string, more: string, message: string]>([
    ['', '', 'bare.yaml does not say who may use it. Add "access: public" if everyone may'],
    [
      'access: { read: public }',
      '',
      'bare.yaml does not say who may do this: create, update, delete of notes.',
    ],
    ['access: { write: public }', '', 'who may do this: read of notes.'],
    [
      'access: { create: public, read: public }',
      'access: { update: none },',
      'who may do this: delete of notes.',
    ],
  ])('%s, %s: what is open has to be written out', async (access, more, message) => {
    expectFailure(await start(access, more), 1, message);
  });

  test.each<[access: string, more: string]>([
    ['access: public', ''],
    ['', 'access: public,'],
    ['access: { read: public, write: none }', ''],
    ['access: { read: public }', 'access: { write: public },'],
  ])('%s, %s: is enough', async (access, more) => {
    // It goes on to the database.
    expectFailure(await start(access, more), 2, 'has an unknown kind of URL');
  });
});
