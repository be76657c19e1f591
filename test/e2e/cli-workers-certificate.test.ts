import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Certificate } from '../../src/http/listener.ts';
import { makeCertificate } from '../support/certificate.ts';
import { good, library, makeFolder, servePlinth, until } from '../support/command.ts';
import { childrenOf } from '../support/processes.ts';

test('what happens to the certificate of all is told once, also when who has told it is gone', async () => {
  const tls = `server: { drainDelay: 0s, tls: { cert: cert.pem, key: key.pem } }\n`;
  const old = new Date('2021-01-01T00:00:00Z');
  const [first, second, third] = [
    await makeCertificate('first', old),
    await makeCertificate('second'),
    await makeCertificate('third'),
  ];
  const folder = makeFolder({
    'plinth.yaml': `rateLimit: false\nlogging: { enabled: false }\n${tls}${library}`,
    'cert.pem': first.cert,
    'key.pem': first.key,
  });
  const renew = ({ cert, key }: Certificate): void => {
    folder.write('cert.pem', cert);
    folder.write('key.pem', key);
  };
  const database = ['--database', 'sqlite:a.db'];
  await good(['migrate', ...database, '--apply'], folder.path);
  const server = await servePlinth(['start', ...database, '--workers', '3'], { cwd: folder.path });
  const metrics = (): Promise<string> =>
    new Promise((done, failed) => {
      const options = { agent: false, rejectUnauthorized: false };
      get(`${server.url}/_metrics`, options, (response) => done(text(response))).on(
        'error',
        failed,
      );
    });
  const allServe = (): Promise<void> =>
    until(async () => (await metrics()).includes('\nplinth_processes 3\n'));
  await allServe();
  const said = (what: string): number => server.err().split(what).length - 1;
  expect(said('Warning: the certificate cert.pem ended on')).toBe(1);
  renew(second);
  await until(() => said('was renewed') > 0);
  await delay(1_500);
  expect(said('was renewed')).toBe(1);
  const [speaker = 0] = childrenOf(server.child.pid);
  process.kill(speaker, 'SIGKILL');
  await until(() => said('Another one takes its place') === 1);
  await allServe();
  renew(third);
  await until(() => said('was renewed') > 1);
  await delay(1_500);
  expect(said('was renewed')).toBe(2);
  expect((await server.stop('SIGTERM')).code).toBe(0);
});
