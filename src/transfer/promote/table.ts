import { setImmediate as turn } from 'node:timers/promises';
import type { Field, Resource } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { encodeValue, quote, quoteTable, type Dialect } from '../../sql/dialect.ts';
import { buildStatement, type Statement } from '../../sql/statement.ts';
import { ConstraintError, type Database } from '../../databases/database.ts';
import { circleOf, type ImportOrder } from '../import/order.ts';
import { danglingKeys } from '../stored-problems.ts';
import { misencoded, unfitForPostgres } from '../stored-text.ts';
import { foreignKeysOf } from '../../model/field-types/composite-id.ts';
import { writableFields } from '../../records/write/field-values.ts';
import { orderedFields } from '../../query/read/sort.ts';
import { countRows } from './count.ts';
import { portionsOf, rowDecoder, type WireRow } from '../../records/read/portions.ts';

/** A record of the target differs from the one in the source. */
export class PromoteConflict extends Error {
  readonly resource: string;
  readonly id: string;
  constructor({ name }: Resource, id: JsonValue) {
    super(`The record ${String(id)} of ${name} is there already and differs`);
    this.resource = name;
    this.id = String(id);
  }
}

/** The target rejects a record: a value does not fit its field, or violates a rule of the database. */
export class PromoteRefusal extends Error {
  readonly resource: string;
  constructor({ name }: Resource, message: string, options?: ErrorOptions) {
    super(message, options);
    this.resource = name;
  }
}

function isText(dialect: Dialect, field: Field): boolean {
  return /^text\b/iu.test(dialect.storage(field).column(field));
}

/** Whether a database stores a field in a column that does not accept every text, such as one of JSON. */
function isNoText(dialect: Dialect, field: Field): boolean {
  return !/^(?:text|jsonb)\b/iu.test(dialect.storage(field).column(field));
}

/** Copies the rows of one table. */
export class TableCopy {
  readonly resource: Resource;
  /** The same resource with the target's stored forms. */
  readonly targetResource: Resource;
  copied = 0;
  private readonly fields: readonly Field[];
  private readonly targetFields: readonly Field[];
  private readonly deferred: readonly Field[];
  private readonly stuck: Field | undefined;
  /** The fields that are plain texts in the source only, and so may hold invalid values. */
  private readonly narrowed: readonly number[];
  private readonly source: Database;
  private readonly target: Database;
  private readonly idIndex: number;
  /** Whether the target has null keys to set once all rows are copied. */
  private isWaiting = false;

  constructor(
    resource: Resource,
    targetResource: Resource,
    { deferred, stuck }: Pick<ImportOrder, 'deferred' | 'stuck'>,
    source: Database,
    target: Database,
  ) {
    this.resource = resource;
    this.targetResource = targetResource;
    this.fields = [...resource.fields.values()];
    this.targetFields = this.fields.map(({ name }) => {
      const field = targetResource.fields.get(name);
      if (field === undefined) throw new TypeError(`${name} is on one side alone`);
      return field;
    });
    this.deferred = this.fields.filter((field) => deferred.has(field));
    this.stuck = this.fields.find((field) => stuck.has(field));
    this.source = source;
    this.target = target;
    this.idIndex = this.fields.indexOf(resource.id);
    this.narrowed = [...this.fields.keys()].filter((index) => {
      const [here, there] = [this.fields[index], this.targetFields[index]];
      return here && there && isText(source.dialect, here) && isNoText(target.dialect, there);
    });
  }

  /** Writes the rows that the target lacks; reads the next portion while the last one is written. */
  async insertMissing(advance: (count: number) => void): Promise<void> {
    const isEmpty = (await countRows(this.target, this.resource)) === 0;
    // Columns that the target computes are not copied, but compared at the end.
    const written = await writableFields(this.targetResource, this.target.dialect, this.target);
    const indexes = written.map((field) => this.targetFields.indexOf(field));
    const names = written.map(({ column }) => quote(column)).join(', ');
    const into = `INSERT INTO ${quoteTable(this.resource.table)} (${names})${this.target.dialect.givenIds ?? ''}`;
    const insertion = this.rowsStatement(written, (rows) => `${into} ${rows}`);
    let writing: Promise<void> = Promise.resolve();
    try {
      for await (const rows of portionsOf(this.resource, this.fields, this.source)) {
        for (const row of rows) this.expectFitting(row);
        await this.expectText(rows);
        const missing = isEmpty ? rows : await this.missingOf(rows);
        const values = this.withoutLaterKeys(missing).map((row) =>
          indexes.map((index) => row[index] ?? null),
        );
        const lists = this.lists(values, written);
        await writing;
        writing = this.insert(missing.length, insertion, lists).then(() => advance(rows.length));
        // A failure surfaces when the promise is awaited.
        writing.catch(() => undefined);
        await turn();
      }
    } finally {
      await writing;
    }
  }

  private async insert(
    count: number,
    insertion: Statement,
    bound: readonly string[],
  ): Promise<void> {
    if (count > 0)
      await this.target.writeOne(insertion, { bound }).catch(async (error: unknown) => {
        if (!(error instanceof ConstraintError)) throw error;
        throw new PromoteRefusal(this.resource, await this.reasonOf(error), { cause: error });
      });
    this.copied += count;
  }

  /** Why the target refuses rows: a key that refers to no record is named, which a SQLite file may hold. */
  private async reasonOf(error: ConstraintError): Promise<string> {
    const { resource, stuck, source } = this;
    const { message } = error.cause instanceof Error ? error.cause : error;
    if (error.kind !== 'foreignKey') return message;
    for (const key of foreignKeysOf(resource)) {
      const [dangling] = await danglingKeys(resource, key, source);
      if (dangling !== undefined) return `${dangling.field.name}: ${dangling.message}`;
    }
    return stuck === undefined
      ? message
      : `${stuck.name} points to what is not there; ${circleOf(stuck)}`;
  }

  /** Throws if a value cannot be carried: a text that is not UTF-8, which the source may hold, or what the target cannot hold. */
  private async expectText(rows: readonly WireRow[]): Promise<void> {
    const { resource, fields, idIndex, source } = this;
    const records = rows.map((row) => ({
      id: row[idIndex] ?? null,
      valueOf: (field: Field) => row[fields.indexOf(field)],
    }));
    const unfit =
      unfitForPostgres(resource, records) ?? (await misencoded(resource, records, source));
    if (unfit !== undefined)
      throw new PromoteRefusal(
        resource,
        `the record ${JSON.stringify(unfit.id)} has a value in ${unfit.field.name} that ${unfit.reason}`,
      );
  }

  /** Throws if a text is not a valid value of its field, or not in canonical form. */
  private expectFitting(row: WireRow): void {
    for (const index of this.narrowed) {
      const [field, value] = [this.fields[index], row[index] ?? null];
      if (field === undefined || value === null) continue;
      const parsed = field.type.read(value, field);
      if (parsed.ok && parsed.value === value) continue;
      const id = JSON.stringify(row[this.idIndex]);
      const wanted = parsed.ok
        ? `must be ${JSON.stringify(parsed.value)}`
        : parsed.issues.map(({ message }) => message).join(', ');
      throw new PromoteRefusal(
        this.resource,
        `the record ${id} has ${JSON.stringify(value)} in ${field.name}, which ${wanted}`,
      );
    }
  }

  /** The rows that the target lacks. Existing rows must be equal, except for keys that are still to be set. */
  private async missingOf(rows: readonly WireRow[]): Promise<readonly WireRow[]> {
    const { resource, deferred } = this;
    const there = await this.stored(rows);
    return rows.filter((row) => {
      const id = row[this.idIndex] ?? null;
      const other = there.get(String(id));
      if (other === undefined) return true;
      for (const [index, field] of this.fields.entries()) {
        const [wanted, found] = [row[index] ?? null, other[index] ?? null];
        if (JSON.stringify(wanted) === JSON.stringify(found)) continue;
        if (found !== null || !deferred.includes(field)) throw new PromoteConflict(resource, id);
        this.isWaiting = true;
      }
      return false;
    });
  }

  /** The target's rows with the ids of these source rows, by id. */
  private async stored(rows: readonly WireRow[]): Promise<ReadonlyMap<string, WireRow>> {
    const { dialect } = this.target;
    const { table } = this.resource;
    const { id } = this.targetResource;
    const columns = [id, ...this.targetFields].map((field) =>
      dialect.select(quote(field.column), field),
    );
    const isAmong = (list: string): string => dialect.compare(quote(id.column), 'in', list, id);
    const statement = buildStatement(
      dialect,
      (add) => `SELECT ${columns.join(', ')} FROM ${quoteTable(table)} WHERE ${isAmong(add(0))}`,
    );
    const ids = rows.map((row) => row[this.idIndex] ?? null);
    const found = await this.target.all(statement, { bound: [dialect.operand(ids, 'in', id)] });
    const decode = rowDecoder(this.targetFields, dialect);
    return new Map(
      found.map((row) => {
        const values = decode(row);
        return [String(values[this.idIndex]), values];
      }),
    );
  }

  /** Rows to insert, with null for keys to later rows. Keys to rows of this table up to the last one can be set. */
  private withoutLaterKeys(rows: readonly WireRow[]): readonly WireRow[] {
    const { resource, deferred, fields } = this;
    if (deferred.length === 0) return rows;
    const last = rows.at(-1)?.[this.idIndex];
    const isLater = (field: Field, value: JsonValue): boolean => {
      if (value === null || !deferred.includes(field)) return false;
      const { reference } = field;
      const isOwn = reference?.resource === resource && reference.field === resource.id;
      return !(isOwn && typeof value === 'number' && typeof last === 'number' && value <= last);
    };
    return rows.map((row) =>
      fields.map((field, index) => {
        const value = row[index] ?? null;
        if (!isLater(field, value)) return value;
        this.isWaiting = true;
        return null;
      }),
    );
  }

  /** The second pass sets the keys to later rows. */
  async connect(): Promise<void> {
    const { resource, deferred, source, target } = this;
    if (!this.isWaiting) return;
    const key = orderedFields(resource.id);
    const fields = [...key, ...deferred];
    const table = quoteTable(resource.table);
    const columns = deferred.map(({ column }) => quote(column));
    const names = columns.map((_, index) => `k${index}`);
    const set = columns.map((column, index) => `${column} = new.k${index}`);
    const differs = columns.map(
      (column, index) => `${table}.${column} IS DISTINCT FROM new.k${index}`,
    );
    const ids = key.map((_, index) => `id${index}`);
    const isSame = key.map((field, index) => `${table}.${quote(field.column)} = new.id${index}`);
    const update = this.rowsStatement(
      fields,
      (rows) =>
        `UPDATE ${table} SET ${set.join(', ')} FROM (${rows}) AS new(${[...ids, ...names].join(', ')})` +
        ` WHERE ${isSame.join(' AND ')} AND (${differs.join(' OR ')})`,
    );
    for await (const rows of portionsOf(resource, fields, source)) {
      const connected = rows.filter((row) => row.slice(key.length).some((value) => value !== null));
      if (connected.length > 0)
        await target.writeOne(update, { bound: this.lists(connected, fields) });
    }
  }

  /** A statement on rows of these fields; one list for each field is bound, in order. */
  private rowsStatement(fields: readonly Field[], text: (rows: string) => string): Statement {
    const { dialect } = this.target;
    const { rowsOf } = dialect;
    if (rowsOf === undefined) throw new TypeError(`Nothing is promoted to ${dialect.name}`);
    return buildStatement(dialect, (add) =>
      text(rowsOf(fields, (field) => add(fields.indexOf(field)))),
    );
  }

  /** For each field the list of its values in all rows, encoded for the target. */
  private lists(rows: readonly WireRow[], fields: readonly Field[]): readonly string[] {
    const { dialect } = this.target;
    return fields.map((field, index) =>
      String(dialect.keys(rows.map((row) => encodeValue(dialect, row[index] ?? null, field)))),
    );
  }
}
