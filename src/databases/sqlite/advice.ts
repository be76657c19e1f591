import Driver from 'better-sqlite3';
import type { Api } from '../../model/api.ts';
import { isFineMoment } from '../../model/indexes.ts';
import { quote, quoteTable, inMicroseconds } from '../../sql/dialect.ts';
import { foldName } from './existing/dialect.ts';
import type { ColumnAdvice } from '../existing/actual-schema.ts';
import { readTables } from './catalog.ts';
import { collatedColumns } from './catalog.ts';

/** The fields that the columns of a file serve badly. Does not change the file. Throws the errors of SQLite. */
export function columnAdvice(file: string, api: Api): readonly ColumnAdvice[] {
  const driver = new Driver(file, { readonly: true, fileMustExist: true, timeout: 0 });
  try {
    const tables = readTables(driver);
    return [
      ...unservedOrders(driver, api),
      ...unservedMoments(driver, tables, api),
      ...capitalUuids(driver, tables, api),
    ];
  } finally {
    driver.close();
  }
}

/**
 * The fields over columns with another collation that have no index by code point, the order in which the API sorts
 * and filters.
 */
function unservedOrders(driver: Driver.Database, { resources }: Api): readonly ColumnAdvice[] {
  const collated = collatedColumns(driver);
  return [...resources.values()].flatMap(({ table, fields }) => {
    const columns = collated.get(foldName(table)) ?? new Set();
    const served = columns.size === 0 ? columns : servedColumns(driver, table);
    return [...fields.values()]
      .filter(
        (field) =>
          field.type.kind === 'string' &&
          field.native?.isCollated !== true &&
          columns.has(foldName(field.column)) &&
          !served.has(foldName(field.column)),
      )
      .map((field) => ({
        field,
        message: `the API sorts and compares ${field.name} by code point, and no index has that order, as column ${field.column} has another collation; add CREATE INDEX … ON ${quoteTable(table)} (${quote(field.column)} COLLATE BINARY)`,
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
  return new Set(names.map(foldName));
}

/**
 * The fields over indexed columns of moments with microseconds that have no index by what requests compare: moments with
 * six digits each.
 */
function unservedMoments(
  driver: Driver.Database,
  tables: ReturnType<typeof readTables>,
  { resources }: Api,
): readonly ColumnAdvice[] {
  return [...resources.values()].flatMap(({ table, fields }) => {
    const begins = new Set(
      tables
        .get(foldName(table))?.()
        .indexes.map(({ columns: [first] }) => foldName(first ?? '')),
    );
    return [...fields.values()].flatMap((field) => {
      if (!isFineMoment(field) || !begins.has(foldName(field.column))) return [];
      const value = inMicroseconds(quote(field.column));
      const steps = driver
        .prepare(`EXPLAIN QUERY PLAN SELECT 1 FROM ${quoteTable(table)} ORDER BY ${value}`)
        .all() as readonly { readonly detail: string }[];
      const message = `the API sorts and compares ${field.name} by the microsecond, and no index has that order; add CREATE INDEX … ON ${quoteTable(table)} (${value})`;
      return steps.some(({ detail }) => detail.includes('TEMP B-TREE')) ? [{ field, message }] : [];
    });
  });
}

/**
 * The fields over columns with UUIDs in capitals. They are shown as they are stored, but requests look for lower
 * case.
 */
function capitalUuids(
  driver: Driver.Database,
  tables: ReturnType<typeof readTables>,
  { resources }: Api,
): readonly ColumnAdvice[] {
  return [...resources.values()].flatMap(({ table, fields, id }) => {
    const columns = tables.get(foldName(table))?.().columns;
    return [...fields.values()].flatMap((field) => {
      if (field.type.kind !== 'uuid' || columns?.has(foldName(field.column)) !== true) return [];
      const column = quote(field.column);
      // Other texts need no advice: they are visibly no UUIDs.
      const isCapital = `length(${column}) = 36 AND ${column} GLOB '*[A-F]*' AND ${column} LIKE '%-%-%-%-%'`;
      const found = driver
        .prepare<[], number>(`SELECT count(*) FROM ${quoteTable(table)} WHERE ${isCapital}`)
        .pluck()
        .get();
      const as = field === id ? 'format: string' : 'type: string';
      const message = `${found === 1 ? '1 of its values is a UUID' : `${found} of its values are UUIDs`} in capitals, and requests look for UUIDs in lower case; write them so in column ${field.column}, or say ${as}`;
      return found === 0 ? [] : [{ field, message }];
    });
  });
}
