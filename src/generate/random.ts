/** The start of a sequence of draws, 64 bits. */
export interface Key {
  readonly high: number;
  readonly low: number;
}

/**
 * Hashes words and numbers, such as seed, resource and field. Another order or split of the same characters gives another
 * key. Only 32-bit integers are used, so the key is the same on every machine.
 */
export function keyOf(...parts: readonly (string | number)[]): Key {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (const part of parts) {
    const text = `${String(part).length}:${part}`;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      high = Math.imul(high ^ unit, 2_654_435_761);
      low = Math.imul(low ^ unit, 1_597_334_677);
    }
  }
  high =
    Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low =
    Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return { high: high | 0, low: low | 0 };
}

/**
 * A random number generator (sfc32) whose draws follow from a key and a row alone. No two values share a sequence, so no
 * value depends on another. One object serves all values, since each starts a new sequence.
 */
export class Random {
  private a = 0;
  private b = 0;
  private c = 0;
  private d = 1;

  /** Starts the sequence of a key and a row; `item` numbers the sequences of one row. */
  start({ high, low }: Key, row: number, item = 0): this {
    this.a = high;
    this.b = low;
    this.c = (row ^ Math.imul(item, 0x9e3779b1)) | 0;
    this.d = (1 + Math.floor(row / 0x1_0000_0000) + item) | 0;
    for (let round = 0; round < 10; round += 1) this.bits();
    return this;
  }

  /** Draws from another sequence, then continues this one. */
  drawFrom<Value>(key: Key, row: number, draw: () => Value): Value {
    const { a, b, c, d } = this;
    this.start(key, row);
    try {
      return draw();
    } finally {
      this.set(a, b, c, d);
    }
  }

  /** Runs `draw`, then continues the sequence as if it had drawn nothing. */
  keeping<Value>(draw: () => Value): Value {
    const { a, b, c, d } = this;
    try {
      return draw();
    } finally {
      this.set(a, b, c, d);
    }
  }

  private set(a: number, b: number, c: number, d: number): void {
    this.a = a;
    this.b = b;
    this.c = c;
    this.d = d;
  }

  /** 32 bits, signed. */
  private bits(): number {
    const sum = (this.a + this.b + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return sum;
  }

  /** From 0 to before 1, with 53 bits. */
  next(): number {
    return ((this.bits() >>> 5) * 67_108_864 + (this.bits() >>> 6)) / 9_007_199_254_740_992;
  }

  /** A whole number from 0 to before `size`. */
  below(size: number): number {
    return Math.floor(this.next() * size);
  }

  /** From `least` to `most`, both of them possible. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  pick<Item>(list: readonly Item[]): Item {
    const item = list[this.below(list.length)];
    if (item === undefined) throw new TypeError('Nothing to draw from');
    return item;
  }

  chance(part: number): boolean {
    return this.next() < part;
  }
}

/** The largest size that `permuted` takes. */
export const largestPermutation = 2 ** 46;

/**
 * The `index`-th number of a permutation of 0 … size−1 that the key fixes, so values are distinct without a look at other
 * rows. It is a Feistel network, repeated until the result is below `size`. Indexes from `size` on repeat the first ones:
 * from there the repetition might not end.
 */
export function permuted(index: number, size: number, { high, low }: Key): number {
  if (size <= 1) return 0;
  const half = Math.max(1, Math.ceil(Math.log2(size) / 2));
  const mask = 2 ** half - 1;
  let place = index % size;
  do {
    let [left, right] = [Math.floor(place / (mask + 1)), place % (mask + 1)];
    for (let round = 0; round < 4; round += 1) {
      let mixed = Math.imul(right ^ (round % 2 === 0 ? high : low), 0x85ebca6b) + round;
      mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
      mixed ^= mixed >>> 16;
      [left, right] = [right, (left ^ mixed) & mask];
    }
    place = left * (mask + 1) + right;
  } while (place >= size);
  return place;
}
