import { listPool } from '../distinct/pool.ts';
import type { Random } from '../random.ts';
import type { SourceContext, Row, Source } from '../source.ts';

/** Makes the source of a field from its context. */
export type Kind = (context: SourceContext) => Source;

/** A kind whose values are drawn one by one. `_inspect=data` shows `name`. */
export function drawn(
  name: string,
  draw: (context: SourceContext, random: Random, row: Row) => unknown,
): Kind {
  return (context) => ({ name, draw: (words, row) => draw(context, words.random, row) });
}

/** A kind with the values of a list. */
export function oneOf(name: string, list: readonly string[]): Kind {
  return fromList(name, () => list);
}

/** A kind with the values of a list that depends on the context, such as the locale's. */
export function fromList(
  name: string,
  listOf: (context: SourceContext) => readonly string[],
): Kind {
  return (context) => {
    const pool = listPool(listOf(context));
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
/** Letters and digits without those that look alike. */
export const secret = (random: Random, count: number): string =>
  Array.from({ length: count }, () => alphanumeric.charAt(random.below(alphanumeric.length))).join(
    '',
  );

/** A text in the form of a UUID of version 4. */
export function uuidOf(random: Random): string {
  const text = hex(random, 32);
  const variant = '89ab'.charAt(random.below(4));
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-${variant}${text.slice(17, 20)}-${text.slice(20)}`;
}

/** A row of a table: the endings of field names, separated by commas, and the kind of these fields. */
export type KindRow = readonly [names: string, kind: Kind];
