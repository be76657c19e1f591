import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { statusOf } from './http.ts';

/** A server in a process of its own. `readyAfter` is the time from spawn to a ready answer, in ms. */
export type Server = {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly readyAfter: number;
  readonly stop: () => Promise<void>;
};

const pollEvery = 3;
const readyWithin = 60_000;
const stopWithin = 15_000;

/** Runs a script with this Node to its end, beside who watches it; throws with what it said when it fails. */
export async function runScript(
  args: readonly string[],
  watch?: (pid: number, ended: Promise<unknown>) => Promise<void>,
): Promise<void> {
  const { child, errors } = begin(args);
  const ended = once(child, 'exit');
  await watch?.(child.pid ?? 0, ended);
  const [code] = await ended;
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${code}\n${errors()}`);
}

/** Where a server is started: in a control group, with more environment; `ready`: the path that is 200 once it is ready. */
export type Surroundings = {
  readonly group?: string | undefined;
  readonly environment?: (port: number) => Readonly<Record<string, string>>;
  readonly ready?: string;
};

/** Starts a server with this Node, and waits until it says that it is ready. */
export async function startServer(
  name: string,
  argsFor: (port: number) => readonly string[],
  { group, environment, ready = '/_ready' }: Surroundings = {},
): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  const { child, errors } = begin(argsFor(port), group, environment?.(port));
  const stop = (): Promise<void> => end(child);
  while ((await statusOf(`${url}${ready}`)) !== 200) {
    const late = performance.now() - started > readyWithin;
    if (late || child.exitCode !== null || child.pid === undefined) {
      await stop();
      throw new Error(`${name} did not become ready\n${errors()}`);
    }
    await wait(pollEvery);
  }
  return { name, url, pid: child.pid ?? 0, readyAfter: performance.now() - started, stop };
}

/** The next message of a process. Rejects if it ends before. */
export async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const ended = new AbortController();
  const died = once(child, 'exit', { signal: ended.signal }).then(() => {
    throw new Error(`${child.spawnargs.slice(1).join(' ')} ended`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message'), died]);
    return message as Message;
  } finally {
    died.catch(() => {});
    ended.abort();
  }
}

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGTERM');
});

function begin(
  args: readonly string[],
  group?: string,
  environment: Readonly<Record<string, string>> = {},
): { child: ChildProcess; errors: () => string } {
  // The shell enters the group before it becomes Node, which takes the size of its heap from it.
  const entering = ['-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group ?? ''];
  const [program, given] =
    group === undefined
      ? [process.execPath, args]
      : ['/bin/sh', [...entering, process.execPath, ...args]];
  const child = spawn(program, given, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
  });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    if (text.length < 10_000) text += chunk;
  });
  return { child, errors: () => text };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), stopWithin);
  await exited;
  clearTimeout(late);
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
