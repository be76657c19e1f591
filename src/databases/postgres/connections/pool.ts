import { performance } from 'node:perf_hooks';
import { FairQueue } from '../../../lib/fair-queue.ts';
import type { Requester } from '../../../sql/statement.ts';
import { CallerShares } from '../../caller-shares.ts';
import { ClientGone, DatabaseFailure, type ConnectionCounts } from '../../database.ts';
import type { PostgresAddress } from './address.ts';
import { Connection, type ConnectionOptions } from './connection.ts';

export interface PoolOptions extends ConnectionOptions {
  /** The largest number of connections. */
  readonly size: number;
}

/** How long a connection may take to respond after the statement timeout before it is closed, in ms. */
const grace = 5_000;
/** The most short statements on one connection. */
const mostShared = 8;
/** Reads and writes do not share a connection: a write may wait for the locks of another. */
export type Sharing = 'read' | 'write';
/**
 * Statements that take less than this, in ms, share connections, but not with one that has run for longer. A write
 * takes as long as the disk on any connection.
 */
export const brief: Readonly<Record<Sharing, number>> = { read: 50, write: 250 };
/** The lifetime of a connection, in ms, after which its prepared statements are freed. */
const lifetime = 30 * 60_000;

/** How long to open no further connection after the server had none left, in ms. */
const fullFor = 1_000;

/** What one statement is, that may share a connection. */
export interface Sharer {
  readonly sharing: Sharing;
  /** Whether its last run was short. It may turn out while this one waits. */
  readonly isBrief: () => boolean;
}

interface Waiter {
  readonly caller: string | undefined;
  readonly sharer: Sharer | undefined;
  readonly since: number;
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A pool of connections. Each is lent to one caller, or to several with short statements, so that a slow statement
 * delays only its own caller. The driver's own pool cannot combine that with transactions.
 */
export class Pool {
  private address: PostgresAddress;
  private readonly options: PoolOptions;
  private readonly idle: Connection[] = [];
  /** The lent connections, each with the caller in whose share it counts. */
  private readonly lent = new Map<Connection, string | undefined>();
  private readonly shares: CallerShares;
  /** The shared connections, each with the number of its callers and what they do. */
  private readonly shared = new Map<Connection, { count: number; readonly sharing: Sharing }>();
  private readonly waiting = new FairQueue<Waiter>();
  private readonly timer: NodeJS.Timeout;
  /** Why no connection is lent. */
  private refusal: string | undefined;
  /** Until when the server is assumed to have no further connection. */
  private fullUntil = 0;
  /** Sessions opened before are ended, on the clock of `performance.now()`. */
  private renewedAt = Number.NEGATIVE_INFINITY;

  constructor(address: PostgresAddress, options: PoolOptions) {
    this.address = address;
    this.options = options;
    this.shares = new CallerShares(options.size);
    this.timer = setInterval(() => this.watch(performance.now()), 1_000).unref();
  }

  get counts(): ConnectionCounts {
    return { busy: this.lent.size, idle: this.idle.length, waiting: this.waiting.size };
  }

  /** When the last response arrived on a connection that still exists, on the clock of `performance.now()`. */
  get answeredAt(): number {
    const there = [...this.idle, ...this.lent.keys()].filter(({ isLost }) => !isLost);
    return Math.max(...there.map(({ answeredAt }) => answeredAt));
  }

  /** Adds a server setting to future sessions, unless the URL sets it. */
  set(setting: string, value: string): void {
    const { settings } = this.address;
    this.address = { ...this.address, settings: { [setting]: value, ...settings } };
  }

  /**
   * Lends a connection, most recently used first because its statements are prepared. A requester waits if its caller has
   * its share of the connections. Rejects if all stay busy for too long, or the client of the requester goes away.
   *
   * A sharer that is brief gets, if no connection is idle, one with other short statements, whose packets then travel
   * together: a large part of what a short statement costs. `isShared` tells.
   */
  lend(requester?: Requester, sharer?: Sharer): Connection | Promise<Connection> {
    if (this.refusal !== undefined) throw new DatabaseFailure(this.refusal);
    const caller = requester?.caller;
    const connection = this.waiting.size > 0 ? undefined : this.lendNow(caller, sharer);
    if (connection !== undefined) return connection;
    return new Promise((resolve, reject) => {
      let stay = (): void => undefined;
      const waiter: Waiter = {
        caller,
        sharer,
        since: performance.now(),
        resolve: (lent) => {
          stay();
          resolve(lent);
        },
        reject: (error) => {
          stay();
          reject(error);
        },
      };
      this.waiting.push(caller ?? '', waiter);
      if (requester !== undefined)
        stay = requester.onGone(() => {
          if (this.waiting.remove(caller ?? '', waiter)) waiter.reject(new ClientGone());
        });
      // Those before it may be callers that have their share already.
      if (this.waiting.size > 1) this.serve();
    });
  }

  /** Whether others have statements on a lent connection too, so that it must not be given up. */
  isShared(connection: Connection): boolean {
    return this.shared.has(connection);
  }

  private lendNow(caller: string | undefined, sharer: Sharer | undefined): Connection | undefined {
    // A pooler may release its server session after a response although the next statement was sent in part (the
    // driver asks for its parameter types first). The rest would get no response, or another session's.
    if (sharer === undefined || this.options.isPooled || !sharer.isBrief())
      return this.shares.isUsedUp(caller) ? undefined : this.take(caller);
    const connection = this.take(undefined) ?? this.leastShared(sharer.sharing);
    return connection && this.asShared(connection, sharer.sharing);
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
      if (count < least && sharing === wanted && isAnswering && !this.isSpent(connection))
        [chosen, least] = [connection, count];
    }
    return chosen;
  }

  /** A connection beside those of the pool, whose statements have no deadline. Its user ends it. */
  another(): Connection {
    return new Connection(this.address, { ...this.options, statementTimeout: 0 });
  }

  giveBack(connection: Connection): void {
    const known = this.shared.get(connection);
    if (known !== undefined && known.count > 1) {
      known.count -= 1;
      this.serve();
      return;
    }
    this.shared.delete(connection);
    // It may have been given up meanwhile.
    if (!this.lent.has(connection)) return;
    if (this.isSpent(connection)) return this.giveUp(connection);
    this.takeBack(connection);
    this.idle.push(connection);
    this.serve();
  }

  private count(connection: Connection, caller: string | undefined): void {
    this.lent.set(connection, caller);
    this.shares.take(caller);
  }

  private takeBack(connection: Connection): void {
    this.shares.giveBack(this.lent.get(connection));
    this.lent.delete(connection);
  }

  /** Ends all idle connections: if one session was lost, the others may be lost without notice. */
  renew(): void {
    for (const connection of this.idle.splice(0)) void connection.end();
  }

  /** Ends all connections, those in use once they are given back, and with them their prepared statements. */
  renewAll(): void {
    this.renewedAt = performance.now();
    this.renew();
  }

  private isSpent({ isLost, openedAt }: Connection): boolean {
    return isLost || openedAt < this.renewedAt || performance.now() - openedAt > lifetime;
  }

  /**
   * The server has no further connection, so the pool makes do with the present ones for a while. Returns whether
   * there are any.
   */
  isLeftWithSome(): boolean {
    this.fullUntil = performance.now() + fullFor;
    return this.hasSome();
  }

  private hasSome(): boolean {
    return [...this.idle, ...this.lent.keys()].some(({ isLost }) => !isLost);
  }

  /** Ends all connections at once, those in use with an error, and lends none until `resume`. */
  leave(): void {
    this.refuse('The server has been left.');
    this.renew();
    for (const connection of this.lent.keys()) connection.lose();
  }

  resume(): void {
    this.refusal = undefined;
  }

  private refuse(reason: string): void {
    this.refusal = reason;
    for (const { reject } of this.waiting.removeAll()) reject(new DatabaseFailure(reason));
  }

  async close(): Promise<void> {
    this.refuse('The database is closed.');
    clearInterval(this.timer);
    const seconds = grace / 1000;
    await Promise.all(
      [...this.idle, ...this.lent.keys()].map((connection) => connection.end(seconds)),
    );
  }

  /** Takes an idle or a new connection; undefined if the limit is reached. */
  private take(caller: string | undefined): Connection | undefined {
    let connection = this.idle.pop();
    while (connection !== undefined && this.isSpent(connection)) {
      void connection.end();
      connection = this.idle.pop();
    }
    if (connection === undefined) {
      if (this.lent.size >= this.options.size) return undefined;
      if (performance.now() < this.fullUntil && this.hasSome()) return undefined;
      connection = new Connection(this.address, this.options);
    }
    this.count(connection, caller);
    return connection;
  }

  /** Ends a lent connection and lends another to the next caller in the queue. */
  private giveUp(connection: Connection): void {
    this.takeBack(connection);
    void connection.end();
    this.serve();
  }

  /** Lends to those that wait, in turn. Sharers wait behind who needs a connection alone, or he would wait for ever. */
  private serve(): void {
    while (this.waiting.size > 0) {
      let connection: Connection | undefined;
      let isTurnOver = false;
      const waiter = this.waiting.shift((_, { caller, sharer }) => {
        if (isTurnOver) return false;
        connection = this.lendNow(caller, sharer);
        isTurnOver = connection === undefined && !this.shares.isUsedUp(caller);
        return connection !== undefined;
      });
      if (waiter === undefined || connection === undefined) return;
      waiter.resolve(connection);
    }
  }

  /** Ends connections that passed the statement timeout, and rejects callers that waited for too long. */
  private watch(now: number): void {
    const { statementTimeout, isPooled } = this.options;
    for (const connection of this.lent.keys()) {
      const waited = now - (connection.waitingSince ?? now);
      if (waited > statementTimeout + grace) {
        this.renew();
        this.giveUp(connection);
      } else if (isPooled && waited > statementTimeout) connection.cancel();
    }
    // The server may accept connections again.
    this.serve();
    for (const { reject } of this.waiting.removeAll(({ since }) => now - since > statementTimeout))
      reject(
        new DatabaseFailure('All connections to the database stayed busy.', { kind: 'crowded' }),
      );
  }
}
