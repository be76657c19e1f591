/**
 * The clients of `attack.ts` that ask for as much memory as they can, in a process of their own. Run as
 * `node bench/attack-worker.ts PORT [CONNECTIONS]`, 60 by default; prints the status codes as JSON when its input ends.
 */
import { connect } from 'node:net';

const [, , port = '', connections = '60'] = process.argv;
/** Another caller than the honest clients, who come from 127.0.0.1. */
const localAddress = '127.0.0.2';
const statuses: Record<string, number> = {};

interface Attack {
  readonly path: string;
  /** Of sixty connections. */
  readonly connections: number;
  /** How many requests are sent at once on a connection. */
  readonly pipelined: number;
  /** How long each chunk of a response waits before the next one is read, in ms. */
  readonly pause: number;
}

const attacks: readonly Attack[] = [
  { path: '/docs?limit=1000', connections: 20, pipelined: 1, pause: 0 },
  { path: '/docs?limit=1000', connections: 20, pipelined: 1, pause: 500 },
  {
    path: '/docs?limit=1000&expand=tags.docs&fields=title',
    connections: 10,
    pipelined: 1,
    pause: 0,
  },
  { path: '/docs?limit=1000', connections: 10, pipelined: 8, pause: 200 },
];

/** Sends requests on one connection until it ends, which is at most ten seconds later. */
function attackOnce({ path, pipelined, pause }: Attack): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
    const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n`;
    const late = setTimeout(() => socket.destroy(), 10_000);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(late);
      setTimeout(resolve, 20);
    });
    socket.on('data', (data: Buffer) => {
      for (const [, code = ''] of data.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /gu))
        statuses[code] = (statuses[code] ?? 0) + 1;
      if (pause === 0) return;
      socket.pause();
      setTimeout(() => socket.resume(), pause);
    });
    socket.write(`${head}\r\n`.repeat(pipelined - 1) + `${head}Connection: close\r\n\r\n`);
  });
}

/** Attacks again and again until the process ends. */
function attack(one: Attack): void {
  void attackOnce(one).then(() => attack(one));
}

process.stdin.resume().on('end', () => {
  process.stdout.write(JSON.stringify(statuses), () => process.exit());
});
const ofSixty = attacks.flatMap((one) => Array.from({ length: one.connections }, () => one));
for (let connection = 0; connection < Number(connections); connection += 1) {
  const one = ofSixty[(connection * 7) % ofSixty.length];
  if (one !== undefined) attack(one);
}
