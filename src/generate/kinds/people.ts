import type { Row } from '../source.ts';
import type { Sex } from '../words/people.ts';
import type { Words } from '../words/words.ts';

/** A person. All fields about the person share it. */
export interface Persona {
  readonly firstName: string;
  readonly lastName: string;
  readonly sex: Sex;
  /** From 0 to below 1, for anything else about the person. */
  readonly chance: number;
}

/** The person that a row is about, or the one that `prefix` names (`author` in `authorEmail`). */
export function persona(words: Words, row: Row, prefix: string): Persona {
  const { firstNames, lastNames, lastNamesOf, sexes } = words;
  return row.shared(`person ${prefix}`, (random) => {
    const firstName = random.pick(firstNames);
    const known = sexes.get(firstName);
    const lastName = random.pick((known && lastNamesOf[known]) ?? lastNames);
    const chance = random.next();
    return { firstName, lastName, sex: known ?? (chance < 0.5 ? 'female' : 'male'), chance };
  });
}

/** Whether a person is one of the 3% whose gender is neither female nor male. */
export function isRare(chance: number): boolean {
  return (chance * 1_000) % 1 < 0.03;
}

/** The first and last name in the order of the locale. */
export function fullName({ nameOrder }: Words, { firstName, lastName }: Persona): string {
  const { isLastFirst, joint } = nameOrder;
  return isLastFirst ? `${lastName}${joint}${firstName}` : `${firstName}${joint}${lastName}`;
}

/** The first letters of the names, in the order of the locale. */
export function initialsOf({ nameOrder }: Words, { firstName, lastName }: Persona): string {
  const [first = ''] = firstName;
  const [last = ''] = lastName;
  return nameOrder.isLastFirst ? last + first : first + last;
}

/** The words of an account's name: `anna` and `schmidt`, or `user123` if the name cannot be spelt in ASCII. */
export function accountWords(words: Words, one: Persona): readonly string[] {
  const parts = [one.firstName, one.lastName]
    .map((part) => words.ascii(part, ''))
    .filter((part) => part !== '');
  return parts.length === 0 ? [`user${Math.floor(one.chance * 1e6)}`] : parts;
}

const mailDomains = ['example.com', 'example.net', 'example.org'];

/** The e-mail address of a person at a reserved domain, so nobody gets the mail. */
export function emailOf(words: Words, row: Row, prefix: string): string {
  const name = accountWords(words, persona(words, row, prefix)).join('.');
  return `${name}@${words.random.pick(mailDomains)}`;
}
