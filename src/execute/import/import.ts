import type { Api, Field, Resource } from '../../model/api.ts';
import type { ValueIssue } from '../../model/values.ts';
import { unknownName } from '../../model/names.ts';
import { readValue } from '../../model/validation.ts';
import { complete, type Draw } from '../../plan/write.ts';
import { parseJsonText } from '../../request/body.ts';
import type { FieldValues } from '../../plan/plan.ts';
import type { JsonValue } from '../../spec/specification.ts';
import type { WriteStatements } from '../../sql/compile-write.ts';
import { encodeValue } from '../../sql/dialect.ts';
import { findConflicts } from '../conflicts.ts';
import { ConstraintError, type Database, type Transaction } from '../database.ts';
import { importOrder } from './order.ts';
import { DataProblem, readRecords, type DataFile, type SourceRecord } from './source.ts';

/** How many bad records are listed before a run gives up. */
const listedProblems = 100;

export interface ImportProgress {
  readonly bytes: number;
  readonly totalBytes: number;
}

export type ImportResult =
  | {
      readonly ok: true;
      readonly records: number;
      readonly byResource: ReadonlyMap<string, number>;
    }
  | { readonly ok: false; readonly problems: readonly DataProblem[] };

/** Ends the transaction of a run with problems. */
class ImportFailure extends Error {
  readonly problems: readonly DataProblem[];
  constructor(problems: readonly DataProblem[]) {
    super('The data has problems');
    this.problems = problems;
  }
}

/**
 * Loads data files into the database in one transaction: ids, timestamps and read-only fields are kept, every value
 * is checked as a write would be, and with any problem nothing of the run is kept. Contract 3, Command line.
 */
export async function importData(
  files: readonly DataFile[],
  api: Api,
  database: Database,
  statements: WriteStatements,
  draw: Draw,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportResult> {
  try {
    const byResource = await database.write((transaction) =>
      new Import(api, database, statements, transaction, draw, onProgress).run(files),
    );
    return { ok: true, byResource, records: [...byResource.values()].reduce((a, b) => a + b, 0) };
  } catch (error) {
    if (error instanceof ImportFailure) return { ok: false, problems: error.problems };
    throw error;
  }
}

/** One run inside a transaction. */
class Import {
  private readonly api: Api;
  private readonly database: Database;
  private readonly statements: WriteStatements;
  private readonly transaction: Transaction;
  private readonly draw: Draw;
  private readonly onProgress: (progress: ImportProgress) => void;
  private readonly problems: DataProblem[] = [];
  private readonly counts = new Map<string, number>();
  /** Ids of records that were refused: what points to them is no problem of its own. */
  private readonly refused = new Map<Resource, Set<JsonValue>>();
  private bytes = 0;
  private totalBytes = 0;

  constructor(
    api: Api,
    database: Database,
    statements: WriteStatements,
    transaction: Transaction,
    draw: Draw,
    onProgress: (progress: ImportProgress) => void,
  ) {
    this.api = api;
    this.database = database;
    this.statements = statements;
    this.transaction = transaction;
    this.draw = draw;
    this.onProgress = onProgress;
  }

  async run(files: readonly DataFile[]): Promise<ReadonlyMap<string, number>> {
    const { resources, deferred } = importOrder(this.api);
    const isOwn = (file: DataFile, resource: Resource): boolean =>
      file.resource === resource.name || !this.api.resources.has(file.resource);
    const waiting = resources.filter((resource) =>
      [...resource.fields.values()].some((field) => deferred.has(field)),
    );
    const passes = [
      ...resources.map((resource) => ({ resource, second: false })),
      ...waiting.map((resource) => ({ resource, second: true })),
    ];
    const work = passes.flatMap((pass) =>
      files.filter((file) => isOwn(file, pass.resource)).map((file) => ({ ...pass, file })),
    );
    this.totalBytes = work.reduce((sum, { file }) => sum + file.size, 0);
    for (const { resource, second, file } of work) {
      if (second && this.problems.length > 0) break;
      await this.readFile(file, resource, (record) =>
        second
          ? this.setKeys(file, resource, record, deferred)
          : this.insert(file, resource, record, deferred),
      );
    }
    if (this.problems.length > 0) throw new ImportFailure(this.problems);
    return this.counts;
  }

  private async readFile(
    file: DataFile,
    resource: Resource,
    take: (record: SourceRecord) => Promise<void>,
  ): Promise<void> {
    try {
      const groups = readRecords(file, (bytes) => {
        this.bytes += bytes;
      });
      for await (const records of groups) {
        for (const record of records) {
          if (!this.api.resources.has(record.resource)) {
            const message = unknownName('resource', record.resource, this.api.resources.keys());
            throw new DataProblem(file.name, record.line, message);
          }
          if (record.resource === resource.name) await take(record);
        }
        this.onProgress({ bytes: this.bytes, totalBytes: this.totalBytes });
      }
    } catch (error) {
      if (!(error instanceof DataProblem)) throw error;
      this.note(error);
    }
  }

  private note(problem: DataProblem): void {
    this.problems.push(problem);
    if (this.problems.length >= listedProblems) throw new ImportFailure(this.problems);
  }

  private async insert(
    file: DataFile,
    resource: Resource,
    source: SourceRecord,
    deferred: ReadonlySet<Field>,
  ): Promise<void> {
    const issues: ValueIssue[] = [];
    const values = this.readValues(resource, source.text, issues);
    for (const { path, message } of issues)
      this.note(
        new DataProblem(file.name, source.line, `${path === '' ? 'the record' : path} ${message}`),
      );
    if (values === undefined || issues.length > 0) {
      this.refuse(resource, values);
      return;
    }
    const first = new Map(values);
    if (values.has(resource.id))
      for (const field of values.keys()) if (deferred.has(field)) first.set(field, null);
    await this.change(file, source, resource, first, undefined, () =>
      this.transaction.run(this.statements.insert(resource, [...first.keys()]), {
        bound: this.encode(first),
      }),
    );
    this.counts.set(resource.name, (this.counts.get(resource.name) ?? 0) + 1);
  }

  /** The second pass: keys that had to wait for rows that came later. */
  private async setKeys(
    file: DataFile,
    resource: Resource,
    source: SourceRecord,
    deferred: ReadonlySet<Field>,
  ): Promise<void> {
    const values = this.readValues(resource, source.text, []);
    const id = values?.get(resource.id);
    if (values === undefined || id === undefined) return;
    const keys = new Map(
      [...values].filter(([field, value]) => deferred.has(field) && value !== null),
    );
    if (keys.size === 0) return;
    await this.change(file, source, resource, keys, id, () =>
      this.transaction.run(this.statements.update(resource, [...keys.keys()]), {
        bound: this.encode(keys),
        id: encodeValue(this.database.dialect, id, resource.id),
      }),
    );
  }

  private async change(
    file: DataFile,
    source: SourceRecord,
    resource: Resource,
    values: FieldValues,
    id: JsonValue | undefined,
    change: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await change();
    } catch (error) {
      if (!(error instanceof ConstraintError)) throw error;
      const { transaction, statements } = this;
      const { dialect } = this.database;
      const conflicts = await findConflicts(
        { transaction, dialect, statements },
        resource,
        values,
        id,
      );
      if (conflicts.length === 0) throw error;
      this.refuse(resource, values);
      for (const { field, message } of conflicts)
        if (!this.followsFrom(resource, field, values))
          this.note(new DataProblem(file.name, source.line, `${field} ${message}`));
    }
  }

  private refuse(resource: Resource, values: FieldValues | undefined): void {
    const id = values?.get(resource.id);
    if (id === undefined) return;
    const ids = this.refused.get(resource) ?? new Set();
    this.refused.set(resource, ids.add(id));
  }

  /** Whether the key only fails since the record that it points to was refused. */
  private followsFrom(resource: Resource, name: string, values: FieldValues): boolean {
    const field = resource.fields.get(name);
    if (field?.reference === undefined) return false;
    return this.refused.get(field.reference.resource)?.has(values.get(field) ?? null) === true;
  }

  private encode(values: FieldValues): readonly ReturnType<typeof encodeValue>[] {
    return [...values].map(([field, value]) => encodeValue(this.database.dialect, value, field));
  }

  /** The values of one record, checked as a create would check them, but with everything writable. */
  private readValues(
    resource: Resource,
    text: string,
    issues: ValueIssue[],
  ): FieldValues | undefined {
    const json = parseJsonText(text);
    const parsed = json.ok ? json.value : undefined;
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      issues.push({ kind: 'type', path: '', message: 'is no JSON object' });
      return undefined;
    }
    const values = new Map<Field, JsonValue>();
    for (const [name, value] of Object.entries(parsed)) {
      const field = resource.fields.get(name);
      if (field === undefined) {
        issues.push({
          kind: 'type',
          path: name,
          message: `is unknown: ${unknownName('field', name, resource.fields.keys())}`,
        });
        continue;
      }
      const reading = readValue(value, field);
      if (reading.ok) values.set(field, reading.value);
      else
        for (const issue of reading.issues) issues.push({ ...issue, path: `${name}${issue.path}` });
    }
    const completed = complete(values, { resource }, this.draw);
    for (const [field, value] of completed)
      if (value === null && !field.nullable && !Object.hasOwn(parsed, field.name))
        issues.push({ kind: 'type', path: field.name, message: 'is required' });
    return completed;
  }
}
