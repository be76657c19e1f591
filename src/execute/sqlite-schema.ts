import Driver from 'better-sqlite3';
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
import { meaningOf, onceFree } from './sqlite-errors.ts';

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
  readonly dflt_value: string | null;
  /** 0 for a plain column; others are generated or hidden. */
  readonly hidden: number;
}

interface ActualReference {
  readonly from: string;
  readonly table: string;
  readonly to: string | null;
  readonly on_delete: string;
}

interface ActualIndex {
  readonly name: string;
  /** A JSON list, in order; null for an expression. */
  readonly columns: string;
  readonly unique: number;
  readonly sql: string | null;
}

/**
 * What would bring a SQLite database up to date with the Api, in order; nothing when it is. Tables that no resource
 * names are not looked at.
 */
export function planMigration(driver: Driver.Database, api: Api): readonly MigrationStep[] {
  const tables = new Map(
    driver
      .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
      .pluck()
      .all()
      .map((name) => [name.toLowerCase(), name]),
  );
  return schemaOf(api, sqlite).flatMap((table) =>
    tables.has(table.name.toLowerCase()) ? compareTable(driver, table) : createTable(table),
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

/** Runs the steps in one transaction. Throws a DatabaseFailure, with nothing changed, when one fails. */
export function applyMigration(driver: Driver.Database, steps: readonly MigrationStep[]): void {
  driver.exec('BEGIN IMMEDIATE');
  inTransaction(driver, () => {
    for (const { sql } of steps) if (sql !== undefined) driver.exec(sql);
  });
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
  return inTransaction(driver, () => {
    const steps = planMigration(driver, api);
    if (steps.every(({ sql }) => sql !== undefined))
      for (const { sql = '' } of steps) driver.exec(sql);
    return steps;
  });
}

function inTransaction<Value>(driver: Driver.Database, work: () => Value): Value {
  try {
    const value = work();
    driver.exec('COMMIT');
    return value;
  } catch (error) {
    if (driver.inTransaction) driver.exec('ROLLBACK');
    const meaning = meaningOf(error);
    if (meaning instanceof DatabaseFailure) throw meaning;
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
        'SELECT name, type, "notnull", pk, dflt_value, hidden FROM pragma_table_xinfo(?)',
      )
      .all(table.name)
      .map((column) => [column.name.toLowerCase(), column]),
  );
  const references = driver
    .prepare<[string], ActualReference>(
      'SELECT "from", "table", "to", on_delete FROM pragma_foreign_key_list(?)',
    )
    .all(table.name);
  return [
    ...table.columns.flatMap((column) => {
      const actual = columns.get(column.name.toLowerCase());
      return actual === undefined
        ? [addColumn(table, column)]
        : compareColumn(table, column, actual, references);
    }),
    ...unknownColumns(table, columns),
    ...compareIndexes(driver, table),
  ];
}

function addColumn(table: TableSchema, column: ColumnSchema): MigrationStep {
  const summary = `add column ${table.name}.${column.name}`;
  const add = `ALTER TABLE ${quote(table.name)} ADD COLUMN ${columnSql(column)}`;
  // SQLite adds a column whose rows have a value at once; any other needs the table rebuilt.
  if (column.nullable && !column.isKey) return { summary, sql: add };
  return column.fill === undefined || column.isKey || column.reference !== undefined
    ? { summary: `${summary} (not null)`, sql: undefined }
    : {
        summary: `${summary} (${column.fill} where a row is there)`,
        sql: `${add} DEFAULT ${column.fill}`,
      };
}

/** A column that the file does not know must let rows be written without it. */
function unknownColumns(
  { name, columns }: TableSchema,
  actual: ReadonlyMap<string, ActualColumn>,
): readonly MigrationStep[] {
  const known = new Set(columns.map((column) => column.name.toLowerCase()));
  return [...actual.values()]
    .filter(
      (column) =>
        !known.has(column.name.toLowerCase()) &&
        column.notnull === 1 &&
        column.dflt_value === null &&
        column.hidden === 0,
    )
    .map((column) => ({
      summary: `drop column ${name}.${column.name}, which may not be null and is not in the file`,
      sql: undefined,
    }));
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
  if (actual.type.toUpperCase() !== type)
    steps.push(change(`from ${actual.type === '' ? 'no type' : actual.type} to ${type}`));
  if (column.isKey && actual.pk === 0) steps.push(change('to be the primary key'));
  if (!column.isKey && (actual.notnull === 0) !== column.nullable)
    steps.push(change(column.nullable ? 'to allow null' : 'to refuse null'));
  const { reference } = column;
  const known = references.find(({ from }) => from.toLowerCase() === column.name.toLowerCase());
  const fits =
    reference === undefined
      ? known === undefined
      : known?.table.toLowerCase() === reference.table.toLowerCase() &&
        (known.to ?? reference.column).toLowerCase() === reference.column.toLowerCase() &&
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

function compareIndexes(driver: Driver.Database, table: TableSchema): readonly MigrationStep[] {
  const actual = driver
    .prepare<[string], ActualIndex>(
      `SELECT list.name, list."unique", own.sql,` +
        ` (SELECT json_group_array(name ORDER BY seqno) FROM pragma_index_info(list.name)) AS columns` +
        ` FROM pragma_index_list(?) AS list LEFT JOIN sqlite_schema AS own` +
        ` ON own.type = 'index' AND own.name = list.name WHERE list.partial = 0`,
    )
    .all(table.name);
  const serves = (index: ActualIndex, { columns, unique }: IndexSchema): boolean =>
    index.columns.toLowerCase() === JSON.stringify(columns).toLowerCase() &&
    unique === (index.unique === 1);
  const left = actual.filter(
    (index) => isOwn(table, index) && !table.indexes.some((wanted) => serves(index, wanted)),
  );
  return [
    ...left.map(({ name }) => ({
      summary: `drop index ${name}`,
      sql: `DROP INDEX ${quote(name)}`,
    })),
    ...table.indexes
      .filter((wanted) => !actual.some((index) => serves(index, wanted)))
      .map((index) => createIndex(table, index)),
  ];
}

/** Whether an index is one that Plinth has made: then it is written to the letter as Plinth writes it. */
function isOwn({ name: table }: TableSchema, { name, unique, columns, sql }: ActualIndex): boolean {
  const names = (JSON.parse(columns) as readonly (string | null)[]).map((column) => column ?? '');
  const base = `${table}_${names.join('_')}_${unique === 1 ? 'unique' : 'index'}`;
  return (
    name.startsWith(base) && sql === indexSql(table, { name, columns: names, unique: unique === 1 })
  );
}
