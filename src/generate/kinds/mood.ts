import type { Row } from '../source.ts';

/** How content the row's author is, from 0 to below 1, usually more than 0.5. Rating and review share it. */
export function moodOf(row: Row): number {
  return row.shared('mood', (random) => random.next() ** 0.6);
}
