import { apiError } from '../errors.ts';
import type { SqlValue } from '../model/values.ts';
import type { RowCounter } from '../sql/statement.ts';
import type { Row } from '../databases/database.ts';
import { ApiFailure } from './api-failure.ts';
import { lengthIn, lengthOfAll } from '../databases/database.ts';

/** The error for a response that would take too much memory. */
export const responseTooLong = apiError(
  'LIMIT_EXCEEDED',
  'The answer would be too long: expand less at once, choose fields, or ask for fewer records',
);

/** The most characters of all rows of one response. */
const maxCharacters = 128 * 1024 * 1024;
/** This many rows may always be read at once, whatever their length. */
const fewRows = 100;

/**
 * The memory for the rows of one response, in characters. `maxLimit` and `responseItems` bound only the number of records
 * in each collection. A URL can name hundreds of relations, and texts may have any length.
 */
export class RowBudget implements RowCounter {
  private left: number;

  constructor(characters = maxCharacters) {
    this.left = characters;
  }

  /** Counts a row that was read. Throws an `ApiFailure` if the budget is used up. */
  take(row: Row, texts?: readonly number[]): boolean {
    this.use(lengthIn(row, texts));
    return true;
  }

  /** Counts characters; a negative number gives them back. */
  use(characters: number): void {
    this.left -= characters;
    if (characters > 0) this.check();
  }

  release(rows: readonly Row[]): void {
    this.use(-lengthOfAll(rows));
  }

  holds(rows: number, most = Infinity): boolean {
    return rows <= fewRows || rows * most <= this.left;
  }

  /** Throws an `ApiFailure` if the budget is used up. */
  check(): void {
    if (this.left < 0) throw new ApiFailure(responseTooLong);
  }
}

/**
 * Counts related records, which come grouped by their first column, the parent's key. As soon as one parent has more than
 * `cap`, the counter rejects further rows, and the caller discards all of them.
 */
export class CappedRowCounter implements RowCounter {
  /** Whether a parent has more than `cap` related records. */
  isExceeded = false;
  private readonly budget: RowBudget;
  private readonly cap: number;
  private taken = 0;
  private key: SqlValue | undefined;
  private countOfKey = 0;

  constructor(budget: RowBudget, cap: number) {
    this.budget = budget;
    this.cap = cap;
  }

  take(row: Row, texts?: readonly number[]): boolean {
    const [key] = row;
    this.countOfKey = key === this.key ? this.countOfKey + 1 : 1;
    this.key = key;
    this.isExceeded ||= this.countOfKey > this.cap;
    if (this.isExceeded) return false;
    const length = lengthIn(row, texts);
    this.taken += length;
    this.budget.use(length);
    return true;
  }

  /** Returns all counted characters to the budget, since none of the rows is kept. */
  release(): void {
    this.budget.use(-this.taken);
    [this.taken, this.isExceeded, this.key] = [0, false, undefined];
  }

  holds(rows: number, most?: number): boolean {
    return this.budget.holds(rows, most);
  }

  check(): void {
    this.budget.check();
  }
}
