import type { Redis } from 'ioredis';
import type { Count, Counters } from './quota.ts';

/** Times in ms. A request waits no longer than this for its count; then this process counts by itself for a while. */
const commandTimeout = 250;
const connectTimeout = 1_000;
const pause = 1_000;
const longestReconnect = 2_000;
/** So long nothing may come while a count is asked for: nobody tells of a connection that was lost on its way. */
const silence = 1_000;
/** A Redis that stands still never says that it has heard of the end. */
const disconnectTimeout = 100;

/** Counts, and gives a window its end with the first count; one that has lost its end gets another. */
const script = `
local count
if ARGV[2] == '0' then count = tonumber(redis.call('GET', KEYS[1]) or '0')
else count = redis.call('INCR', KEYS[1]) end
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  if count > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  left = tonumber(ARGV[1])
end
return {count, left}`;

export interface RedisOptions {
  readonly url: string;
  /** What the names of all keys begin with. */
  readonly prefix: string;
  /** Counts while Redis is out of reach. */
  readonly own: Counters;
  /** ms on a clock that is never set. */
  readonly clock: () => number;
  /** Hears how connecting and each count went: of the error where Redis was out of reach. */
  readonly report: (error: unknown) => void;
}

/** Counts in a Redis that several servers share. */
export class RedisCounters implements Counters {
  private readonly options: RedisOptions;
  private readonly client: Promise<Redis>;
  private pausedUntil = Number.NEGATIVE_INFINITY;
  private lastError: unknown;

  constructor(options: RedisOptions) {
    this.options = options;
    this.client = this.connect();
  }

  take(name: string, window: number): Promise<Count> {
    return this.run(name, window, 'take');
  }

  look(name: string, window: number): Promise<Count> {
    return this.run(name, window, 'look');
  }

  async close(): Promise<void> {
    (await this.client).disconnect();
  }

  private async run(name: string, window: number, way: 'take' | 'look'): Promise<Count> {
    const { prefix, own, clock, report } = this.options;
    if (clock() < this.pausedUntil) return own[way](name, window);
    const client = await this.client;
    try {
      const cost = way === 'take' ? 1 : 0;
      const answer = await client.eval(script, 1, `${prefix}${name}`, window, cost);
      const [count, resetIn] = answer as [number, number];
      report(undefined);
      return { count, resetIn };
    } catch (error) {
      this.pausedUntil = clock() + pause;
      // A command that was never sent says less than the connection that failed.
      const isLost = client.status !== 'ready';
      report(this.lastError ?? (isLost ? new Error('the connection was lost') : error));
      return own[way](name, window);
    }
  }

  /** The client once it has connected, or has failed to for the first time; it goes on trying by itself. */
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
