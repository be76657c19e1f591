/**
 * A map of at most `limit` entries that forgets what was not used for long. It has two halves: what is used moves
 * to the young one, and when that is full the old one is dropped whole, so that nothing is searched for.
 */
export class BoundedCache<Value> {
  private young = new Map<string, Value>();
  private old = new Map<string, Value>();
  private readonly half: number;

  constructor(limit: number) {
    this.half = Math.max(1, Math.floor(limit / 2));
  }

  /** Never more than `limit`; an entry that moved to the young half counts in both. */
  get size(): number {
    return this.young.size + this.old.size;
  }

  get(key: string): Value | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const kept = this.old.get(key);
    if (kept !== undefined) this.set(key, kept);
    return kept;
  }

  set(key: string, value: Value): void {
    if (this.young.size >= this.half) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
  }
}
