import { apiError } from '../errors.ts';
import type { SqlValue } from '../model/values.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { CompiledGroups } from '../sql/compile/groups.ts';
import type { CompiledRead } from '../sql/compile/read.ts';
import type { Requester, RowCounter } from '../sql/statement.ts';
import type { Row } from '../databases/database.ts';
import { ApiFailure } from './api-failure.ts';
import { lengthIn, lengthOfAll } from '../databases/database.ts';

/** The error for a response that would take too much memory. */
export const responseTooLong = apiError(
  'LIMIT_EXCEEDED',
  'The answer would be too long: expand less at once, choose fields, or ask for fewer records',
);

/** The most characters of all rows of one response. */
export const maxCharacters = 128 * 1024 * 1024;
/** This many rows may be read at once, if earlier responses tell how long they are. */
const fewRows = 25;
/** The least number of characters to reserve beyond those that were expected. */
const leastGrowth = 64 * 1024;

/** There is no memory for more rows of a response now. Its read has to wait for memory and run again. */
export class RowShortage extends Error {}

/** The memory that a row budget reserves. */
export interface RowMemory {
  /** Reserves memory for more characters; false if there is none now. */
  readonly tryGrow: (characters: number) => boolean;
  /** The text of the response has more characters than the rows: records may be in it many times. */
  readonly madeLonger: (characters: number) => void;
}

export interface RowBudgetOptions {
  /** The most characters, default `maxCharacters`. */
  readonly most?: number | undefined;
  /** The memory that grows with the rows. Absent: all of it counts as reserved. */
  readonly memory?: RowMemory;
  /** The characters that are reserved at the beginning. */
  readonly expected?: number;
  /** Whether `expected` follows from earlier responses. */
  readonly isLearned?: boolean;
  readonly requester?: Requester | undefined;
}

/**
 * The memory for the rows of one response, in characters. `maxLimit` and `responseItems` bound only the number of records
 * in each collection. A URL can name hundreds of relations, and texts may have any length.
 */
export class RowBudget implements RowCounter {
  /** On whose behalf the rows are read. */
  readonly requester: Requester | undefined;
  /** How many records, beside their expansions, the response has. */
  records = 0;
  private readonly most: number;
  private readonly memory: RowMemory | undefined;
  private readonly isLearned: boolean;
  /** The characters that are reserved, and how many of them are left. */
  private reserved: number;
  private left: number;

  constructor({
    most = maxCharacters,
    memory,
    expected = 0,
    isLearned,
    requester,
  }: RowBudgetOptions = {}) {
    this.most = most;
    this.memory = memory;
    this.isLearned = memory === undefined || isLearned === true;
    this.requester = requester;
    this.reserved = memory === undefined ? most : Math.min(expected, most);
    this.left = this.reserved;
  }

  /** The characters of the rows so far. */
  get used(): number {
    return this.reserved - this.left;
  }

  /** The text of the response is made, and has so many characters. */
  made(length: number): void {
    const more = length - this.used;
    if (more <= 0) return;
    this.reserved += more;
    this.memory?.madeLonger(more);
  }

  /**
   * Counts a row that was read. Throws an `ApiFailure` if the budget is used up, and a `RowShortage` if there is no memory
   * for it now.
   */
  take(row: Row, texts?: readonly number[]): boolean {
    this.use(lengthIn(row, texts));
    return true;
  }

  /** Counts characters; a negative number gives them back. */
  use(characters: number): void {
    this.left -= characters;
    if (characters > 0 && this.left < 0) this.grow();
  }

  release(rows: readonly Row[]): void {
    this.use(-lengthOfAll(rows));
  }

  holds(rows: number, most = Infinity): boolean {
    if (rows <= fewRows && this.isLearned) return true;
    const wanted = rows * most;
    return wanted <= this.left || (wanted <= this.most - this.used && this.tryReserve(wanted));
  }

  /** Throws as `take`. */
  check(): void {
    if (this.left < 0) this.grow();
  }

  private grow(): void {
    const { used, most } = this;
    if (used > most) throw new ApiFailure(responseTooLong);
    const wanted = Math.min(most - used, Math.max(leastGrowth, used / 4));
    if (!this.tryReserve(wanted)) throw new RowShortage('There is no memory for more rows');
  }

  /** Reserves what is missing so that `characters` are left. */
  private tryReserve(characters: number): boolean {
    const missing = characters - this.left;
    if (this.memory?.tryGrow(missing) === false) return false;
    this.reserved += missing;
    this.left += missing;
    return true;
  }
}

/**
 * Runs a read that makes a response: `records` is the number of records that it reads at most, beside their expansions. It
 * waits until there is memory for them.
 */
export type RunRead = <Value>(
  compiled: CompiledRead | CompiledGroups,
  records: number,
  read: (budget: RowBudget) => MaybePromise<Value>,
) => MaybePromise<Value>;

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
