import type { Redis } from 'ioredis';
import type { Count, Counters } from './rate-limit.ts';

/** Times in ms. If a count takes longer, this process counts by itself for `pause`. */
const commandTimeout = 250;
const connectTimeout = 1_000;
const pause = 1_000;
const longestReconnect = 2_000;
/** How long a pending command may get no data: a lost connection is not always reported. */
const silence = 1_000;
/** A Redis that hangs does not confirm the end of a connection. */
const disconnectTimeout = 100;

/** Counts, and sets the expiry of a window with the first count, or if the key has none. */
const script = `
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {count, left}`;

export interface RedisOptions {
  readonly url: string;
  /** The prefix of all keys. */
  readonly prefix: string;
  /** Counts while Redis is out of reach. */
  readonly own: Counters;
  /** Monotonic, in ms. */
  readonly clock: () => number;
  /** Called after connecting and each count: with the error, or undefined. */
  readonly report: (error: unknown) => void;
}

/** Counts in a Redis shared by several servers. */
export class RedisCounters implements Counters {
  private readonly options: RedisOptions;
  private readonly client: Promise<Redis>;
  private pausedUntil = Number.NEGATIVE_INFINITY;
  private lastError: unknown;

  constructor(options: RedisOptions) {
    this.options = options;
    this.client = this.connect();
  }

  async close(): Promise<void> {
    (await this.client).disconnect();
  }

  async take(name: string, window: number): Promise<Count> {
    const { prefix, own, clock, report } = this.options;
    if (clock() < this.pausedUntil) return own.take(name, window);
    const client = await this.client;
    try {
      const answer = await client.eval(script, 1, `${prefix}${name}`, window);
      const [count, resetIn] = answer as [number, number];
      report(undefined);
      return { count, resetIn };
    } catch (error) {
      this.pausedUntil = clock() + pause;
      // The error of the connection says more than that of a command that was not sent.
      const isLost = client.status !== 'ready';
      report(this.lastError ?? (isLost ? new Error('the connection was lost') : error));
      return own.take(name, window);
    }
  }

  /** Resolves after the first attempt to connect, failed or not; the client then reconnects by itself. */
  private async connect(): Promise<Redis> {
    const { Redis: Client } = await import('ioredis');
    const { url, report } = this.options;
    const client = new Client(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout,
      commandTimeout,
      socketTimeout: silence,
      disconnectTimeout,
      retryStrategy: (times) => Math.min(times * 100, longestReconnect),
    });
    client.on('error', (error: unknown) => {
      this.lastError = error;
    });
    client.on('ready', () => {
      this.lastError = undefined;
      this.pausedUntil = Number.NEGATIVE_INFINITY;
      report(undefined);
    });
    await client.connect().catch((error: unknown) => report(this.lastError ?? error));
    return client;
  }
}
