import type { Comparison } from '../filter/predicate.ts';
import type { Field } from '../model/api.ts';
import { numberType } from '../model/field-types/number.ts';
import type { SqlValue } from '../model/values.ts';
import type { JsonValue } from '../spec/specification.ts';
import { foldingClass } from './case-folding.ts';
import { encodeValue, type Dialect } from './dialect.ts';

/**
 * The comparisons, each with its operand as one parameter. Contract 2, Filters. PostgreSQL gives the parameter the
 * type of the column, or of a list of it; text columns are all of collation "C".
 */
const comparisons: Readonly<Record<Comparison, (column: string, parameter: string) => string>> = {
  eq: (column, parameter) => `${column} = ${parameter}`,
  neq: (column, parameter) => `${column} IS DISTINCT FROM ${parameter}`,
  gt: (column, parameter) => `${column} > ${parameter}`,
  gte: (column, parameter) => `${column} >= ${parameter}`,
  lt: (column, parameter) => `${column} < ${parameter}`,
  lte: (column, parameter) => `${column} <= ${parameter}`,
  like: (column, parameter) => `strpos(${column}, ${parameter}) > 0`,
  ilike: (column, parameter) => `${column} ~ ${parameter}`,
  in: (column, parameter) => `${column} = ANY(${parameter})`,
  nin: (column, parameter) => `(${column} IS NULL OR ${column} <> ALL(${parameter}))`,
  contains: (column, parameter) => `${column} @> ANY(${parameter})`,
  containsAny: (column, parameter) => `${column} @> ANY(${parameter})`,
  containsAll: (column, parameter) => `${column} @> ${parameter}`,
};

/** Of JSON of any type: a list of what is wanted, each of them the list of values that will do. */
function containsAllOf(column: string, parameter: string): string {
  return (
    `(${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(${parameter}) AS wanted` +
    ` WHERE NOT EXISTS (SELECT 1 FROM jsonb_array_elements(wanted.value) AS one WHERE ${column} @> one.value)))`
  );
}

function hasUntypedItems({ items }: Field): boolean {
  return items?.type.name === 'json';
}

/** The values that an item may have to be the wanted one: text of no type may be that of a number or a boolean. */
function alternatives(wanted: JsonValue, field: Field): readonly JsonValue[] {
  if (!hasUntypedItems(field)) return [wanted];
  const text = String(wanted);
  if (text === 'true' || text === 'false') return [wanted, text === 'true'];
  const number = numberType.parse(text, field);
  return number === undefined ? [wanted] : [wanted, number];
}

function arrayOperand(value: JsonValue, operator: Comparison, field: Field): string {
  const wanted = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  const each = wanted.map((item) => alternatives(item, field));
  if (operator !== 'containsAll') return listOf(each.flat().map((item) => JSON.stringify(item)));
  return JSON.stringify(hasUntypedItems(field) ? each : wanted);
}

/** What means something in a regular expression of PostgreSQL, which takes a backslash before it. */
const special = new Set('.^$*+?()[]{}|\\');

/** A regular expression for text that contains `text` in any case, everything in it literal. */
function foldingPattern(text: string): string {
  let pattern = '';
  for (const character of text) {
    const folded = foldingClass(character);
    if (folded.length > 1) pattern += `[${folded.join('')}]`;
    else pattern += special.has(character) ? `\\${character}` : character;
  }
  return pattern;
}

/** The text of an array, one bound value whatever its length: `{"1","2"}`. */
function listOf(values: readonly SqlValue[]): string {
  const items = values.map((value) =>
    value === null ? 'NULL' : `"${String(value).replaceAll(/["\\]/gu, String.raw`\$&`)}"`,
  );
  return `{${items.join(',')}}`;
}

/** The type of a column's values, without what else its definition says. */
function valueType(field: Field): string {
  const [type = ''] = /^[\w ]*?(?=\(| COLLATE| GENERATED| NOT NULL| PRIMARY|$)/u.exec(
    field.type.postgres.column(field),
  ) ?? [''];
  return type;
}

/** The first item of an array, by what its items are. */
function firstItem(column: string, items: Field): string {
  const text = `(${column} ->> 0)`;
  const type = valueType(items);
  return ['bigint', 'double precision', 'numeric', 'boolean'].includes(type)
    ? `${text}::${type}`
    : `${text} COLLATE "C"`;
}

export const postgres: Dialect = {
  name: 'postgres',
  placeholder: (count) => `$${count}`,
  storage: (field) => field.type.postgres,
  select: (column) => column,
  sortKey: (column, { items }) => (items === undefined ? column : firstItem(column, items)),
  nulls: (placed) => (placed === 'first' ? ' NULLS FIRST' : ' NULLS LAST'),
  compare: (column, operator, placeholder, field) =>
    operator === 'containsAll' && hasUntypedItems(field)
      ? containsAllOf(column, placeholder)
      : comparisons[operator](column, placeholder),
  operand: (value, operator, field) => {
    if (field.items !== undefined) return arrayOperand(value, operator, field);
    if (operator === 'ilike') return foldingPattern(String(value));
    const one = (item: JsonValue): SqlValue => encodeValue(postgres, item, field);
    return Array.isArray(value) ? listOf(value.map(one)) : one(value);
  },
  listTable: (placeholder, field) =>
    `(SELECT unnest(${placeholder}::${field === undefined ? 'text' : valueType(field)}[]) AS value)`,
  keys: listOf,
  // A correlated IN would read the whole table once for each parent.
  firstOfEach: (list, from, row, first) =>
    `${list} AS parent CROSS JOIN LATERAL (${first}) AS first(row) CROSS JOIN ${from} WHERE ${row} = first.row`,
  returning: (idColumn) => ` RETURNING ${idColumn}`,
};
