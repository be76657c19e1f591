import { describe, expect, test } from 'vitest';
import { Wire } from '../support/wire.ts';
import { notes, outerAddress, serveEdge, type Asked } from './edge.ts';

const auth = 'auth: { jwt: { algorithms: [HS256], secret: "0123456789abcdef0123456789abcdef" } }\n';
const behindProxy = 'server: { trustProxy: [127.0.0.2] }\n';

/** Asks one server for all paths; those that are watched have to answer whatever the others say. */
async function codes(
  specification: string,
  mode: 'dev' | 'start',
  cases: readonly (readonly [string, Asked, string | undefined])[],
): Promise<void> {
  const server = await serveEdge(specification, { mode });
  try {
    for (const [name, asked, code] of cases) {
      const answer = await server.ask(asked);
      expect([answer.status, answer.code], name).toEqual([code === undefined ? 200 : 403, code]);
      for (const path of ['/_health', '/_ready'])
        expect((await server.ask({ ...asked, path })).status, `${name}, ${path}`).toBe(200);
      expect((await server.ask({ ...asked, path: '/_health/' })).code, name).toBe(
        code ?? 'UNKNOWN_RESOURCE',
      );
    }
  } finally {
    await server.stop();
  }
}

const http = 'HTTPS_REQUIRED';
const host = 'HOST_NOT_ALLOWED';
const forwarded = (headers: Record<string, string>): Asked => ({
  from: '127.0.0.2',
  headers: { host: 'localhost', ...headers },
});

describe('plain HTTP', () => {
  test.each(['dev', 'start'] as const)('on this machine, in %s', async (mode) => {
    await codes(notes, mode, [
      ['IPv4', {}, undefined],
      ['IPv6', { to: '::1' }, undefined],
      ['another address of the loopback', { to: '127.0.0.9', from: '127.1.2.3' }, undefined],
    ]);
  });

  test.skipIf(outerAddress === undefined).each(['dev', 'start'] as const)(
    'from elsewhere, in %s',
    async (mode) => {
      const to = outerAddress ?? '';
      await codes(notes, mode, [
        ['plainly', { to }, http],
        ['under a name of this machine', { to, headers: { host: 'localhost' } }, http],
        ['with a protocol of its own', { to, headers: { 'x-forwarded-proto': 'https' } }, http],
        ['with an address of its own', { to, headers: { 'x-forwarded-for': '127.0.0.1' } }, http],
      ]);
    },
  );

  test.skipIf(outerAddress === undefined).each(['dev', 'start'] as const)(
    'from the networks that may, in %s',
    async (mode) => {
      const to = outerAddress ?? '';
      const served = (network: string): string =>
        `server: { plainHttp: ["${network}"], allowedHosts: ["${to}"] }\n${notes}`;
      const prefix = to.replace(/\.\d+$/u, '.0/24');
      for (const network of [to, prefix, `::ffff:${to}`, '0.0.0.0/0'])
        await codes(served(network), mode, [
          [`plainly, ${network}`, { to }, undefined],
          [
            'with an address of its own',
            { to, headers: { 'x-forwarded-for': '192.0.2.7' } },
            undefined,
          ],
          ['under another name', { to, headers: { host: 'evil.example' } }, host],
        ]);
      for (const network of ['198.51.100.0/24', '::/0'])
        await codes(served(network), mode, [
          [`plainly, ${network}`, { to }, http],
          ['with an address of its own', { to, headers: { 'x-forwarded-for': '192.0.2.7' } }, http],
        ]);
    },
  );

  test.each(['dev', 'start'] as const)('through a proxy that is named, in %s', async (mode) => {
    await codes(`${behindProxy}${notes}`, mode, [
      ['over HTTPS', forwarded({ 'x-forwarded-proto': 'https' }), undefined],
      ['over HTTP', forwarded({ 'x-forwarded-proto': 'http' }), http],
      ['over both', forwarded({ 'x-forwarded-proto': 'https, http' }), http],
      ['without a protocol', forwarded({ 'x-forwarded-for': '198.51.100.7' }), http],
      ['Forwarded does not count', forwarded({ forwarded: 'proto=https' }), undefined],
      ['the proxy itself', forwarded({}), undefined],
    ]);
  });

  test('through a proxy that is not named', async () => {
    const cases = (code: string | undefined) =>
      [
        ['an address', { headers: { 'x-forwarded-for': '198.51.100.7' } }, code],
        ['a protocol', { headers: { 'x-forwarded-proto': 'https' } }, code],
        ['a host', { headers: { 'x-forwarded-host': 'localhost' } }, code],
        ['a port', { headers: { 'X-Forwarded-Port': '443' } }, code],
        ['Forwarded', { headers: { forwarded: 'for=198.51.100.7' } }, undefined],
      ] as const;
    await codes(notes, 'start', cases(http));
    await codes(notes, 'dev', cases(undefined));
  });
});

describe('the host', () => {
  const named = (name: string): Asked => ({ headers: { host: name } });
  const server = `server: { publicUrl: "https://api.example.com/x", allowedHosts: [Shop.example, "other.example:8080", "[fd00::1]"] }\n`;

  test.each([
    ['in dev', '', 'dev'],
    ['in dev with auth', auth, 'dev'],
    ['in start, where the file names some', '', 'start'],
  ] as const)('%s', async (_, more, mode) => {
    await codes(`${more}${server}${notes}`, mode, [
      ['localhost', named('localhost'), undefined],
      ['with a port', named('localhost:4000'), undefined],
      ['in capitals', named('LocalHost'), undefined],
      ['with a dot', named('localhost.:80'), undefined],
      ['below localhost', named('shop.localhost'), undefined],
      ['IPv4', named('127.0.0.1:4000'), undefined],
      ['IPv6', named('[::1]:4000'), undefined],
      ['IPv6, written out', named('[0:0:0:0:0:0:0:1]'), undefined],
      ['publicUrl', named('api.example.com'), undefined],
      ['a host that is allowed', named('shop.example'), undefined],
      ['with any port', named('SHOP.example:1234'), undefined],
      ['with the port that is allowed', named('other.example:8080'), undefined],
      ['with another port', named('other.example:8081'), host],
      ['an address that is allowed', named('[FD00:0::1]:80'), undefined],
      ['another name', named('evil.example'), host],
      ['a name that begins so', named('localhost.evil.example'), host],
      ['a name that ends so', named('evillocalhost'), host],
      ['below a host that is allowed', named('a.shop.example'), host],
      ['another address', named('192.0.2.1'), host],
      ['any address', named('0.0.0.0:4000'), host],
      ['half an address', named('[::1'), host],
      ['IPv4 written as IPv6', named('[::ffff:7f00:1]'), host],
      ['IPv4 written as IPv6, with dots', named('[::ffff:127.0.0.1]:4000'), host],
      ['two dots', named('localhost..'), host],
      ['two dots and a port', named('localhost..:80'), host],
      ['only a dot', named('.localhost'), host],
      ['a host that is allowed, with two dots', named('shop.example..'), host],
      ['a user', named('localhost@evil.example'), host],
    ]);
  });

  test.each([
    ['an empty one', 'GET /v1/notes HTTP/1.1\r\nHost: \r\n\r\n', 403],
    ['none, as old clients may', 'GET /v1/notes HTTP/1.0\r\n\r\n', 403],
    [
      'a good one in the target alone',
      'GET http://localhost/v1/notes HTTP/1.1\r\nHost: evil\r\n\r\n',
      403,
    ],
    [
      'a good one in the header alone',
      'GET http://evil.example/v1/notes HTTP/1.1\r\nHost: localhost\r\n\r\n',
      403,
    ],
    [
      'a user in the target',
      'GET http://localhost@evil.example/v1/notes HTTP/1.1\r\nHost: localhost\r\n\r\n',
      403,
    ],
    [
      'good ones in both',
      'GET HTTP://LOCALHOST:1/v1/notes HTTP/1.1\r\nHost: localhost\r\n\r\n',
      200,
    ],
    ['two', 'GET /v1/notes HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n', 400],
  ])('%s', async (_, bytes, status) => {
    const served = await serveEdge(notes, { mode: 'dev' });
    const wire = await Wire.open(`http://127.0.0.1:${served.running.port}`);
    await wire.send(bytes);
    expect((await wire.answer())?.status).toBe(status);
    wire.close();
    await served.stop();
  });

  test('behind a proxy it is the one that the proxy was asked for', async () => {
    const through = (name: string): Asked =>
      forwarded({ 'x-forwarded-proto': 'https', 'x-forwarded-host': name });
    const allowed = 'server: { trustProxy: [127.0.0.2], allowedHosts: [shop.example] }\n';
    await codes(`${allowed}${notes}`, 'dev', [
      ['allowed', through('shop.example'), undefined],
      ['another', through('evil.example'), host],
      ['one of two', through('evil.example, shop.example'), host],
      ['said by another', { headers: { 'x-forwarded-host': 'shop.example', host: 'x' } }, host],
    ]);
  });

  test('is any in start, where the file names none', async () => {
    await codes(notes, 'start', [['any', named('evil.example'), undefined]]);
  });

  test('comes after the protocol', async () => {
    await codes(`${behindProxy}${notes}`, 'dev', [
      ['both', forwarded({ host: 'evil.example', 'x-forwarded-proto': 'http' }), http],
    ]);
  });
});

test('what is refused has been neither read nor done', async () => {
  const server = await serveEdge(`${behindProxy}${notes}`);
  const asked = {
    ...forwarded({ 'x-forwarded-proto': 'http' }),
    method: 'POST',
    body: '{"text":"x"}',
  };
  const answer = await server.ask({
    ...asked,
    headers: { ...asked.headers, 'content-type': 'application/json' },
  });
  expect([answer.status, answer.code]).toEqual([403, http]);
  expect((await server.ask()).text).toBe('[]');
  await server.stop();
});
