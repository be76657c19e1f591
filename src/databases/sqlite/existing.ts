import { operators, type Comparison } from '../../model/operators.ts';
import type { Field } from '../../model/api.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { sqlite } from './dialect.ts';

/** A name as SQLite tells names apart. */
export function foldName(name: string): string {
  return name.toLowerCase();
}

/** Columns of some tables, all names as `foldName` has them: `table` → columns. */
export type TableColumns = ReadonlyMap<string, ReadonlySet<string>>;

/** What may be otherwise in tables that no migration has made. */
export interface ExistingColumns {
  /** Those that SQLite would not compare by code point. */
  readonly collated: TableColumns;
  /** Those that text may stand in which is no JSON. */
  readonly unguarded: TableColumns;
}

/**
 * SQLite over existing tables: texts are compared and sorted by code point, as everywhere, and what is read as JSON may
 * be none.
 */
export function overExisting({ collated, unguarded }: ExistingColumns): Dialect {
  if (collated.size === 0 && unguarded.size === 0) return sqlite;
  const byCodePoint = (sql: string, field: Field): string =>
    has(collated, field) ? `${sql} COLLATE BINARY` : sql;
  const json = (column: string, field: Field): string =>
    has(unguarded, field) ? asJson(column) : column;
  const list = (column: string, field: Field): string =>
    field.items === undefined ? column : json(column, field);
  return {
    ...sqlite,
    sortKey: (column, field) => byCodePoint(sqlite.sortKey(list(column, field), field), field),
    compare: (column, operator, placeholder, field) =>
      sqlite.compare(
        comparesWhole(operator) ? byCodePoint(column, field) : list(column, field),
        operator,
        placeholder,
        field,
      ),
    // IN compares as the column before it does, and an equation of two as the first of them.
    looksUp: (above, key) => !has(collated, above) && !has(collated, key),
    member: (column, members, field) => sqlite.member(json(column, field), members, field),
  };
}

/** Whether an operator compares whole values, which goes by the collation. */
function comparesWhole(operator: Comparison): boolean {
  const { comparesWith, items } = operators[operator];
  return comparesWith !== 'part' && items === undefined;
}

function has(columns: TableColumns, { resource, column }: Field): boolean {
  return columns.get(foldName(resource.table))?.has(foldName(column)) === true;
}

/**
 * A column as JSON: text that is none is the string that it is, as on the wire. SQLite itself fails with the whole
 * statement then, or reads what only JSON5 allows. It costs as much as reading the JSON once more.
 */
function asJson(column: string): string {
  return `iif(json_valid(${column}) IS NOT 0, ${column}, json_quote(CAST(${column} AS TEXT)))`;
}
