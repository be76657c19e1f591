import { listPool } from '../pool.ts';
import type { Random } from '../random.ts';
import type { Place, Row, Source } from '../source.ts';

/** What fields of text hold, by the ends of their names: the source, and what it is called. */
export type Kind = (place: Place) => Source;

export function drawn(
  name: string,
  draw: (place: Place, random: Random, row: Row) => unknown,
): Kind {
  return (place) => ({ name, draw: (words, row) => draw(place, words.random, row) });
}

export function oneOf(name: string, list: readonly string[]): Kind {
  return fromList(name, () => list);
}

export function fromList(name: string, listOf: (place: Place) => readonly string[]): Kind {
  return (place) => {
    const pool = listPool(listOf(place));
    return { name, pool, draw: ({ random }) => pool.at(random.below(pool.size)) };
  };
}

export const hex = (random: Random, length: number): string =>
  Array.from({ length }, () => random.below(16).toString(16)).join('');
export const letters = (random: Random, count: number): string =>
  Array.from({ length: count }, () => String.fromCharCode(65 + random.below(26))).join('');
export const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.below(10)).join('');
const alphanumeric = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
export const secret = (random: Random, count: number): string =>
  Array.from({ length: count }, () => alphanumeric.charAt(random.below(alphanumeric.length))).join(
    '',
  );

export function uuidOf(random: Random): string {
  const text = hex(random, 32);
  const variant = '89ab'.charAt(random.below(4));
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20)}`;
}

/** Rows of a table: the endings of names that tell it, and the kind. */
export type KindRow = readonly [names: string, kind: Kind];
