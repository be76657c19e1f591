import type { Api, Field } from '../model/api.ts';
import { counted } from '../model/values.ts';
import { quote, quoteTable } from '../sql/dialect.ts';
import { schemaOf, type MigrationStep } from '../sql/schema/schema.ts';
import type { TableSchema, WrittenValues } from '../sql/schema/table.ts';
import { DatabaseFailure } from '../databases/database.ts';
import type {
  ActualTable,
  Counting,
  Found,
  SchemaRules,
} from '../databases/existing/actual-schema.ts';
import { countOf } from './counting.ts';
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
import { compareReferences, validationsOf } from './references.ts';
import { compareSearch } from './search.ts';
import { renamedTables, type RenamedTable } from './renamed-resources.ts';
import { rulesDigest } from './rules.ts';
import { compareUnmanaged } from './unmanaged.ts';
import { isSameRecord, recordedKind, type RecordRow } from '../databases/existing/schema-record.ts';

/** The options that a user gives. */
export interface MigrationOptions {
  /** Whether a migration may lose values. */
  readonly allowDataLoss?: boolean;
  /**
   * Fields whose values will be generated anew, but for the written ones: their columns may be null for now, and generated
   * values may be lost.
   */
  readonly lacking?: ReadonlyMap<Field, WrittenValues>;
  /** Whether the table of a resource that seems to have been renamed is renamed with it. */
  readonly followsRenames?: boolean;
  /** Whether stored values have been held against new rules of their fields, or are left as they are. */
  readonly acceptsRules?: boolean;
}

/** The inputs of a migration plan. */
interface Planning {
  readonly api: Api;
  readonly rules: SchemaRules;
  readonly found: Found;
  readonly allowDataLoss: boolean;
  readonly acceptsRules: boolean;
  readonly schema: readonly TableSchema[];
  /** The folded names of the wanted tables. */
  readonly wantedNames: ReadonlySet<string>;
  /** The tables of resources that have another name now. */
  readonly renamed: ReadonlyMap<TableSchema, RenamedTable>;
}

/**
 * Finds the steps that bring a database up to date with the Api, in order; none if it is. Ignores tables that no
 * resource names and no migration made. Yields the SQL of the counts it needs, over the tables as they are.
 */
export function* findMigration(
  api: Api,
  rules: SchemaRules,
  found: Found,
  {
    allowDataLoss = false,
    lacking,
    followsRenames = false,
    acceptsRules = false,
  }: MigrationOptions = {},
): Counting<Migration> {
  const schema = schemaOf(api, rules.dialect, lacking);
  const wantedNames = new Set(
    [
      ...schema.map(({ name }) => name),
      ...Array.from(api.resources.values(), ({ table }) => table),
    ].map((name) => rules.fold(name)),
  );
  const renamed = followsRenames
    ? renamedTables(api, schema, found, rules)
    : new Map<TableSchema, RenamedTable>();
  const planning = { api, rules, found, allowDataLoss, acceptsRules, schema, wantedNames, renamed };
  const tables = yield* compareTables(planning);
  const left = yield* findLeftTables(planning, tables);
  const indexes = yield* compareAllIndexes(tables.pairs, rules);
  const references = yield* compareReferences(
    tables.pairs,
    rules,
    indexes.drop.map(({ name }) => name),
  );
  const alterTables = [
    ...references.pairs.flatMap(({ change }) => change ?? []),
    ...left.kept,
  ].filter(({ columns }) => columns.some(isChanged) || columns.some(isRenamed));
  const retypings = renameTypes(planning, tables.pairs);
  const search = yield* compareSearch(references.pairs, left.dropped, found, rules);
  const record = newRecord(planning, tables, left.dropped);
  return {
    steps: [
      ...compareUnmanaged(api, rules, found),
      ...tables.steps,
      ...left.steps,
      ...indexes.steps,
      ...search.steps,
      ...references.steps,
      ...retypings.steps,
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
      search: search.changes,
      validations: validationsOf(references.pairs),
      renameTypes: retypings.changes,
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

/** Pairs each wanted table with the existing one, which may have another name, and compares their columns. */
function* compareTables(planning: Planning): Counting<Tables> {
  const { rules, found, allowDataLoss, schema } = planning;
  const { fold } = rules;
  const steps: MigrationStep[] = [];
  const renamed: { from: string; to: string }[] = [];
  const pairs: Pair[] = [];
  for (const wanted of schema) {
    const there = found.tables.get(fold(wanted.name))?.();
    if (there === undefined && (yield* countOf(rules.countOthers(wanted.name))) > 0) {
      steps.push(step(`create table ${wanted.name}`, { obstacle: nameTaken }));
      continue;
    }
    const former = there === undefined ? formerTable(planning, wanted) : undefined;
    const actual = there ?? former;
    if (former !== undefined) {
      steps.push(
        step(`rename table ${former.name} to ${wanted.name}`, {
          renames: { from: former.name, to: wanted.name },
        }),
      );
      renamed.push({ from: former.name, to: wanted.name });
    }
    const recorded = new Map(
      found.record
        .filter(({ table }) => actual !== undefined && fold(table) === fold(actual.name))
        .map((row) => [fold(row.column), row]),
    );
    const refused = actual && refusedKey(wanted, actual, recorded, rules);
    if (refused !== undefined) {
      // Other differences do not matter then.
      steps.push(refused);
      continue;
    }
    let change: TableChange | undefined;
    if (actual === undefined)
      steps.push(
        step(`create table ${wanted.name} (${wanted.columns.map(({ name }) => name).join(', ')})`, {
          lacking: { table: wanted.name },
          ...extra(wanted),
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

function extra({ isExtra }: TableSchema): Pick<MigrationStep, 'isExtra'> {
  return isExtra === true ? { isExtra } : {};
}

const nameTaken =
  'a view or something else has this name; rename that, or name another `table` in the file';

/** The table of a resource under its previous name, if no other resource uses it now. */
function formerTable(
  { api, rules: { fold }, found: { tables, record }, wantedNames, renamed }: Planning,
  wanted: TableSchema,
): ActualTable | undefined {
  const row = record.find(
    ({ resource, table, column, owner }) =>
      column === '' &&
      resource === wanted.resource &&
      owner === api.name &&
      !wantedNames.has(fold(table)),
  );
  return (row && tables.get(fold(row.table))?.()) ?? renamed.get(wanted)?.actual;
}

/** The types in morph pairs that name a resource by its former name. */
function renameTypes(
  { api, renamed }: Planning,
  pairs: readonly Pair[],
): { readonly steps: readonly MigrationStep[]; readonly changes: SchemaChanges['renameTypes'] } {
  const changes = [...renamed].flatMap(([{ resource: to = '' }, { resource: from }]) =>
    pairs.flatMap(({ wanted: { name, resource }, actual }) => {
      const relations = api.resources.get(resource ?? '')?.relations.values() ?? [];
      return [...relations].flatMap((relation) => {
        if (actual === undefined || relation.kind !== 'morphTo') return [];
        if (!relation.targets.has(to) || relation.targets.has(from)) return [];
        return [{ table: name, column: relation.typeField.column, from, to }];
      });
    }),
  );
  const steps = changes.map(({ table, column, from, to }) =>
    step(`change ${table}.${column} from ${from} to ${to}`),
  );
  return { steps, changes };
}

/** Finds the tables of this API that no resource uses any more. */
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
    const rows = yield* countOf(`SELECT count(*) FROM ${quoteTable(actual.name)}`);
    if (allowDataLoss) dropped.push(actual.name);
    else {
      // Its foreign keys would keep records from being deleted, because of rows that no client sees.
      const columns = [...actual.columns.values()].map((one) =>
        keptColumn(one, referenceOf(actual, one, rules), (target) => wantedNames.has(fold(target))),
      );
      kept.push({ name: actual.name, actual, columns, isValidatedLater: false });
      steps.push(...columns.flatMap((one) => releaseStep(actual.name, one)));
    }
    strays ??= yield* countUnknownTypes(api, pairs, rules);
    const loses = `loses ${counted(rows, 'row')}`;
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
  readonly drop: SchemaChanges['dropIndexes'];
  readonly create: SchemaChanges['createIndexes'];
}> {
  const steps: MigrationStep[] = [];
  const drop: SchemaChanges['dropIndexes'][number][] = [];
  const create: SchemaChanges['createIndexes'][number][] = [];
  const keyOf = (table: string, columns: readonly string[]): string =>
    JSON.stringify([table, ...columns].map((name) => rules.fold(name)));
  const targets = new Set(
    pairs.flatMap(({ wanted }) =>
      wanted.columns.flatMap(({ reference }) =>
        reference === undefined ? [] : [keyOf(reference.table, [reference.column])],
      ),
    ),
  );
  for (const pair of pairs) {
    const indexes = yield* compareIndexes(pair, rules, (table, columns) =>
      targets.has(keyOf(table, columns)),
    );
    steps.push(...indexes.steps.map((one) => ({ ...one, ...extra(pair.wanted) })));
    drop.push(...indexes.drop);
    const collated = collatedIn(pair, rules);
    create.push(...indexes.create.map((index) => ({ ...index, table: pair.wanted, collated })));
  }
  return { steps, drop, create };
}

/** The columns whose collation will not be by code point. */
function collatedIn({ change }: Pair, { fold }: SchemaRules): ReadonlySet<string> {
  const columns = change?.columns ?? [];
  return new Set(
    columns.flatMap(({ name, actual, keepsType }) =>
      actual?.byCodePoint === false && keepsType ? [fold(name)] : [],
    ),
  );
}

/** Why a table that has to be rebuilt cannot be. */
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

/** The record after the migration: the wanted tables, and the rows of others that stay. */
function newRecord(
  { api, rules, found: { tables, record }, wantedNames, acceptsRules }: Planning,
  { pairs, renamed }: Tables,
  dropped: readonly string[],
): readonly RecordRow[] {
  const { fold } = rules;
  const rulesOf = (resource: string, field: string): string => {
    const known = api.resources.get(resource)?.fields.get(field);
    return known === undefined ? '' : rulesDigest(known);
  };
  const gone = new Set([...renamed.map(({ from }) => from), ...dropped].map((name) => fold(name)));
  const kept = record.filter(({ table }) => {
    const name = fold(table);
    return tables.has(name) && !wantedNames.has(name) && !gone.has(name);
  });
  return [
    ...kept,
    ...pairs.flatMap((pair) => recordOf(pair, api.name, rules, rulesOf, acceptsRules)),
  ];
}

function recordOf(
  { wanted, actual, recorded, change }: Pair,
  owner: string,
  { fold }: SchemaRules,
  rulesOf: (resource: string, field: string) => string,
  acceptsRules: boolean,
): readonly RecordRow[] {
  const { resource } = wanted;
  if (resource === undefined) return [];
  const base = { table: wanted.name, owner, resource };
  const isMade = actual === undefined || recorded.get('')?.isMade === true;
  const table: RecordRow = { ...base, column: '', field: '', kind: '', isMade, rules: '' };
  if (change === undefined)
    return [
      table,
      ...wanted.columns.map((column) => ({
        ...base,
        column: column.name,
        field: column.field,
        kind: recordedKind(column),
        isMade: true,
        rules: rulesOf(resource, column.field),
      })),
    ];
  const columns = change.columns.flatMap((column): RecordRow[] => {
    const known = column.actual && recorded.get(fold(column.actual.name));
    if (column.wanted === undefined)
      return known === undefined || column.isDropped ? [] : [{ ...known, ...base }];
    const { name, field } = column.wanted;
    const isMade = column.actual === undefined || known?.isMade === true;
    // Values of a column that changes can only be held against new rules afterwards.
    const isJudged = acceptsRules && !isChanged(column) && !isRenamed(column);
    const isKept = column.actual !== undefined && known !== undefined && !isJudged;
    const rules = isKept ? known.rules : rulesOf(resource, field);
    return [{ ...base, column: name, field, kind: recordedKind(column.wanted), isMade, rules }];
  });
  return [table, ...columns];
}

/** Whether all steps can be carried out with the given options. */
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
  return steps.filter(({ isOptional, isExtra }) => !isOptional && isExtra !== true);
}

/**
 * The steps without which this specification cannot be served. Steps of a newer specification may be done already
 * while servers of this one still run; a restarted one must not fail because of what was added.
 */
export function stepsBeforeServing(steps: readonly MigrationStep[]): readonly MigrationStep[] {
  return neededSteps(steps).filter(({ canWait }) => canWait !== true);
}

/** Whether only steps are left that need permission. */
export function isDone({ steps, isRecordStale }: Migration): boolean {
  return neededSteps(steps).length === 0 && !isRecordStale;
}

/** Whether applying it would change nothing: not even the tables that only some requests need. */
export function isEmpty(migration: Migration): boolean {
  return isDone(migration) && !migration.steps.some(({ isExtra }) => isExtra === true);
}

/**
 * The reason why a migration did not happen, as a DatabaseFailure. `meaning` is the error in the terms of this
 * service.
 */
export function migrationFailure(
  meaning: unknown,
  reason: string,
  purpose?: string,
): DatabaseFailure {
  // A missing object, or a value that cannot be converted, is the migration's own fault.
  return meaning instanceof DatabaseFailure && meaning.kind !== 'changed'
    ? meaning
    : new DatabaseFailure(
        `The database refused ${purpose === undefined ? 'the migration' : `to ${purpose}`}: ${reason}.`,
        { cause: meaning },
      );
}

/**
 * Counts rows whose morph pair has a type without a resource, such as one that the file no longer names: "2 rows of
 * notes". They are kept but refer to nothing.
 */
function* countUnknownTypes(
  { resources }: Api,
  pairs: readonly Pair[],
  { dialect }: SchemaRules,
): Counting<readonly string[]> {
  const found: string[] = [];
  for (const { name, relations } of resources.values()) {
    const pair = pairs.find(({ wanted }) => wanted.resource === name);
    for (const relation of relations.values()) {
      if (relation.kind !== 'morphTo') continue;
      const column = pair?.change?.columns.find((one) => one.name === relation.typeField.column);
      if (pair?.actual === undefined || column?.actual === undefined) continue;
      const types = [...relation.targets.keys()].map((type) => dialect.text(type)).join(', ');
      const rows = yield* countOf(
        `SELECT count(*) FROM ${quoteTable(pair.actual.name)} WHERE ${quote(column.actual.name)} NOT IN (${types})`,
      );
      if (rows > 0) found.push(`${counted(rows, 'row')} of ${name}`);
    }
  }
  return found;
}
