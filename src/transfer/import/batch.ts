import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Field, Resource } from '../../model/api.ts';
import { foreignKeysOf, keyFields } from '../../model/field-types/composite-id.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { SqlValue } from '../../model/values.ts';
import { decoderOf, quote, quoteTable, type Dialect } from '../../sql/dialect.ts';
import { buildStatement, type Statement } from '../../sql/statement.ts';
import type { Row } from '../../databases/database.ts';
import type { ParsedRecord } from './record.ts';
import type { SourceRecord } from './source.ts';

/** A valid record to insert. */
export interface Candidate {
  readonly source: SourceRecord;
  readonly reading: ParsedRecord;
  /** Whether some of its keys stay null until all rows are inserted. */
  readonly waits: boolean;
  /** The encoded values; without the id if the database generates it. */
  readonly bound: readonly SqlValue[];
  /** The fields in which an existing record with this id differs; empty if there was none before the run. */
  readonly differences: readonly Field[];
}

/** The most records in a statement. More do not make it faster. */
const mostRecords = 100;
/** The most characters of records held in memory. */
const mostText = 1 << 18;
/** SQLite allows 32,766 parameters, PostgreSQL 65,534. */
const mostParameters = 30_000;

/** Records to be inserted together. */
export class Batch {
  private candidates: Candidate[] = [];
  private text = 0;
  private readonly most: number;

  constructor(resource: Resource, deferred: ReadonlySet<Field>) {
    // A NOT NULL key to the same table needs its target in an earlier statement.
    const looksBack = foreignKeysOf(resource).some(
      (key) =>
        key.reference?.resource === resource && !keyFields(key).some((part) => deferred.has(part)),
    );
    const fitting = Math.floor(mostParameters / resource.fields.size);
    // `DEFAULT VALUES`, for records without any value, inserts one row.
    const isIdAlone = resource.fields.size === 1;
    this.most = looksBack || isIdAlone ? 1 : Math.max(1, Math.min(mostRecords, fitting));
  }

  add(candidate: Candidate): void {
    this.candidates.push(candidate);
    this.text += candidate.source.text.length;
  }

  get isFull(): boolean {
    return this.candidates.length >= this.most || this.text >= mostText;
  }

  take(): readonly Candidate[] {
    const { candidates } = this;
    this.candidates = [];
    this.text = 0;
    return candidates;
  }
}

/** Splits candidates into runs that one statement can insert: with an id of their own, or without. */
export function sameColumns(candidates: readonly Candidate[]): readonly (readonly Candidate[])[] {
  const groups: Candidate[][] = [];
  for (const candidate of candidates) {
    const last = groups.at(-1);
    if (last?.[0]?.bound.length === candidate.bound.length) last.push(candidate);
    else groups.push([candidate]);
  }
  return groups;
}

/** The statements for many records of one resource. */
export class BatchStatements {
  private readonly resource: Resource;
  private readonly fields: readonly Field[];
  private readonly dialect: Dialect;
  private readonly inserts = new Map<string, Statement>();
  private readonly stored: Statement;
  /** Returns a row if the table has a record. */
  readonly any: Statement;

  constructor(resource: Resource, fields: readonly Field[], dialect: Dialect) {
    this.resource = resource;
    this.fields = fields;
    this.dialect = dialect;
    const { id, table } = resource;
    this.any = { sql: `SELECT 1 FROM ${quoteTable(table)} LIMIT 1`, parameters: [] };
    const selected = [id, ...fields].map((field) => dialect.select(quote(field.column), field));
    this.stored = buildStatement(
      dialect,
      (add) =>
        `SELECT ${selected.join(', ')} FROM ${quoteTable(table)} WHERE ${dialect.compare(quote(id.column), 'in', add(0), id)}`,
    );
  }

  /** Inserts `count` records with all columns, or all but the id, as `columns` says. Into a view it returns their ids. */
  insert(columns: number, count: number): Statement {
    const key = `${columns} ${count}`;
    return getOrInsert(this.inserts, key, () => {
      const { table, id, isView } = this.resource;
      const fields =
        columns === this.fields.length ? this.fields : this.fields.filter((field) => field !== id);
      const names = fields.map((field) => quote(field.column)).join(', ');
      return buildStatement(this.dialect, (add) => {
        const rows = Array.from(
          { length: count },
          (_, row) =>
            `(${fields.map((field, index) => this.dialect.assigned(add(row * columns + index), field)).join(', ')})`,
        );
        const givenIds = fields.includes(id) ? (this.dialect.givenIds ?? '') : '';
        const returning = isView ? ` RETURNING ${this.dialect.select(quote(id.column), id)}` : '';
        return fields.length === 0
          ? `INSERT INTO ${quoteTable(table)} DEFAULT VALUES${returning}`
          : `INSERT INTO ${quoteTable(table)} (${names})${givenIds} VALUES ${rows.join(', ')}${returning}`;
      });
    });
  }

  /** Selects the records with these ids; each row has the id and then the fields. */
  storedWith(ids: readonly JsonValue[]): { statement: Statement; bound: readonly SqlValue[] } {
    const { id } = this.resource;
    return { statement: this.stored, bound: [this.dialect.operand([...ids], 'in', id)] };
  }

  /** The rows of `storedWith` by their ids. */
  byId(rows: readonly Row[]): ReadonlyMap<string, Row> {
    const idOf = decoderOf(this.dialect, this.resource.id);
    return new Map(rows.map(([id = null, ...values]) => [String(idOf(id)), values]));
  }
}
