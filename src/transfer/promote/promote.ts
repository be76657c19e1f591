import type { Api, Resource } from '../../model/api.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import { quote, quoteTable } from '../../sql/dialect.ts';
import { buildStatement } from '../../sql/statement.ts';
import { rowsFrom, type Database } from '../../databases/database.ts';
import { advanceSequence } from '../../databases/tables.ts';
import { importOrder } from '../import/order.ts';
import { countRows } from './count.ts';
import { digestOf, type TableDigest } from './digest.ts';
import { PromoteRefusal, TableCopy } from './table.ts';

/** A database, and the Api with the stored forms of that database. */
export interface Side {
  readonly api: Api;
  readonly database: Database;
}

/** The result for a table. */
export interface PromotedTable {
  readonly resource: string;
  readonly table: string;
  /** The rows copied by this run; the others existed already. */
  readonly copied: number;
  readonly from: TableDigest;
  readonly to: TableDigest;
}

/**
 * Throws a PromoteRefusal if moments of the source have more digits than a field of the target, whatever their values are: the
 * answers would not be the same.
 */
export function expectDigits(from: Api, to: Api): void {
  for (const resource of from.resources.values())
    for (const { name, type, precision } of resource.fields.values()) {
      const kept = to.resources.get(resource.name)?.fields.get(name)?.precision ?? 0;
      if (type.kind === 'datetime' && precision > kept)
        throw new PromoteRefusal(
          resource,
          `${name} has ${precision} digits behind the second; write \`precision: ${precision}\` for it in the file`,
        );
    }
}

/**
 * Copies all records from one database to another with the same tables, in portions that are each written atomically. A
 * run that was interrupted can be repeated: equal records are skipped, and a different record ends the run with a
 * PromoteConflict. Afterwards both sides are read and compared. `onProgress` gets the number of rows, and may stop the run
 * by throwing.
 */
export async function promote(
  from: Side,
  to: Side,
  onProgress: (done: number, total: number) => void,
): Promise<readonly PromotedTable[]> {
  const [source, target] = [from.database, to.database];
  const order = importOrder(from.api);
  const { resources } = order;
  const copies = resources.map((resource) => {
    const there = to.api.resources.get(resource.name);
    if (there === undefined) throw new TypeError(`${resource.name} is on one side alone`);
    return new TableCopy(resource, there, order, source, target);
  });
  const counts = await Promise.all(resources.map((resource) => countRows(source, resource)));
  const rows = counts.reduce((sum, count) => sum + count, 0);
  // Each row is copied once and compared once.
  const total = Math.max(1, 2 * rows);
  let done = 0;
  const advance = (count: number): void => {
    done += count;
    onProgress(Math.min(done, total), total);
  };
  for (const copy of copies) await copy.insertMissing(advance);
  for (const copy of copies) await copy.connect();
  for (const { resource } of copies) await passIds(resource, source, target);
  const results: PromotedTable[] = [];
  for (const { resource, targetResource, copied } of copies) {
    const { name, table } = resource;
    const [from, to] = await Promise.all([
      digestOf(resource, source, advance),
      digestOf(targetResource, target, () => undefined),
    ]);
    results.push({ resource: name, table, copied, from, to });
  }
  return results;
}

/** Whether both sides of a table are equal. */
export function isEqual({ from, to }: PromotedTable): boolean {
  return from.rows === to.rows && from.checksum === to.checksum;
}

/** Advances the target's sequence beyond every id that the source has generated, including those of deleted records. */
async function passIds(resource: Resource, source: Database, target: Database): Promise<void> {
  const { id, table } = resource;
  if (!isGenerated(id)) return;
  const { dialect } = target;
  await advanceSequence(id, dialect, target);
  const highest = await lastGiven(table, source);
  const [row] = await rowsFrom(target, `SELECT max(${quote(id.column)}) FROM ${quoteTable(table)}`);
  if (highest <= BigInt(String(row?.[0] ?? 0))) return;
  const set = buildStatement(
    dialect,
    (add) =>
      `SELECT setval(name, greatest(${add(0)}::bigint, coalesce(pg_sequence_last_value(name::regclass), 0)))` +
      ` FROM pg_get_serial_sequence(${dialect.text(quoteTable(table))}, ${dialect.text(id.column)}) AS name`,
  );
  await target.all(set, { bound: [highest] });
}

/** The highest id that SQLite has generated, which it keeps for AUTOINCREMENT tables. */
async function lastGiven(table: string, source: Database): Promise<bigint> {
  const known = await rowsFrom(
    source,
    `SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'`,
  );
  if (known.length === 0) return 0n;
  const statement = buildStatement(
    source.dialect,
    (add) => `SELECT CAST(max(seq) AS TEXT) FROM sqlite_sequence WHERE name = ${add(0)}`,
  );
  const [row] = await source.all(statement, { bound: [table] });
  return BigInt(String(row?.[0] ?? 0));
}
