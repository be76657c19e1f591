import type { Worker } from 'node:cluster';
import { createServer, type Socket } from 'node:net';
import { probeAfter } from '../http/listener.ts';
import { listenOn, portOf, stopListening, takeAll, type Servers } from '../http/listening.ts';
import { tell, type FromDoor, type ToDoor } from './worker-messages.ts';

/** So many connections wait for a worker; more are closed as they come. */
const mostWaiting = 10_000;

interface Listening {
  readonly servers: Servers;
  /** It is known still when they listen no more. */
  readonly port: number;
}

/**
 * The port of several workers. The process that has started them listens, so that the port stays open whoever of them
 * ends, and gives each connection to the worker whose turn it is. Node's own way of sharing a port forgets a connection
 * that is on its way to a worker that dies, whose client then waits for ever, and closes the port with the last worker.
 */
export class Door {
  /** Resolves once it has been opened. */
  readonly opened: Promise<void>;
  private readonly tellOpened: () => void;
  private opening: Promise<Listening> | undefined;
  private closing: Promise<void> | undefined;
  private accepted = 0;
  private readonly waiting: Socket[] = [];
  /** Those who take the next connection, in turn. */
  private readonly free = new Set<Worker>();
  /** What is on its way. Whoever has not said that it has taken it has not looked at it. */
  private readonly handedTo = new Map<Worker, Socket>();
  /** Those who wait until nothing more comes. */
  private readonly leaving = new Set<Worker>();

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.opened = promise;
    this.tellOpened = resolve;
  }

  hear(worker: Worker, message: ToDoor): void {
    if (message.plinth === 'open') void this.open(worker, message.host, message.port);
    else if (message.plinth === 'taken') this.taken(worker);
    else {
      this.leaving.add(worker);
      this.closing ??= this.close();
      void this.sayClosed();
    }
  }

  /** A worker has ended. What it has not taken is another one's. */
  forget(worker: Worker): void {
    this.free.delete(worker);
    this.leaving.delete(worker);
    const lost = this.handedTo.get(worker);
    this.handedTo.delete(worker);
    if (lost !== undefined) this.offer(lost);
    void this.sayClosed();
  }

  /** Ends what nobody takes any more. */
  async end(): Promise<void> {
    await (this.closing ??= this.close());
    for (const connection of this.waiting.splice(0)) connection.resetAndDestroy();
  }

  private async open(worker: Worker, host: string, port: number): Promise<void> {
    // The port stays the one that was opened first, whatever the file says to a later worker.
    this.opening ??= this.listen(host, port);
    let opened: Listening;
    try {
      opened = await this.opening;
    } catch (error) {
      this.opening = undefined;
      const { message, code, syscall } = error as NodeJS.ErrnoException;
      tell(worker, { plinth: 'refused', error: { message, code, syscall } });
      return;
    }
    tell(worker, { plinth: 'opened', port: opened.port });
    this.tellOpened();
    this.giveTo(worker);
  }

  private async listen(host: string, port: number): Promise<Listening> {
    const servers = await listenOn(() => this.makeServer(), host, port);
    return { servers, port: portOf(servers) };
  }

  private makeServer(): ReturnType<typeof createServer> {
    const settings = {
      // What is sent meanwhile is left for the worker to read.
      pauseOnConnect: true,
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: probeAfter,
    };
    return createServer(settings, (connection) => {
      this.accepted += 1;
      connection.on('error', () => undefined);
      if (this.waiting.length < mostWaiting) this.offer(connection);
      else connection.resetAndDestroy();
    });
  }

  private offer(connection: Socket): void {
    this.waiting.push(connection);
    for (const next of this.free) {
      if (this.waiting.length === 0) return;
      this.giveTo(next);
    }
  }

  /** Gives a worker the connection that has waited for longest, or lets it wait for one. */
  private giveTo(worker: Worker): void {
    this.free.delete(worker);
    if (!worker.isConnected()) return;
    const connection = this.waiting.shift();
    if (connection === undefined) this.free.add(worker);
    else {
      this.handedTo.set(worker, connection);
      const message: FromDoor = { plinth: 'connection' };
      worker.process.send?.(message, connection, { keepOpen: true });
    }
  }

  private taken(worker: Worker): void {
    // It is the worker's alone now: closed here, it stays open there.
    this.handedTo.get(worker)?.destroy();
    this.handedTo.delete(worker);
    this.giveTo(worker);
    void this.sayClosed();
  }

  private async close(): Promise<void> {
    const opened = await this.opening?.catch(() => undefined);
    await takeAll(() => this.accepted);
    for (const server of opened?.servers ?? []) void stopListening(server);
  }

  /** Tells those who leave, once everything that came has been taken. */
  private async sayClosed(): Promise<void> {
    await this.closing;
    if (this.closing === undefined || this.waiting.length > 0 || this.handedTo.size > 0) return;
    for (const worker of this.leaving) tell(worker, { plinth: 'closed' });
    this.leaving.clear();
  }
}
