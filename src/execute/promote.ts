import { createHash } from 'node:crypto';
import type { Api, Field, Resource } from '../model/api.ts';
import { isGenerated } from '../model/field-types/id.ts';
import type { SqlValue } from '../model/values.ts';
import type { JsonValue } from '../spec/specification.ts';
import { codecOf, encodeValue, quote, type Dialect } from '../sql/dialect.ts';
import { buildStatement, type Statement } from '../sql/statement.ts';
import type { Database, Row, Transaction } from './database.ts';
import { BatchStatements } from './import/batch.ts';
import { importOrder } from './import/order.ts';

/** Rows that are read, compared and written together. */
const portionLength = 2_000;
/** Rows of one INSERT. */
const insertLength = 100;

/** How a table came out. */
export interface PromotedTable {
  readonly resource: string;
  readonly table: string;
  /** Rows that were copied now; the others were there. */
  readonly copied: number;
  readonly from: TableDigest;
  readonly to: TableDigest;
}

/** What of a table has to be the same on both sides. */
export interface TableDigest {
  readonly rows: number;
  /** SHA-256 over all values of all rows in order of id, as they stand on the wire. */
  readonly checksum: string;
}

/** A record of the target that is another one than the source has. */
export class PromoteConflict extends Error {
  readonly resource: string;
  readonly id: string;
  constructor({ name }: Resource, id: JsonValue) {
    super(`The record ${String(id)} of ${name} is there already and differs`);
    this.resource = name;
    this.id = String(id);
  }
}

/**
 * Copies all records from one database to another that has the same tables, in portions that each land as a whole, so
 * that it can be run again after it was cut off: what is there and equal is left alone, and what differs ends it with
 * a PromoteConflict. Afterwards both sides are read and compared. `onProgress` is told of rows, and ends the run by
 * throwing.
 */
export async function promote(
  api: Api,
  source: Database,
  target: Database,
  onProgress: (done: number, total: number) => void,
): Promise<readonly PromotedTable[]> {
  const { resources, deferred } = importOrder(api);
  const copies = resources.map((resource) => new TableCopy(resource, deferred, source, target));
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
  for (const { resource, copied } of copies) {
    const { name, table } = resource;
    const [from, to] = await Promise.all([
      digestOf(resource, source, advance),
      digestOf(resource, target, () => undefined),
    ]);
    results.push({ resource: name, table, copied, from, to });
  }
  return results;
}

/** Whether the two sides of a table are the same. */
export function isEqual({ from, to }: PromotedTable): boolean {
  return from.rows === to.rows && from.checksum === to.checksum;
}

/** How many rows the table of a resource has. */
export async function countRows(database: Database, { table }: Resource): Promise<number> {
  const [row] = await database.all(plain(`SELECT count(*) FROM ${quote(table)}`), { bound: [] });
  return Number(row?.[0]);
}

function plain(sql: string): Statement {
  return { sql, parameters: [] };
}

/** The rows of one table on their way. */
class TableCopy {
  readonly resource: Resource;
  copied = 0;
  private readonly fields: readonly Field[];
  private readonly deferred: readonly Field[];
  private readonly source: Database;
  private readonly target: Database;
  private readonly statements: BatchStatements;
  /** Keys that wait for their rows: ids of records → the values of the deferred fields. */
  private readonly waiting: { readonly id: JsonValue; readonly values: readonly JsonValue[] }[] =
    [];

  constructor(
    resource: Resource,
    deferred: ReadonlySet<Field>,
    source: Database,
    target: Database,
  ) {
    this.resource = resource;
    this.fields = [...resource.fields.values()];
    this.deferred = this.fields.filter((field) => deferred.has(field));
    this.source = source;
    this.target = target;
    this.statements = new BatchStatements(resource, this.fields, target.dialect);
  }

  /** Writes the rows that the target does not have. Keys to rows that may not be there yet are null at first. */
  async insertMissing(advance: (count: number) => void): Promise<void> {
    const { resource, target } = this;
    const isEmpty = (await countRows(target, resource)) === 0;
    for await (const rows of portionsOf(resource, this.source)) {
      const there = isEmpty ? new Map<string, readonly JsonValue[]>() : await this.stored(rows);
      const missing: (readonly JsonValue[])[] = [];
      for (const row of rows) {
        const other = there.get(String(this.idOf(row)));
        if (other === undefined) missing.push(row);
        else if (!this.isSame(row, other)) throw new PromoteConflict(resource, this.idOf(row));
        this.remember(row, other);
      }
      if (missing.length > 0)
        await target.write(async (transaction) => {
          for (let start = 0; start < missing.length; start += this.insertLength)
            await this.insert(transaction, missing.slice(start, start + this.insertLength));
        });
      this.copied += missing.length;
      advance(rows.length);
    }
  }

  private get insertLength(): number {
    return Math.max(1, Math.min(insertLength, Math.floor(30_000 / this.fields.length)));
  }

  private idOf(row: readonly JsonValue[]): JsonValue {
    return row[this.fields.indexOf(this.resource.id)] ?? null;
  }

  private valueIn(row: readonly JsonValue[], field: Field): JsonValue {
    return row[this.fields.indexOf(field)] ?? null;
  }

  /** Of the rows of the source, those that the target has, by id. */
  private async stored(
    rows: readonly (readonly JsonValue[])[],
  ): Promise<ReadonlyMap<string, readonly JsonValue[]>> {
    const ids = rows.map((row) => this.idOf(row));
    const { statement, bound } = this.statements.storedWith(ids);
    const found = await this.target.all(statement, { bound });
    return new Map(
      found.map(([, ...values]) => {
        const decoded = decodedRow(values, this.fields, this.target.dialect);
        return [String(this.idOf(decoded)), decoded];
      }),
    );
  }

  /** Whether two rows are the same but for keys that still wait in the target. */
  private isSame(row: readonly JsonValue[], other: readonly JsonValue[]): boolean {
    return this.fields.every((field, index) => {
      const [here, there] = [row[index] ?? null, other[index] ?? null];
      if (there === null && this.deferred.includes(field)) return true;
      return JSON.stringify(here) === JSON.stringify(there);
    });
  }

  /** Keeps what has to be set once all rows are there. */
  private remember(row: readonly JsonValue[], there: readonly JsonValue[] | undefined): void {
    const wanted = this.deferred.map((field) => this.valueIn(row, field));
    const known = this.deferred.map((field) =>
      there === undefined ? null : this.valueIn(there, field),
    );
    if (wanted.some((value, index) => value !== known[index]))
      this.waiting.push({ id: this.idOf(row), values: wanted });
  }

  private async insert(
    transaction: Transaction,
    rows: readonly (readonly JsonValue[])[],
  ): Promise<void> {
    const { dialect } = this.target;
    const waits = this.fields.map((field) => this.deferred.includes(field));
    const bound = rows.flatMap((row) =>
      this.fields.map((field, index) =>
        waits[index] === true ? null : encodeValue(dialect, row[index] ?? null, field),
      ),
    );
    await transaction.run(this.statements.insert(this.fields.length, rows.length), { bound });
  }

  /** The second pass: sets the keys that had to wait. */
  async connect(): Promise<void> {
    const { resource, deferred, target, waiting } = this;
    if (waiting.length === 0) return;
    const { dialect } = target;
    for (let start = 0; start < waiting.length; start += portionLength)
      await target.write(async (transaction) => {
        const portion = waiting.slice(start, start + portionLength);
        for (let first = 0; first < portion.length; first += insertLength) {
          const group = portion.slice(first, first + insertLength);
          const statement = this.connecting(group.length);
          const bound = group.flatMap(({ id, values }) => [
            encodeValue(dialect, id, resource.id),
            ...deferred.map((field, index) => encodeValue(dialect, values[index] ?? null, field)),
          ]);
          await transaction.run(statement, { bound });
        }
      });
  }

  /** Sets the deferred keys of `count` rows. Types come from a first row that selects nothing. */
  private connecting(count: number): Statement {
    const { resource, deferred, target } = this;
    const columns = deferred.map(({ column }) => quote(column));
    const id = quote(resource.id.column);
    const names = ['id', ...columns.map((_, index) => `k${index}`)];
    return buildStatement(target.dialect, (add) => {
      const typed = `SELECT ${[id, ...columns].join(', ')} FROM ${quote(resource.table)} WHERE false`;
      const rows = Array.from(
        { length: count },
        (_, row) =>
          `SELECT ${names.map((_name, index) => add(row * names.length + index)).join(', ')}`,
      );
      const set = columns.map((column, index) => `${column} = new.k${index}`);
      return (
        `UPDATE ${quote(resource.table)} SET ${set.join(', ')} FROM` +
        ` (${typed} UNION ALL ${rows.join(' UNION ALL ')}) AS new(${names.join(', ')})` +
        ` WHERE ${quote(resource.table)}.${id} = new.id`
      );
    });
  }
}

/** All rows in order of id, as values on the wire. Each portion is sought behind the last one, so none is held open. */
async function* portionsOf(
  { table, id, fields }: Resource,
  database: Database,
): AsyncGenerator<readonly (readonly JsonValue[])[]> {
  const { dialect } = database;
  const all = [...fields.values()];
  const position = all.indexOf(id);
  const columns = all.map((field) => dialect.select(quote(field.column), field)).join(', ');
  const key = quote(id.column);
  const first = buildStatement(
    dialect,
    (add) => `SELECT ${columns} FROM ${quote(table)} ORDER BY ${key} LIMIT ${add('limit')}`,
  );
  const next = buildStatement(
    dialect,
    (add) =>
      `SELECT ${columns} FROM ${quote(table)} WHERE ${key} > ${add(0)} ORDER BY ${key} LIMIT ${add('limit')}`,
  );
  let last: SqlValue | undefined;
  for (;;) {
    const rows: readonly Row[] = await database.all(last === undefined ? first : next, {
      bound: last === undefined ? [] : [last],
      limit: portionLength,
    });
    if (rows.length > 0) yield rows.map((row) => decodedRow(row, all, dialect));
    if (rows.length < portionLength) return;
    last = rows.at(-1)?.[position] ?? null;
  }
}

function decodedRow(row: Row, fields: readonly Field[], dialect: Dialect): readonly JsonValue[] {
  return fields.map((field, index) => {
    const stored = row[index] ?? null;
    const { decode } = codecOf(dialect, field);
    return stored === null || decode === undefined ? (stored as JsonValue) : decode(stored, field);
  });
}

async function digestOf(
  resource: Resource,
  database: Database,
  advance: (count: number) => void,
): Promise<TableDigest> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const portion of portionsOf(resource, database)) {
    for (const row of portion) hash.update(`${JSON.stringify(row)}\n`);
    rows += portion.length;
    advance(portion.length);
  }
  return { rows, checksum: hash.digest('hex') };
}

/** The next id is behind all that the source has ever given out, those of deleted records too. */
async function passIds(resource: Resource, source: Database, target: Database): Promise<void> {
  const { id, table } = resource;
  if (!isGenerated(id)) return;
  const { dialect } = target;
  const sql = dialect.passIds?.(table, id.column);
  if (sql !== undefined) await target.all(plain(sql), { bound: [] });
  const highest = await lastGiven(table, source);
  const [row] = await target.all(plain(`SELECT max(${quote(id.column)}) FROM ${quote(table)}`), {
    bound: [],
  });
  if (highest <= Number(row?.[0] ?? 0)) return;
  const set = buildStatement(
    dialect,
    (add) =>
      `SELECT setval(name, greatest(${add(0)}::bigint, coalesce(pg_sequence_last_value(name::regclass), 0)))` +
      ` FROM pg_get_serial_sequence(${dialect.text(quote(table))}, ${dialect.text(id.column)}) AS name`,
  );
  await target.all(set, { bound: [highest] });
}

/** The highest id that SQLite has given out, as it remembers for tables that never give one out twice. */
async function lastGiven(table: string, source: Database): Promise<number> {
  const known = await source.all(
    plain(`SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'`),
    { bound: [] },
  );
  if (known.length === 0) return 0;
  const statement = buildStatement(
    source.dialect,
    (add) => `SELECT max(seq) FROM sqlite_sequence WHERE name = ${add(0)}`,
  );
  const [row] = await source.all(statement, { bound: [table] });
  return Number(row?.[0] ?? 0);
}
