/**
 * A map of at most `limit` entries whose lengths add up to at most `length` (two entries may be of any length). It drops
 * entries that were not used for long. It has two halves: a used entry moves to the young one, and when that is full the
 * old one is dropped whole, so no entry has to be searched for.
 */
export class BoundedCache<Value> {
  private young = new Map<string, Value>();
  private old = new Map<string, Value>();
  private youngLength = 0;
  private readonly half: number;
  private readonly halfLength: number;
  private readonly lengthOf: (key: string, value: Value) => number;

  /** `lengthOf`: the length of an entry; default: that of its key. */
  constructor(
    limit: number,
    length = Infinity,
    lengthOf: (key: string, value: Value) => number = (key) => key.length,
  ) {
    this.half = Math.max(1, Math.floor(limit / 2));
    this.halfLength = length / 2;
    this.lengthOf = lengthOf;
  }

  /** At most `limit`. An entry that moved to the young half counts twice. */
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
    const length = this.lengthOf(key, value);
    if (this.young.size >= this.half || this.youngLength + length > this.halfLength) {
      this.old = this.young;
      this.young = new Map();
      this.youngLength = 0;
    }
    if (!this.young.has(key)) this.youngLength += length;
    this.young.set(key, value);
  }
}
