import Driver from 'better-sqlite3';
import type { Api } from '../model/api.ts';
import { quote } from '../sql/dialect.ts';
import type { IndexSchema, MigrationStep, TableSchema } from '../sql/schema.ts';
import { sqlite } from '../sql/sqlite.ts';
import {
  arePossible,
  findSteps,
  migrationFailure,
  withId,
  type ActualColumn,
  type ActualIndex,
  type ActualReference,
  type ActualTable,
  type SchemaRules,
} from './schema-steps.ts';
import { meaningOf, onceFree } from './sqlite-errors.ts';

const rules: SchemaRules = {
  dialect: sqlite,
  fold: (name) => name.toLowerCase(),
  typeName: (definition) => definition.split(' ')[0] ?? '',
  tableOptions: ' STRICT',
  keysApart: false,
  indexColumns,
  indexSql: (table, index) =>
    indexSql(table.name, { ...index, columns: indexColumns(table, index) }),
  isAsWritten: ({ name: table }, { name, columns, unique, sql }) =>
    sql === indexSql(table, { name, unique, columns: columns.map(String) }),
};

/** A whole number as the id is the key of the rows, which stands behind the columns of every index. */
function indexColumns(table: TableSchema, index: IndexSchema): readonly string[] {
  const isRowKey = table.columns.some(({ isKey, type }) => isKey && type.startsWith('INTEGER'));
  return isRowKey ? index.columns : withId(table, index);
}

function indexSql(table: string, { name, columns, unique }: IndexSchema): string {
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${quote(table)} (${columns.map(quote).join(', ')})`;
}

/**
 * What would bring a SQLite database up to date with the Api, in order; nothing when it is. Tables that no resource
 * names are not looked at.
 */
export function planMigration(driver: Driver.Database, api: Api): readonly MigrationStep[] {
  const tables = new Set(
    driver
      .prepare<[], string>(`SELECT lower(name) FROM sqlite_schema WHERE type = 'table'`)
      .pluck()
      .all(),
  );
  return findSteps(api, rules, (table) =>
    tables.has(table) ? readTable(driver, table) : undefined,
  );
}

/**
 * What would bring a file up to date, without anything of it being changed, its journal mode included; `:memory:` is
 * an empty database. Throws what SQLite throws.
 */
export function inspectFile(file: string, api: Api): readonly MigrationStep[] {
  const driver = new Driver(file, { fileMustExist: file !== ':memory:', timeout: 0 });
  try {
    return planMigration(driver, api);
  } finally {
    driver.close();
  }
}

/**
 * Brings a database up to date in one transaction, in which the steps are found as well, so that two at once are
 * safe. Gives the steps; where one of them has no `sql`, nothing was done. Throws a DatabaseFailure.
 */
export async function migrate(
  driver: Driver.Database,
  api: Api,
): Promise<readonly MigrationStep[]> {
  await onceFree(() => driver.exec('BEGIN IMMEDIATE'));
  try {
    const steps = planMigration(driver, api);
    if (arePossible(steps)) for (const { sql = '' } of steps) driver.exec(sql);
    driver.exec('COMMIT');
    return steps;
  } catch (error) {
    if (driver.inTransaction) driver.exec('ROLLBACK');
    throw migrationFailure(meaningOf(error), (error as Error).message);
  }
}

/** A column in the words of SQLite. */
interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
  readonly dflt_value: string | null;
  /** 0 for a plain column; others are generated or hidden. */
  readonly hidden: number;
}

function readTable(driver: Driver.Database, table: string): ActualTable {
  const ask = <Row>(sql: string): Row[] => driver.prepare<[string], Row>(sql).all(table);
  const columns = ask<ColumnRow>(
    'SELECT name, type, "notnull", pk, dflt_value, hidden FROM pragma_table_xinfo(?)',
  ).map((row): ActualColumn => ({
    name: row.name,
    type: row.type.toUpperCase(),
    nullable: row.notnull === 0,
    isPrimary: row.pk !== 0,
    fills: row.dflt_value !== null || row.hidden !== 0,
    byCodePoint: undefined,
  }));
  const indexes = ask<{ name: string; columns: string; unique: number; sql: string | null }>(
    `SELECT list.name, list."unique", own.sql,` +
      ` (SELECT json_group_array(name ORDER BY seqno) FROM pragma_index_info(list.name)) AS columns` +
      ` FROM pragma_index_list(?) AS list LEFT JOIN sqlite_schema AS own` +
      ` ON own.type = 'index' AND own.name = list.name WHERE list.partial = 0`,
  ).map((row): ActualIndex => ({
    name: row.name,
    columns: JSON.parse(row.columns) as (string | null)[],
    unique: row.unique === 1,
    sql: row.sql ?? undefined,
  }));
  const references = ask<{ column: string; table: string; target: string | null; action: string }>(
    'SELECT "from" AS "column", "table", "to" AS target, on_delete AS action FROM pragma_foreign_key_list(?)',
  ).map((row): ActualReference => ({
    column: row.column,
    table: row.table,
    target: row.target ?? undefined,
    onDelete: row.action,
  }));
  const byName = new Map(columns.map((column) => [rules.fold(column.name), column]));
  return { columns: byName, indexes, references };
}
