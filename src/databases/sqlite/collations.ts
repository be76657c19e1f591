import type Driver from 'better-sqlite3';
import { quote } from '../../sql/dialect.ts';
import { foldName, type TableColumns } from './existing.ts';

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
