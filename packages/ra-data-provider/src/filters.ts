import {
  equalityOf,
  nullCondition,
  oneOf,
  operandOf,
  type Condition,
  type Filters,
} from '../../common/conditions.ts';
import { isObject } from '../../common/error.ts';

/** What the filters of a resource are read with. */
export interface FilterRules {
  /** The fields that `q` looks into; undefined: the search of the API does it. */
  readonly search: readonly string[] | undefined;
  /** Suffixes of the user's own, with those of the API that they stand for: `{ _q: '_ilike' }`. */
  readonly suffixes: Readonly<Record<string, string>>;
}

/** Operators beside `_in` that take a list; any other is asked once for each item of one. */
const takesList = /_(?:nin|containsAll|containsAny)$/u;

/**
 * A filter of react-admin: names with the suffixes of the API, in objects as its forms nest what has dots. A list means
 * "one of", null "is null"; an empty list, which is what a cleared input leaves, asks nothing.
 */
export function filtersOf(filter: unknown, rules: FilterRules): Filters {
  if (filter === undefined || filter === null) return [];
  if (!isObject(filter)) throw new TypeError('A filter is an object: { name: value }');
  return Object.entries(filter).flatMap(([name, value]) =>
    name === 'q' ? searched(value, rules) : filtered(name, value, rules),
  );
}

function filtered(name: string, value: unknown, rules: FilterRules): Filters {
  if (value === undefined) return [];
  if (isObject(value) && !(value instanceof Date))
    return Object.entries(value).flatMap(([part, inner]) =>
      filtered(`${name}.${part}`, inner, rules),
    );
  if (name === '_or') return oneEach('_or', asList(value));
  const asked = renamed(name, rules.suffixes);
  if (value === null) return [[comparedWithNull(asked)]];
  if (!Array.isArray(value))
    return [[{ name: equalityOf(asked), operand: operandOf(value, name) }]];
  const items = value as readonly unknown[];
  if (items.length === 0) return [];
  if (takesList.test(asked)) return [[listCondition(asked, items)]];
  if (asked.endsWith('_neq')) return oneEach(asked, items);
  if (/_(?:gte?|lte?|n?i?like|ieq|startsWith|endsWith|exists|null|contains)$/u.test(asked))
    return oneEach(asked, items);
  const field = asked.replace(/_(?:eq|in)$/u, '');
  return [oneOf(field, items, `${field}_in`)];
}

function listCondition(name: string, items: readonly unknown[]): Condition {
  if (items.includes(null))
    throw new TypeError(
      `The filter ${name} cannot be compared with null: add ${name.replace(takesList, '')}_null`,
    );
  return { name, operand: items.map((item) => operandOf(item, name)) };
}

function oneEach(name: string, items: readonly unknown[]): Filters {
  return items.map((item) => [{ name, operand: operandOf(item, name) }]);
}

function comparedWithNull(name: string): Condition {
  return name.endsWith('_neq')
    ? nullCondition(name.slice(0, -'_neq'.length), false)
    : nullCondition(name.replace(/_eq$/u, ''), true);
}

function renamed(name: string, suffixes: FilterRules['suffixes']): string {
  const longest = Object.keys(suffixes)
    .filter((suffix) => name.endsWith(suffix) && name.length > suffix.length)
    .sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? name : name.slice(0, -longest.length) + (suffixes[longest] ?? '');
}

/** `q` is what react-admin's search input sends: a search of the API, or parts of texts in the fields that are named. */
function searched(value: unknown, { search }: FilterRules): Filters {
  if (value === undefined || value === null || value === '') return [];
  const operand = operandOf(value, 'q');
  if (search !== undefined) return [search.map((field) => ({ name: `${field}_ilike`, operand }))];
  const words = phrases(operand);
  return words === '' ? [] : [[{ name: 'search', operand: words }]];
}

/** What can be searched of a text that is still being written: a quote that nothing closes begins no phrase. */
function phrases(text: string): string {
  const isClosed = text.split('"').length % 2 === 1;
  return (isClosed ? text : text.replace(/"(?=[^"]*$)/u, ' ')).trim();
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
}
