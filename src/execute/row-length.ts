import type { Row } from './database.ts';

/** What a value takes beside its text. */
const perValue = 40;

/** How much memory and how much of an answer a row takes, about, in characters. */
export function lengthOf(row: Row): number {
  let length = 0;
  for (const value of row) length += perValue + (typeof value === 'string' ? value.length : 0);
  return length;
}
