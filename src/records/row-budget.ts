import { apiError } from '../errors.ts';
import type { SqlValue } from '../model/values.ts';
import type { RowCounter } from '../sql/statement.ts';
import type { Row } from '../databases/database.ts';
import { Refusal } from './refusal.ts';
import { lengthIn, lengthOfAll } from '../databases/database.ts';

/** Said of an answer that nobody could hold. */
export const tooLong = apiError(
  'LIMIT_EXCEEDED',
  'The answer would be too long: expand less at once, choose fields, or ask for fewer records',
);

/** How long the rows of one answer may be in all, in characters. */
const mostCharacters = 128 * 1024 * 1024;
/** So many rows may be read at once, whatever their length. */
const fewRows = 100;

/**
 * The room that one answer has. `maxLimit` and `responseItems` bound how many records of each collection it has; a URL has
 * place for some hundreds of relations side by side, and texts may be of any length.
 */
export class RowBudget implements RowCounter {
  private left: number;

  constructor(characters = mostCharacters) {
    this.left = characters;
  }

  /** Counts a row that was read. Throws a `Refusal` where the room is used up. */
  take(row: Row, texts?: readonly number[]): boolean {
    this.use(lengthIn(row, texts));
    return true;
  }

  /** Counts so many characters, or gives them back where there are less than none. */
  use(characters: number): void {
    this.left -= characters;
    if (characters > 0) this.check();
  }

  leave(rows: readonly Row[]): void {
    this.use(-lengthOfAll(rows));
  }

  holds(rows: number, most = Infinity): boolean {
    return rows <= fewRows || rows * most <= this.left;
  }

  /** Throws a `Refusal` where the room is used up: nobody gets this answer, so nothing more is asked for it. */
  check(): void {
    if (this.left < 0) throw new Refusal(tooLong);
  }
}

/**
 * Counts the related records of some records, which stand together by the key that they begin with. Where one of those has
 * more of them than it shows, no further ones are wanted, and none of them is kept.
 */
export class Trial implements RowCounter {
  /** Whether one has more than it shows. */
  isOver = false;
  private readonly budget: RowBudget;
  private readonly cap: number;
  private taken = 0;
  private key: SqlValue | undefined;
  private ofKey = 0;

  /** `cap`: how many each of them shows. */
  constructor(budget: RowBudget, cap: number) {
    this.budget = budget;
    this.cap = cap;
  }

  take(row: Row, texts?: readonly number[]): boolean {
    const [key] = row;
    this.ofKey = key === this.key ? this.ofKey + 1 : 1;
    this.key = key;
    this.isOver ||= this.ofKey > this.cap;
    if (this.isOver) return false;
    const length = lengthIn(row, texts);
    this.taken += length;
    this.budget.use(length);
    return true;
  }

  /** Gives back what was taken: none of the rows is kept. */
  leave(): void {
    this.budget.use(-this.taken);
    [this.taken, this.isOver, this.key] = [0, false, undefined];
  }

  holds(rows: number, most?: number): boolean {
    return this.budget.holds(rows, most);
  }

  check(): void {
    this.budget.check();
  }
}
