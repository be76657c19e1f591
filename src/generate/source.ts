import type { Field } from '../model/api.ts';
import type { JsonValue } from '../specification/specification.ts';
import type { Pool } from './distinct/pool.ts';
import { unlessProblem } from './problem.ts';
import { keyOf, type Random } from './random.ts';
import type { Words } from './words/words.ts';

/** The row of a resource whose values are made. */
export interface Row {
  /** From 1. */
  readonly number: number;
  /** The row itself, where this is a part of it. */
  readonly whole: Row;
  /** The value of another field of this row; undefined where there is no such field. */
  readonly sibling: (name: string) => JsonValue | undefined;
  /**
   * Draws of something that several fields share (whose name it is, what the row is about), whether or not a field
   * shows it: so none of them changes when another is added.
   */
  readonly aside: <Value>(concept: string, draw: (random: Random) => Value) => Value;
}

/** Makes the values of a field. */
export interface Source {
  /** As `_inspect=data` shows it. */
  readonly name: string;
  readonly args?: JsonValue;
  /** A value; `words.random` is at the beginning of what this value may draw. */
  readonly draw: (words: Words, row: Row) => unknown;
  /** All of its values, where they can be told by their places. */
  readonly pool?: Pool | undefined;
}

/** What a source is inferred from. */
export interface Place {
  readonly field: Field;
  /**
   * The parts of the field's name in lower case: `billingZipCode` → billing, zip, code; before them those of the
   * objects that it is in.
   */
  readonly tokens: readonly string[];
  /** The parts before those that say what it is; whose name or address it is. */
  readonly prefix: string;
  readonly words: Words;
  /** What its resource's records are, or the objects that it is in. */
  readonly subject: Subject;
  /** Whether it is part of a field, and none of the resource itself. */
  readonly isPart: boolean;
  /** The fields beside it. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Which of these fields beside it the value may be made from: the first that is there. */
  readonly siblingOf: (names: readonly string[]) => string | undefined;
}

/** What records are, as far as the name of their resource tells. */
export type Subject =
  | 'person'
  | 'product'
  | 'company'
  | 'place'
  | 'home'
  | 'category'
  | 'tag'
  | 'album'
  | 'song'
  | 'artist'
  | 'book'
  | 'event'
  | 'task'
  | 'team'
  | 'country'
  | 'city'
  | 'genre'
  | 'media'
  | 'dish'
  | 'role'
  | 'remark'
  | 'review'
  | 'skill'
  | 'invoice'
  | 'vehicle'
  | 'article';

/** A row that stands for any other: without siblings. */
export function sampleRow(number: number, random: Random): Row {
  const row: Row = {
    number,
    get whole() {
      return row;
    },
    sibling: () => undefined,
    aside: (concept, draw) => random.aside(keyOf('sample', concept), number, () => draw(random)),
  };
  return row;
}

/** Of so many rows it is looked whether a value comes twice: so many are made of most resources. */
const fewRows = 25;

/** Whether one of the first rows has what one before it has; so it is said of what they cannot have, too. */
export function comesTwice(random: Random, give: (row: Row) => unknown): boolean {
  const seen = new Set<string | undefined>();
  for (let number = 1; number <= fewRows && seen.size === number - 1; number += 1)
    seen.add(
      unlessProblem(() => random.keeping(() => JSON.stringify(give(sampleRow(number, random))))),
    );
  return seen.size < fewRows;
}
