import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './redis.ts';

/** A pgbouncer in transaction mode before the server that a URL names. */
export interface TestPooler {
  readonly url: string;
  /** Ends it at once, as a crash would. */
  readonly stop: () => Promise<void>;
}

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
 * Starts one on a port that is free, or on the one given. Each transaction gets the session that was unused for longest:
 * whoever leaves something behind in one finds out soon.
 */
export async function startPooler(target: string, givenPort?: number): Promise<TestPooler> {
  const { hostname, port, pathname, username, password } = new URL(target);
  const folder = mkdtempSync(join(tmpdir(), 'plinth-pgbouncer-'));
  chmodSync(folder, 0o755);
  const own = givenPort ?? (await freePort());
  const name = pathname.slice(1);
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
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
max_client_conn = 200
`,
  );
  const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...identity,
  });
  const ended = new Promise<void>((done) => {
    child.once('exit', () => {
      rmSync(folder, { recursive: true, force: true });
      done();
    });
  });
  let log = '';
  await new Promise<void>((done, failed) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('process up')) done();
    });
    void ended.then(() => failed(new Error(log)));
  });
  const url = new URL(target);
  [url.hostname, url.port] = ['127.0.0.1', String(own)];
  return {
    url: url.href,
    stop: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}
