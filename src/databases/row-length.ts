import type { Row } from './database.ts';

/** The memory of a value without its text. */
const perValue = 40;

/** The approximate memory of a row, and its length in a response, in characters. */
export function lengthOf(row: Row): number {
  let length = perValue * row.length;
  for (const value of row) if (typeof value === 'string') length += value.length;
  return length;
}

/** The same for several rows. */
export function lengthOfAll(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + lengthOf(row), 0);
}

/** The same for a row in which only the values at `texts` may be long; without `texts`, any of them. */
export function lengthIn(row: Row, texts: readonly number[] | undefined): number {
  if (texts === undefined) return lengthOf(row);
  let length = perValue * row.length;
  for (const position of texts) {
    const value = row[position];
    if (typeof value === 'string') length += value.length;
  }
  return length;
}
