import type { CrudFilter, CrudOperators, LogicalFilter } from '@refinedev/core';
import {
  equalityOf,
  nullCondition,
  oneOf,
  operandOf,
  type Clause,
  type Condition,
  type Filters,
} from '../../common/conditions.ts';

type Comparison = Exclude<CrudOperators, 'and' | 'or'>;

/** The API takes 50 conditions a request unless its file says otherwise. More than that is never sent. */
const mostConditions = 1_000;

/**
 * The filters of refine, all of which have to hold. An operator that the API has no counterpart for is a TypeError that
 * says what to use instead.
 */
export function filtersOf(filters: readonly CrudFilter[] = []): Filters {
  return filters.flatMap(filterOf);
}

function filterOf(filter: CrudFilter): Filters {
  if (filter.operator === 'and') return filtersOf(filter.value);
  if (filter.operator === 'or') return anyOf(filter.value.map(filterOf));
  if (!('field' in filter)) throw new TypeError('A filter names a field');
  const make: Reader | string | undefined = Object.hasOwn(comparisons, filter.operator)
    ? comparisons[filter.operator]
    : 'has no meaning here';
  if (typeof make === 'string') throw unknown(filter, make);
  const isValueless = filter.operator === 'null' || filter.operator === 'nnull';
  // A value that is not known yet, such as a field of a record that is still being read, asks nothing.
  return filter.value === undefined && !isValueless ? [] : make(new Question(filter));
}

/** One of several filters: each of their clauses with each of the others', since the API wants groups of alternatives. */
function anyOf(alternatives: readonly Filters[]): Filters {
  // No alternative at all is an empty group of a form, which asks nothing.
  if (alternatives.length === 0) return [];
  let groups: Clause[] = [[]];
  for (const filters of alternatives) {
    groups = groups.flatMap((group) => filters.map((clause) => [...group, ...clause]));
    if (groups.flat().length > mostConditions)
      throw new TypeError(
        'These filters cannot be asked for at once: an `or` whose alternatives have several conditions becomes too many groups',
      );
  }
  return groups;
}

type Reader = (question: Question) => Filters;

/** One comparison of refine on its way to the API's own. */
class Question {
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;

  constructor({ field, operator, value }: LogicalFilter) {
    this.field = field;
    this.operator = operator;
    this.value = value as unknown;
  }

  get isNull(): boolean {
    return this.value === null;
  }

  /** The field compared by an operator of the API, with the value of the filter unless another is given. */
  ask(suffix: string, value: unknown = this.value): Condition {
    const name = suffix === '' ? equalityOf(this.field) : `${this.field}${suffix}`;
    return { name, operand: operandOf(value, this.name) };
  }

  /** As what is wrong with it is told. */
  get name(): string {
    return `${this.operator} of ${this.field}`;
  }

  null(is: boolean): Condition {
    return nullCondition(this.field, is);
  }

  list(suffix: string, items: readonly unknown[]): Condition {
    const operand = items.map((item) => operandOf(item, this.name));
    return { name: `${this.field}${suffix}`, operand };
  }

  get items(): readonly unknown[] {
    return Array.isArray(this.value) ? (this.value as readonly unknown[]) : [this.value];
  }

  get text(): string {
    if (typeof this.value === 'string') return this.value;
    return operandOf(this.value, this.name);
  }

  /** Two bounds. */
  get bounds(): readonly [unknown, unknown] {
    const [low, high, ...more] = this.items;
    if (this.items.length !== 2 || more.length > 0)
      throw new TypeError(`The filter ${this.name} takes [low, high]`);
    return [low, high];
  }
}

const equals: Reader = (question) =>
  Array.isArray(question.value)
    ? isOneOf(question)
    : [[question.isNull ? question.null(true) : question.ask('')]];

const differs: Reader = (question) =>
  Array.isArray(question.value)
    ? isNoneOf(question)
    : [[question.isNull ? question.null(false) : question.ask('_neq')]];

const isOneOf: Reader = ({ field, items, name }) => [oneOf(field, items, name)];

const isNoneOf: Reader = (question) => {
  const values = question.items.filter((item) => item !== null);
  return [
    ...(values.length > 0 ? [[question.list('_nin', values)]] : []),
    ...(values.length < question.items.length ? [[question.null(false)]] : []),
  ];
};

const hasAll: Reader = (question) =>
  question.items.length === 0 ? [] : [[question.list('_containsAll', question.items)]];

/** An empty text is part of every text. */
const contains =
  (suffix: '_like' | '_ilike' | '_endsWith'): Reader =>
  (question) =>
    question.text === '' ? [[question.null(false)]] : [[question.ask(suffix)]];

/** Keeps null, as every negation. */
const lacks =
  (suffix: '_nlike' | '_nilike'): Reader =>
  (question) =>
    question.text === '' ? [[question.null(true)]] : [[question.ask(suffix)]];

/**
 * Texts are compared by code point, so those that begin with `ab` are those from `ab` to before `ac`: an index
 * serves it.
 */
const startsWith: Reader = (question) => {
  const { text } = question;
  if (text === '') return [[question.null(false)]];
  const end = after(text);
  return [[question.ask('_gte', text)], ...(end === undefined ? [] : [[question.ask('_lt', end)]])];
};

/** As every other negation, it keeps null. */
const startsNotWith: Reader = (question) => {
  const { text } = question;
  if (text === '') return [[question.null(true)]];
  const end = after(text);
  return [
    [
      question.ask('_lt', text),
      ...(end === undefined ? [] : [question.ask('_gte', end)]),
      question.null(true),
    ],
  ];
};

/** The first text behind all that begin with this one; undefined where there is none. */
function after(text: string): string | undefined {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last >= 0x10_ff_ff) continue;
    // Halves of surrogate pairs are no characters.
    const next = last === 0xd7_ff ? 0xe0_00 : last + 1;
    return String.fromCodePoint(...points, next);
  }
  return undefined;
}

const suffixed =
  (suffix: string): Reader =>
  (question) => [[question.ask(suffix)]];

const useInstead = 'use startswiths, or contains';

/** What each operator becomes, or why it cannot. Negations keep null, which differs from every value. */
const comparisons: Readonly<Record<Comparison, Reader | string>> = {
  eq: equals,
  eqs: equals,
  ne: differs,
  nes: differs,
  lt: suffixed('_lt'),
  lte: suffixed('_lte'),
  gt: suffixed('_gt'),
  gte: suffixed('_gte'),
  in: isOneOf,
  nin: isNoneOf,
  ina: hasAll,
  nina: 'has no counterpart: nothing asks for arrays that lack something',
  contains: contains('_ilike'),
  containss: contains('_like'),
  ncontains: lacks('_nilike'),
  ncontainss: lacks('_nlike'),
  between: (question) => {
    const [low, high] = question.bounds;
    return [[question.ask('_gte', low)], [question.ask('_lte', high)]];
  },
  nbetween: (question) => {
    const [low, high] = question.bounds;
    return [[question.ask('_lt', low), question.ask('_gt', high), question.null(true)]];
  },
  null: (question) => [[question.null(true)]],
  nnull: (question) => [[question.null(false)]],
  startswith: `has no counterpart that ignores case: ${useInstead}`,
  startswiths: startsWith,
  nstartswith: 'has no counterpart that ignores case: use nstartswiths',
  nstartswiths: startsNotWith,
  endswith: 'has no counterpart that ignores case: use endswiths, or contains',
  endswiths: contains('_endsWith'),
  nendswith: 'has no counterpart: nothing asks for the ends of texts',
  nendswiths: 'has no counterpart: nothing asks for the ends of texts',
};

function unknown({ field, operator }: LogicalFilter, why: string): TypeError {
  return new TypeError(`The filter ${operator} of ${field} ${why}`);
}
