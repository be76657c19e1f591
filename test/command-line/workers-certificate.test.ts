import { get, type RequestOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Certificate } from '../../src/http/server/listener.ts';
import { makeCertificate } from '../support/certificate.ts';
import { good, library, makeFolder, servePlinth, until } from '../support/command.ts';
import { childrenOf } from '../support/processes.ts';

const specification = `rateLimit: false
logging: { enabled: false }
server: { drainDelay: 0s, tls: { cert: cert.pem, key: key.pem } }
${library}`;

/** Serves over HTTPS with workers. */
async function serveWorkers(count: number, first: Certificate) {
  const folder = makeFolder({
    'plinth.yaml': specification,
    'cert.pem': first.cert,
    'key.pem': first.key,
  });
  const database = ['--database', 'sqlite:a.db'];
  await good(['migrate', ...database, '--apply'], folder.path);
  const args = ['start', ...database, '--workers', String(count)];
  const server = await servePlinth(args, { cwd: folder.path });
  /** What an answer on a connection of its own holds, and who it is from. */
  const ask = (path: string): Promise<{ readonly body: string; readonly subject?: string }> =>
    new Promise((done, failed) => {
      const options: RequestOptions = { agent: false, rejectUnauthorized: false };
      get(`${server.url}${path}`, options, (response) => {
        const { subject = '' } = (response.socket as TLSSocket).getPeerX509Certificate() ?? {};
        done(text(response).then((body) => ({ body, subject })));
      }).on('error', failed);
    });
  const allServe = (): Promise<void> =>
    until(async () => (await ask('/_metrics')).body.includes(`\nplinth_processes ${count}\n`));
  await allServe();
  return {
    folder,
    server,
    ask,
    allServe,
    renew: ({ cert, key }: Certificate): void => {
      folder.write('cert.pem', cert);
      folder.write('key.pem', key);
    },
    said: (what: string): number => server.err().split(what).length - 1,
  };
}

test('what happens to the certificate of all is told once, also when who has told it is gone', async () => {
  const old = new Date('2021-01-01T00:00:00Z');
  const first = await makeCertificate('first', old);
  const { server, allServe, renew, said } = await serveWorkers(3, first);
  expect(said('Warning: the certificate cert.pem ended on')).toBe(1);
  renew(await makeCertificate('second'));
  await until(() => said('was renewed') > 0);
  await delay(1_500);
  expect(said('was renewed')).toBe(1);
  const [speaker = 0] = childrenOf(server.child.pid);
  process.kill(speaker, 'SIGKILL');
  await until(() => said('Another one takes its place') === 1);
  await allServe();
  renew(await makeCertificate('third'));
  await until(() => said('was renewed') > 1);
  await delay(1_500);
  expect(said('was renewed')).toBe(2);
  expect((await server.stop('SIGTERM')).code).toBe(0);
});

test('who takes the place of a dead worker serves what that one did, whatever the files have become', async () => {
  const first = await makeCertificate('first');
  const { folder, server, ask, allServe, renew, said } = await serveWorkers(2, first);
  const served = (await ask('/_openapi.json')).body;
  renew(await makeCertificate('second'));
  await until(() => said('was renewed') === 1);
  folder.write('key.pem', first.key);
  folder.write('plinth.yaml', 'resources: {');
  await until(() => said('stays in use') === 1);
  for (const worker of childrenOf(server.child.pid)) process.kill(worker, 'SIGKILL');
  await until(() => said('(SIGKILL). Another one takes its place') === 2);
  await allServe();
  expect(await ask('/_openapi.json')).toEqual({ body: served, subject: 'CN=second' });
  expect(said('Another one takes its place')).toBe(2);
  expect(said('has 1 error')).toBe(0);
  expect((await server.stop('SIGTERM')).code).toBe(0);
});
