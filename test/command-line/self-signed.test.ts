import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { makeCertificate } from '../../src/server/serve/self-signed.ts';

const from = new Date('2026-01-31T23:59:59Z');

test.each([
  ['a name', 'localhost'],
  ['a long name', `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example`],
  ['an IPv4 address', '192.168.0.255'],
  ['an IPv6 address', '2001:db8::ff00:42:8329'],
  ['a short IPv6 address', '::1'],
  ['an IPv6 address without zeros', '1:2:3:4:5:6:7:8'],
  ['an IPv6 address that ends with zeros', '2001:db8::'],
])('%s is on the certificate', (_, name) => {
  const { cert } = makeCertificate([name], { from, to: new Date('2027-01-31T00:00:00Z') });
  const certificate = new X509Certificate(cert);
  const isAddress = /[:\d]$/u.test(name);
  expect(isAddress ? certificate.checkIP(name) : certificate.checkHost(name)).toBe(name);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.ca).toBe(false);
});

test.each(['2027-03-04T05:06:07Z', '2049-12-31T23:59:59Z', '2050-01-01T00:00:00Z'])(
  'it is valid until %s',
  (end) => {
    const { cert } = makeCertificate(['localhost'], { from, to: new Date(end) });
    const { validFromDate, validToDate } = new X509Certificate(cert);
    expect([validFromDate, validToDate]).toEqual([from, new Date(end)]);
  },
);

test('a client that trusts it reads over it, with many names and an address', async () => {
  const names = Array.from({ length: 400 }, (_, index) => `host-${index}.example.org`);
  const period = { from: new Date(Date.now() - 1_000), to: new Date(Date.now() + 3_600_000) };
  const made = makeCertificate([...names, '127.0.0.1'], period);
  const server = createServer(made, (_, response) => response.end('read')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(
    get({ host: '127.0.0.1', port, ca: made.cert, agent: false }),
    'response',
  )) as [IncomingMessage];
  expect(String(await response.toArray())).toBe('read');
  server.close();
});
