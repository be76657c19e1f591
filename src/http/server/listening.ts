import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { Server, type AddressInfo } from 'node:net';

/** How long the connections that have been made already are waited for, at most, in ms. */
const longestTaking = 500;

/** Servers of one port: one at least. */
export type Servers<One extends Server = Server> = readonly [One, ...One[]];

/**
 * Listens on a host and port; 0: any port that is free. `localhost` stands for several addresses, and clients differ in
 * the one that they take: there is a server for each that the machine has. Rejects with the system's error
 * (`EADDRINUSE`, …) when the first one cannot listen.
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
 * How many connections may wait until they are accepted; the system has a bound of its own (`somaxconn`). What comes over
 * it takes itself for connected, and is heard after seconds.
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

/** Takes no new connections; resolves when the last one has ended. What is open is left alone, unlike Node would. */
export function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    Server.prototype.close.call(server, () => resolve());
  });
}

/**
 * Waits until the system has handed over the connections that it has made already, which `accepted` counts: it does so
 * one a turn of the event loop, so nothing else should be done meanwhile.
 */
export async function takeAll(accepted: () => number): Promise<void> {
  const start = performance.now();
  for (let [seen, quiet] = [-1, 0]; quiet < 3 && performance.now() - start < longestTaking;) {
    quiet = accepted() === seen ? quiet + 1 : 0;
    seen = accepted();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
