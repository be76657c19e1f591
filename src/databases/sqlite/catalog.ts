import type Driver from 'better-sqlite3';
import type { SqlValue } from '../../model/values.ts';
import { guardedColumns, withoutGuards } from './json-guard.ts';
import { quote } from '../../sql/dialect.ts';
import { servicePrefix } from '../../model/service-table.ts';
import { kinds } from '../../sql/kinds/registry.ts';
import { baseOf, type StoredKind } from '../../sql/kinds/stored-kind.ts';
import { foldName, type TableColumns } from './existing/dialect.ts';
import { readRecord, recordQuery, recordTable, type RecordRow } from '../existing/schema-record.ts';
import {
  pairOf,
  type ActualColumn,
  type ActualIndex,
  type ActualReference,
  type ActualTable,
  type WideReference,
} from '../existing/actual-schema.ts';

/** The name of SQLite's implicit row key. */
export const rowKeyName = 'rowid';

/** Reads the tables of a database, by folded name, and with `hasViews` its views; each on demand. */
export function readTables(
  driver: Driver.Database,
  hasViews = false,
): ReadonlyMap<string, () => ActualTable> {
  const tables = driver
    .prepare<[], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema WHERE (type = 'table'${hasViews ? ` OR type = 'view'` : ''}) AND sql IS NOT NULL`,
    )
    .all();
  return new Map(
    tables.map(({ name, sql }) => {
      let table: ActualTable | undefined;
      return [foldName(name), () => (table ??= readTable(driver, name, sql))];
    }),
  );
}

/** Finds the table of exactly this name. */
export const tableQuery = `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`;

/** Whether a table of exactly this name exists. */
export function hasTable(driver: Driver.Database, name: string): boolean {
  return driver.prepare(tableQuery).get(name) !== undefined;
}

/** Reads the record of migrations (`recordQuery`); empty if none has run. */
export function readMade(driver: Driver.Database): readonly RecordRow[] {
  const table = recordTable();
  if (!hasTable(driver, table)) return [];
  return readRecord(driver.prepare<[], SqlValue[]>(recordQuery(table)).raw().all());
}

/** JSON columns without a CHECK: those that no migration made, and those of old migrations. */
export function unguardedColumns(driver: Driver.Database): TableColumns {
  const tables = driver
    .prepare<[], [table: string, sql: string, columns: string]>(
      `SELECT name, sql, (SELECT json_group_array(part.name) FROM pragma_table_info(owner.name) AS part)` +
        ` FROM sqlite_schema AS owner WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %'`,
    )
    .raw()
    .all();
  return new Map(
    tables
      .filter(([name]) => !foldName(name).startsWith(servicePrefix))
      .map(([name, sql, list]) => {
        const guarded = new Set(guardedColumns(sql).map(foldName));
        const columns = (JSON.parse(list) as string[]).map(foldName);
        return [foldName(name), new Set(columns.filter((one) => !guarded.has(one)))];
      }),
  );
}

/** A column as SQLite describes it. */
interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
  readonly dflt_value: string | null;
  /** 0 for a plain column, 1 for a hidden one of a virtual table, 2 and 3 for generated ones. */
  readonly hidden: number;
}

function readTable(driver: Driver.Database, name: string, sql: string): ActualTable {
  const words = wordsOf(withoutGuards(sql));
  const guarded = new Set(guardedColumns(sql).map(foldName));
  const isPlain = !words.includes('COLLATE');
  const ask = <Row>(query: string): Row[] => driver.prepare<[string], Row>(query).all(name);
  const columns = ask<ColumnRow>(
    'SELECT name, type, "notnull", pk, dflt_value, hidden FROM pragma_table_xinfo(?)',
  ).map((row): ActualColumn => ({
    name: row.name,
    type: row.type.toUpperCase(),
    nullable: row.notnull === 0,
    isPrimary: row.pk !== 0,
    fills: row.dflt_value !== null || row.hidden !== 0,
    isComputed: row.hidden > 1,
    default: row.dflt_value ?? undefined,
    isLoose: false,
    byCodePoint: isPlain || !isCollated(driver, name, row.name),
    isGuarded: guarded.has(foldName(row.name)),
    domain: undefined,
  }));
  const indexes = ask<{
    name: string;
    columns: string;
    unique: number;
    sql: string | null;
    origin: string;
    collated: number;
    mixed: number;
  }>(
    `SELECT list.name, list."unique", own.sql, list.origin,` +
      ` (SELECT json_group_array(name ORDER BY seqno) FROM pragma_index_info(list.name)) AS columns,` +
      ` EXISTS (SELECT 1 FROM pragma_index_xinfo(list.name) WHERE key = 1 AND coll <> 'BINARY') AS collated,` +
      ` (SELECT count(DISTINCT "desc") FROM pragma_index_xinfo(list.name) WHERE key = 1) > 1 AS mixed` +
      ` FROM pragma_index_list(?) AS list LEFT JOIN sqlite_schema AS own` +
      ` ON own.type = 'index' AND own.name = list.name WHERE list.partial = 0`,
  ).map((row): ActualIndex => ({
    name: row.name,
    columns: JSON.parse(row.columns) as (string | null)[],
    unique: row.unique === 1,
    sql: row.sql ?? undefined,
    isPrimary: row.origin === 'pk',
    isInOrder: row.collated === 0 && row.mixed === 0,
    nullsFirst: undefined,
  }));
  const keys = ask<{
    column: string;
    table: string;
    target: string | null;
    action: string;
    id: number;
    seq: number;
  }>(
    'SELECT "from" AS "column", "table", "to" AS target, on_delete AS action, id, seq FROM pragma_foreign_key_list(?)',
  );
  const severalColumns = new Set(keys.filter(({ seq }) => seq > 0).map(({ id }) => id));
  const single = keys.filter(({ id }) => !severalColumns.has(id));
  const references = single.map((row): ActualReference => ({
    name: undefined,
    column: row.column,
    table: row.table,
    target: row.target ?? undefined,
    onDelete: row.action,
    isEnforced: true,
    isValid: true,
    others: '',
  }));
  const wideReferences = [...severalColumns].map((id): WideReference => {
    const parts = keys.filter((row) => row.id === id).toSorted((a, b) => a.seq - b.seq);
    const targets = parts.flatMap(({ target }) => target ?? []);
    return {
      columns: parts.map(({ column }) => column),
      table: parts[0]?.table ?? '',
      targets: targets.length === parts.length ? targets : undefined,
      onDelete: parts[0]?.action ?? '',
    };
  });
  const byName = new Map(columns.map((column) => [foldName(column.name), column]));
  const keyLength = columns.filter(({ isPrimary }) => isPrimary).length;
  const hasPair =
    keyLength === 0 && pairOf({ columns: byName, indexes, references }, foldName) !== undefined;
  // The row key identifies the rows of a junction whose primary key has several columns.
  if ((keyLength > 1 || hasPair) && !words.includes('WITHOUT') && !byName.has(rowKeyName))
    byName.set(rowKeyName, {
      name: rowKeyName,
      type: 'INTEGER',
      nullable: false,
      isPrimary: true,
      fills: true,
      isComputed: false,
      default: undefined,
      isLoose: false,
      byCodePoint: true,
      isGuarded: false,
      domain: undefined,
    });
  return {
    name,
    columns: byName,
    indexes,
    references,
    wideReferences,
    options: words.at(-1) === 'STRICT' ? ' STRICT' : '',
    peculiarity:
      severalColumns.size > 0
        ? 'a foreign key of several columns'
        : keyLength > 1 || hasPair
          ? 'a key of several columns'
          : peculiarityOf(words),
    // A trigger of SQLite can change a row only after it was inserted.
    brokenIndexes: [],
    isPartitioned: false,
    mayFill: false,
  };
}

/** What the definition of a table may contain that is not read. */
const peculiar: Readonly<Record<string, string>> = {
  CHECK: 'a CHECK',
  COLLATE: 'a COLLATE',
  GENERATED: 'a generated column',
  AS: 'a generated column',
  CONFLICT: 'an ON CONFLICT',
  DEFERRABLE: 'a deferrable key',
  MATCH: 'a MATCH',
  UPDATE: 'an ON UPDATE',
  WITHOUT: 'no rowid',
  VIRTUAL: 'no rows of its own',
};

function peculiarityOf(words: readonly string[]): string | undefined {
  const word = words.find((one) => Object.hasOwn(peculiar, one));
  return word === undefined ? undefined : peculiar[word];
}

/** The words of a statement in upper case, without quoted names, texts and comments. */
function wordsOf(sql: string): readonly string[] {
  const plain = sql.replaceAll(
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//gu,
    ' ',
  );
  return plain.toUpperCase().match(/[A-Z_]+/gu) ?? [];
}

/**
 * Finds the columns whose collation is not by code point, by table. No pragma reports collations, so the program of a
 * sort is examined.
 */
export function collatedColumns(driver: Driver.Database): TableColumns {
  const tables = driver
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%COLLATE%'`)
    .pluck()
    .all() as readonly string[];
  const found = new Map<string, ReadonlySet<string>>();
  for (const table of tables) {
    const columns = driver
      .prepare('SELECT name FROM pragma_table_info(?)')
      .pluck()
      .all(table) as readonly string[];
    const collated = columns.filter((column) => isCollated(driver, table, column));
    if (collated.length > 0) found.set(foldName(table), new Set(collated.map(foldName)));
  }
  return found;
}

/** Whether SQLite sorts a column other than by code point. */
export function isCollated(driver: Driver.Database, table: string, column: string): boolean {
  // The sign keeps an index from providing the order.
  const steps = driver
    .prepare(`EXPLAIN SELECT 1 FROM ${quote(table)} ORDER BY +${quote(column)}`)
    .all() as readonly { readonly opcode: string; readonly p4: string | null }[];
  return steps.some(({ opcode, p4 }) => opcode === 'SorterOpen' && /NOCASE|RTRIM/u.test(p4 ?? ''));
}

/** The declared type of a column that a migration creates for values of `kind`. */
export function typeOfKind(kind: StoredKind): string {
  return kinds[baseOf(kind)].sqlite.column;
}
