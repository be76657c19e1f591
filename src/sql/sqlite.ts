import type { Field } from '../model/api.ts';
import { numberType } from '../model/field-types/number.ts';
import type { Comparison } from '../filter/predicate.ts';
import type { JsonValue } from '../spec/specification.ts';
import type { SqlValue } from '../model/values.ts';
import { foldingClass } from './case-folding.ts';
import { codecOf, type Dialect } from './dialect.ts';

const items = (placeholder: string): string => `(SELECT value FROM json_each(${placeholder}))`;

type ArrayComparison = 'contains' | 'containsAll' | 'containsAny';

/** The comparisons of scalars, each with its operand as one parameter. Contract 2, Filters. */
const comparisons: Readonly<
  Record<Exclude<Comparison, ArrayComparison>, (column: string, parameter: string) => string>
> = {
  eq: (column, parameter) => `${column} = ${parameter}`,
  neq: (column, parameter) => `${column} IS NOT ${parameter}`,
  gt: (column, parameter) => `${column} > ${parameter}`,
  gte: (column, parameter) => `${column} >= ${parameter}`,
  lt: (column, parameter) => `${column} < ${parameter}`,
  lte: (column, parameter) => `${column} <= ${parameter}`,
  like: (column, parameter) => `instr(${column}, ${parameter}) > 0`,
  ilike: (column, parameter) => `${column} GLOB ${parameter}`,
  in: (column, parameter) => `${column} IN ${items(parameter)}`,
  nin: (column, parameter) => `(${column} IS NULL OR ${column} NOT IN ${items(parameter)})`,
};

function isArrayComparison(operator: Comparison): operator is ArrayComparison {
  return operator === 'contains' || operator === 'containsAll' || operator === 'containsAny';
}

/** What an item of an array is compared as; JSON of any type by the type found, so that 1 is not true. */
function itemValue(field: Field): string {
  return field.items?.type.name === 'json'
    ? "CASE WHEN item.type IN ('true', 'false') THEN item.type" +
        " WHEN item.type NOT IN ('object', 'array') THEN item.value END"
    : 'item.value';
}

/** The parameter is a list of what is wanted, each of them the list of values that will do. */
function compareArray(column: string, isAll: boolean, parameter: string, field: Field): string {
  const found = (wanted: string): string =>
    `EXISTS (SELECT 1 FROM json_each(${column}) AS item WHERE ${itemValue(field)} IN ${wanted})`;
  return isAll
    ? `(${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM json_each(${parameter}) AS wanted` +
        ` WHERE NOT ${found(items('wanted.value'))}))`
    : found(
        `(SELECT one.value FROM json_each(${parameter}) AS wanted, json_each(wanted.value) AS one)`,
      );
}

/** The values that an item may have to be the wanted one: text of no type may be that of a number. */
function alternatives(wanted: JsonValue, field: Field): readonly JsonValue[] {
  const isUntyped = field.items?.type.name === 'json';
  const number = isUntyped ? numberType.parse(String(wanted), field) : undefined;
  return number === undefined ? [wanted] : [wanted, number];
}

/** A GLOB pattern for text that contains `text` in any case, everything in it literal. */
function globPattern(text: string): string {
  let pattern = '*';
  for (const character of text) {
    const folded = foldingClass(character);
    if (folded.length > 1) pattern += `[${folded.join('')}]`;
    else pattern += '*?['.includes(character) ? `[${character}]` : character;
  }
  return `${pattern}*`;
}

/** JSON text of a list for `json_each`; integers beyond a double are written digit by digit. */
function listOf(values: readonly SqlValue[]): string {
  return `[${values.map(itemOf).join(',')}]`;
}

function itemOf(value: SqlValue): string {
  if (typeof value === 'bigint') return value.toString();
  const text = JSON.stringify(value);
  // Digits alone would be read as a 64-bit integer, which is not the same number as the double.
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !text.includes('e')
    ? `${text}.0`
    : text;
}

export const sqlite: Dialect = {
  name: 'sqlite',
  // A bare `?` makes SQLite plan the statement anew whenever its value changes: a third of the time of a page.
  placeholder: (_count, parameter) =>
    parameter === 'limit' || parameter === 'offset' || parameter === 'cap' ? '(? + 0)' : '+?',
  storage: (field) => field.type.sqlite,
  select: (column, field) =>
    codecOf(sqlite, field).readAsText?.(field) === true ? `CAST(${column} AS TEXT)` : column,
  sortKey: (column, { items }) => {
    if (items === undefined) return column;
    const first = `json_extract(${column}, '$[0]')`;
    // All decimals of a field have the same number of places, so without the point they are whole numbers.
    return items.type.name === 'decimal' ? `CAST(replace(${first}, '.', '') AS INTEGER)` : first;
  },
  nulls: (placed) => (placed === 'first' ? ' NULLS FIRST' : ' NULLS LAST'),
  compare: (column, operator, placeholder, field) =>
    isArrayComparison(operator)
      ? compareArray(column, operator === 'containsAll', placeholder, field)
      : comparisons[operator](column, placeholder),
  operand: (value, operator, field) => {
    if (isArrayComparison(operator)) {
      const wanted = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
      return JSON.stringify(wanted.map((item) => alternatives(item, field)));
    }
    if (operator === 'ilike') return globPattern(String(value));
    const { comparand, encode } = codecOf(sqlite, field);
    const one = (item: JsonValue): SqlValue =>
      comparand?.(item, operator, field) ?? encode?.(item, field) ?? (item as SqlValue);
    return Array.isArray(value) ? listOf(value.map(one)) : one(value);
  },
  listTable: (placeholder) => `json_each(${placeholder})`,
  keys: listOf,
  firstOfEach: (list, from, row, first) =>
    `${list} AS parent CROSS JOIN ${from} WHERE ${row} IN (${first})`,
};
