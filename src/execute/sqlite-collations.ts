import type Driver from 'better-sqlite3';
import type { Api } from '../model/api.ts';
import { keyType } from '../model/keys.ts';
import { quote } from '../sql/dialect.ts';
import type { TableColumns } from '../sql/sqlite-existing.ts';
import type { ColumnAdvice } from './schema-actual.ts';

/**
 * The columns whose texts SQLite would not compare by code point, as an existing table may say: `table` → columns. They
 * are found in how SQLite would sort by them, as no pragma tells.
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
    if (collated.length > 0) found.set(table.toLowerCase(), new Set(collated.map(lower)));
  }
  return found;
}

const lower = (name: string): string => name.toLowerCase();

/** Whether SQLite would sort by a column otherwise than by code point. */
export function isCollated(driver: Driver.Database, table: string, column: string): boolean {
  // The sign keeps an index from serving the order.
  const steps = driver
    .prepare(`EXPLAIN SELECT 1 FROM ${quote(table)} ORDER BY +${quote(column)}`)
    .all() as readonly { readonly opcode: string; readonly p4: string | null }[];
  return steps.some(({ opcode, p4 }) => opcode === 'SorterOpen' && /NOCASE|RTRIM/u.test(p4 ?? ''));
}

/**
 * The fields of an Api over columns of a file that compare texts otherwise, where no index has the order of code points
 * that the API sorts and filters by.
 */
export function unservedOrders(
  driver: Driver.Database,
  { resources }: Api,
): readonly ColumnAdvice[] {
  const collated = collatedColumns(driver);
  return [...resources.values()].flatMap(({ table, fields }) => {
    const columns = collated.get(lower(table)) ?? new Set();
    const served = columns.size === 0 ? columns : servedColumns(driver, table);
    return [...fields.values()]
      .filter(
        (field) =>
          keyType(field) === 'string' &&
          columns.has(lower(field.column)) &&
          !served.has(lower(field.column)),
      )
      .map((field) => ({
        field,
        message: `the API sorts and compares ${field.name} by code point, and no index has that order, as column ${field.column} has another collation; add CREATE INDEX … ON ${quote(table)} (${quote(field.column)} COLLATE BINARY)`,
      }));
  });
}

/** The columns of a table that come first in an index by code point. */
function servedColumns(driver: Driver.Database, table: string): ReadonlySet<string> {
  const names = driver
    .prepare(
      `SELECT part.name FROM pragma_index_list(?) AS list, pragma_index_xinfo(list.name) AS part` +
        ` WHERE list.partial = 0 AND part.seqno = 0 AND part.coll = 'BINARY' AND part.name IS NOT NULL`,
    )
    .pluck()
    .all(table) as readonly string[];
  return new Set(names.map(lower));
}
