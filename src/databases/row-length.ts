import type { Row } from './database.ts';

/** What a value takes beside its text. */
const perValue = 40;

/** How much memory and how much of an answer a row takes, about, in characters. */
export function lengthOf(row: Row): number {
  let length = perValue * row.length;
  for (const value of row) if (typeof value === 'string') length += value.length;
  return length;
}

/** The same of rows together. */
export function lengthOfAll(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + lengthOf(row), 0);
}

/** The same of a row, where only the values at `texts` may be long; any of them where nobody says. */
export function lengthIn(row: Row, texts: readonly number[] | undefined): number {
  if (texts === undefined) return lengthOf(row);
  let length = perValue * row.length;
  for (const position of texts) {
    const value = row[position];
    if (typeof value === 'string') length += value.length;
  }
  return length;
}
