import type { Worker } from 'node:cluster';
import { createServer, type Server, type Socket } from 'node:net';
import { probeAfter } from '../../http/server/listener.ts';
import {
  listenOn,
  portOf,
  stopListening,
  takeAll,
  type Servers,
} from '../../http/server/listening.ts';
import { sendTo } from './messages.ts';

/** The most connections that wait while no worker serves; more are reset. */
const maxWaiting = 10_000;
/** A worker that takes longer to receive a connection gets no further ones while another worker is faster. In ms. */
const maxDelay = 20;

interface Share {
  /** Open connections of the worker, with those on their way to it. */
  connections: number;
  /** How many it was sent in all. */
  sent: number;
  /** Those that it has not received yet, oldest first. */
  readonly onTheWay: { readonly connection: Socket; readonly since: number }[];
  /** Whether it wants no further connections. */
  hasLeft: boolean;
}

/**
 * The port of several workers: the primary listens, and sends each connection to the worker with the fewest. It keeps its
 * copy of a connection until the worker has received it; if the worker dies first, another one gets it.
 * `docs/decisions/0010-workers.md` says why Node's own port sharing is not enough.
 */
export class SharedPort {
  private servers: Servers | undefined;
  private accepted = 0;
  private readonly waiting: Socket[] = [];
  /** The worker that was sent a connection last comes last. */
  private readonly shares = new Map<Worker, Share>();
  private isStopping = false;
  private closing: Promise<void> | undefined;

  /** Listens; resolves with the port. Rejects with the system's error. */
  async listen(host: string, port: number): Promise<number> {
    this.servers = await listenOn(() => this.makeServer(), host, port);
    return portOf(this.servers);
  }

  /** A worker serves. */
  add(worker: Worker): void {
    this.shares.set(worker, { connections: 0, sent: 0, onTheWay: [], hasLeft: false });
    this.distribute();
  }

  /** A worker has received a connection. */
  received(worker: Worker): void {
    // The worker has its own copy: closing this one does not end the connection.
    this.shares.get(worker)?.onTheWay.shift()?.connection.destroy();
  }

  /** Connections of a worker have ended. */
  ended(worker: Worker, count: number): void {
    const share = this.shares.get(worker);
    if (share !== undefined) share.connections -= count;
  }

  /** All workers stop: the port closes when the first of them leaves. A worker that leaves alone does not close it. */
  stop(): void {
    this.isStopping = true;
    if ([...this.shares.values()].some(({ hasLeft }) => hasLeft)) void this.stopListening();
  }

  /** Sends a worker no further connections. If all stop, it still gets its share of those that clients have opened. */
  async leave(worker: Worker): Promise<void> {
    if (this.isStopping) await this.stopListening();
    const share = this.shares.get(worker);
    if (share !== undefined) share.hasLeft = true;
    // Messages keep their order: the worker has received every connection before this one.
    sendTo(worker, { plinth: 'left' });
  }

  /** A worker has ended: other workers get the connections that it has not received. */
  remove(worker: Worker): void {
    const { onTheWay = [] } = this.shares.get(worker) ?? {};
    this.shares.delete(worker);
    this.waiting.unshift(...onTheWay.map(({ connection }) => connection));
    this.distribute();
  }

  /** Stops listening, and resets connections that no worker has received. */
  async close(): Promise<void> {
    await this.stopListening();
    for (const connection of this.waiting.splice(0)) connection.resetAndDestroy();
  }

  private makeServer(): Server {
    const settings = {
      // The worker reads what the client sends.
      pauseOnConnect: true,
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: probeAfter,
    };
    return createServer(settings, (connection) => {
      this.accepted += 1;
      connection.on('error', () => undefined);
      if (this.waiting.length >= maxWaiting) connection.resetAndDestroy();
      else {
        this.waiting.push(connection);
        this.distribute();
      }
    });
  }

  private distribute(): void {
    while (this.waiting.length > 0) {
      const now = performance.now();
      const next = this.next(now);
      if (next === undefined) return;
      const [worker, share] = next;
      const connection = this.waiting.shift();
      if (connection === undefined) return;
      share.connections += 1;
      share.sent += 1;
      share.onTheWay.push({ connection, since: now });
      this.shares.delete(worker);
      this.shares.set(worker, share);
      worker.process.send?.({ plinth: 'connection' }, connection, { keepOpen: true });
      sendTo(worker, { plinth: 'sent', count: share.sent });
    }
  }

  /** The worker with the fewest connections of those that receive them without delay, or else of all. */
  private next(now: number): readonly [Worker, Share] | undefined {
    const isLate = ({ onTheWay: [oldest] }: Share): boolean =>
      oldest !== undefined && now - oldest.since > maxDelay;
    let best: readonly [Worker, Share] | undefined;
    for (const entry of this.shares) {
      const [worker, share] = entry;
      if (share.hasLeft || !worker.isConnected()) continue;
      const isBetter =
        best === undefined ||
        (isLate(share) === isLate(best[1])
          ? share.connections < best[1].connections
          : isLate(best[1]));
      if (isBetter) best = entry;
    }
    return best;
  }

  private stopListening(): Promise<void> {
    this.closing ??= this.acceptAllThenClose();
    return this.closing;
  }

  private async acceptAllThenClose(): Promise<void> {
    await takeAll(() => this.accepted);
    for (const server of this.servers ?? []) void stopListening(server);
  }
}
