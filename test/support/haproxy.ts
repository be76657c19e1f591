import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { startProgram, type TestService } from './service.ts';

/** Why tests with HAProxy do not run; undefined where they do. */
export const noBalancer: string | undefined =
  spawnSync('haproxy', ['-v']).error === undefined ? undefined : 'no haproxy is installed';

/** Starts a HAProxy before servers on these ports, with the settings of docs/deploy/several-servers.md. */
export async function startBalancer(ports: readonly number[]): Promise<TestService> {
  const own = await freePort();
  const servers = ports.map((port) => `  server on${port} 127.0.0.1:${port} check`).join('\n');
  const settings = `defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 30s
  timeout check 5s
frontend shop
  bind 127.0.0.1:${own}
  default_backend plinth
backend plinth
  option httpchk GET /_ready
  default-server inter 250ms fall 1 rise 1
  option redispatch 1
  retries 5
  retry-on conn-failure empty-response
  http-request disable-l7-retry if METH_POST !{ req.hdr(idempotency-key) -m found }
${servers}
`;
  const stop = await startProgram('haproxy', (folder) => {
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, settings);
    return { args: ['-W', '-db', '-f', file], ready: 'Loading success' };
  });
  return { url: `http://127.0.0.1:${own}`, stop };
}
