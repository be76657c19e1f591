import { listPool } from '../distinct/pool.ts';
import type { Random } from '../random.ts';
import type { Place, Row, Source } from '../source.ts';

/** What fields of text hold, by the ends of their names: the source, and what it is called. */
export type Kind = (place: Place) => Source;

/** A kind whose values are drawn one by one, under the name that tells what made them. */
export function drawn(
  name: string,
  draw: (place: Place, random: Random, row: Row) => unknown,
): Kind {
  return (place) => ({ name, draw: (words, row) => draw(place, words.random, row) });
}

/** A kind whose values are those of a list. */
export function oneOf(name: string, list: readonly string[]): Kind {
  return fromList(name, () => list);
}

/** A kind whose values are those of a list, which may be another one at each place. */
export function fromList(name: string, listOf: (place: Place) => readonly string[]): Kind {
  return (place) => {
    const pool = listPool(listOf(place));
    return { name, pool, draw: ({ random }) => pool.at(random.below(pool.size)) };
  };
}

/** So many hexadecimal digits. */
export const hex = (random: Random, length: number): string =>
  Array.from({ length }, () => random.below(16).toString(16)).join('');
/** So many capital letters. */
export const letters = (random: Random, count: number): string =>
  Array.from({ length: count }, () => String.fromCharCode(65 + random.below(26))).join('');
/** So many digits. */
export const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.below(10)).join('');
const alphanumeric = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
/** So many letters and digits, without those that are taken for each other. */
export const secret = (random: Random, count: number): string =>
  Array.from({ length: count }, () => alphanumeric.charAt(random.below(alphanumeric.length))).join(
    '',
  );

/** A UUID of version 4, as far as its form goes. */
export function uuidOf(random: Random): string {
  const text = hex(random, 32);
  const variant = '89ab'.charAt(random.below(4));
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20)}`;
}

/** Rows of a table: the endings of names that tell it, and the kind. */
export type KindRow = readonly [names: string, kind: Kind];
