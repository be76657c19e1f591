import type Driver from 'better-sqlite3';
import { quote } from '../../sql/dialect.ts';
import { foldName } from '../../databases/sqlite/existing/dialect.ts';
import { jsonGuard } from '../../databases/sqlite/json-guard.ts';
import { columnSql } from '../../sql/schema/schema.ts';
import type { ColumnSchema } from '../../sql/schema/table.ts';
import type { ActualColumn } from '../../databases/existing/actual-schema.ts';
import { hasTable, rowKeyName } from '../../databases/sqlite/catalog.ts';
import { valueFrom, type ColumnChange, type TableChange } from '../changes.ts';

/**
 * Rebuilds a table with its columns changed and its rows copied, since SQLite changes few things in place. Existing
 * indexes and triggers are created again, and the last generated id is kept. Requires `foreign_keys = OFF`.
 */
export function rebuildTable(driver: Driver.Database, table: TableChange): void {
  const { name, actual } = table;
  const columns = table.columns.filter(({ isDropped }) => !isDropped);
  const temporary = `_plinth_new_${name}`;
  const others = driver
    .prepare<[string], string>(
      `SELECT sql FROM sqlite_schema WHERE lower(tbl_name) = lower(?)` +
        ` AND type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type, name`,
    )
    .pluck()
    .all(name);
  const lastId = lastGivenId(driver, name);
  const renamed = new Map(
    table.columns.map((column) => [column.actual?.name ?? '', column.name] as const),
  );
  const uniques = actual.indexes
    .filter(({ sql, unique, isPrimary }) => sql === undefined && unique && !isPrimary)
    .map((index) => index.columns.map((column) => renamed.get(column ?? '') ?? ''))
    .filter((names) => names.every((one) => columns.some((column) => column.name === one)))
    .map((names) => `UNIQUE (${names.map(quote).join(', ')})`);
  const definitions = [...columns.map(definitionOf), ...uniques];
  driver.exec(`CREATE TABLE ${quote(temporary)} (${definitions.join(', ')})${actual.options}`);
  const targets = columns.map((column) => quote(column.name));
  const values = columns.map((column) =>
    column.actual === undefined
      ? (column.fill ?? 'NULL')
      : valueFrom(quote(nameNow(column.actual, column)), column.conversion, column.fill),
  );
  driver.exec(
    `INSERT INTO ${quote(temporary)} (${targets.join(', ')}) SELECT ${values.join(', ')} FROM ${quote(name)}`,
  );
  driver.exec(`DROP TABLE ${quote(name)}`);
  // Keeps SQLite from rewriting views and triggers, and from failing on those that read the table while it is gone.
  driver.pragma('legacy_alter_table = ON');
  try {
    driver.exec(`ALTER TABLE ${quote(temporary)} RENAME TO ${quote(name)}`);
  } finally {
    driver.pragma('legacy_alter_table = OFF');
  }
  for (const sql of others) driver.exec(sql);
  if (lastId !== undefined) keepLastId(driver, name, lastId);
}

/** Names under which SQLite addresses the key of each row, whatever the columns are called. */
const rowKeyNames: ReadonlySet<string> = new Set([rowKeyName, 'oid', '_rowid_']);

/** Whether SQLite adds a column of this name in place: not if the name may mean the row's key. */
export function addsColumn(name: string): boolean {
  return !rowKeyNames.has(foldName(name));
}

/** Whether SQLite renames a column in place: not if either name may mean the row's key. */
export function renamesColumn(from: string, to: string): boolean {
  return from === to || [from, to].every(addsColumn);
}

/** The name of a column after all renames in place. */
function nameNow(actual: ActualColumn, { name }: ColumnChange): string {
  return renamesColumn(actual.name, name) ? name : actual.name;
}

/** A column definition for `CREATE TABLE` and `ADD COLUMN`. */
export function definitionOf({ name, actual, wanted, ...change }: ColumnChange): string {
  if (wanted !== undefined) {
    const type =
      change.keepsType && actual !== undefined && !wanted.isKey ? actual.type : wanted.type;
    const sql = columnSql({ ...wanted, name, type, guard: guardOf(wanted, actual, change) });
    // Servers of the previous specification may insert rows without naming a new column.
    const value =
      actual === undefined ? change.fill : change.losesDefault ? undefined : actual.default;
    return value === undefined || wanted.isKey ? sql : withDefault(sql, value);
  }
  const { type = '', isPrimary = false } = actual ?? {};
  const { reference } = change;
  const target = reference.actual?.target;
  const references =
    reference.actual === undefined || reference.change === 'drop'
      ? ''
      : ` REFERENCES ${quote(reference.actual.table)}${target === undefined ? '' : ` (${quote(target)})`} ON DELETE ${reference.actual.onDelete}`;
  const key = isPrimary ? ' PRIMARY KEY' : '';
  const guard = actual?.isGuarded === true ? ` ${jsonGuard(name)}` : '';
  const sql = `${quote(name)} ${type}${key}${change.nullable ? '' : ' NOT NULL'}${guard}${references}`;
  return actual?.default === undefined ? sql : withDefault(sql, actual.default);
}

/** A column whose values stay keeps its guard or lack of one: a new guard could reject existing values. */
function guardOf(
  wanted: ColumnSchema,
  actual: ActualColumn | undefined,
  { conversion }: Pick<ColumnChange, 'conversion'>,
): string | undefined {
  const staysAs = conversion?.value(wanted.name) ?? wanted.name;
  if (actual === undefined || staysAs !== wanted.name) return wanted.guard;
  return actual.isGuarded ? jsonGuard(wanted.name) : undefined;
}

function withDefault(sql: string, value: string): string {
  return `${sql} DEFAULT (${value})`;
}

/** The last id that a table has generated, if SQLite remembers it. */
function lastGivenId(driver: Driver.Database, table: string): number | undefined {
  if (!hasTable(driver, 'sqlite_sequence')) return undefined;
  return driver
    .prepare<[string], number>('SELECT seq FROM sqlite_sequence WHERE lower(name) = lower(?)')
    .pluck()
    .get(table);
}

/** Never generates an id twice, even if the records with the last ones were deleted. */
function keepLastId(driver: Driver.Database, table: string, last: number): void {
  const update = driver.prepare<[number, string]>(
    'UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE lower(name) = lower(?)',
  );
  if (update.run(last, table).changes === 0)
    driver
      .prepare<[string, number]>('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)')
      .run(table, last);
}
