import { performance } from 'node:perf_hooks';
import { DatabaseFailure, type ConnectionCounts } from '../database.ts';
import type { PostgresAddress } from './address.ts';
import { Connection, type ConnectionOptions } from './connection.ts';

export interface PoolOptions extends ConnectionOptions {
  /** Connections at most. */
  readonly size: number;
}

/** How long a connection waits for an answer past the deadline before it is given up, in ms. */
const grace = 5_000;
/** How many brief statements wait on one connection at most. */
const mostShared = 8;
/** What brief statements do. A write may wait for another one's locks, so reads do not wait behind it. */
export type Sharing = 'read' | 'write';
/**
 * Brief is what takes less than this, in ms; what has taken longer already is not waited for by others. A write takes
 * as long as the disk, which it would have to wait for on any connection.
 */
export const brief: Readonly<Record<Sharing, number>> = { read: 50, write: 250 };
/** How long a connection lives: with it go the names of statements that are no longer used much. */
const lifetime = 30 * 60_000;

/** For how long no further connection is tried after the server had none left, in ms. */
const fullFor = 1_000;

function isSpent({ isLost, openedAt }: Connection): boolean {
  return isLost || performance.now() - openedAt > lifetime;
}

interface Waiter {
  readonly since: number;
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Connections, each lent to one caller at a time, or to several whose statements are brief: a slow statement holds up
 * nobody but who waits for it. The driver's own pool cannot do that together with transactions.
 */
export class Pool {
  private address: PostgresAddress;
  private readonly options: PoolOptions;
  private readonly idle: Connection[] = [];
  private readonly lent = new Set<Connection>();
  /** Those of the lent that several share → how many, for what. */
  private readonly shared = new Map<Connection, { count: number; readonly sharing: Sharing }>();
  private readonly waiting: Waiter[] = [];
  private readonly timer: NodeJS.Timeout;
  private isClosed = false;
  /** Until when the server is taken to have no further connection. */
  private fullUntil = 0;

  constructor(address: PostgresAddress, options: PoolOptions) {
    this.address = address;
    this.options = options;
    this.timer = setInterval(() => this.watch(performance.now()), 1_000).unref();
  }

  get counts(): ConnectionCounts {
    return { busy: this.lent.size, idle: this.idle.length, waiting: this.waiting.length };
  }

  /** When one that is still there has last answered, on the clock of `performance.now()`. */
  get answeredAt(): number {
    const there = [...this.idle, ...this.lent].filter(({ isLost }) => !isLost);
    return Math.max(...there.map(({ answeredAt }) => answeredAt));
  }

  /** Begins sessions from now on with a setting of the server, unless the URL has it. */
  set(setting: string, value: string): void {
    const { settings } = this.address;
    this.address = { ...this.address, settings: { [setting]: value, ...settings } };
  }

  /** Lends a connection: the one used last, whose statements are prepared. Rejects when all stay busy for too long. */
  lend(): Connection | Promise<Connection> {
    if (this.isClosed) throw new DatabaseFailure('The database is closed.');
    const connection = this.take();
    if (connection !== undefined) return connection;
    return new Promise((resolve, reject) => {
      this.waiting.push({ since: performance.now(), resolve, reject });
    });
  }

  /**
   * Lends a connection for one statement that is brief. When none is free it is one on which other brief statements
   * wait: their bytes travel together, which is a good part of what a brief statement costs.
   */
  share(sharing: Sharing): Connection | Promise<Connection> {
    // A pooler may take its session back as soon as a statement is answered, though the next one has been asked in part (the
    // driver asks for the types of its parameters first): that would never be answered, or to another one.
    if (this.options.isPooled) return this.lend();
    // Whoever waits for a connection of his own would never get one.
    const isFull = this.idle.length === 0 && this.lent.size >= this.options.size;
    const shared = isFull && this.waiting.length === 0 ? this.leastShared(sharing) : undefined;
    const lent = shared ?? this.lend();
    return lent instanceof Connection
      ? this.asShared(lent, sharing)
      : lent.then((connection) => this.asShared(connection, sharing));
  }

  private asShared(connection: Connection, sharing: Sharing): Connection {
    const known = this.shared.get(connection);
    if (known === undefined) this.shared.set(connection, { count: 1, sharing });
    else known.count += 1;
    return connection;
  }

  private leastShared(wanted: Sharing): Connection | undefined {
    let chosen: Connection | undefined;
    let least = mostShared;
    const stuck = performance.now() - brief[wanted];
    for (const [connection, { count, sharing }] of this.shared) {
      const isAnswering = (connection.waitingSince ?? stuck) >= stuck;
      if (count < least && sharing === wanted && isAnswering && !isSpent(connection))
        [chosen, least] = [connection, count];
    }
    return chosen;
  }

  giveBack(connection: Connection): void {
    const known = this.shared.get(connection);
    if (known !== undefined && known.count > 1) {
      known.count -= 1;
      return;
    }
    this.shared.delete(connection);
    // One that was given up in between is no longer there.
    if (!this.lent.has(connection)) return;
    if (isSpent(connection)) return this.giveUp(connection);
    const waiter = this.waiting.shift();
    if (waiter !== undefined) return waiter.resolve(connection);
    this.lent.delete(connection);
    this.idle.push(connection);
  }

  /** Ends all that are idle: where one session has gone, the others may be gone too and nobody has noticed yet. */
  renew(): void {
    for (const connection of this.idle.splice(0)) void connection.end();
  }

  /**
   * The server has no further connection: for a while those that are there have to do. Gives whether there is one that
   * is worth waiting for.
   */
  isLeftWithSome(): boolean {
    this.fullUntil = performance.now() + fullFor;
    return this.hasSome();
  }

  private hasSome(): boolean {
    return [...this.idle, ...this.lent].some(({ isLost }) => !isLost);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    for (const { reject } of this.waiting.splice(0))
      reject(new DatabaseFailure('The database is closed.'));
    const seconds = grace / 1000;
    await Promise.all([...this.idle, ...this.lent].map((connection) => connection.end(seconds)));
  }

  /** One that is idle, or a new one; undefined when there may be no more. */
  private take(): Connection | undefined {
    let connection = this.idle.pop();
    while (connection !== undefined && isSpent(connection)) {
      void connection.end();
      connection = this.idle.pop();
    }
    if (connection === undefined) {
      if (this.lent.size >= this.options.size) return undefined;
      if (performance.now() < this.fullUntil && this.hasSome()) return undefined;
      connection = new Connection(this.address, this.options);
    }
    this.lent.add(connection);
    return connection;
  }

  /** Ends a connection that is lent; whoever waits for one gets another in its place. */
  private giveUp(connection: Connection): void {
    this.lent.delete(connection);
    void connection.end();
    this.serveNext();
  }

  /** Lends a connection to who has waited longest, where there may be one more; gives whether it has. */
  private serveNext(): boolean {
    const next = this.waiting.length > 0 ? this.take() : undefined;
    if (next !== undefined) this.waiting.shift()?.resolve(next);
    return next !== undefined;
  }

  /** Ends what the server should have ended itself, and tells those who wait that they wait in vain. */
  private watch(now: number): void {
    const { statementTimeout, isPooled } = this.options;
    for (const connection of this.lent) {
      const waited = now - (connection.waitingSince ?? now);
      if (waited > statementTimeout + grace) {
        this.renew();
        this.giveUp(connection);
      } else if (isPooled && waited > statementTimeout) connection.cancel();
    }
    // The server may have some again.
    while (this.serveNext());
    while (now - (this.waiting[0]?.since ?? now) > statementTimeout)
      this.waiting
        .shift()
        ?.reject(
          new DatabaseFailure('All connections to the database stayed busy.', { kind: 'crowded' }),
        );
  }
}
