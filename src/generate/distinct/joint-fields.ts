import type { Field } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { DistinctFields } from './distinct-places.ts';

/** One of the fields, or a morph pair, that are distinct together with others. */
export interface Member {
  readonly fields: readonly Field[];
  /** Draws values for the fields in a row. Another `attempt` draws others. */
  readonly draw: (number: number, attempt: number) => readonly JsonValue[];
  /** All values that it may have in a row, for the search; undefined if they cannot be listed. */
  readonly choices?: (number: number) => Choices;
  /** Whether a row may have any of the choices that earlier rows had. */
  readonly isSteady: boolean;
}

export interface Choices {
  readonly size: number;
  readonly at: (index: number) => readonly JsonValue[];
}

/** What the fields of a resource need to know of its rows. */
export interface JointRows {
  /** The number of rows; more are drawn without a look at the others. */
  readonly count: () => number;
  /** What the search of a row is bound to: rows of another owner have other combinations. */
  readonly ownerOf: (number: number) => number;
}

/** The number of draws before a free combination is searched. */
const draws = 20;
/** The number of values of fields that cannot be listed with which a combination is searched. */
const searches = 5;
/** The number of combinations that one search looks at. */
const longestSearch = 200_000;

/**
 * Fields of a resource that are distinct together, in one list or in several that share fields. Rows are made in order: their
 * values are drawn until every list has a combination that no earlier row has, and after 20 draws the first free
 * combination is taken. If there is none, the last draw stays, which `plinth check` reports.
 */
export class JointFields implements DistinctFields {
  readonly lists: DistinctFields['lists'];
  private readonly members: readonly Member[];
  /** Pairs of fields that must differ: a record is not linked to itself. */
  private readonly unequal: readonly (readonly [Field, Field])[];
  private readonly rows: JointRows;
  private readonly isSteady: boolean;
  private taken: Set<string>[] = [];
  private made: ReadonlyMap<Field, JsonValue>[] = [];
  private last = 0;
  /** Where the search of an owner's rows goes on: combinations that were taken stay so. */
  private readonly positions = new Map<number, number>();
  private current: { readonly number: number; readonly values: Map<Field, JsonValue> } | undefined;

  constructor(
    lists: readonly (readonly Field[])[],
    members: readonly Member[],
    unequal: readonly (readonly [Field, Field])[],
    rows: JointRows,
  ) {
    this.lists = lists;
    this.members = members;
    this.unequal = unequal;
    this.rows = rows;
    this.isSteady = members.every(({ isSteady }) => isSteady);
    this.avoid(undefined, 0);
  }

  get fields(): readonly Field[] {
    return this.members.flatMap(({ fields }) => fields);
  }

  avoid(stored: readonly ReadonlySet<string>[] | undefined, last: number): void {
    this.taken = this.lists.map((_, index) => new Set(stored?.[index]));
    this.made = [];
    this.last = stored === undefined ? 0 : last;
    this.positions.clear();
  }

  /** The value of a field in a row; undefined while that row is drawn and the field has no value yet. */
  valueOf(number: number, field: Field): JsonValue | undefined {
    const { current, made, last } = this;
    if (current?.number === number) return current.values.get(field);
    if (number <= last || number > last + this.rows.count())
      return this.drawn(number, 0).get(field);
    while (made.length < number - last) made.push(this.make(last + made.length + 1));
    return made[number - last - 1]?.get(field);
  }

  private make(number: number): ReadonlyMap<Field, JsonValue> {
    let values: ReadonlyMap<Field, JsonValue> = this.drawn(number, 0);
    for (let attempt = 1; !this.isFree(values) && attempt < draws; attempt += 1)
      values = this.drawn(number, attempt);
    if (!this.isFree(values)) values = this.found(number) ?? values;
    for (const [index, list] of this.lists.entries()) this.taken[index]?.add(textOf(list, values));
    return values;
  }

  private drawn(number: number, attempt: number): Map<Field, JsonValue> {
    const outer = this.current;
    const values = new Map<Field, JsonValue>();
    // A function may ask for the values of its row that are drawn before its own.
    this.current = { number, values };
    try {
      for (const member of this.members) put(values, member, member.draw(number, attempt));
      return values;
    } finally {
      this.current = outer;
    }
  }

  private isFree(values: ReadonlyMap<Field, JsonValue>): boolean {
    return this.conflict(values) === undefined;
  }

  /** The fields by which values are refused. */
  private conflict(values: ReadonlyMap<Field, JsonValue>): readonly Field[] | undefined {
    const same = this.unequal.find(([a, b]) => values.get(a) === values.get(b));
    if (same !== undefined) return same;
    return this.lists.find((list, index) => this.taken[index]?.has(textOf(list, values)) === true);
  }

  private found(number: number): ReadonlyMap<Field, JsonValue> | undefined {
    for (let attempt = 0; attempt < (this.isSteady ? 1 : searches); attempt += 1) {
      const found = this.search(number, this.drawn(number, attempt));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The first free combination; what cannot be listed stays as it was drawn. */
  private search(
    number: number,
    drawn: ReadonlyMap<Field, JsonValue>,
  ): ReadonlyMap<Field, JsonValue> | undefined {
    const { positions, isSteady } = this;
    const owner = this.rows.ownerOf(number);
    const listed = this.members.flatMap((member) => {
      const choices = member.choices?.(number);
      return choices === undefined ? [] : [{ member, choices }];
    });
    // spans[i]: how many combinations have the same choices up to the i-th.
    const spans = listed.map((_, at) =>
      listed.slice(at + 1).reduce((product, { choices }) => product * choices.size, 1),
    );
    const end = (spans[0] ?? 1) * (listed[0]?.choices.size ?? 0);
    const values = new Map(drawn);
    let position = isSteady ? (positions.get(owner) ?? 0) : 0;
    for (let looked = 0; position < end && looked < longestSearch; looked += 1) {
      for (const [at, { member, choices }] of listed.entries())
        put(values, member, choices.at(Math.floor(position / (spans[at] ?? 1)) % choices.size));
      const conflict = this.conflict(values);
      if (isSteady) positions.set(owner, position);
      if (conflict === undefined) return values;
      // What differs only in other fields is refused as well.
      const deepest = listed.findLastIndex(({ member }) =>
        member.fields.some((field) => conflict.includes(field)),
      );
      const span = spans[deepest] ?? end;
      position = (Math.floor(position / span) + 1) * span;
    }
    if (isSteady) positions.set(owner, position);
    return undefined;
  }
}

function put(values: Map<Field, JsonValue>, { fields }: Member, given: readonly JsonValue[]): void {
  for (const [index, field] of fields.entries()) values.set(field, given[index] ?? null);
}

/** The values of a list as a key. Two roots of a tree, which lead to null, are to differ as well. */
function textOf(list: readonly Field[], values: ReadonlyMap<Field, JsonValue>): string {
  return JSON.stringify(list.map((field) => values.get(field) ?? null));
}
