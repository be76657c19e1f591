import type { SqlValue } from '../model/values.ts';
import { quote, type Dialect } from '../sql/dialect.ts';
import { servicePrefix } from '../sql/service-tables.ts';
import type { StoredKind } from '../sql/stored-kind.ts';

/**
 * What the last migration has left in the database, a row a table (its `column` is empty) and a row a column. It tells
 * what is Plinth's own, which field is in a column that has to be renamed, and what columns of one type hold.
 */
export interface RecordRow {
  readonly table: string;
  readonly column: string;
  /** The name of the API: another one may keep its tables in the same database. */
  readonly owner: string;
  readonly resource: string;
  readonly field: string;
  readonly kind: StoredKind | '';
  /** Whether Plinth has made it; else it was there and was taken as it is. */
  readonly isMade: boolean;
}

export const recordTable = `${servicePrefix}schema`;

const columns = 'table_name, column_name, owner, resource, field, kind, made';

/** Reads the record; its rows go to `readRecord`. */
export const recordQuery = `SELECT ${columns} FROM ${quote(recordTable)} ORDER BY table_name, column_name`;

/** The rows of `recordQuery`. */
export function readRecord(rows: readonly (readonly SqlValue[])[]): readonly RecordRow[] {
  return rows.map(([table, column, owner, resource, field, kind, made]) => ({
    table: String(table),
    column: String(column),
    owner: String(owner),
    resource: String(resource),
    field: String(field),
    kind: String(kind) as RecordRow['kind'],
    isMade: Number(made) === 1,
  }));
}

/** Statements that make the record what it has to be. */
export function writeRecord(
  rows: readonly RecordRow[],
  { text, textType }: Dialect,
): readonly string[] {
  const values = rows.map(
    ({ table, column, owner, resource, field, kind, isMade }) =>
      `(${[table, column, owner, resource, field, kind].map(text).join(', ')}, ${isMade ? 1 : 0})`,
  );
  const definitions = columns
    .split(', ')
    .map((column) => `${column} ${column === 'made' ? 'integer' : textType} NOT NULL`);
  return [
    `CREATE TABLE IF NOT EXISTS ${quote(recordTable)} (${definitions.join(', ')}, PRIMARY KEY (table_name, column_name))`,
    `DELETE FROM ${quote(recordTable)}`,
    // A statement of SQLite takes 500 terms at least.
    ...inGroups(values, 200).map(
      (group) => `INSERT INTO ${quote(recordTable)} (${columns}) VALUES ${group.join(', ')}`,
    ),
  ];
}

function inGroups<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Whether two records say the same. */
export function isSameRecord(a: readonly RecordRow[], b: readonly RecordRow[]): boolean {
  const textOf = (rows: readonly RecordRow[]): string =>
    rows
      .map((row) =>
        JSON.stringify([
          row.table,
          row.column,
          row.owner,
          row.resource,
          row.field,
          row.kind,
          row.isMade,
        ]),
      )
      .sort()
      .join('\n');
  return textOf(a) === textOf(b);
}
