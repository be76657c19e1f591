import type { SqlValue } from '../../model/values.ts';
import type { StoredAs } from '../../specification/specification.ts';
import { quote, type SqlSyntax, type StoredForms } from '../../sql/dialect.ts';
import { servicePrefix } from '../../sql/schema/service-tables.ts';
import type { StoredKind } from '../../sql/stored-kind.ts';
import type { ColumnSchema } from '../../sql/schema/table.ts';

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
  readonly kind: StoredKind | NumberForm | '';
  /** Whether Plinth has made it; else it was there and was taken as it is. */
  readonly isMade: boolean;
}

/** Forms of whole numbers that look like each other: which of them a column has is written down in place of its kind. */
const numberForms = ['scaled', 'unixSeconds', 'unixMilliseconds'] as const;
export type NumberForm = (typeof numberForms)[number];

/** Whether what is said or written down of a column is one of these forms. */
export function isNumberForm(name: StoredAs | RecordRow['kind'] | undefined): name is NumberForm {
  return numberForms.some((form) => form === name);
}

/** What is written down of a column: whole numbers are otherwise taken for what they look like the next time. */
export function recordedKind({ kind, form }: ColumnSchema): RecordRow['kind'] {
  return kind === 'integer' && isNumberForm(form?.name) ? form.name : kind;
}

export const recordTable = `${servicePrefix}schema`;

const columns = 'table_name, column_name, owner, resource, field, kind, made';

/** A row of no table, which whoever migrates holds meanwhile. */
const isOfTable = `table_name <> ''`;

/** Reads the record; its rows go to `readRecord`. */
export const recordQuery = `SELECT ${columns} FROM ${quote(recordTable)} WHERE ${isOfTable} ORDER BY table_name, column_name`;

/**
 * Waits until no other transaction has run this, and keeps others waiting until the one in which it runs is over. The
 * lock is that of a row, since not every database that speaks PostgreSQL has locks of other kinds.
 */
export const lockRecord =
  `INSERT INTO ${quote(recordTable)} (${columns}) VALUES ('', '', '', '', '', '', 0)` +
  ` ON CONFLICT (table_name, column_name) DO UPDATE SET made = 0`;

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

/** Makes the table of the record where there is none. */
export function createRecord({ textType }: StoredForms): string {
  const definitions = columns
    .split(', ')
    .map((column) => `${column} ${column === 'made' ? 'integer' : textType} NOT NULL`);
  return `CREATE TABLE IF NOT EXISTS ${quote(recordTable)} (${definitions.join(', ')}, PRIMARY KEY (table_name, column_name))`;
}

/** Statements that make the record what it has to be. */
export function writeRecord(
  rows: readonly RecordRow[],
  dialect: SqlSyntax & StoredForms,
): readonly string[] {
  const values = rows.map(
    ({ table, column, owner, resource, field, kind, isMade }) =>
      `(${[table, column, owner, resource, field, kind].map(dialect.text).join(', ')}, ${isMade ? 1 : 0})`,
  );
  return [
    createRecord(dialect),
    `DELETE FROM ${quote(recordTable)} WHERE ${isOfTable}`,
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
