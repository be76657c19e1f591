import { operators, type Comparison } from '../../../model/operators.ts';
import type { Field } from '../../../model/api.ts';
import type { Dialect } from '../../../sql/dialect.ts';
import { isComposite, keyFields, partsOf } from '../../../model/field-types/composite-id.ts';
import { keyColumns } from '../../../sql/key.ts';
import { compareComposite, sqlite } from '../dialect.ts';

/** A name as SQLite compares names. */
export function foldName(name: string): string {
  return name.toLowerCase();
}

/** Columns by table, all names folded. */
export type TableColumns = ReadonlyMap<string, ReadonlySet<string>>;

/** The peculiarities of tables that no migration made. */
export interface ExistingColumns {
  /** Columns with a collation other than code point order. */
  readonly collated: TableColumns;
  /** JSON columns that may hold text that is not JSON. */
  readonly unguarded: TableColumns;
}

/**
 * SQLite over existing tables: texts are compared and sorted by code point, as everywhere, and what is read as JSON may
 * be none.
 */
export function overExisting({ collated, unguarded }: ExistingColumns): Dialect {
  if (collated.size === 0 && unguarded.size === 0) return sqlite;
  /** Whether a field compares otherwise than its column does. */
  const isConverted = (field: Field): boolean =>
    has(collated, field) && field.native?.isCollated !== true;
  const byCodePoint = (sql: string, field: Field): string =>
    isConverted(field) ? `${sql} COLLATE BINARY` : sql;
  const json = (column: string, field: Field): string =>
    has(unguarded, field) ? asJson(column) : column;
  const list = (column: string, field: Field): string =>
    field.items === undefined ? column : json(column, field);
  return {
    ...sqlite,
    sortKey: (column, field) => byCodePoint(sqlite.sortKey(list(column, field), field), field),
    compare: (column, operator, placeholder, field) =>
      isComposite(field)
        ? compareComposite(
            keyColumns(column, field).map((one, index) => {
              const part = partsOf(field)[index];
              return part === undefined ? one : byCodePoint(one, part);
            }),
            operator,
            placeholder,
            field,
          )
        : sqlite.compare(
            comparesWhole(operator) ? byCodePoint(column, field) : list(column, field),
            operator,
            placeholder,
            field,
          ),
    // IN uses the collation of its left operand, and `=` that of the first column.
    looksUp: (above, key) => ![above, key].flatMap(keyFields).some((field) => has(collated, field)),
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
 * A column as JSON. Text that is not JSON becomes a JSON string, as on the wire. Without that the whole statement
 * fails, or SQLite accepts JSON5. This costs one more parse.
 */
function asJson(column: string): string {
  return `iif(json_valid(${column}) IS NOT 0, ${column}, json_quote(CAST(${column} AS TEXT)))`;
}
