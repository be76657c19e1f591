import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClientResolver, hostsOf } from '../../src/http/edge/client.ts';
import { hostOfTarget } from '../../src/http/server/request-head.ts';
import { askAt, outerAddress } from './edge.ts';

/** Requests come from 127.0.0.2, the proxy that is named, and from 127.0.0.1, which is not. */
const clients = new ClientResolver([
  '127.0.0.2',
  '10.0.0.0/8',
  '2001:db8::/32',
  '::ffff:100.64.0.0/120',
]);
let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => {
    const connected = clients.of(request);
    const { headers } = request;
    const hosts = hostsOf(connected, { headers, targetHost: hostOfTarget(request) });
    const { memory: _, ...client } = connected.client;
    response.end(JSON.stringify({ ...client, hosts, forwarded: connected.forwarded }));
  });
  await new Promise<void>((done) => {
    server.listen(0, '::', done);
  });
});
afterAll(() => server.close());

const ask = async (
  headers: Readonly<Record<string, string | readonly string[]>>,
  from = '127.0.0.2',
  to = '127.0.0.1',
): Promise<unknown> => {
  const { port } = server.address() as AddressInfo;
  return JSON.parse((await askAt(port, { headers: { host: 'own', ...headers }, from, to })).text);
};

const far = { address: '198.51.100.7', isLoopback: false, forwarded: 'trusted' };
const proxy = { address: '127.0.0.2', isLoopback: true };
const untold = { address: '127.0.0.2', isLoopback: false, forwarded: 'trusted' };

test.each([
  ['nothing forwarded', {}, { ...proxy, isSecure: false, hosts: ['own'], forwarded: 'no' }],
  [
    'Forwarded says nothing',
    { forwarded: 'for=198.51.100.7;proto=https' },
    { ...proxy, forwarded: 'no' },
  ],
  ['an address', { 'x-forwarded-for': '198.51.100.7' }, { ...far, isSecure: false }],
  [
    'over HTTPS',
    { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' },
    { ...far, isSecure: true },
  ],
  ['HTTPS in capitals', { 'x-forwarded-proto': 'HTTPS' }, { ...untold, isSecure: true }],
  ['over HTTP', { 'x-forwarded-proto': 'http' }, { ...untold, isSecure: false }],
  ['one step over HTTP', { 'x-forwarded-proto': 'https, http' }, { isSecure: false }],
  ['all steps over HTTPS', { 'x-forwarded-proto': 'https, https' }, { isSecure: true }],
  ['an empty protocol', { 'x-forwarded-proto': '' }, { isSecure: false }],
  ['no known protocol', { 'x-forwarded-proto': 'httpss' }, { isSecure: false }],
  [
    'what stands before the first that is not trusted was written by anybody',
    { 'x-forwarded-for': '127.0.0.1, 10.1.1.1, 198.51.100.7, 10.0.0.1, 100.64.0.9' },
    far,
  ],
  [
    'all are proxies: the first',
    { 'x-forwarded-for': '10.1.1.1, 10.0.0.1' },
    { address: '10.1.1.1' },
  ],
  ['several lines', { 'x-forwarded-for': ['203.0.113.1', '198.51.100.7', '10.0.0.1'] }, far],
  ['with a port', { 'x-forwarded-for': '198.51.100.7:5123' }, far],
  ['IPv6', { 'x-forwarded-for': '2001:DB9::0:1' }, { address: '2001:db9::1' }],
  ['IPv6 with a port', { 'x-forwarded-for': '[2001:db9::1]:443' }, { address: '2001:db9::1' }],
  ['IPv4 written as IPv6', { 'x-forwarded-for': '::ffff:198.51.100.7' }, far],
  ['a proxy written as IPv6', { 'x-forwarded-for': '198.51.100.7, ::ffff:100.64.0.4' }, far],
  ['a range of IPv6', { 'x-forwarded-for': '198.51.100.7, 2001:db8:1::1' }, far],
  [
    'loopback, as a proxy sees it',
    { 'x-forwarded-for': '::1' },
    { address: '::1', isLoopback: true },
  ],
  ['no address', { 'x-forwarded-for': 'unknown' }, untold],
  ['no address behind a proxy on this machine', { 'x-forwarded-for': 'unix:, 127.0.0.2' }, untold],
  ['no address behind one', { 'x-forwarded-for': 'evil, 10.0.0.1' }, { address: '10.0.0.1' }],
  ['a number', { 'x-forwarded-for': '2130706433' }, untold],
  ['a host', { 'x-forwarded-host': 'shop.example' }, { hosts: ['shop.example'] }],
  [
    'hosts',
    { 'x-forwarded-host': 'evil.example, shop.example' },
    { hosts: ['evil.example', 'shop.example'] },
  ],
] as const)('%s', async (_, headers, expected) => {
  expect(await ask(headers)).toMatchObject(expected);
});

test('who is not named can say nothing, and is then no client on this machine', async () => {
  const headers = {
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'shop.example',
  };
  const plain = { address: '127.0.0.1', isSecure: false, hosts: ['own'] };
  expect(await ask(headers, '127.0.0.1')).toEqual({
    ...plain,
    isLoopback: false,
    forwarded: 'unknown',
  });
  expect(await ask({ 'X-Forwarded-Port': '443' }, '127.0.0.1')).toMatchObject({
    isLoopback: false,
  });
  expect(await ask({}, '127.0.0.1')).toEqual({ ...plain, isLoopback: true, forwarded: 'no' });
});

test.skipIf(outerAddress === undefined)(
  'who comes from elsewhere is no client on this machine',
  async () => {
    const headers = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' };
    expect(await ask(headers, outerAddress, outerAddress)).toEqual({
      address: outerAddress,
      isLoopback: false,
      isSecure: false,
      hosts: ['own'],
      forwarded: 'no',
    });
  },
);
