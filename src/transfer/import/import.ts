import { breaks } from '../../problem-rules.ts';
import type { Api, Field, Resource } from '../../model/api.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import { unknownName } from '../../model/build/names.ts';
import type { ClockAndIds } from '../../query/write/defaults.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { WriteStatements } from '../../sql/compile/write.ts';
import { decoderOf, encodeValue } from '../../sql/dialect.ts';
import { requireShown } from '../../records/write/checks/shown.ts';
import {
  findConflicts,
  missingOwners,
  storageNames,
  type DataAccess,
  type Conflict,
} from '../../records/write/checks/conflicts.ts';
import {
  ConstraintError,
  skippedByTrigger,
  requireOneRow,
  type Database,
  type Transaction,
} from '../../databases/database.ts';
import { Batch, BatchStatements, sameColumns, type Candidate } from './batch.ts';
import { findLists } from './json-lists.ts';
import { advanceSequence } from '../../databases/tables.ts';
import { emptyTables } from '../../databases/tables.ts';
import { circleOf, importOrder } from './order.ts';
import { ImportFailure, ImportProblems } from './problems.ts';
import { readersOf, type RecordReader, type ParsedRecord } from './record.ts';
import { readRecords } from './records.ts';
import { takenMessage, withoutStored } from './stored.ts';
import { DataProblem, type DataFile, type Section, type SourceRecord } from './source.ts';

/** The progress of an import. */
export interface ImportProgress {
  readonly bytes: number;
  readonly totalBytes: number;
}

/**
 * What to do if a record's id exists already: `refuse` reports an error, `replace` overwrites the record. `reset` deletes
 * all records of every resource first.
 */
export type TakenIds = 'refuse' | 'replace' | 'reset';

/** The result of an import, or the problems of its data, in which case nothing was written. */
export type ImportResult =
  | {
      readonly ok: true;
      /** The number of records added, by resource. */
      readonly byResource: ReadonlyMap<string, number>;
      /** The number that existed already with the same values. */
      readonly skipped: number;
      /** The number that existed with other values and were overwritten. */
      readonly replaced: number;
    }
  | {
      readonly ok: false;
      readonly problems: readonly DataProblem[];
      /** Whether `replace` would solve some of the problems. */
      readonly hasDifferences: boolean;
    };

/**
 * Loads data files into the database in one transaction. Ids, timestamps and read-only fields are kept, every value is
 * checked as in a write, and any problem rolls back the whole run, as does an exception of `onProgress`. A record that
 * exists with equal values is skipped, so that an import can be repeated. See
 * docs/contract/6-operation.md#import-and-export.
 */
export async function importData(
  files: readonly DataFile[],
  api: Api,
  database: Database,
  statements: WriteStatements,
  clockAndIds: ClockAndIds,
  onProgress: (progress: ImportProgress) => void,
  takenIds: TakenIds = 'refuse',
): Promise<ImportResult> {
  try {
    return await database.write((transaction) =>
      new Import(api, database, statements, transaction, clockAndIds, onProgress, takenIds).run(
        files,
      ),
    );
  } catch (error) {
    if (!(error instanceof ImportFailure)) throw error;
    const { problems, hasDifferences } = error;
    return { ok: false, problems, hasDifferences };
  }
}

/** One import inside a transaction. */
class Import {
  private readonly api: Api;
  private readonly database: Database;
  private readonly transaction: Transaction;
  private readonly access: DataAccess;
  private readonly onProgress: (progress: ImportProgress) => void;
  private readers: ReadonlyMap<Resource, RecordReader> = new Map();
  private readonly clockAndIds: ClockAndIds;
  private readonly deferred: ReadonlySet<Field>;
  private readonly stuck: ReadonlySet<Field>;
  private readonly order: readonly Resource[];
  private readonly problems = new ImportProblems();
  private readonly takenIds: TakenIds;
  private readonly counts = new Map<string, number>();
  private skipped = 0;
  private replaced = 0;
  /** Resources with inserted ids since their sequence was last advanced. */
  private readonly withGivenIds = new Set<Resource>();
  /** Sections whose keys reference later rows. */
  private readonly waiting = new Set<Section>();
  private bytes = 0;
  private totalBytes = 0;

  constructor(
    api: Api,
    database: Database,
    statements: WriteStatements,
    transaction: Transaction,
    clockAndIds: ClockAndIds,
    onProgress: (progress: ImportProgress) => void,
    takenIds: TakenIds,
  ) {
    this.api = api;
    this.database = database;
    this.transaction = transaction;
    this.access = { transaction, dialect: database.dialect, statements, names: storageNames };
    this.onProgress = onProgress;
    this.takenIds = takenIds;
    const { resources, deferred, stuck } = importOrder(api);
    this.order = resources;
    this.deferred = deferred;
    this.stuck = stuck;
    this.clockAndIds = clockAndIds;
  }

  async run(files: readonly DataFile[]): Promise<ImportResult & { ok: true }> {
    this.totalBytes = files.reduce((sum, { size }) => sum + size, 0);
    this.readers = await readersOf(
      this.order,
      this.database.dialect,
      this.transaction,
      this.clockAndIds,
    );
    const sections = await this.findSections(files);
    this.problems.failOnAny();
    const ordered = this.order.flatMap((resource) =>
      sections.filter((section) => section.resource === resource.name),
    );
    this.totalBytes += files.reduce(
      (sum, { format, size }) => sum + (format === 'json' ? size : 0),
      0,
    );
    if (this.takenIds === 'reset')
      await emptyTables(this.order, this.deferred, this.transaction, this.database.dialect);
    for (const section of ordered) await this.insertAll(section);
    // All rows that keys and morph pairs may reference exist now.
    const again = ordered.filter((section) => this.waiting.has(section));
    this.totalBytes += again.reduce((sum, { start, end }) => sum + end - start, 0);
    for (const section of again) await this.connectAll(section);
    this.problems.failOnAny();
    for (const resource of this.withGivenIds) await this.passIds(resource);
    return { ok: true, byResource: this.counts, skipped: this.skipped, replaced: this.replaced };
  }

  private async findSections(files: readonly DataFile[]): Promise<readonly Section[]> {
    const sections: Section[] = [];
    for (const file of files)
      await this.orProblem(async () => {
        const { resource, size } = file;
        if (file.format === 'json') sections.push(...(await findLists(file, this.advance)));
        else sections.push({ file, resource, start: 0, end: size, line: 1 });
      });
    for (const { file, line, resource } of sections) {
      const known = this.api.resources.get(resource);
      if (known === undefined)
        this.problems.note(
          file,
          line,
          unknownName('resource', resource, this.api.resources.keys()),
        );
      else if (known.isReadOnly)
        this.problems.note(file, line, `${resource} is read-only, so nothing is imported to it`);
    }
    return sections;
  }

  private readonly advance = (bytes: number): void => {
    this.bytes += bytes;
    this.onProgress({ bytes: this.bytes, totalBytes: this.totalBytes });
  };

  private async orProblem(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DataProblem)) throw error;
      this.problems.add(error);
    }
  }

  private resourceOf({ resource: name }: Section): { resource: Resource; reader: RecordReader } {
    const resource = this.api.resources.get(name);
    const reader = resource && this.readers.get(resource);
    if (resource === undefined || reader === undefined)
      throw new TypeError(`There is no resource ${name}`);
    return { resource, reader };
  }

  private recordsOf(section: Section): AsyncIterable<readonly SourceRecord[]> {
    const { reader } = this.resourceOf(section);
    return readRecords(section, (names) => reader.headerProblems(names), this.advance);
  }

  /** The first pass inserts every record; keys that may reference later rows stay null. */
  private async insertAll(section: Section): Promise<void> {
    const { resource, reader } = this.resourceOf(section);
    const { deferred, database } = this;
    const deferrable = reader.fields.filter((field) => deferred.has(field));
    const isDeferred = (field: Field): boolean => deferred.has(field);
    const statements = new BatchStatements(resource, reader.fields, database.dialect);
    // Reads outside the transaction would still see the rows that it has deleted.
    const isEmpty =
      this.takenIds === 'reset' || (await database.all(statements.any, { bound: [] })).length === 0;
    if (reader.morphs.length > 0) this.waiting.add(section);
    const batch = new Batch(resource, deferred);
    let added = 0;
    const flush = async (): Promise<void> => {
      const all = batch.take();
      const left = isEmpty ? all : await withoutStored(all, reader, statements, database);
      this.skipped += all.length - left.length;
      const writesOver = (one: Candidate): boolean =>
        this.takenIds === 'replace' && one.differences.length > 0;
      for (const group of sameColumns(left.filter((one) => !writesOver(one))))
        added += await this.insertTogether(section, group, statements);
      for (const one of left.filter(writesOver)) await this.writeOver(section, one);
    };
    await this.orProblem(async () => {
      try {
        for await (const records of this.recordsOf(section))
          for (const source of records) {
            const reading = reader.read(source);
            const { values, ownId, issues } = reading;
            if (issues.length > 0) {
              // List problems in the order of the file.
              await flush();
              this.problems.refuse(resource, ownId);
              for (const issue of issues) this.problems.note(section.file, source.line, issue);
              continue;
            }
            const waits =
              ownId !== null && deferrable.some((field) => reader.valueIn(values, field) !== null);
            if (waits) this.waiting.add(section);
            const bound = reader.encode(values, waits ? isDeferred : undefined);
            batch.add({ source, reading, waits, bound, differences: [] });
            if (batch.isFull) await flush();
          }
      } catch (error) {
        if (error instanceof DataProblem) {
          await flush();
          // The second pass would stop at the same record.
          this.waiting.delete(section);
        }
        throw error;
      }
      await flush();
    });
    this.counts.set(resource.name, (this.counts.get(resource.name) ?? 0) + added);
  }

  /** Overwrites an existing record; keys to later rows follow in the second pass. */
  private async writeOver(
    section: Section,
    { source, reading: { values, ownId }, waits, differences }: Candidate,
  ): Promise<void> {
    const { resource, reader } = this.resourceOf(section);
    const now = differences.filter((field) => !waits || !this.deferred.has(field));
    const conflicts =
      now.length === 0 ? [] : await this.setFields(resource, ownId, reader, values, now);
    if (conflicts.length === 0) this.replaced += 1;
    else this.problems.refuse(resource, ownId);
    this.noteConflicts(section, source, conflicts, reader, values);
  }

  /** Inserts records with the same columns and lists rejected ones; returns the number inserted. */
  private async insertTogether(
    section: Section,
    group: readonly Candidate[],
    statements: BatchStatements,
  ): Promise<number> {
    const { resource, reader } = this.resourceOf(section);
    const [first, ...others] = group;
    if (first === undefined) return 0;
    const columns = first.bound.length;
    if (columns === reader.fields.length) this.withGivenIds.add(resource);
    else await this.passIds(resource);
    const insert = async (): Promise<number> => {
      const { rows, returned } = await this.transaction.run(
        statements.insert(columns, group.length),
        { bound: group.flatMap(({ bound }) => bound) },
      );
      const idOf = decoderOf(this.database.dialect, resource.id);
      const made = resource.isView ? returned.map(([id = null]) => idOf(id)) : [];
      await requireShown(resource, made, this.access);
      return rows;
    };
    try {
      const rows = await (resource.isView ? this.transaction.attempt(insert) : insert());
      if (rows === group.length) return rows;
      if (others.length === 0) throw skippedByTrigger();
      // The database does not say which record failed, and the run is rolled back anyway.
      const last = others.at(-1)?.source.line;
      const message = `up to line ${last}: a trigger of the database leaves out ${group.length - rows} of these records`;
      this.problems.note(section.file, first.source.line, message);
      return rows;
    } catch (error) {
      if (!(error instanceof ConstraintError)) throw error;
      if (others.length === 0) {
        await this.explain(section, first, error);
        return 0;
      }
    }
    // Insert one by one to find the rejected record.
    let added = 0;
    for (const one of group) added += await this.insertTogether(section, [one], statements);
    return added;
  }

  /** Advances sequences, so that the database generates no id that an imported record has. */
  private async passIds(resource: Resource): Promise<void> {
    if (this.withGivenIds.delete(resource) && isGenerated(resource.id))
      await advanceSequence(resource.id, this.database.dialect, this.transaction);
  }

  /** The second pass sets keys to later rows, and checks that the owners of morph pairs exist. */
  private async connectAll(section: Section): Promise<void> {
    const { resource, reader } = this.resourceOf(section);
    const keys = reader.fields.filter((field) => this.deferred.has(field));
    await this.orProblem(async () => {
      for await (const records of this.recordsOf(section))
        for (const source of records) {
          const { values, ownId, issues } = reader.read(source);
          if (issues.length > 0 || this.problems.isRefused(resource, ownId)) continue;
          const set = keys.filter((field) => reader.valueIn(values, field) !== null);
          const conflicts =
            ownId === null || set.length === 0
              ? []
              : await this.setFields(resource, ownId, reader, values, set);
          const ownerless = await missingOwners(this.access, reader.morphs, (field) =>
            reader.valueIn(values, field),
          );
          this.noteConflicts(section, source, [...conflicts, ...ownerless], reader, values);
        }
    });
  }

  private async setFields(
    resource: Resource,
    id: JsonValue,
    reader: RecordReader,
    values: ParsedRecord['values'],
    fields: readonly Field[],
  ): Promise<readonly Conflict[]> {
    const { dialect, statements } = this.access;
    try {
      const bound = fields.map((one) => encodeValue(dialect, reader.valueIn(values, one), one));
      const key = encodeValue(dialect, id, resource.id);
      requireOneRow(
        await this.transaction.run(statements.update(resource, fields), { bound, id: key }),
      );
      return [];
    } catch (error) {
      if (!(error instanceof ConstraintError)) throw error;
      const changed = new Map(fields.map((field) => [field, reader.valueIn(values, field)]));
      return this.conflictsOf(resource, changed, id, error);
    }
  }

  /** Lists why the database rejected a record. */
  private async explain(
    section: Section,
    { source, reading: { values, ownId }, waits, differences }: Candidate,
    error: ConstraintError,
  ): Promise<void> {
    const { resource, reader } = this.resourceOf(section);
    const tried = new Map(
      [...reader.byField(values)].filter(([field]) => !waits || !this.deferred.has(field)),
    );
    const { id } = resource;
    const isTaken = differences.length > 0;
    const ofKey = ({ field, rule }: Conflict): boolean =>
      isTaken && id.parts?.includes(field) === true && rule === 'unique';
    const all = await this.conflictsOf(resource, tried, undefined, error);
    // The fields of a composite key are taken together: that is said of the id, once.
    const one = all.find(ofKey);
    const conflicts =
      one === undefined ? all : [{ ...one, field: id }, ...all.filter((each) => !ofKey(each))];
    if (isTaken) this.problems.hasDifferences = true;
    const told = conflicts.map((conflict) => {
      const { field, message } = conflict;
      if (field === id && isTaken) return { ...conflict, message: takenMessage(differences) };
      const isStuck = error.kind === 'foreignKey' && this.stuck.has(field);
      return { ...conflict, message: isStuck ? `${message}; ${circleOf(field)}` : message };
    });
    this.problems.refuse(resource, ownId);
    this.noteConflicts(section, source, told, reader, values);
  }

  private async conflictsOf(
    resource: Resource,
    values: ReadonlyMap<Field, JsonValue>,
    id: JsonValue | undefined,
    error: ConstraintError,
  ): Promise<readonly Conflict[]> {
    const conflicts = await findConflicts(this.access, resource, values, id, error.kind);
    if (conflicts.length > 0) return conflicts;
    const { message } = error.cause instanceof Error ? error.cause : error;
    return [{ field: resource.id, message: `cannot be stored: ${message}`, ...breaks('database') }];
  }

  /** Lists problems, except those that follow from another rejected record. */
  private noteConflicts(
    { file }: Section,
    { line }: SourceRecord,
    conflicts: readonly Conflict[],
    reader: RecordReader,
    values: ParsedRecord['values'],
  ): void {
    for (const { field, message } of conflicts) {
      const target = field.reference?.resource ?? reader.ownerOf(values, field);
      if (target === undefined || !this.problems.isRefused(target, reader.valueIn(values, field)))
        this.problems.note(file, line, `${field.name} ${message}`);
    }
  }
}
