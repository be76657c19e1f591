import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { makeCertificate } from '../support/certificate.ts';
import {
  library,
  makeFolder,
  plinth,
  servePlinth,
  until,
  type Serving,
} from '../support/command.ts';

const withFiles = `server: { tls: { cert: tls/cert.pem, key: tls/key.pem } }\n${library}`;
const selfSigned = (more = ''): string => `server: { tls: self-signed${more} }\n${library}`;

interface Met {
  readonly subject: string;
  readonly names: string | undefined;
  readonly print: string;
}

/** Who a server says it is. */
function meet(server: Serving): Promise<Met> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    socket.once('error', reject).once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      resolve({
        subject: certificate?.subject ?? '',
        names: certificate?.subjectAltName,
        print: certificate?.fingerprint256 ?? '',
      });
    });
  });
}

test('files: a new certificate is taken, a bad one is not', async () => {
  const folder = makeFolder({ 'api/plinth.yaml': withFiles });
  const first = await makeCertificate('first');
  const second = await makeCertificate('second', undefined, undefined, 'rsa');
  const write = ({ cert, key }: typeof first): void => {
    folder.write('api/tls/cert.pem', cert);
    folder.write('api/tls/key.pem', key);
  };
  write(first);
  const server = await servePlinth(['dev', 'api/plinth.yaml'], { cwd: folder.path });
  expect(server.url).toMatch(/^https:/u);
  expect(server.out()).toContain(`curl "${server.url}/v1/books`);
  expect((await meet(server)).subject).toBe('CN=first');

  // The key of another certificate, nothing at all, and then what is right.
  folder.write('api/tls/cert.pem', second.cert);
  await until(() => server.err().includes('does not belong to the certificate tls/cert.pem'));
  expect((await meet(server)).subject).toBe('CN=first');
  folder.write('api/tls/cert.pem', 'no certificate');
  await until(() => server.err().includes('is not a PEM file with a certificate'));
  expect((await meet(server)).subject).toBe('CN=first');
  write(first);
  await until(() => server.err().includes('The certificate tls/cert.pem is as it was before'));
  write(second);
  await until(() => server.err().includes('The certificate tls/cert.pem was renewed.'));
  expect((await meet(server)).subject).toBe('CN=second');
  // The key alone is looked at as well.
  const told = server.err().length;
  folder.write('api/tls/key.pem', first.key);
  await until(() => server.err().includes('does not belong to the certificate', told));
  write(await makeCertificate('old', new Date('2021-01-01T00:00:00Z')));
  await until(() => server.err().includes('Warning: the certificate tls/cert.pem ended on Jan  1'));
  expect((await meet(server)).subject).toBe('CN=old');
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
});

test('files that cannot be used are told before anything is served', async () => {
  const good = await makeCertificate('good');
  const other = await makeCertificate('other');
  const rsa = await makeCertificate('rsa', undefined, undefined, 'rsa');
  const cases = [
    [
      { 'tls/key.pem': good.key },
      'The file tls/cert.pem of server.tls cannot be read: there is no such file or folder.\n',
    ],
    [
      { 'tls/cert.pem': good.cert },
      'The file tls/key.pem of server.tls cannot be read: there is no such file or folder.\n',
    ],
    [
      { 'tls/cert.pem': good.cert, 'tls/key.pem/key.pem': good.key },
      'The file tls/key.pem of server.tls cannot be read: it is a folder.\n',
    ],
    [
      { 'tls/cert.pem': good.key, 'tls/key.pem': good.key },
      'The file tls/cert.pem of server.tls is not a PEM file with a certificate.\n',
    ],
    [
      { 'tls/cert.pem': '', 'tls/key.pem': good.key },
      'The file tls/cert.pem of server.tls is not a PEM file with a certificate.\n',
    ],
    [
      { 'tls/cert.pem': good.cert, 'tls/key.pem': good.cert },
      'The file tls/key.pem of server.tls is not a PEM file with a private key without a password.\n',
    ],
    [
      { 'tls/cert.pem': good.cert, 'tls/key.pem': other.key },
      'The private key tls/key.pem of server.tls does not belong to the certificate tls/cert.pem.\n',
    ],
    [
      { 'tls/cert.pem': good.cert, 'tls/key.pem': rsa.key },
      'The private key tls/key.pem of server.tls does not belong to the certificate tls/cert.pem.\n',
    ],
  ] as const;
  for (const [files, err] of cases) {
    const folder = makeFolder({ 'plinth.yaml': withFiles, ...files });
    expect(await plinth(['dev', '--port', '0'], { cwd: folder.path })).toMatchObject({
      code: 1,
      out: '',
      err,
    });
  }
});

test('a certificate that has ended is served with a warning', async () => {
  const { cert, key } = await makeCertificate('old', new Date('2021-01-01T00:00:00Z'));
  const folder = makeFolder({ 'plinth.yaml': withFiles, 'tls/cert.pem': cert, 'tls/key.pem': key });
  const server = await servePlinth(['dev'], { cwd: folder.path });
  expect((await server.stop('SIGTERM')).err).toBe(
    'Warning: the certificate tls/cert.pem ended on Jan  1 00:00:00 2021 GMT.\n',
  );
});

test('self-signed: kept for the next time, made anew where it would not do', async () => {
  const folder = makeFolder({ 'plinth.yaml': selfSigned() });
  const kept = folder.at('.plinth/self-signed.pem');
  const run = async (): Promise<Met> => {
    const server = await servePlinth(['dev'], { cwd: folder.path });
    expect(server.out()).toContain('curl --insecure "https://127.0.0.1:');
    const met = await meet(server);
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, err: '' });
    return met;
  };
  const first = await run();
  for (const name of ['DNS:localhost', 'IP Address:127.0.0.1', 'IP Address:0:0:0:0:0:0:0:1'])
    expect(first.names).toContain(name);
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  expect((await run()).print).toBe(first.print);

  folder.write(
    'plinth.yaml',
    selfSigned(
      ', allowedHosts: [shop.example, "192.0.2.7:8443"], publicUrl: "https://api.example"',
    ),
  );
  const more = await run();
  expect(more.names).toMatch(/DNS:shop\.example, IP Address:192\.0\.2\.7, DNS:api\.example/u);
  writeFileSync(kept, readFileSync(kept, 'utf8').slice(0, 300));
  const anew = await run();
  expect(anew.print).not.toBe(more.print);
  expect((await run()).print).toBe(anew.print);
});

test('self-signed where nothing can be kept lasts for the run', async () => {
  const folder = makeFolder({ 'plinth.yaml': selfSigned(), '.plinth': 'no folder' });
  const server = await servePlinth(['dev', '--database', 'sqlite::memory:'], { cwd: folder.path });
  expect((await meet(server)).names).toContain('DNS:localhost');
  expect((await server.stop('SIGTERM')).err).toContain(
    'The self-signed certificate is valid for this run only',
  );
});

test('plain HTTP on all addresses: a warning that others are refused', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const server = await servePlinth(['dev', '--host', '0.0.0.0'], { cwd: folder.path });
  expect((await server.stop('SIGTERM')).err).toContain('requests from other machines get 403');
});

test('--open shows the address in a browser; without one it says so', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  folder.write('browser', '#!/bin/sh\necho "$1" > "$(dirname "$0")/opened"\n');
  // Where a browser is installed it would be asked for before what BROWSER names.
  folder.write('xdg-mime', '#!/bin/sh\n');
  const path = `${folder.path}:${process.env['PATH'] ?? ''}`;
  const env = { BROWSER: folder.at('browser'), DISPLAY: ':0', PATH: path };
  const { chmodSync, existsSync } = await import('node:fs');
  for (const program of ['browser', 'xdg-mime']) chmodSync(folder.at(program), 0o755);
  const server = await servePlinth(['dev', '--open'], { cwd: folder.path, env });
  await until(
    () => existsSync(folder.at('opened')) && readFileSync(folder.at('opened'), 'utf8') !== '',
  );
  expect(readFileSync(folder.at('opened'), 'utf8').trim()).toBe(`${server.url}/_dashboard`);
  await server.stop('SIGTERM');
});
