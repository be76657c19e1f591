/** Some of a list: `count` items, the first of them at `from`. */
export interface Portion {
  readonly from: number;
  readonly count: number;
}

/**
 * Splits a list into portions of at most `most` items, a power of two. The count is halved until it fits, so that lists of
 * all lengths share a few statements.
 */
export function* portionsOf(total: number, most: number, first = 0): Generator<Portion> {
  for (let from = 0; from < total;) {
    let count = most;
    while (from + count > total) count /= 2;
    yield { from: first + from, count };
    from += count;
  }
}
