import type { Comparison } from '../filter/predicate.ts';
import type { JsonValue } from '../spec/specification.ts';
import type { SqlValue } from '../model/values.ts';
import { foldingClass } from './case-folding.ts';
import { codecOf, type Dialect } from './dialect.ts';

const items = (placeholder: string): string => `(SELECT value FROM json_each(${placeholder}))`;

/** The comparisons, each with its operand as one parameter. Contract 2, Filters. */
const comparisons: Readonly<Record<Comparison, (column: string, parameter: string) => string>> = {
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
  contains: (column, parameter) => containsAny(column, parameter),
  containsAny: (column, parameter) => containsAny(column, parameter),
  containsAll: (column, parameter) =>
    `(${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM json_each(${parameter}) AS wanted` +
    ` WHERE NOT EXISTS (SELECT 1 FROM json_each(${column}) AS item WHERE item.value = wanted.value)))`,
};

function containsAny(column: string, parameter: string): string {
  return `EXISTS (SELECT 1 FROM json_each(${column}) AS item WHERE item.value IN ${items(parameter)})`;
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
  const texts = values.map((value) =>
    typeof value === 'bigint' ? value.toString() : JSON.stringify(value),
  );
  return `[${texts.join(',')}]`;
}

export const sqlite: Dialect = {
  name: 'sqlite',
  placeholder: () => '?',
  storage: (field) => field.type.sqlite,
  select: (column, field) =>
    codecOf(sqlite, field).readAsText?.(field) === true ? `CAST(${column} AS TEXT)` : column,
  sortKey: (column, field) =>
    field.type.name === 'array' ? `json_extract(${column}, '$[0]')` : column,
  nulls: (placed) => (placed === 'first' ? ' NULLS FIRST' : ' NULLS LAST'),
  compare: (column, operator, placeholder) => comparisons[operator](column, placeholder),
  operand: (value, operator, field) => {
    if (operator === 'contains') return JSON.stringify([value]);
    if (operator === 'containsAll' || operator === 'containsAny') return JSON.stringify(value);
    if (operator === 'ilike') return globPattern(String(value));
    const { comparand, encode } = codecOf(sqlite, field);
    const one = (item: JsonValue): SqlValue =>
      comparand?.(item, operator, field) ?? encode?.(item, field) ?? (item as SqlValue);
    return Array.isArray(value) ? listOf(value.map(one)) : one(value);
  },
  listTable: (placeholder) => `json_each(${placeholder})`,
  keys: listOf,
};
