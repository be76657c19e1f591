import { formatOf } from '../model/field-types/texts/string.ts';
import type { Field } from '../model/api.ts';
import { singular } from '../lib/text/singular.ts';
import type { JsonValue } from '../specification/specification.ts';
import { subjectNamed, subjectOf, tokensOf } from './kinds/names.ts';
import type { Random } from './random.ts';
import type { Row, Subject } from './source.ts';

/** The surroundings of a field or of a part of one, from which its meaning is inferred. */
export interface Surroundings {
  /** The words in the names of the enclosing objects, if they say whose it is. */
  readonly tokens: readonly string[];
  /** What the enclosing objects are, else the records of the resource. */
  readonly subject: Subject;
  /** Its siblings: the members of its object, and the fields of the resource. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The field of the resource that contains it, or itself. */
  readonly whole: Field;
}

/** The surroundings of a field of a resource. */
export function aroundField(field: Field): Surroundings {
  const { name, fields } = field.resource;
  return { tokens: [], subject: subjectOf(name), fields, whole: field };
}

/** Names of objects that only group fields of their owner. */
const groups =
  /^(?:infos?|information|details?|data|meta|metadata|attributes?|properties|personal|general|basics?|content|seo|og|graph)$/u;
/** Names of objects with more about the same person. */
const same = /^(?:profile|account|contact|identity|user)$/u;
/** Names that would give a member another meaning: the name of a `user` is no `username`. */
const others: ReadonlyMap<string, string> = new Map([
  ['user', 'person'],
  ['host', 'person'],
  ['account', 'holder'],
]);

/** The surroundings of the members of an object: its name is a prefix of theirs. */
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

/** Whether an object has an email address, so it is a person. */
function hasEmail({ properties = new Map() }: Field): boolean {
  return [...properties.values()].some((property) => formatOf(property) === 'email');
}

/** The words of a field's name; an item has those of its list in the singular. */
export function ownTokens({ name }: Field, isItem: boolean): readonly string[] {
  const tokens = tokensOf(name);
  return isItem ? [...tokens.slice(0, -1), singular(tokens.at(-1) ?? '')] : tokens;
}

/** An object in a row: its members find siblings in the object first, then in the row. */
export class MembersOfRow implements Row {
  readonly number: number;
  readonly whole: Row;
  readonly times: Row['times'];
  readonly ownersCreated: Row['ownersCreated'];
  readonly shared: Row['shared'];
  private readonly outer: Row;
  private readonly make: (name: string) => JsonValue | undefined;
  private readonly made = new Map<string, JsonValue | undefined>();

  /** `make` gives the value of a member; undefined if there is none. */
  constructor(outer: Row, make: (name: string) => JsonValue | undefined) {
    this.number = outer.number;
    this.whole = outer.whole;
    this.times = outer.times;
    this.ownersCreated = outer.ownersCreated;
    this.shared = outer.shared;
    this.outer = outer;
    this.make = make;
  }

  /** The value of a member, generated on first use. */
  member(name: string): JsonValue | undefined {
    if (!this.made.has(name)) this.made.set(name, this.make(name));
    return this.made.get(name);
  }

  readonly sibling = (name: string): JsonValue | undefined => {
    const own = this.member(name);
    return own === undefined ? this.outer.sibling(name) : own;
  };
}

/** An item of a list. It has its own person, address and name, not those of the row. */
export function itemOfRow(outer: Row, item: string): Row {
  const shared = <Value>(concept: string, draw: (random: Random) => Value): Value =>
    outer.shared(`${concept} ${item}`, draw);
  return withShared(outer, shared);
}

/** A row for values in another language than those of the row: it has its own names and texts. */
export function rowIn(locale: string, outer: Row): Row {
  const shared = <Value>(concept: string, draw: (random: Random) => Value): Value =>
    outer.shared(inLanguage.test(concept) ? `${concept} in ${locale}` : concept, draw);
  return withShared(outer, shared);
}

/** What a row shares that has names or texts of a language. */
const inLanguage = /^(?:person|label|topic|country|city)\b/u;

function withShared(outer: Row, shared: Row['shared']): Row {
  const { number, whole, times, ownersCreated, sibling } = outer;
  return { number, whole, times, ownersCreated, sibling, shared };
}
