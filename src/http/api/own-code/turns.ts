/** Turns by key: what holds a key keeps others with the same key waiting, in the order in which they came. */
export class Turns {
  /** What the last one in the queue of each key waits for others to wait for. */
  private readonly last = new Map<string, Promise<void>>();

  /** Runs work while it holds all of the keys. They are taken in one order, so that nobody waits in a circle. */
  async hold<Value>(keys: readonly string[], work: () => Promise<Value>): Promise<Value> {
    const releases: (() => void)[] = [];
    try {
      for (const key of [...new Set(keys)].sort()) releases.push(await this.take(key));
      return await work();
    } finally {
      for (const release of releases) release();
    }
  }

  /** Takes a key that nobody holds; undefined if somebody does. */
  takeFree(key: string): (() => void) | undefined {
    return this.last.has(key) ? undefined : this.enter(key).release;
  }

  private async take(key: string): Promise<() => void> {
    const { before, release } = this.enter(key);
    if (before !== undefined) await before;
    return release;
  }

  private enter(key: string): {
    readonly before: Promise<void> | undefined;
    readonly release: () => void;
  } {
    const before = this.last.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.last.set(key, promise);
    const release = (): void => {
      if (this.last.get(key) === promise) this.last.delete(key);
      resolve();
    };
    return { before, release };
  }
}
