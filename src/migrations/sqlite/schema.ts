import Driver from 'better-sqlite3';
import type { Api } from '../../model/api.ts';
import { quote } from '../../sql/dialect.ts';
import { affinityOf } from '../../databases/sqlite/existing/affinity.ts';
import { typeOfKind } from '../../databases/sqlite/catalog.ts';
import { foldName } from '../../databases/sqlite/existing/dialect.ts';
import { columnSql, type MigrationStep } from '../../sql/schema/schema.ts';
import { sqlite } from '../../databases/sqlite/dialect.ts';
import { precisionOf, baseOf, type StoredKind } from '../../sql/kinds/stored-kind.ts';
import type { ColumnSchema, Fill, IndexSchema, TableSchema } from '../../sql/schema/table.ts';
import { DatabaseFailure } from '../../databases/database.ts';
import type { SqlValue } from '../../model/values.ts';
import { withId, type Counting, type SchemaRules } from '../../databases/existing/actual-schema.ts';
import {
  isRenamed,
  needsRebuild,
  renameTypeSql,
  type Migration,
  type SchemaChanges,
} from '../changes.ts';
import {
  extendRecord,
  recordTable,
  rulesColumn,
  writeRecord,
} from '../../databases/existing/schema-record.ts';
import {
  arePossible,
  findMigration,
  isDone,
  migrationFailure,
  type MigrationOptions,
} from '../steps.ts';
import { readMade, readTables } from '../../databases/sqlite/catalog.ts';
import { meaningOf, onceFree } from '../../databases/sqlite/errors.ts';
import {
  dropStatements,
  makeIndex,
  searchIndexes,
} from '../../databases/sqlite/search/index-upkeep.ts';
import { unprovenRules, type UnprovenRules } from '../rules.ts';
import { addsColumn, definitionOf, rebuildTable, renamesColumn } from './rebuild.ts';
import { addValueFunctions, inexactFunction, valueFunction } from './values.ts';

const rules: SchemaRules = {
  dialect: sqlite,
  fold: foldName,
  fault: ({ native }) => (native === undefined ? 'missing' : undefined),
  typeName: (definition) => definition.split(' ')[0] ?? '',
  // Only a column declared INTEGER is the row key, which generates ids.
  isLike: (actual, wanted, isKey) =>
    affinityOf(actual) === wanted && !(isKey && wanted === 'INTEGER'),
  misfits,
  kindOfType: (type) => affinityKinds.get(affinityOf(type)) ?? 'any',
  typeOfKind,
  convert: (from, to) => {
    const call = (name: string, column: string): string => `${name}('${from}', '${to}', ${column})`;
    // Also if the kind stays and only the column type differs.
    if (from === to) return { value: (column) => column };
    return {
      value: (column) => call(valueFunction, column),
      isInexact: (column) => `${call(inexactFunction, column)} = 1`,
    };
  },
  fillSql,
  tableOptions: ' STRICT',
  countOthers: (name) =>
    `SELECT count(*) FROM sqlite_schema WHERE type IN ('view', 'index') AND name = ${sqlite.text(name)} COLLATE NOCASE`,
  rebuilds: true,
  finishesLater: false,
  renames: renamesColumn,
  adds: addsColumn,
  indexColumns,
  indexSql: (table, index, collated) =>
    indexSql(table.name, { ...index, columns: indexColumns(table, index) }, collated),
  isAsWritten: (table, { name, columns, unique, sql }) =>
    sql?.replaceAll(`"${byCodePoint}`, '"') ===
    indexSql(table, { name, unique, columns: columns.map(String) }),
};

const affinityKinds: ReadonlyMap<string, StoredKind> = new Map([
  ['INTEGER', 'integer'],
  ['TEXT', 'string'],
  ['REAL', 'number'],
]);

/** The condition for values that a numeric column does not hold as the wanted kind; text in it stays text. */
function misfits(actual: string, { kind, form }: ColumnSchema, column: string): string | undefined {
  const base = baseOf(kind);
  const affinity = affinityOf(actual);
  // Values written in a form are no numbers if the form is not numeric. Values in a wrong form are counted for all
  // columns.
  if (
    form !== undefined &&
    (affinity === 'NUMERIC' || (affinity === 'INTEGER' && base === 'number'))
  )
    return 'false';
  if (affinity !== 'NUMERIC' || base === 'decimal') return undefined;
  if (base === 'string' && !/DATE|TIME/u.test(actual)) return undefined;
  // Any valid JSON will do, but plain text is not JSON.
  if (base === 'json' || base === 'object' || base === 'array') return `NOT json_valid(${column})`;
  // The sign removes the column's affinity from the comparison.
  return `+${column} IS NOT ${valueFunction}('any', '${kind}', ${column})`;
}

/** The SQL of a value for each row: a UUID of version 4 of its own, or the time of the migration. */
function fillSql(fill: Fill, kind: StoredKind): string {
  if (fill.kind === 'literal') return fill.sql;
  if (fill.kind === 'uuid')
    return (
      `(lower(hex(randomblob(4))) || '-' || lower(hex(randomblob(2))) || '-4' || substr(lower(hex(randomblob(2))), 2)` +
      ` || '-' || substr('89ab', 1 + (abs(random()) % 4), 1) || substr(lower(hex(randomblob(2))), 2) || '-' || lower(hex(randomblob(6))))`
    );
  if (baseOf(kind) !== 'datetime') return `${kind}('now')`;
  const precision = precisionOf(kind);
  // SQLite knows the time in milliseconds.
  const digits = `substr(strftime('%f', 'now') || '000', 1, ${precision === 0 ? 2 : 3 + precision})`;
  return `strftime('%Y-%m-%dT%H:%M:', 'now') || ${digits} || 'Z'`;
}

/** An integer id is the row key, which SQLite appends to every index. */
function indexColumns(table: TableSchema, index: IndexSchema): readonly string[] {
  const isRowKey = table.columns.some(({ isKey, type }) => isKey && type.startsWith('INTEGER'));
  return isRowKey ? index.columns : withId(table, index);
}

/** The order in which requests compare texts, for columns with another collation. */
const byCodePoint = ' COLLATE BINARY';

function indexSql(
  table: string,
  { name, columns, unique }: IndexSchema,
  collated: ReadonlySet<string> = new Set(),
): string {
  const keys = columns.map(
    (column) => `${quote(column)}${collated.has(foldName(column)) ? byCodePoint : ''}`,
  );
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${quote(table)} (${keys.join(', ')})`;
}

/**
 * The steps that bring a SQLite database up to date with the Api, in order; none if it is. Ignores tables that no
 * resource names and no migration made.
 */
export function planMigration(
  driver: Driver.Database,
  api: Api,
  options: MigrationOptions = {},
): readonly MigrationStep[] {
  return prepareMigration(driver, api, options).steps;
}

/** Whether a migration would change neither the database nor its record. */
export function isUpToDate(driver: Driver.Database, api: Api): boolean {
  return isDone(prepareMigration(driver, api, {}));
}

function prepareMigration(driver: Driver.Database, api: Api, options: MigrationOptions): Migration {
  addValueFunctions(driver);
  const tables = readTables(driver);
  const record = readMade(driver);
  const search = { indexes: searchIndexes(driver) };
  return answered(driver, findMigration(api, rules, { tables, record, search }, options));
}

/** Runs a generator of queries to its end. */
function answered<Answer>(driver: Driver.Database, asking: Counting<Answer>): Answer {
  let next = asking.next();
  while (next.done !== true)
    next = asking.next(driver.prepare<[], SqlValue[]>(next.value).raw().get() ?? []);
  return next.value;
}

/**
 * The steps that would bring a file up to date. Does not change the file or its journal mode; `:memory:` is an empty
 * database. Throws the errors of SQLite.
 */
export function inspectFile(
  file: string,
  api: Api,
  options: MigrationOptions = {},
): readonly MigrationStep[] {
  const driver = new Driver(file, { fileMustExist: file !== ':memory:', timeout: 0 });
  try {
    return planMigration(driver, api, options);
  } finally {
    driver.close();
  }
}

/**
 * Brings a database up to date in one transaction, which finds the steps as well, so that two concurrent migrations
 * are safe. Returns the steps; if one of them is not possible, nothing was changed. Throws a DatabaseFailure.
 */
export async function migrate(
  driver: Driver.Database,
  api: Api,
  options: MigrationOptions = {},
): Promise<readonly MigrationStep[]> {
  const hadKeys = driver.pragma('foreign_keys', { simple: true }) === 1;
  const setKeys = (on: boolean): unknown => driver.pragma(`foreign_keys = ${on ? 'ON' : 'OFF'}`);
  await onceFree(() => {
    // The pragma has no effect inside a transaction. With it on, dropping the old table would delete the rows that
    // refer to it.
    setKeys(false);
    try {
      driver.exec('BEGIN IMMEDIATE');
    } catch (error) {
      setKeys(hadKeys);
      throw error;
    }
  });
  try {
    const migration = prepareMigration(driver, api, options);
    if (arePossible(migration.steps, options)) {
      make(driver, migration.changes);
      if (migration.isRecordStale) {
        if (lacksRules(driver)) driver.exec(extendRecord(recordTable(), sqlite));
        for (const sql of writeRecord(recordTable(), migration.record, sqlite)) driver.exec(sql);
      }
    }
    driver.exec('COMMIT');
    return migration.steps;
  } catch (error) {
    if (driver.inTransaction) driver.exec('ROLLBACK');
    throw migrationFailure(meaningOf(error), (error as Error).message);
  } finally {
    setKeys(hadKeys);
  }
}

/** Whether an earlier version has made the table of the record. */
function lacksRules(driver: Driver.Database): boolean {
  const columns = driver
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?)')
    .pluck()
    .all(recordTable());
  return columns.length > 0 && !columns.includes(rulesColumn);
}

/** The fields whose rules are others than the last migration of a file has recorded. Changes nothing. */
export function readUnproven(file: string, api: Api): UnprovenRules {
  const driver = new Driver(file, { fileMustExist: true, timeout: 0 });
  try {
    return unprovenRules(api, { tables: readTables(driver), record: readMade(driver) }, rules);
  } finally {
    driver.close();
  }
}

function make(driver: Driver.Database, changes: SchemaChanges): void {
  const isRisky =
    changes.alterTables.some((table) => needsRebuild(table, rules)) ||
    changes.dropTables.length > 0;
  const before = isRisky ? faultsOf(driver) : new Map<string, number>();
  for (const { name } of changes.search.drop)
    for (const sql of dropStatements(name)) driver.exec(sql);
  for (const { name } of changes.dropIndexes) driver.exec(`DROP INDEX ${quote(name)}`);
  for (const name of changes.dropTables) driver.exec(`DROP TABLE ${quote(name)}`);
  for (const { from, to } of changes.renameTables)
    driver.exec(`ALTER TABLE ${quote(from)} RENAME TO ${quote(to)}`);
  for (const { name, columns } of changes.alterTables)
    for (const column of columns)
      if (
        column.actual !== undefined &&
        isRenamed(column) &&
        renamesColumn(column.actual.name, column.name)
      )
        driver.exec(
          `ALTER TABLE ${quote(name)} RENAME COLUMN ${quote(column.actual.name)} TO ${quote(column.name)}`,
        );
  for (const { name, columns } of changes.createTables)
    driver.exec(
      `CREATE TABLE ${quote(name)} (${columns.map(columnSql).join(', ')})${rules.tableOptions}`,
    );
  for (const table of changes.alterTables)
    if (needsRebuild(table, rules)) rebuildTable(driver, table);
    else
      for (const column of table.columns)
        if (column.actual === undefined)
          driver.exec(`ALTER TABLE ${quote(table.name)} ADD COLUMN ${definitionOf(column)}`);
  for (const { table, index, collated } of changes.createIndexes)
    driver.exec(rules.indexSql(table, index, collated));
  for (const rename of changes.renameTypes) driver.exec(renameTypeSql(rename, sqlite));
  for (const { table, schema } of changes.search.create) makeIndex(driver, table, schema);
  const after = isRisky ? faultsOf(driver) : before;
  for (const [fault, count] of after)
    if (count > (before.get(fault) ?? 0))
      throw new DatabaseFailure(
        `The migration was taken back: ${fault}. Change that by hand first.`,
      );
}

/**
 * The faults in a database and how often each occurs: keys that refer to no row, and views or triggers that name
 * missing objects.
 */
function faultsOf(driver: Driver.Database): ReadonlyMap<string, number> {
  const faults = new Map<string, number>();
  const keys = driver
    .prepare<[], { table: string; parent: string; count: number }>(
      'SELECT "table", parent, count(*) AS count FROM pragma_foreign_key_check GROUP BY 1, 2',
    )
    .all();
  for (const { table, parent, count } of keys)
    faults.set(`rows of ${table} would refer to records of ${parent} that are not there`, count);
  const tries = (sql: string, name: string): void => {
    try {
      driver.prepare(sql);
    } catch (error) {
      faults.set(`${name} would not work (${(error as Error).message})`, 1);
    }
  };
  const named = (query: string): string[] => driver.prepare<[], string>(query).pluck().all();
  for (const name of named(`SELECT name FROM sqlite_schema WHERE type = 'view'`))
    tries(`SELECT * FROM ${quote(name)}`, `the view ${name}`);
  for (const name of named(`SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'trigger'`)) {
    const [column] = driver
      .prepare<[string], string>('SELECT name FROM pragma_table_info(?)')
      .pluck()
      .all(name);
    const owner = `a trigger of ${name}`;
    tries(`INSERT INTO ${quote(name)} DEFAULT VALUES`, owner);
    tries(`DELETE FROM ${quote(name)}`, owner);
    const one = quote(column ?? '');
    tries(`UPDATE ${quote(name)} SET ${one} = ${one}`, owner);
  }
  return faults;
}
