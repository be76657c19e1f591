import { connect, type Socket } from 'node:net';

/** What came back: the status, when, and the time from the request to the end of its answer; in ms. */
export type Outcome = { readonly status: number; readonly at: number; readonly took: number };

export const isGood = ({ status }: Outcome): boolean => status >= 200 && status < 300;

export const tookOf = (outcomes: readonly Outcome[]): readonly number[] =>
  outcomes.map(({ took }) => took);

export const ms = (value: number): string => `${value.toFixed(0)} ms`;

/** A connection that is kept, with at most one request on it. Much cheaper than what it measures. */
export class Client {
  readonly socket: Socket;
  isFree = false;
  isClosed = false;
  private began = 0;
  private seen: Buffer = Buffer.alloc(0);
  private done: (outcome: Outcome) => void = () => undefined;

  constructor(port: number, ready: (client: Client) => void, closed: (client: Client) => void) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.once('connect', () => {
      this.isFree = true;
      ready(this);
    });
    this.socket.on('data', (bytes) => this.read(bytes as Buffer));
    this.socket.on('error', () => undefined);
    this.socket.once('close', () => {
      this.isClosed = true;
      closed(this);
      if (!this.isFree) this.end(0);
      this.isFree = false;
    });
  }

  send(request: string, done: (outcome: Outcome) => void): void {
    this.isFree = false;
    this.done = done;
    this.began = performance.now();
    this.socket.write(request);
  }

  private read(bytes: Buffer): void {
    this.seen = this.seen.length === 0 ? bytes : Buffer.concat([this.seen, bytes]);
    const end = this.seen.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.seen.toString('latin1', 0, end);
    const [, length = '0'] = /content-length: (\d+)/iu.exec(head) ?? [];
    if (this.seen.length < end + 4 + Number(length)) return;
    this.seen = Buffer.alloc(0);
    this.isFree = true;
    this.end(Number(head.slice(9, 12)));
  }

  private end(status: number): void {
    const at = performance.now();
    this.done({ status, at, took: at - this.began });
  }
}

/** A GET request as it is sent; each of `headers` ends its line. */
export function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
}

/** Connections that stay, for asking the same again and again. */
export class Pool {
  private readonly clients: readonly Client[];

  private constructor(clients: readonly Client[]) {
    this.clients = clients;
  }

  static async open(port: number, connections: number): Promise<Pool> {
    const open = (): Promise<Client> =>
      new Promise((resolve) => void new Client(port, resolve, resolve));
    return new Pool(await Promise.all(Array.from({ length: connections }, open)));
  }

  /** Asks as fast as answers come, as long as `goOn` says so. `headers`: each ends its line. */
  async ask(path: string, goOn: () => boolean, headers?: string): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    const request = get(path, headers);
    const askBy = (client: Client): Promise<void> =>
      new Promise((resolve) => {
        const next = (): void => {
          if (client.isClosed || !goOn()) resolve();
          else
            client.send(request, (outcome) => {
              outcomes.push(outcome);
              next();
            });
        };
        next();
      });
    await Promise.all(this.clients.map(askBy));
    return outcomes;
  }

  close(): void {
    for (const { socket } of this.clients) socket.destroy();
  }
}

/** Asks as fast as so many connections get answers. */
export async function closedLoop(
  port: number,
  path: string,
  connections: number,
  seconds: number,
): Promise<readonly Outcome[]> {
  const pool = await Pool.open(port, connections);
  const until = performance.now() + seconds * 1_000;
  try {
    return await pool.ask(path, () => performance.now() < until);
  } finally {
    pool.close();
  }
}

/**
 * Asks at a rate, whatever the answers do, on so many connections, which are there before; those that end are opened again.
 * `inTime` of the outcomes came before the seconds were over, which began at `begin`.
 */
export async function openLoop(
  port: number,
  path: string,
  rate: number,
  seconds: number,
  connections: number,
): Promise<{
  readonly outcomes: readonly Outcome[];
  readonly begin: number;
  readonly inTime: number;
  readonly unsent: number;
}> {
  const [outcomes, free, request]: [Outcome[], Client[], string] = [[], [], get(path)];
  const clients = new Set<Client>();
  let [due, unsent, connecting] = [0, 0, 0];
  const open = (): void => {
    connecting += 1;
    const ready = (client: Client): void => {
      connecting -= 1;
      free.push(client);
    };
    clients.add(new Client(port, ready, (client) => clients.delete(client)));
  };
  while (clients.size < connections) {
    open();
    if (clients.size % 32 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  const begin = performance.now();
  let last = begin;
  await new Promise<void>((resolve) => {
    const tick = (): void => {
      const now = performance.now();
      due += ((now - last) / 1_000) * rate;
      last = now;
      while (due >= 1) {
        due -= 1;
        let client = free.pop();
        while (client?.isClosed === true) client = free.pop();
        if (client === undefined) {
          unsent += 1;
          if (connecting < 64 && clients.size < connections) open();
        } else {
          const asked = client;
          asked.send(request, (outcome) => {
            outcomes.push(outcome);
            if (!asked.isClosed) free.push(asked);
          });
        }
      }
      if (now - begin > seconds * 1_000) resolve();
      else setTimeout(tick, 1);
    };
    tick();
  });
  const inTime = outcomes.length;
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const { socket } of clients) socket.destroy();
  return { outcomes, begin, inTime, unsent };
}

/** The value below which this share of the values is. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
