/** A small seeded source of numbers: the same seed gives the same sequence on every machine. */
export type Random = {
  /** A whole number from 0 up to, and without, `bound`. */
  readonly below: (bound: number) => number;
  /** One of the items. */
  readonly pick: <T>(items: readonly [T, ...T[]]) => T;
};

/** Makes the source of numbers (mulberry32) that belongs to a seed. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * bound);
  };
  return { below, pick: (items) => items[below(items.length)] ?? items[0] };
}
