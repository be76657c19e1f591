import { formatOf } from '../../model/field-types/string.ts';
import type { Field } from '../../model/api.ts';
import { singular } from '../../model/build/names.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { subjectNamed, subjectOf, tokensOf } from '../kinds/names.ts';
import type { Random } from '../random.ts';
import type { Row, Subject } from '../source.ts';

/** What is around a field, or around a part of one. */
export interface Surroundings {
  /** The parts of the names of the objects that it is in, as far as they say whose it is. */
  readonly tokens: readonly string[];
  /** What those objects are, or else the records of the resource. */
  readonly subject: Subject;
  /** The fields beside it: the members of its object, and what the resource has under other names. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The field of the resource that it is part of, or is itself. */
  readonly whole: Field;
}

/** What is around a field of a resource. */
export function aroundField(field: Field): Surroundings {
  const { name, fields } = field.resource;
  return { tokens: [], subject: subjectOf(name), fields, whole: field };
}

/** Objects that only group what their owner has. */
const groups =
  /^(?:infos?|information|details?|data|meta|metadata|attributes?|properties|personal|general|basics?|content|seo|og|graph)$/u;
/** Objects of a person that tell more of that person. */
const same = /^(?:profile|account|contact|identity|user)$/u;
/** Those with whose `name` a member would be called as something else is: a user's name is no `username`. */
const others: ReadonlyMap<string, string> = new Map([
  ['user', 'person'],
  ['host', 'person'],
  ['account', 'holder'],
]);

/** What is around the members of an object: they are called as if its name stood before theirs. */
export function aroundMembers(
  object: Field,
  { tokens, subject, fields, whole }: Surroundings,
  isItem: boolean,
): Surroundings {
  const own = ownTokens(object, isItem);
  const last = own.at(-1) ?? '';
  const members = new Map([...fields, ...(object.properties ?? [])]);
  if (groups.test(last) || (subject === 'person' && same.test(last)))
    return { tokens, subject, fields: members, whole };
  const known = subjectNamed(last);
  if (known === undefined && hasEmail(object))
    return { tokens: [...tokens, ...own, 'person'], subject: 'person', fields: members, whole };
  return {
    tokens: [...tokens, ...own.slice(0, -1), others.get(last) ?? last],
    subject: known ?? subject,
    fields: members,
    whole,
  };
}

/** Whatever it is called, what is written to is somebody. */
function hasEmail({ properties = new Map() }: Field): boolean {
  return [...properties.values()].some((property) => formatOf(property) === 'email');
}

/** The parts of a field's name; those of an item are of one of what its list is called. */
export function ownTokens({ name }: Field, isItem: boolean): readonly string[] {
  const tokens = tokensOf(name);
  return isItem ? [...tokens.slice(0, -1), singular(tokens.at(-1) ?? '')] : tokens;
}

/** A part of a row as what is in it sees it: a member of an object has its siblings there, then in the row. */
export class MembersOfRow implements Row {
  readonly number: number;
  readonly whole: Row;
  readonly aside: Row['aside'];
  private readonly outer: Row;
  private readonly make: (name: string) => JsonValue | undefined;
  private readonly made = new Map<string, JsonValue | undefined>();

  /** `make` gives the value of a member; undefined where there is none of this name. */
  constructor(outer: Row, make: (name: string) => JsonValue | undefined) {
    this.number = outer.number;
    this.whole = outer.whole;
    this.aside = outer.aside;
    this.outer = outer;
    this.make = make;
  }

  /** The value of a member, made when it is first asked for. */
  member(name: string): JsonValue | undefined {
    if (!this.made.has(name)) this.made.set(name, this.make(name));
    return this.made.get(name);
  }

  readonly sibling = (name: string): JsonValue | undefined => {
    const own = this.member(name);
    return own === undefined ? this.outer.sibling(name) : own;
  };
}

/** An item of a list: its own person, place and name, not those of the row. */
export function itemOfRow(outer: Row, item: string): Row {
  const { number, whole, sibling } = outer;
  const aside = <Value>(concept: string, draw: (random: Random) => Value): Value =>
    outer.aside(`${concept} ${item}`, draw);
  return { number, whole, sibling, aside };
}
