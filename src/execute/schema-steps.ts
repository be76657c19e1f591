import type { Api } from '../model/api.ts';
import { quote } from '../sql/dialect.ts';
import { schemaOf, type MigrationStep } from '../sql/schema.ts';
import type { TableSchema } from '../sql/table-schema.ts';
import { DatabaseFailure } from './database.ts';
import type { ActualTable, Counting, SchemaRules } from './schema-actual.ts';
import {
  counted,
  isChanged,
  isRenamed,
  keptColumn,
  needsRebuild,
  referenceOf,
  step,
  type ColumnChange,
  type Migration,
  type Pair,
  type TableChange,
} from './schema-changes.ts';
import { compareColumns } from './schema-columns.ts';
import { compareIndexes } from './schema-indexes.ts';
import { compareReferences } from './schema-references.ts';
import { isSameRecord, type RecordRow } from './schema-record.ts';

/** A database as a migration finds it. */
export interface Found {
  /** The tables that are there, by their folded names. */
  readonly tables: ReadonlyMap<string, () => ActualTable>;
  readonly record: readonly RecordRow[];
}

/** What a user has asked for. */
export interface MigrationOptions {
  /** Whether values may be lost. */
  readonly allowDataLoss?: boolean;
}

/**
 * What would bring a database up to date with the Api, in order; no steps when it is. Tables that no resource names and
 * no migration has made are not looked at. It asks for counts as it goes, in the names of the tables as they are.
 */
export function* findMigration(
  api: Api,
  rules: SchemaRules,
  { tables, record }: Found,
  { allowDataLoss = false }: MigrationOptions = {},
): Counting<Migration> {
  const { fold } = rules;
  const schema = schemaOf(api, rules.dialect);
  const wantedNames = new Set(schema.map(({ name }) => fold(name)));
  const steps: MigrationStep[] = [];
  const renameTables: { from: string; to: string }[] = [];
  const pairs: Pair[] = [];
  for (const wanted of schema) {
    const there = tables.get(fold(wanted.name))?.();
    const former = there === undefined ? formerTable(wanted) : undefined;
    const actual = there ?? former;
    if (former !== undefined) {
      steps.push(step(`rename table ${former.name} to ${wanted.name}`));
      renameTables.push({ from: former.name, to: wanted.name });
    }
    const recorded = new Map(
      record
        .filter(({ table }) => actual !== undefined && fold(table) === fold(actual.name))
        .map((row) => [fold(row.column), row]),
    );
    let change: TableChange | undefined;
    if (actual === undefined)
      steps.push(
        step(`create table ${wanted.name} (${wanted.columns.map(({ name }) => name).join(', ')})`),
      );
    else {
      const compared = yield* compareColumns(wanted, actual, recorded, rules, allowDataLoss);
      steps.push(...compared.steps);
      change = compared.change;
    }
    pairs.push({ wanted, actual, recorded, change });
  }

  /** The table in which the resource was, where nothing else is in it now. */
  function formerTable(wanted: TableSchema): ActualTable | undefined {
    const row = record.find(
      ({ resource, table, column, owner }) =>
        column === '' &&
        resource === wanted.resource &&
        owner === api.name &&
        !wantedNames.has(fold(table)),
    );
    return row && tables.get(fold(row.table))?.();
  }

  const left = yield* findLeftTables();
  steps.push(...left.steps);

  const dropIndexes: string[] = [];
  const createIndexes: { table: TableSchema; index: TableSchema['indexes'][number] }[] = [];
  for (const pair of pairs) {
    const indexes = yield* compareIndexes(pair, rules);
    steps.push(...indexes.steps);
    dropIndexes.push(...indexes.drop);
    createIndexes.push(...indexes.create.map((index) => ({ table: pair.wanted, index })));
  }
  const compared = yield* compareReferences(pairs, rules);
  steps.push(...compared.steps);

  const alterTables = [
    ...compared.pairs.flatMap(({ change }) => change ?? []),
    ...left.kept,
  ].filter(({ columns }) => columns.some(isChanged) || columns.some(isRenamed));
  for (const table of alterTables)
    if (rules.rebuilds && needsRebuild(table) && table.actual.peculiarity !== undefined)
      steps.push(
        step(`make table ${table.name} anew`, {
          obstacle: `it has ${table.actual.peculiarity}, which would be lost; change this table by hand`,
        }),
      );

  const kept = record.filter(
    ({ table }) =>
      tables.has(fold(table)) &&
      !wantedNames.has(fold(table)) &&
      !renameTables.some(({ from }) => fold(from) === fold(table)) &&
      !left.dropped.some((name) => fold(name) === fold(table)),
  );
  const newRecord = [...kept, ...pairs.flatMap((pair) => recordOf(pair, api.name, rules))];
  return {
    steps,
    changes: {
      dropIndexes,
      dropTables: left.dropped,
      renameTables,
      createTables: pairs.flatMap(({ actual, wanted }) => (actual === undefined ? [wanted] : [])),
      alterTables,
      createIndexes,
    },
    record: newRecord,
    isRecordStale: !isSameRecord(record, newRecord),
  };

  /** Tables of this API that no resource is in any more. */
  function* findLeftTables(): Counting<{
    readonly steps: readonly MigrationStep[];
    readonly dropped: readonly string[];
    readonly kept: readonly TableChange[];
  }> {
    const found: MigrationStep[] = [];
    const dropped: string[] = [];
    const changed: TableChange[] = [];
    for (const { table, column, owner, isMade } of record) {
      const isLeft =
        column === '' &&
        isMade &&
        owner === api.name &&
        !wantedNames.has(fold(table)) &&
        !renameTables.some(({ from }) => fold(from) === fold(table));
      const actual = isLeft ? tables.get(fold(table))?.() : undefined;
      if (actual === undefined) continue;
      const rows = yield `SELECT count(*) FROM ${quote(actual.name)}`;
      if (allowDataLoss) dropped.push(actual.name);
      else {
        // Its keys would keep records from being deleted that nobody sees it with.
        const columns = [...actual.columns.values()].map((one) =>
          keptColumn(one, referenceOf(actual, one, rules), (target) =>
            wantedNames.has(fold(target)),
          ),
        );
        changed.push({ name: actual.name, actual, columns });
        found.push(...columns.flatMap((one) => releaseStep(actual.name, one)));
      }
      found.push(
        step(`drop table ${actual.name}`, { loses: counted(rows, 'row'), isOptional: true }),
      );
    }
    return { steps: found, dropped, kept: changed };
  }
}

function releaseStep(table: string, { name, reference }: ColumnChange): readonly MigrationStep[] {
  return reference.change === 'drop'
    ? [step(`change ${table}.${name} to refer to nothing, since the file no longer names it`)]
    : [];
}

function recordOf(
  { wanted, actual, recorded, change }: Pair,
  owner: string,
  { fold }: SchemaRules,
): readonly RecordRow[] {
  const { resource } = wanted;
  if (resource === undefined) return [];
  const base = { table: wanted.name, owner, resource };
  const isMade = actual === undefined || recorded.get('')?.isMade === true;
  const table: RecordRow = { ...base, column: '', field: '', kind: '', isMade };
  if (change === undefined)
    return [
      table,
      ...wanted.columns.map(({ name, field, kind }) => ({
        ...base,
        column: name,
        field,
        kind,
        isMade: true,
      })),
    ];
  const columns = change.columns.flatMap((column): RecordRow[] => {
    const known = column.actual && recorded.get(fold(column.actual.name));
    if (column.wanted === undefined)
      return known === undefined || column.isDropped ? [] : [{ ...known, ...base }];
    const { name, field, kind } = column.wanted;
    const isMade = column.actual === undefined || known?.isMade === true;
    return [{ ...base, column: name, field, kind, isMade }];
  });
  return [table, ...columns];
}

/** Whether all of the steps can be done as they were asked for. */
export function arePossible(
  steps: readonly MigrationStep[],
  { allowDataLoss = false }: MigrationOptions = {},
): boolean {
  return steps.every(
    ({ obstacle, loses, isOptional }) =>
      obstacle === undefined && (loses === undefined || allowDataLoss || isOptional),
  );
}

/** The steps without which the service cannot run. */
export function neededSteps(steps: readonly MigrationStep[]): readonly MigrationStep[] {
  return steps.filter(({ isOptional }) => !isOptional);
}

/** Whether there is nothing to do but what has to be asked for. */
export function isDone({ steps, isRecordStale }: Migration): boolean {
  return neededSteps(steps).length === 0 && !isRecordStale;
}

/** Why a migration did not happen, as a DatabaseFailure; `meaning` is the error as the rooms above know it. */
export function migrationFailure(meaning: unknown, reason: string): DatabaseFailure {
  return meaning instanceof DatabaseFailure
    ? meaning
    : new DatabaseFailure(`The database refused the migration: ${reason}.`, { cause: meaning });
}
