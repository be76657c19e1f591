import type Driver from 'better-sqlite3';
import type { Api } from '../model/api.ts';
import { quote } from '../sql/dialect.ts';
import {
  columnSql,
  deleteActions,
  indexSql,
  schemaOf,
  type ColumnSchema,
  type IndexSchema,
  type TableSchema,
} from '../sql/schema.ts';
import { sqlite } from '../sql/sqlite.ts';
import { DatabaseFailure } from './database.ts';

/** One difference between the database and the specification. */
export interface MigrationStep {
  /** In words: "create table posts". */
  readonly summary: string;
  /** What brings it up to date; absent where this version of Plinth cannot. */
  readonly sql: string | undefined;
}

interface ActualColumn {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

interface ActualReference {
  readonly from: string;
  readonly table: string;
  readonly to: string | null;
  readonly on_delete: string;
}

/** What would bring a SQLite database up to date with the Api, in order; nothing when it is. */
export function planMigration(driver: Driver.Database, api: Api): readonly MigrationStep[] {
  const tables = new Set(
    driver
      .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
      .pluck()
      .all()
      .map((name) => name.toLowerCase()),
  );
  return schemaOf(api, sqlite).flatMap((table) =>
    tables.has(table.name.toLowerCase()) ? compareTable(driver, table) : createTable(table),
  );
}

/** Runs the steps in one transaction. Throws a DatabaseFailure, with nothing changed, when one fails. */
export function applyMigration(driver: Driver.Database, steps: readonly MigrationStep[]): void {
  driver.exec('BEGIN IMMEDIATE');
  try {
    for (const { sql } of steps) if (sql !== undefined) driver.exec(sql);
    driver.exec('COMMIT');
  } catch (error) {
    if (driver.inTransaction) driver.exec('ROLLBACK');
    throw new DatabaseFailure(`The database refused the migration: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

function createTable(table: TableSchema): readonly MigrationStep[] {
  const columns = table.columns.map(columnSql).join(', ');
  return [
    {
      summary: `create table ${table.name} (${table.columns.map(({ name }) => name).join(', ')})`,
      sql: `CREATE TABLE ${quote(table.name)} (${columns}) STRICT`,
    },
    ...table.indexes.map((index) => createIndex(table, index)),
  ];
}

function createIndex({ name }: TableSchema, index: IndexSchema): MigrationStep {
  const columns = index.columns.join(', ');
  return {
    summary: `create ${index.unique ? 'unique ' : ''}index on ${name} (${columns})`,
    sql: indexSql(name, index),
  };
}

function compareTable(driver: Driver.Database, table: TableSchema): readonly MigrationStep[] {
  const columns = new Map(
    driver
      .prepare<[string], ActualColumn>(
        'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?)',
      )
      .all(table.name)
      .map((column) => [column.name.toLowerCase(), column]),
  );
  const references = driver
    .prepare<[string], ActualReference>(
      'SELECT "from", "table", "to", on_delete FROM pragma_foreign_key_list(?)',
    )
    .all(table.name);
  const steps: MigrationStep[] = table.columns.flatMap((column) => {
    const actual = columns.get(column.name.toLowerCase());
    return actual === undefined
      ? [addColumn(table, column)]
      : compareColumn(table, column, actual, references);
  });
  const indexes = driver
    .prepare<[string], { columns: string; unique: number }>(
      `SELECT (SELECT group_concat(name) FROM pragma_index_info(list.name)) AS columns, "unique" FROM pragma_index_list(?) AS list`,
    )
    .all(table.name);
  for (const index of table.indexes) {
    const exists = indexes.some(
      ({ columns: names, unique }) =>
        names === index.columns.join(',') && (unique === 1) === index.unique,
    );
    if (!exists) steps.push(createIndex(table, index));
  }
  return steps;
}

function addColumn(table: TableSchema, column: ColumnSchema): MigrationStep {
  const summary = `add column ${table.name}.${column.name}`;
  // SQLite adds a column that may be null at once; any other needs the table rebuilt.
  return column.nullable && !column.isKey
    ? { summary, sql: `ALTER TABLE ${quote(table.name)} ADD COLUMN ${columnSql(column)}` }
    : { summary: `${summary} (not null)`, sql: undefined };
}

function compareColumn(
  table: TableSchema,
  column: ColumnSchema,
  actual: ActualColumn,
  references: readonly ActualReference[],
): readonly MigrationStep[] {
  const name = `${table.name}.${column.name}`;
  const change = (what: string): MigrationStep => ({
    summary: `change ${name} ${what}`,
    sql: undefined,
  });
  const steps: MigrationStep[] = [];
  const [type = ''] = column.type.split(' ');
  if (actual.type.toUpperCase() !== type) steps.push(change(`from ${actual.type} to ${type}`));
  if (!column.isKey && (actual.notnull === 0) !== column.nullable)
    steps.push(change(column.nullable ? 'to allow null' : 'to refuse null'));
  const { reference } = column;
  const known = references.find(({ from }) => from.toLowerCase() === column.name.toLowerCase());
  const fits =
    reference === undefined
      ? known === undefined
      : known?.table.toLowerCase() === reference.table.toLowerCase() &&
        known.on_delete === deleteActions[reference.onDelete];
  if (!fits)
    steps.push(
      change(
        reference === undefined
          ? 'to refer to nothing'
          : `to refer to ${reference.table}.${reference.column} on delete ${reference.onDelete}`,
      ),
    );
  return steps;
}
