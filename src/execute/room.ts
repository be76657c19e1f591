import { apiError } from '../errors.ts';
import type { RowCounter } from '../sql/statement.ts';
import type { Row } from './database.ts';
import { Refusal } from './refusal.ts';
import { lengthIn, lengthOf } from './row-length.ts';

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
export class Room implements RowCounter {
  private left: number;

  constructor(characters = mostCharacters) {
    this.left = characters;
  }

  /** Counts a row that was read. Throws a `Refusal` where the room is used up. */
  take(row: Row, texts?: readonly number[]): void {
    this.use(lengthIn(row, texts));
  }

  /** Counts so many characters, or gives them back where there are less than none. */
  use(characters: number): void {
    this.left -= characters;
    if (characters > 0) this.check();
  }

  leave(rows: readonly Row[]): void {
    for (const row of rows) this.use(-lengthOf(row));
  }

  holds(rows: number, most = Infinity): boolean {
    return rows <= fewRows || rows * most <= this.left;
  }

  /** Throws a `Refusal` where the room is used up: nobody gets this answer, so nothing more is asked for it. */
  check(): void {
    if (this.left < 0) throw new Refusal(tooLong);
  }
}

/** What the rows of one statement take of a room, which is given back where they are not kept. */
export class Share implements RowCounter {
  private readonly room: Room;
  private taken = 0;

  constructor(room: Room) {
    this.room = room;
  }

  take(row: Row, texts?: readonly number[]): void {
    const length = lengthIn(row, texts);
    this.taken += length;
    this.room.use(length);
  }

  leave(rows: readonly Row[]): void {
    for (const row of rows) this.taken -= lengthOf(row);
    this.room.leave(rows);
  }

  holds(rows: number, most?: number): boolean {
    return this.room.holds(rows, most);
  }

  check(): void {
    this.room.check();
  }

  giveBack(): void {
    this.room.use(-this.taken);
    this.taken = 0;
  }
}
