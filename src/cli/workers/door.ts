import type { Worker } from 'node:cluster';
import { createServer, type Socket } from 'node:net';
import { probeAfter } from '../../http/server/listener.ts';
import {
  listenOn,
  portOf,
  stopListening,
  takeAll,
  type Servers,
} from '../../http/server/listening.ts';
import { tell, type FromDoor, type ToDoor } from './messages.ts';

/** So many connections wait for a worker; more are closed as they come. */
const mostWaiting = 10_000;
/** For so long the worker with the fewest connections is waited for to take one before the others are asked. In ms. */
const patience = 20;

interface Listening {
  readonly servers: Servers;
  /** It is known still when they listen no more. */
  readonly port: number;
}

interface Handed {
  readonly connection: Socket;
  readonly since: number;
  /** Whether the worker was asked for it. */
  isAsked: boolean;
}

/** Who takes connections. */
interface Taker {
  /** How many it has, with the one on its way. */
  connections: number;
  /** How many it was given. */
  given: number;
  /** What is on its way, and since when. Who has not said that it has taken it has not looked at it. */
  handed: Handed | undefined;
}

/**
 * The port of several workers. The process that has started them listens, so that the port stays open whoever of them
 * ends, and gives each connection to the worker that has the fewest, since each stays where it was given: those of who
 * calls again and again would else all be with the one that was there first. Node's own way of sharing a port forgets a
 * connection that is on its way to a worker that dies, whose client then waits for ever, and closes the port with the
 * last worker.
 */
export class Door {
  /** Resolves once it has been opened. */
  readonly opened: Promise<void>;
  private readonly tellOpened: () => void;
  private opening: Promise<Listening> | undefined;
  private closing: Promise<void> | undefined;
  private accepted = 0;
  private readonly waiting: Socket[] = [];
  /** The one that was given something last comes last. */
  private readonly takers = new Map<Worker, Taker>();
  /** Set while somebody may be late. */
  private timer: NodeJS.Timeout | undefined;
  /** Those who wait until nothing more comes for them. */
  private readonly leaving = new Set<Worker>();
  private isStopping = false;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.opened = promise;
    this.tellOpened = resolve;
  }

  hear(worker: Worker, message: ToDoor): void {
    if (message.plinth === 'open') void this.open(worker, message.host, message.port);
    else if (message.plinth === 'taken') this.taken(worker);
    else if (message.plinth === 'ended') this.ended(worker, message.count);
    else {
      this.leaving.add(worker);
      if (this.isStopping) this.closing ??= this.close();
      void this.sayClosed();
    }
  }

  /** All are to stop: the port is closed as soon as one of them leaves. Else the others have it, and those who come. */
  stop(): void {
    this.isStopping = true;
    const isLeft = this.opening !== undefined && this.takers.size === 0;
    if (isLeft || this.leaving.size > 0) this.closing ??= this.close();
  }

  /** A worker has ended. What it has not taken is another one's. */
  forget(worker: Worker): void {
    const lost = this.takers.get(worker)?.handed;
    this.takers.delete(worker);
    this.leaving.delete(worker);
    if (lost !== undefined) this.waiting.unshift(lost.connection);
    this.give();
    void this.sayClosed();
  }

  /** Ends what nobody takes any more. */
  async end(): Promise<void> {
    await (this.closing ??= this.close());
    clearTimeout(this.timer);
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
    this.takers.set(worker, { connections: 0, given: 0, handed: undefined });
    this.give();
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
      if (this.waiting.length >= mostWaiting) connection.resetAndDestroy();
      else {
        this.waiting.push(connection);
        this.give();
      }
    });
  }

  /** Gives what waits, what has waited for longest first, as long as there is somebody to take it. */
  private give(): void {
    while (this.waiting.length > 0) {
      const now = performance.now();
      const next = this.next(now);
      if (next === undefined) return;
      const [worker, taker] = next;
      if (taker.handed !== undefined) return this.wait();
      const connection = this.waiting.shift();
      if (connection === undefined) return;
      taker.connections += 1;
      taker.given += 1;
      taker.handed = { connection, since: now, isAsked: false };
      this.takers.delete(worker);
      this.takers.set(worker, taker);
      const message: FromDoor = { plinth: 'connection' };
      worker.process.send?.(message, connection, { keepOpen: true });
      this.wait();
    }
  }

  /** Looks after those who have not taken what they were given, once it is late. */
  private wait(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const late = performance.now() - patience;
      for (const [worker, { handed, given }] of this.takers) {
        if (handed === undefined || handed.isAsked) continue;
        // What did not reach a worker, as one that has all the files open that it may, it takes for closed.
        if (handed.since <= late) {
          handed.isAsked = true;
          tell(worker, { plinth: 'given', count: given });
        } else this.wait();
      }
      this.give();
    }, patience);
  }

  /** Who has the fewest connections, of those that take them without delay. */
  private next(now: number): readonly [Worker, Taker] | undefined {
    let fewest: readonly [Worker, Taker] | undefined;
    for (const entry of this.takers) {
      const [worker, { connections, handed }] = entry;
      const isLate = handed !== undefined && now - handed.since >= patience;
      const leavesAlone = this.closing === undefined && this.leaving.has(worker);
      if (isLate || leavesAlone || !worker.isConnected()) continue;
      if (fewest === undefined || connections < fewest[1].connections) fewest = entry;
    }
    return fewest;
  }

  private taken(worker: Worker): void {
    const taker = this.takers.get(worker);
    if (taker === undefined) return;
    // It is the worker's alone now: closed here, it stays open there.
    taker.handed?.connection.destroy();
    taker.handed = undefined;
    this.give();
    void this.sayClosed();
  }

  private ended(worker: Worker, count: number): void {
    const taker = this.takers.get(worker);
    if (taker !== undefined) taker.connections -= count;
  }

  private get isQuiet(): boolean {
    return this.waiting.length === 0 && ![...this.takers.values()].some(({ handed }) => handed);
  }

  private async close(): Promise<void> {
    const opened = await this.opening?.catch(() => undefined);
    await takeAll(() => this.accepted);
    for (const server of opened?.servers ?? []) void stopListening(server);
  }

  /** Tells those who leave: who leaves alone once it has taken what it was given, all of them once nothing waits. */
  private async sayClosed(): Promise<void> {
    await this.closing;
    if (this.closing !== undefined && !this.isQuiet) return;
    for (const worker of this.leaving) {
      if (this.takers.get(worker)?.handed !== undefined) continue;
      this.takers.delete(worker);
      this.leaving.delete(worker);
      tell(worker, { plinth: 'closed' });
    }
  }
}
