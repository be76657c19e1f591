import type { SqlValue } from '../../model/values.ts';
import type { StoredAs } from '../../specification/specification.ts';
import { quoteTable, type SqlSyntax, type StoredForms } from '../../sql/dialect.ts';
import { serviceTable, type ServiceSettings } from '../../model/service-table.ts';
import type { StoredKind } from '../../sql/kinds/stored-kind.ts';
import type { ColumnSchema } from '../../sql/schema/table.ts';

/**
 * The record of the last migration: a row for each table (with an empty `column`) and one for each column. It tells
 * which tables and columns Plinth made, which column a renamed field was in, and what columns of the same type hold.
 */
export interface RecordRow {
  readonly table: string;
  readonly column: string;
  /** The name of the API, since several may share a database. */
  readonly owner: string;
  readonly resource: string;
  readonly field: string;
  readonly kind: StoredKind | NumberForm | '';
  /** Whether a migration made it; otherwise it existed before. */
  readonly isMade: boolean;
  /** The digest of the field's rules that its stored values keep; empty if an earlier version has written the row. */
  readonly rules: string;
}

/** Whole numbers that look alike. The record keeps their form in place of their kind. */
const numberForms = ['scaled', 'unixSeconds', 'unixMilliseconds'] as const;
export type NumberForm = (typeof numberForms)[number];

/** Whether a name is one of these forms. */
export function isNumberForm(name: StoredAs | RecordRow['kind'] | undefined): name is NumberForm {
  return numberForms.some((form) => form === name);
}

/** The kind in the record. Without it, whole numbers would be classified by their values the next time. */
export function recordedKind({ kind, form }: ColumnSchema): RecordRow['kind'] {
  return kind === 'integer' && isNumberForm(form?.name) ? form.name : kind;
}

export function recordTable(settings?: ServiceSettings): string {
  return serviceTable('schema', settings);
}

const columns = 'table_name, column_name, owner, resource, field, kind, made';
/** A column that tables of earlier versions lack. */
export const rulesColumn = 'rules';

/** Excludes the row that serves as the lock of migrations. */
const isOfTable = `table_name <> ''`;

/** Reads the record in a table; pass its rows to `readRecord`. */
export function recordQuery(table: string): string {
  const name = quoteTable(table);
  // The name means the column of the table in the subquery if there is one, else the empty text beside it.
  const rules = `(SELECT ${rulesColumn} FROM ${name} AS own WHERE own.table_name = kept.table_name AND own.column_name = kept.column_name)`;
  return (
    `SELECT ${columns}, ${rules} FROM ${name} AS kept, (SELECT '' AS ${rulesColumn}) AS without` +
    ` WHERE ${isOfTable} ORDER BY table_name, column_name`
  );
}

/**
 * Waits until no other transaction holds the lock, and holds it until this transaction ends. It is a row lock,
 * because not every database that speaks the protocol of PostgreSQL has other locks.
 */
export function lockRecord(table: string): string {
  return (
    `INSERT INTO ${quoteTable(table)} (${columns}) VALUES ('', '', '', '', '', '', 0)` +
    ` ON CONFLICT (table_name, column_name) DO UPDATE SET made = 0`
  );
}

/** Parses the rows of `recordQuery`. */
export function readRecord(rows: readonly (readonly SqlValue[])[]): readonly RecordRow[] {
  return rows.map(([table, column, owner, resource, field, kind, made, rules]) => ({
    table: String(table),
    column: String(column),
    owner: String(owner),
    resource: String(resource),
    field: String(field),
    kind: String(kind) as RecordRow['kind'],
    isMade: Number(made) === 1,
    rules: String(rules),
  }));
}

/** Creates the table of the record if it does not exist. */
export function createRecord(table: string, { textType }: StoredForms): string {
  const definitions = columns
    .split(', ')
    .map((column) => `${column} ${column === 'made' ? 'integer' : textType} NOT NULL`);
  definitions.push(rulesDefinition({ textType }));
  return `CREATE TABLE IF NOT EXISTS ${quoteTable(table)} (${definitions.join(', ')}, PRIMARY KEY (table_name, column_name))`;
}

function rulesDefinition({ textType }: Pick<StoredForms, 'textType'>): string {
  return `${rulesColumn} ${textType} NOT NULL DEFAULT ''`;
}

/** Adds what the table of an earlier version lacks. */
export function extendRecord(table: string, forms: Pick<StoredForms, 'textType'>): string {
  return `ALTER TABLE ${quoteTable(table)} ADD COLUMN ${rulesDefinition(forms)}`;
}

/** The statements that write the record. */
export function writeRecord(
  table: string,
  rows: readonly RecordRow[],
  dialect: SqlSyntax & StoredForms,
): readonly string[] {
  const values = rows.map(
    ({ table: named, column, owner, resource, field, kind, isMade, rules }) =>
      `(${[named, column, owner, resource, field, kind].map(dialect.text).join(', ')}, ${isMade ? 1 : 0}, ${dialect.text(rules)})`,
  );
  return [
    createRecord(table, dialect),
    `DELETE FROM ${quoteTable(table)} WHERE ${isOfTable}`,
    // SQLite allows 500 terms in a statement.
    ...inGroups(values, 200).map(
      (group) =>
        `INSERT INTO ${quoteTable(table)} (${columns}, ${rulesColumn}) VALUES ${group.join(', ')}`,
    ),
  ];
}

function inGroups<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Whether two records are equal. */
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
          row.rules,
        ]),
      )
      .sort()
      .join('\n');
  return textOf(a) === textOf(b);
}
