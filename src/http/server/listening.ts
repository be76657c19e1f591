import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { Server, type AddressInfo } from 'node:net';

/** How long to wait for connections that the system has made already, in ms. */
const longestTaking = 500;

/** The servers of one port: at least one. */
export type Servers<One extends Server = Server> = readonly [One, ...One[]];

/**
 * Listens on a host and port; 0: any free port. `localhost` has several addresses, and clients differ in the one they use,
 * so each gets a server. Rejects with the system's error (`EADDRINUSE`, …) if the first one cannot listen.
 */
export async function listenOn<One extends Server>(
  make: () => One,
  host: string,
  port: number,
): Promise<Servers<One>> {
  const first = await listen(make(), host, port);
  const servers: [One, ...One[]] = [first];
  const addresses = host === 'localhost' ? await lookup(host, { all: true }) : [];
  const { address: taken } = first.address() as AddressInfo;
  for (const { address } of addresses) {
    if (address === taken) continue;
    const other = await listen(make(), address, portOf(servers)).catch(() => undefined);
    if (other !== undefined) servers.push(other);
  }
  return servers;
}

/**
 * How many connections may wait to be accepted; the system has a limit of its own (`somaxconn`). A client beyond it believes
 * that it is connected, and its first request takes seconds.
 */
const backlog = 16_384;

async function listen<One extends Server>(server: One, host: string, port: number): Promise<One> {
  server.listen({ host, port, backlog });
  await once(server, 'listening');
  return server;
}

/** The port that servers listen on. */
export function portOf([server]: Servers): number {
  return (server.address() as AddressInfo).port;
}

/** Takes no new connections. Resolves when the last one has ended. Unlike Node's own, it does not close idle ones. */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    Server.prototype.close.call(server, () => resolve());
  });
}

/**
 * Waits until the system has handed over the connections that it has made already, which `accepted` counts. It hands over
 * one a turn of the event loop, so nothing else should run meanwhile.
 */
export async function takeAll(accepted: () => number): Promise<void> {
  const start = performance.now();
  for (let [seen, quiet] = [-1, 0]; quiet < 3 && performance.now() - start < longestTaking;) {
    quiet = accepted() === seen ? quiet + 1 : 0;
    seen = accepted();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
