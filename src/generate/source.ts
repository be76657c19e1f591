import type { Field } from '../model/api.ts';
import type { JsonValue } from '../specification/specification.ts';
import type { Pool } from './distinct/pool.ts';
import { unlessProblem } from './problem.ts';
import { keyOf, type Random } from './random.ts';
import type { Times } from './settings.ts';
import type { Words } from './words/words.ts';

/** The row for which values are generated. */
export interface Row {
  /** From 1. */
  readonly number: number;
  /** The whole row, if this is a part of one. */
  readonly whole: Row;
  readonly times: Times;
  /** When the latest of the records was created that this one belongs to, in ms; -Infinity if it belongs to none. */
  readonly ownersCreated: () => number;
  /** The value of another field of this row; undefined where there is no such field. */
  readonly sibling: (name: string) => JsonValue | undefined;
  /**
   * Draws something that several fields share, such as the person of a row or its topic. It has a sequence of its own, so
   * no value changes when a field is added.
   */
  readonly shared: <Value>(concept: string, draw: (random: Random) => Value) => Value;
}

/** Where the values of a field come from. */
export interface Source {
  /** As `_inspect=data` shows it. */
  readonly name: string;
  readonly args?: JsonValue;
  /** Draws a value. The caller has set `words.random` to the start of its sequence. */
  readonly draw: (words: Words, row: Row) => unknown;
  /** All of its values, if they can be listed. */
  readonly pool?: Pool | undefined;
}

/** What the source of a field is inferred from. */
export interface SourceContext {
  readonly field: Field;
  /**
   * The words of the field's name in lower case, after those of the objects that contain it: `billingZipCode` → billing,
   * zip, code.
   */
  readonly tokens: readonly string[];
  /** The words before those that matched, which say whose name or address it is. */
  readonly prefix: string;
  readonly words: Words;
  /** What the records of its resource are, or the object that contains it. */
  readonly subject: Subject;
  /** Whether it is part of another field. */
  readonly isPart: boolean;
  /** Its siblings. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The first of these siblings that exists and that the value may be made from. */
  readonly siblingOf: (names: readonly string[]) => string | undefined;
}

/** What records are, by the name of their resource. */
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

/** A sample row, without siblings. */
export function sampleRow(number: number, { random, times }: Pick<Words, 'random' | 'times'>): Row {
  const row: Row = {
    number,
    times,
    ownersCreated: () => -Infinity,
    get whole() {
      return row;
    },
    sibling: () => undefined,
    shared: (concept, draw) =>
      random.drawFrom(keyOf('sample', concept), number, () => draw(random)),
  };
  return row;
}

/** The number of rows in which repeated values are looked for: the default number of records. */
const fewRows = 25;

/** Whether a value repeats in the first rows. A value that cannot be generated counts as one value. */
export function comesTwice(words: Words, give: (row: Row) => unknown): boolean {
  const { random } = words;
  const seen = new Set<string | undefined>();
  for (let number = 1; number <= fewRows && seen.size === number - 1; number += 1)
    seen.add(
      unlessProblem(() => random.keeping(() => JSON.stringify(give(sampleRow(number, words))))),
    );
  return seen.size < fewRows;
}
