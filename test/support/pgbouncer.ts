import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { startProgram, type TestService } from './service.ts';

/** Why tests with pgbouncer do not run; undefined where they do. */
export const noPooler: string | undefined =
  spawnSync('pgbouncer', ['--version']).error === undefined
    ? undefined
    : 'no pgbouncer is installed';

/** Sessions of the server that it shares among its clients. */
const sessions = 3;
/** Under which it may run where tests run as root, which it refuses to be. */
const nobody = 65_534;

/**
 * Starts a pgbouncer in transaction mode before the server that a URL names, on a port that is free, or on the one given,
 * for so many clients. Each transaction gets the session that was unused for longest: whoever leaves something behind in
 * one finds out soon.
 */
export async function startPooler(
  target: string,
  givenPort?: number,
  clients = 200,
): Promise<TestService> {
  const { hostname, port, pathname, username, password } = new URL(target);
  const own = givenPort ?? (await freePort());
  const name = pathname.slice(1);
  const settings = `[databases]
${name} = host=${hostname} port=${port} dbname=${name} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${sessions}
min_pool_size = ${sessions}
server_round_robin = 1
max_client_conn = ${clients}
`;
  const stop = await startProgram('pgbouncer', (folder) => {
    const file = join(folder, 'pgbouncer.ini');
    chmodSync(folder, 0o755);
    writeFileSync(file, settings);
    const identity = { uid: nobody, gid: nobody };
    return {
      args: [file],
      ready: 'process up',
      ...(process.getuid?.() === 0 ? { identity } : {}),
    };
  });
  const url = new URL(target);
  [url.hostname, url.port] = ['127.0.0.1', String(own)];
  return { url: url.href, stop };
}
