import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { library, makeFolder } from '../support/command.ts';
import { privatePem, publicPem, rsaKeys, yamlText } from '../support/keys.ts';
import { freePort } from '../support/ports.ts';
import { runIn, serveIn } from '../command-line/commands.ts';

/** Without lines of the log among those of the tests. */
const quiet = `logging: { enabled: false }\n${library}`;
const anyPort = ['--port', '0'];

describe('the flag is before the environment, which is before the file', () => {
  const file = 'sqlite:file.db';
  test.each<
    readonly [flag: string | undefined, variable: string | undefined, made: string, name: string]
  >([
    ['sqlite:flag.db', 'sqlite:variable.db', 'flag.db', 'flag.db'],
    // Both start where the user stands, and the file's own at the file.
    [undefined, 'sqlite:variable.db', 'variable.db', 'variable.db'],
    ['', 'sqlite:variable.db', 'variable.db', 'variable.db'],
    ['', '', 'api/file.db', 'file.db'],
    [undefined, undefined, 'api/file.db', 'file.db'],
  ])('--database %j, PLINTH_DATABASE_URL=%j: %s', async (flag, variable, made, name) => {
    const folder = makeFolder({ 'api/plinth.yaml': `database: ${file}\n${quiet}` });
    const environment = variable === undefined ? {} : { PLINTH_DATABASE_URL: variable };
    const flags = flag === undefined ? [] : ['--database', flag];
    const call = ['migrate', 'api/plinth.yaml', '--apply', '--json', ...flags];
    const { code, out } = await runIn(folder, { environment }, ...call);
    expect([code, JSON.parse(out)]).toMatchObject([0, { database: name, applied: true }]);
    const all = readdirSync(folder.path, { recursive: true }).map(String);
    expect(all.filter((path) => path.endsWith('.db'))).toEqual([made]);
  });

  test('port and host', async () => {
    const [own, other] = [await freePort(), await freePort()];
    const folder = makeFolder({
      'plinth.yaml': `server: { port: ${own}, host: 127.0.0.2 }\n${quiet}`,
    });
    const empty = { PLINTH_PORT: '', PLINTH_HOST: '' };
    const variables = { PLINTH_PORT: String(other), PLINTH_HOST: '127.0.0.3' };
    for (const [environment, flags, address] of [
      [{}, ['--host', ''], `127.0.0.2:${own}`],
      [empty, [], `127.0.0.2:${own}`],
      [variables, [], `127.0.0.3:${other}`],
      [variables, ['--port', String(own), '--host', '127.0.0.4'], `127.0.0.4:${own}`],
      // An address that can be called, for all that are listened on.
      [variables, ['--host', '0.0.0.0'], `127.0.0.1:${other}`],
    ] as const) {
      const server = await serveIn(folder, { environment }, 'dev', '--no-generate', ...flags);
      expect(new URL(server.url).host).toBe(address);
      await server.stop();
    }
  });
});

test('what dev keeps stands beside the file, as does what the file names', async () => {
  const folder = makeFolder({
    'api/plinth.yaml': `data: mine\nserver: { tls: self-signed }\n${quiet}`,
    'api/mine/authors.json': '[{"id":7,"name":"Ursula"}]',
    'api/mine/books.json': '[]',
  });
  const server = await serveIn(folder, {}, 'dev', 'api/plinth.yaml', ...anyPort);
  expect(await server.stop()).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringMatching(/ {2}authors {2}1\n {2}books {4}0\n/u) as string,
  });
  expect(readdirSync(folder.path)).toEqual(['api']);
  expect(readdirSync(folder.at('api/.plinth'))).toEqual(
    expect.arrayContaining(['dev.db', 'self-signed.pem']),
  );
});

test('a self-signed certificate is made anew in its last day, and for another address', async () => {
  const folder = makeFolder({
    'plinth.yaml': `database: 'sqlite::memory:'\nserver: { tls: self-signed }\n${quiet}`,
  });
  const day = 24 * 60 * 60 * 1_000;
  const begun = Date.now();
  const keptAfter = async (days: number, host = '127.0.0.1'): Promise<string> => {
    const now = (): Date => new Date(begun + days * day);
    const flags = ['--no-generate', '--host', host, ...anyPort];
    const server = await serveIn(folder, { now }, 'dev', ...flags);
    await server.stop();
    return readFileSync(folder.at('.plinth/self-signed.pem'), 'utf8');
  };
  const first = await keptAfter(0);
  expect(await keptAfter(363)).toBe(first);
  const second = await keptAfter(364.5);
  expect(second).not.toBe(first);
  // As it is for an address that it does not name.
  const third = await keptAfter(365, '127.0.0.5');
  expect(third).not.toBe(second);
  expect(new X509Certificate(third).checkIP('127.0.0.5')).toBe('127.0.0.5');
});

describe('start tells on standard error', () => {
  const started = async (settings: string, ...flags: string[]): Promise<string> => {
    const folder = makeFolder({
      'plinth.yaml': `logging: { enabled: false }\ndatabase: sqlite:a.db\n${settings}resources: { notes: { fields: {} }, tags: { fields: {} } }\n`,
    });
    expect(await runIn(folder, {}, 'migrate', '--apply')).toMatchObject({ code: 0, err: '' });
    const server = await serveIn(folder, {}, 'start', ...anyPort, ...flags);
    const { code, err } = await server.stop();
    expect(code).toBe(0);
    return err;
  };
  const all = ['--host', '0.0.0.0'];
  const closed = 'access: { read: public, write: none }';
  const secret = 'auth: { jwt: { secret: "a secret that has 32 bytes or more" } }';
  const refused =
    'Warning: requests from other machines get 403, since plain HTTP is only for this machine. Add "server: { tls: … }", name your proxy in server.trustProxy, or your network in server.plainHttp.';
  const open = (names: string): string =>
    `Warning: everyone may write ${names}, since plinth.yaml has no "auth" block.`;

  test.each<readonly [settings: string, server: string, flags: readonly string[], told: string]>([
    // Who may write without credentials.
    [closed, '', [], ''],
    ['access: public', '', [], open('notes, tags')],
    [
      'access: { read: none, create: none, update: none, delete: public }',
      '',
      [],
      open('notes, tags'),
    ],
    [secret, '', [], ''],
    [`${secret}\naccess: public`, '', [], ''],
    // What a check would say.
    [
      'access: { read: public, write: editor }',
      '',
      [],
      'plinth.yaml:4:32 warning access.write: without `auth` nobody can show who it is, so rules for `editor` let nobody in',
    ],
    // Plain HTTP for machines that are not this one.
    [closed, '', all, refused],
    [closed, '', ['--host', '::1'], ''],
    [closed, ', trustProxy: [10.0.0.1]', all, ''],
    [closed, ', tls: self-signed', all, ''],
  ])('%s%s, %j: %s', async (settings, server, flags, told) => {
    const text = `server: { drainDelay: 0s${server} }\n${settings}\n`;
    expect(await started(text, ...flags)).toBe(told);
  });
});

test('dev tells the warnings of a check as well', async () => {
  const folder = makeFolder({
    'plinth.yaml': quiet.replace('access: public', 'access: { read: public, write: editor }'),
  });
  const server = await serveIn(folder, {}, 'dev', '--no-generate', ...anyPort);
  expect((await server.stop()).err).toMatch(/^plinth\.yaml:3:\d+ warning access\.write: without/u);
});

describe('start and public keys without issuer or audience', () => {
  const pem = yamlText(publicPem(rsaKeys));
  const secret = 'secret: "a secret that has 32 bytes or more"';
  const both = 'add `issuer` and `audience` (`audience: any` if every audience is meant)';
  test.each<[jwt: string, advice: string | undefined]>([
    ['{ jwksUri: "https://issuer.test/keys" }', both],
    ['{ jwksUri: "https://issuer.test/keys", audience: shop }', 'add `issuer`'],
    ['{ jwksUri: "https://issuer.test/keys", audience: any }', 'add `issuer`'],
    [
      '{ jwksUri: "https://issuer.test/keys", issuer: "https://issuer.test" }',
      'add `audience` (`audience: any` if every audience is meant)',
    ],
    [`{ publicKey: ${pem} }`, both],
    [
      `{ keys: [{ kid: a, alg: HS256, ${secret} }, { kid: b, alg: RS256, publicKey: ${pem} }] }`,
      both,
    ],
    ['{ jwksUri: "https://issuer.test/keys", issuer: a, audience: shop }', undefined],
    ['{ jwksUri: "https://issuer.test/keys", issuer: a, audience: any }', undefined],
    [`{ publicKey: ${pem}, issuer: a, audience: [b, c] }`, undefined],
    [`{ ${secret} }`, undefined],
    [`{ keys: [{ kid: a, alg: HS256, ${secret} }] }`, undefined],
  ])('%s: %s', async (jwt, advice) => {
    const folder = makeFolder({ 'plinth.yaml': `auth:\n  jwt: ${jwt}\n${quiet}` });
    const { code, err } = await runIn(folder, {}, 'start', '--database', 'mysql://nope');
    const what = 'tokens that the same keys sign for other services are let in';
    if (advice === undefined)
      expect([code, err]).toEqual([2, expect.stringContaining('unknown kind of URL')]);
    else expect([code, err]).toEqual([1, `plinth.yaml, auth.jwt: ${what}; ${advice}.`]);
    const checked = await runIn(folder, {}, 'check');
    expect(checked.code).toBe(0);
    expect(
      `${checked.out}${checked.err}`.includes(
        `2:3 warning auth.jwt: ${what}; ${advice}; \`plinth start\``,
      ),
    ).toBe(advice !== undefined);
  });
});

test('relative paths of the command line start where the user stands', async () => {
  const folder = makeFolder({
    'plinth.yaml': quiet,
    'old.yaml': quiet,
    'db.json': '{"notes":[{"id":1,"text":"a"}]}',
    'rsa.yaml': `auth: { jwt: { publicKey: ${yamlText(publicPem(rsaKeys))} } }\n${quiet}`,
    'rsa.pem': privatePem(rsaKeys),
    'data/authors.ndjson': '{"id":7,"name":"Ursula"}\n',
  });
  const own = ['--database', 'sqlite:own.db'];
  const key = 'rsa.pem';
  for (const [call, made] of [
    [['migrate', '--apply', ...own], 'own.db'],
    [['import', 'data', ...own], 'own.db'],
    [['export', 'out', ...own], 'out/authors.ndjson'],
    [['check', '--against', 'old.yaml', ...own], 'own.db'],
    [['introspect', 'own.db', '--out', 'made/plinth.yaml'], 'made/plinth.yaml'],
    [['introspect', 'db.json', '--out', 'other/plinth.yaml'], 'other/plinth.yaml'],
    [['init', 'new', '--example', 'shop'], 'new/plinth.yaml'],
    [['token', '--spec', 'rsa.yaml', '--private-key', key], key],
  ] as const) {
    const { code, err } = await runIn(folder, {}, ...call);
    expect([code, err]).toEqual([0, expect.not.stringContaining(folder.path) as string]);
    expect(existsSync(folder.at(made))).toBe(true);
  }
});
