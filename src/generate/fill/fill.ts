import type { Api, Field, Resource } from '../../model/api.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import type { SqlValue } from '../../model/values.ts';
import { TimeSlice } from '../../lib/event-loop.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { WriteStatements } from '../../sql/compile/write.ts';
import { encodeValue } from '../../sql/dialect.ts';
import { findConflicts, storageNames } from '../../records/write/checks/conflicts.ts';
import { ConstraintError, type Database, type Transaction } from '../../databases/database.ts';
import { BatchStatements } from '../../transfer/import/batch.ts';
import type { ImportOrder } from '../../transfer/import/order.ts';
import { advanceSequence } from '../../databases/tables.ts';
import { emptyTables, ReferredFrom } from '../../databases/tables.ts';
import { writableFields } from '../../records/write/field-values.ts';
import type { Generator } from '../generator.ts';
import type { KeyTargets } from '../distinct/dimensions.ts';
import { circularKeys, fillOrder } from './order.ts';
import { GenerationProblem } from '../problem.ts';
import { storedRowsOf, storedTargets, storedValues, type StoredRows } from './stored.ts';

export interface FillOptions {
  /** The resources to fill. */
  readonly resources: ReadonlySet<Resource>;
  /** Whether their records are deleted first. */
  readonly reset: boolean;
  readonly onProgress: (done: number, total: number) => void;
}

export type FillResult =
  | { readonly ok: true; readonly byResource: ReadonlyMap<string, number> }
  | { readonly ok: false; readonly problems: readonly GenerationProblem[] }
  /** Records of other resources refer to those that would be deleted. */
  | { readonly ok: false; readonly referredFrom: ReferredFrom };

/** How many parameters a statement may have. */
const mostParameters = 30_000;
/** Progress is reported every so many records. */
const toldRecords = 2_000;

/**
 * Fills resources with generated records up to the number that each is to have, in one transaction. Row numbers of stored
 * records are left out, so a run can be repeated. An exception of `onProgress` ends the run and rolls it back.
 */
export async function fillDatabase(
  generator: Generator,
  api: Api,
  database: Database,
  statements: WriteStatements,
  options: FillOptions,
): Promise<FillResult> {
  try {
    return await database.write((transaction) =>
      new Fill(generator, api, database, statements, transaction, options).run(),
    );
  } catch (error) {
    if (error instanceof GenerationProblem) return { ok: false, problems: [error] };
    if (error instanceof ReferredFrom) return { ok: false, referredFrom: error };
    throw error;
  }
}

/** One run inside a transaction. */
class Fill {
  private readonly generator: Generator;
  private readonly database: Database;
  private readonly statements: WriteStatements;
  private readonly transaction: Transaction;
  private readonly options: FillOptions;
  private readonly order: ImportOrder;
  private readonly counts = new Map<string, number>();
  private readonly slice = new TimeSlice();
  private done = 0;
  private total = 0;

  constructor(
    generator: Generator,
    api: Api,
    database: Database,
    statements: WriteStatements,
    transaction: Transaction,
    options: FillOptions,
  ) {
    this.generator = generator;
    this.database = database;
    this.statements = statements;
    this.transaction = transaction;
    this.options = options;
    this.order = fillOrder(api);
  }

  async run(): Promise<FillResult> {
    const { generator, options, transaction, database } = this;
    const { dialect } = database;
    const ordered = this.order.resources.filter((resource) => options.resources.has(resource));
    const [circle] = circularKeys(ordered, this.order);
    if (circle !== undefined) throw circle;
    if (options.reset) await emptyTables(ordered, this.order.deferred, transaction, dialect);
    for (const resource of this.order.resources) {
      const rows = generator.rowsOf(resource);
      const { seed } = generator.settings;
      rows.storedRows = await storedRowsOf(resource, rows.perKey, transaction, dialect, seed);
      generator.setKnown(resource, await this.recordsOf(resource, rows.storedRows));
    }
    for (const resource of ordered) {
      this.total += this.missing(resource);
      await this.keepDistinct(resource);
    }
    options.onProgress(0, this.total);
    for (const resource of ordered) await this.insertAll(resource);
    for (const resource of ordered) await this.connectAll(resource);
    return { ok: true, byResource: this.counts };
  }

  /** What keys may lead to: the stored records, then the rows to be made; undefined if there are only the latter. */
  private async recordsOf(
    resource: Resource,
    storedRows: StoredRows,
  ): Promise<KeyTargets | undefined> {
    const { generator, options, transaction, database } = this;
    const isFilled = options.resources.has(resource);
    if (isFilled && storedRows.count === 0) return undefined;
    const { seed } = generator.settings;
    const stored = await storedTargets(resource, storedRows, transaction, database.dialect, seed);
    if (!isFilled) return stored;
    const made = generator.rowTargets(resource);
    const missing = (): number => this.missing(resource);
    const { last } = storedRows;
    const rowAt = (place: number): number => last + place - stored.size;
    return {
      get size() {
        return stored.size + missing();
      },
      valueAt: (place, field) =>
        place < stored.size ? stored.valueAt(place, field) : made.valueAt(rowAt(place), field),
      numberAt: (place) =>
        place < stored.size ? stored.numberAt(place) : made.numberAt(rowAt(place)),
    };
  }

  /** The number of rows to make. */
  private missing(resource: Resource): number {
    const { generator } = this;
    return Math.max(0, generator.countOf(resource) - generator.rowsOf(resource).storedRows.count);
  }

  /** Keeps distinct values apart from those of stored records. */
  private async keepDistinct(resource: Resource): Promise<void> {
    const { generator, transaction, database } = this;
    const rows = generator.rowsOf(resource);
    const { storedRows, distinct } = rows;
    const isOther = storedRows.count > 0 && this.missing(resource) > 0;
    const turns = rows
      .ownMakers()
      .flatMap((fieldGenerator) => fieldGenerator.distinctPlacesFor(isOther) ?? []);
    for (const fields of [...distinct, ...turns]) {
      if (!isOther) fields.avoid(undefined, 0);
      else {
        const stored: ReadonlySet<string>[] = [];
        for (const list of fields.lists)
          stored.push(await storedValues(resource, list, transaction, database.dialect));
        fields.avoid(stored, storedRows.last);
      }
    }
  }

  /** Keys that are set once all rows exist. Generated keys to the own table lead to earlier rows and need not wait. */
  private waiting(resource: Resource): ReadonlySet<Field> {
    const { deferred } = this.order;
    const { fieldGenerators } = this.generator.rowsOf(resource);
    const leadsBack = (field: Field): boolean =>
      field.reference?.resource === resource && fieldGenerators.get(field)?.custom === undefined;
    return new Set(
      [...resource.fields.values()].filter((field) => deferred.has(field) && !leadsBack(field)),
    );
  }

  private async insertAll(resource: Resource): Promise<void> {
    const { generator, database, transaction } = this;
    const { dialect } = database;
    const rows = generator.rowsOf(resource);
    const fields = await writableFields(resource, dialect, transaction);
    const { last } = rows.storedRows;
    const count = last + this.missing(resource);
    const waiting = this.waiting(resource);
    const statements = new BatchStatements(resource, fields, dialect);
    const most = Math.max(
      1,
      Math.min(dialect.recordsAnInsert, Math.floor(mostParameters / fields.length)),
    );
    for (let from = last + 1; from <= count; from += most) {
      const to = Math.min(count, from + most - 1);
      const bound: SqlValue[] = [];
      for (let number = from; number <= to; number += 1) {
        const row = rows.row(number);
        for (const field of fields)
          bound.push(waiting.has(field) ? null : encodeValue(dialect, row.of(field), field));
        if (this.slice.isOver) await this.slice.yield();
      }
      try {
        await transaction.run(statements.insert(fields.length, to - from + 1), { bound });
      } catch (error) {
        if (!(error instanceof ConstraintError)) throw error;
        throw await this.explained(resource, fields, from, to, error);
      }
      await this.advance(to - from + 1);
    }
    this.counts.set(resource.name, count - last);
    if (count > last && isGenerated(resource.id))
      await advanceSequence(resource.id, dialect, transaction);
  }

  private async advance(count: number): Promise<void> {
    const before = Math.floor(this.done / toldRecords);
    this.done += count;
    if (this.slice.isOver) await this.slice.yield();
    // The end is always reported, so that the bar of a short run fills.
    const isWhole = this.done === this.total;
    if (!isWhole && Math.floor(this.done / toldRecords) === before) return;
    this.options.onProgress(this.done, Math.max(this.total, this.done));
  }

  /** Sets the keys that had to wait until all rows exist. */
  private async connectAll(resource: Resource): Promise<void> {
    const waiting = [...this.waiting(resource)];
    const added = this.counts.get(resource.name) ?? 0;
    if (waiting.length === 0 || added === 0) return;
    const rows = this.generator.rowsOf(resource);
    const { last } = rows.storedRows;
    const { dialect } = this.database;
    const update = this.statements.update(resource, waiting);
    for (let number = last + 1; number <= last + added; number += 1) {
      const row = rows.row(number);
      const valueOf = (field: Field): SqlValue => encodeValue(dialect, row.of(field), field);
      const bound = waiting.map(valueOf);
      try {
        if (bound.some((value) => value !== null))
          await this.transaction.run(update, { bound, id: valueOf(resource.id) });
      } catch (error) {
        if (!(error instanceof ConstraintError)) throw error;
        const values = new Map(waiting.map((field) => [field, row.of(field)]));
        throw await this.refusalOf(resource, number, values, error);
      }
      await this.advance(number % 2 === 0 ? 1 : 0);
    }
  }

  /** Finds the row and the field for which the database refused an insert. */
  private async explained(
    resource: Resource,
    fields: readonly Field[],
    from: number,
    to: number,
    error: ConstraintError,
  ): Promise<GenerationProblem> {
    const rows = this.generator.rowsOf(resource);
    const { transaction, database } = this;
    const single = new BatchStatements(resource, fields, database.dialect);
    const waiting = this.waiting(resource);
    for (let number = from; number <= to; number += 1) {
      const row = rows.row(number);
      const values = new Map<Field, JsonValue>(
        fields
          .filter((field) => !waiting.has(field))
          .map((field) => [field, row.of(field)] as const),
      );
      const bound = fields.map((field) =>
        encodeValue(database.dialect, values.get(field) ?? null, field),
      );
      try {
        await transaction.run(single.insert(fields.length, 1), { bound });
      } catch (refusal) {
        if (!(refusal instanceof ConstraintError)) throw refusal;
        return this.refusalOf(resource, number, values, refusal);
      }
    }
    return new GenerationProblem(
      ['resources', resource.name],
      `the database refuses rows ${from} to ${to}: ${String(error.cause)}`,
    );
  }

  /** Finds the field for which the database refused a row. */
  private async refusalOf(
    resource: Resource,
    number: number,
    values: ReadonlyMap<Field, JsonValue>,
    { kind, cause }: ConstraintError,
  ): Promise<GenerationProblem> {
    const { statements, transaction, database } = this;
    const access = { transaction, dialect: database.dialect, statements, names: storageNames };
    const [conflict] = await findConflicts(access, resource, values, undefined, kind);
    const path = ['resources', resource.name];
    return conflict === undefined
      ? new GenerationProblem(path, `the database refuses row ${number}: ${String(cause)}`)
      : new GenerationProblem(
          [...path, 'fields', conflict.field.name],
          `the value of row ${number} is ${JSON.stringify(values.get(conflict.field))}: ${conflict.message}`,
        );
  }
}
