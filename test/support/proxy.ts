import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What stands between a service and its server. */
export interface Proxy {
  readonly url: string;
  /** From now on, a message from the client with this text ends its connection before the server sees it. */
  readonly cutOn: (text: string) => void;
  /** From now on, the first of these texts reaches the other side as the second, which has the same length. */
  readonly rewrite: (text: string, other: string) => void;
  /** Nothing comes through connections that are open now any more, and nobody is told; new ones are as ever. */
  readonly silence: () => void;
  /** From now on, nothing comes through until it is said that it does. */
  readonly stand: (isStill: boolean) => void;
  readonly stop: () => Promise<void>;
}

/** Starts a proxy before the server that a URL names; `host` is the address of this machine to listen on. */
export async function startProxy(target: string, host = '127.0.0.1'): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  let trigger: string | undefined;
  let isStill = false;
  let rewritten = (bytes: Buffer): Buffer => bytes;
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    open.add(client).add(upstream);
    if (isStill) client.pause();
    client.on('data', (bytes: Buffer) => {
      if (trigger !== undefined && bytes.includes(trigger)) client.destroy();
      else upstream.write(rewritten(bytes));
    });
    upstream.on('data', (bytes: Buffer) => client.write(rewritten(bytes)));
    for (const [one, two] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('error', () => two.destroy()).on('close', () => two.destroy());
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, host, resolve);
  });
  const url = new URL(target);
  url.hostname = host.includes(':') ? `[${host}]` : host;
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    cutOn: (text) => {
      trigger = text;
    },
    rewrite: (text, other) => {
      rewritten = (bytes) =>
        Buffer.from(
          bytes.toString('latin1').replaceAll(text, () => other),
          'latin1',
        );
    },
    silence: () => {
      for (const socket of open) socket.pause();
    },
    stand: (still) => {
      isStill = still;
      for (const socket of open)
        if (still) socket.pause();
        else socket.resume();
    },
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
