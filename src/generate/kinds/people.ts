import type { Row } from '../source.ts';
import type { Words } from '../words/words.ts';

/** The person that a row (or, with a prefix, a part of it) is about: the same for all of its fields. */
export interface Persona {
  readonly firstName: string;
  readonly lastName: string;
}

export function persona({ firstNames, lastNames }: Words, row: Row, prefix: string): Persona {
  return row.aside(`person ${prefix}`, (random) => ({
    firstName: random.pick(firstNames),
    lastName: random.pick(lastNames),
  }));
}

export function fullName({ firstName, lastName }: Persona): string {
  return `${firstName} ${lastName}`;
}

/** The name of an account: `anna.schmidt`. */
export function accountName(words: Words, { firstName, lastName }: Persona, joint: string): string {
  const parts = [firstName, lastName]
    .map((part) => words.ascii(part, ''))
    .filter((part) => part !== '');
  return parts.length === 0 ? 'user' : parts.join(joint);
}

const mailDomains = ['example.com', 'example.net', 'example.org'];

export function emailOf(words: Words, row: Row, prefix: string): string {
  const name = accountName(words, persona(words, row, prefix), '.');
  return `${name}@${words.random.pick(mailDomains)}`;
}
