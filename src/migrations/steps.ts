import type { Api, Field } from '../model/api.ts';
import { counted } from '../model/values.ts';
import { quote } from '../sql/dialect.ts';
import { schemaOf, type MigrationStep } from '../sql/schema/schema.ts';
import type { TableSchema } from '../sql/schema/table.ts';
import { DatabaseFailure } from '../databases/database.ts';
import type {
  ActualTable,
  Counting,
  Found,
  SchemaRules,
} from '../databases/existing/actual-schema.ts';
import {
  isChanged,
  isRenamed,
  keptColumn,
  needsRebuild,
  referenceOf,
  step,
  type ColumnChange,
  type Migration,
  type Pair,
  type SchemaChanges,
  type TableChange,
} from './changes.ts';
import { compareColumns, refusedKey } from './columns.ts';
import { compareIndexes } from './indexes.ts';
import { compareReferences } from './references.ts';
import { isSameRecord, recordedKind, type RecordRow } from '../databases/existing/schema-record.ts';
import { findStrays } from './strays.ts';

/** What a user has asked for. */
export interface MigrationOptions {
  /** Whether values may be lost. */
  readonly allowDataLoss?: boolean;
  /** Fields whose values are made anew: their columns may be null for now, and what they hold may be lost. */
  readonly lacking?: ReadonlySet<Field>;
}

/** What a migration is planned from. */
interface Planning {
  readonly api: Api;
  readonly rules: SchemaRules;
  readonly found: Found;
  readonly allowDataLoss: boolean;
  readonly schema: readonly TableSchema[];
  /** The folded names of the tables that the file wants. */
  readonly wantedNames: ReadonlySet<string>;
}

/**
 * What would bring a database up to date with the Api, in order; no steps when it is. Tables that no resource names and
 * no migration has made are not looked at. It asks for counts as it goes, in the names of the tables as they are.
 */
export function* findMigration(
  api: Api,
  rules: SchemaRules,
  found: Found,
  { allowDataLoss = false, lacking }: MigrationOptions = {},
): Counting<Migration> {
  const schema = schemaOf(api, rules.dialect, lacking);
  const wantedNames = new Set(schema.map(({ name }) => rules.fold(name)));
  const planning = { api, rules, found, allowDataLoss, schema, wantedNames };
  const tables = yield* compareTables(planning);
  const left = yield* findLeftTables(planning, tables);
  const indexes = yield* compareAllIndexes(tables.pairs, rules);
  const references = yield* compareReferences(tables.pairs, rules, indexes.drop);
  const alterTables = [
    ...references.pairs.flatMap(({ change }) => change ?? []),
    ...left.kept,
  ].filter(({ columns }) => columns.some(isChanged) || columns.some(isRenamed));
  const record = newRecord(planning, tables, left.dropped);
  return {
    steps: [
      ...tables.steps,
      ...left.steps,
      ...indexes.steps,
      ...references.steps,
      ...rebuildObstacles(alterTables, rules),
    ],
    changes: {
      dropIndexes: indexes.drop,
      dropTables: left.dropped,
      renameTables: tables.renamed,
      createTables: tables.pairs.flatMap(({ actual, wanted }) =>
        actual === undefined ? [wanted] : [],
      ),
      alterTables,
      createIndexes: indexes.create,
    },
    record,
    isRecordStale: !isSameRecord(found.record, record),
  };
}

interface Tables {
  readonly pairs: readonly Pair[];
  readonly renamed: SchemaChanges['renameTables'];
  readonly steps: readonly MigrationStep[];
}

/** Each wanted table beside the one that is there, or was under another name, with what changes of its columns. */
function* compareTables(planning: Planning): Counting<Tables> {
  const { rules, found, allowDataLoss, schema } = planning;
  const { fold } = rules;
  const steps: MigrationStep[] = [];
  const renamed: { from: string; to: string }[] = [];
  const pairs: Pair[] = [];
  for (const wanted of schema) {
    const there = found.tables.get(fold(wanted.name))?.();
    if (there === undefined && (yield rules.countOthers(wanted.name)) > 0) {
      steps.push(step(`create table ${wanted.name}`, { obstacle: nameTaken }));
      continue;
    }
    const former = there === undefined ? formerTable(planning, wanted) : undefined;
    const actual = there ?? former;
    if (former !== undefined) {
      steps.push(step(`rename table ${former.name} to ${wanted.name}`));
      renamed.push({ from: former.name, to: wanted.name });
    }
    const recorded = new Map(
      found.record
        .filter(({ table }) => actual !== undefined && fold(table) === fold(actual.name))
        .map((row) => [fold(row.column), row]),
    );
    const refused = actual && refusedKey(wanted, actual, recorded, rules);
    if (refused !== undefined) {
      // What else it lacks does not matter then.
      steps.push(refused);
      continue;
    }
    let change: TableChange | undefined;
    if (actual === undefined)
      steps.push(
        step(`create table ${wanted.name} (${wanted.columns.map(({ name }) => name).join(', ')})`, {
          lacking: { table: wanted.name },
        }),
      );
    else {
      const compared = yield* compareColumns(wanted, actual, recorded, rules, allowDataLoss);
      steps.push(...compared.steps);
      change = compared.change;
    }
    pairs.push({ wanted, actual, recorded, change });
  }
  return { pairs, renamed, steps };
}

const nameTaken =
  'a view or something else has this name; rename that, or name another `table` in the file';

/** The table in which a resource was, where nothing else is in it now. */
function formerTable(
  { api, rules: { fold }, found: { tables, record }, wantedNames }: Planning,
  wanted: TableSchema,
): ActualTable | undefined {
  const row = record.find(
    ({ resource, table, column, owner }) =>
      column === '' &&
      resource === wanted.resource &&
      owner === api.name &&
      !wantedNames.has(fold(table)),
  );
  return row && tables.get(fold(row.table))?.();
}

/** Tables of this API that no resource is in any more. */
function* findLeftTables(
  { api, rules, found, allowDataLoss, wantedNames }: Planning,
  { pairs, renamed }: Tables,
): Counting<{
  readonly steps: readonly MigrationStep[];
  readonly dropped: readonly string[];
  readonly kept: readonly TableChange[];
}> {
  const { fold } = rules;
  const steps: MigrationStep[] = [];
  const dropped: string[] = [];
  const kept: TableChange[] = [];
  let strays: readonly string[] | undefined;
  for (const { table, column, owner, isMade } of found.record) {
    const isLeft =
      column === '' &&
      isMade &&
      owner === api.name &&
      !wantedNames.has(fold(table)) &&
      !renamed.some(({ from }) => fold(from) === fold(table));
    const actual = isLeft ? found.tables.get(fold(table))?.() : undefined;
    if (actual === undefined) continue;
    const rows = yield `SELECT count(*) FROM ${quote(actual.name)}`;
    if (allowDataLoss) dropped.push(actual.name);
    else {
      // Its keys would keep records from being deleted that nobody sees it with.
      const columns = [...actual.columns.values()].map((one) =>
        keptColumn(one, referenceOf(actual, one, rules), (target) => wantedNames.has(fold(target))),
      );
      kept.push({ name: actual.name, actual, columns });
      steps.push(...columns.flatMap((one) => releaseStep(actual.name, one)));
    }
    strays ??= yield* findStrays(api, pairs, rules);
    const loses = counted(rows, 'row');
    const staying = `${loses}, but not ${strays.join(' and ')} whose type no resource has`;
    steps.push(
      step(`drop table ${actual.name}`, {
        loses: strays.length === 0 ? loses : staying,
        isOptional: true,
      }),
    );
  }
  return { steps, dropped, kept };
}

function* compareAllIndexes(
  pairs: readonly Pair[],
  rules: SchemaRules,
): Counting<{
  readonly steps: readonly MigrationStep[];
  readonly drop: readonly string[];
  readonly create: SchemaChanges['createIndexes'];
}> {
  const steps: MigrationStep[] = [];
  const drop: string[] = [];
  const create: SchemaChanges['createIndexes'][number][] = [];
  for (const pair of pairs) {
    const indexes = yield* compareIndexes(pair, rules);
    steps.push(...indexes.steps);
    drop.push(...indexes.drop);
    const collated = collatedIn(pair, rules);
    create.push(...indexes.create.map((index) => ({ table: pair.wanted, index, collated })));
  }
  return { steps, drop, create };
}

/** The columns whose texts will go on to compare otherwise than by code point. */
function collatedIn({ change }: Pair, { fold }: SchemaRules): ReadonlySet<string> {
  const columns = change?.columns ?? [];
  return new Set(
    columns.flatMap(({ name, actual, keepsType }) =>
      actual?.byCodePoint === false && keepsType ? [fold(name)] : [],
    ),
  );
}

/** What keeps a table from being made anew, where a change of it takes that. */
function rebuildObstacles(
  tables: readonly TableChange[],
  rules: SchemaRules,
): readonly MigrationStep[] {
  return tables.flatMap((table) => {
    const { peculiarity } = table.actual;
    if (!rules.rebuilds || !needsRebuild(table, rules) || peculiarity === undefined) return [];
    const obstacle = `it has ${peculiarity}, which would be lost; let the file say what the table has, or change it by hand`;
    return [step(`make table ${table.name} anew`, { obstacle })];
  });
}

function releaseStep(table: string, { name, reference }: ColumnChange): readonly MigrationStep[] {
  return reference.change === 'drop'
    ? [
        step(`change ${table}.${name} to refer to nothing, since the file no longer names it`, {
          canWait: true,
        }),
      ]
    : [];
}

/** The record as it will be: that of the wanted tables, and what it says of others that stay. */
function newRecord(
  { api, rules, found: { tables, record }, wantedNames }: Planning,
  { pairs, renamed }: Tables,
  dropped: readonly string[],
): readonly RecordRow[] {
  const { fold } = rules;
  const gone = new Set([...renamed.map(({ from }) => from), ...dropped].map((name) => fold(name)));
  const kept = record.filter(({ table }) => {
    const name = fold(table);
    return tables.has(name) && !wantedNames.has(name) && !gone.has(name);
  });
  return [...kept, ...pairs.flatMap((pair) => recordOf(pair, api.name, rules))];
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
      ...wanted.columns.map((column) => ({
        ...base,
        column: column.name,
        field: column.field,
        kind: recordedKind(column),
        isMade: true,
      })),
    ];
  const columns = change.columns.flatMap((column): RecordRow[] => {
    const known = column.actual && recorded.get(fold(column.actual.name));
    if (column.wanted === undefined)
      return known === undefined || column.isDropped ? [] : [{ ...known, ...base }];
    const { name, field } = column.wanted;
    const isMade = column.actual === undefined || known?.isMade === true;
    return [{ ...base, column: name, field, kind: recordedKind(column.wanted), isMade }];
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

/**
 * The steps without which this specification cannot be served. Those of a newer one may have been done already, while servers
 * of this one go on: one that has to be started again is not to fail by what was added.
 */
export function stepsBeforeServing(steps: readonly MigrationStep[]): readonly MigrationStep[] {
  return neededSteps(steps).filter(({ canWait }) => canWait !== true);
}

/** Whether there is nothing to do but what has to be asked for. */
export function isDone({ steps, isRecordStale }: Migration): boolean {
  return neededSteps(steps).length === 0 && !isRecordStale;
}

/** Why a migration did not happen, as a DatabaseFailure; `meaning` is the error as the rooms above know it. */
export function migrationFailure(meaning: unknown, reason: string): DatabaseFailure {
  // What a migration does not find, or cannot convert, is its own.
  return meaning instanceof DatabaseFailure && meaning.kind !== 'changed'
    ? meaning
    : new DatabaseFailure(`The database refused the migration: ${reason}.`, { cause: meaning });
}
