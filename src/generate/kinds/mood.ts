import type { Row } from '../source.ts';

/** How content the row's author is, from 0 to before 1, more often much than little: rating and words agree. */
export function moodOf(row: Row): number {
  return row.aside('mood', (random) => random.next() ** 0.6);
}
