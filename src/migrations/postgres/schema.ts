import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../../model/api.ts';
import { quote, quoteTable } from '../../sql/dialect.ts';
import { convertColumn, jsonbOf, repeatsMembers } from '../../databases/postgres/conversion.ts';
import { postgres } from '../../databases/postgres/dialect.ts';
import { cutName } from '../../sql/schema/cut-name.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import { baseOf, type StoredKind } from '../../sql/kinds/stored-kind.ts';
import type { Fill, IndexSchema, TableSchema } from '../../sql/schema/table.ts';
import { ownSchema, readFound, schemaNamed } from '../../databases/postgres/catalog.ts';
import { readSearch } from '../../databases/postgres/search/catalog.ts';
import { unprovenRules, type UnprovenRules } from '../rules.ts';
import { dependentObstacles } from './dependents.ts';
import { anyDecimal, kindOfType, typeName, typeOfKind } from './types.ts';
import { isServed } from '../../databases/postgres/native-types.ts';
import { hasRoomFor } from '../../databases/postgres/stored-forms.ts';
import { statementsOf, type NamedStatement } from './changes.ts';
import { finish, isFinishedLater } from './later.ts';
import { lockFailure, reasonOf } from './reasons.ts';
import { isGone, isThere, isUnsupported, meaningOf } from '../../databases/postgres/errors.ts';
import type { Ask, PostgresDatabase } from '../../databases/postgres/database.ts';
import {
  withId,
  type Conversion,
  type SchemaRules,
} from '../../databases/existing/actual-schema.ts';
import { isChanged, step, type Migration } from '../changes.ts';
import { DatabaseFailure } from '../../databases/database.ts';
import {
  createRecord,
  extendRecord,
  lockRecord,
  recordTable,
  rulesColumn,
  writeRecord,
} from '../../databases/existing/schema-record.ts';
import {
  arePossible,
  findMigration,
  isDone,
  isEmpty,
  migrationFailure,
  type MigrationOptions,
} from '../steps.ts';

/** How long to wait for a table lock, unless the role or the URL says so: later requests queue behind it. */
const limitWaiting =
  `SELECT extract(epoch FROM set_config('lock_timeout', CASE WHEN setting = '0' THEN '3s' ELSE setting END, true)::interval)` +
  ` FROM current_setting('lock_timeout') AS setting`;
/** How often a migration tries to get its locks. In between, the requests that queued behind it go on. */
const tries = 5;

const rules: SchemaRules = {
  dialect: postgres,
  fold: (name) => cutName(name),
  fault: (field) =>
    field.native === undefined ? 'missing' : isServed(field) ? undefined : field.native.type,
  typeName,
  // A column that says nothing of its digits has six.
  isLike: (actual, wanted) =>
    actual === 'timestamp with time zone' && wanted === 'timestamp(6) with time zone',
  misfits: (actual, { form }) =>
    form !== undefined && hasRoomFor(actual, form.name) ? 'false' : undefined,
  kindOfType,
  typeOfKind,
  convert,
  fillSql,
  tableOptions: '',
  countOthers: (table) => {
    const [name = '', schema] = table.split('.').toReversed();
    return (
      `SELECT count(*) FROM pg_class WHERE relnamespace = ${schema === undefined ? ownSchema : schemaNamed(schema)}` +
      ` AND relkind NOT IN ('r', 'p') AND relname = ${postgres.text(cutName(name))}`
    );
  },
  rebuilds: false,
  finishesLater: true,
  renames: () => true,
  adds: () => true,
  indexColumns: withId,
  indexSql,
  putsNullsFirst,
  // The server does not keep the text of an index, and nothing else makes names with this ending.
  isAsWritten: () => true,
};

/** Behind a pooler all is in the transaction: it may have no second session, and deadlines of its own. */
function rulesOf({ isPooled }: PostgresDatabase): SchemaRules {
  return isPooled ? { ...rules, finishesLater: false } : rules;
}

/** If only the type of the column differs, or Plinth does not use it, values go through the usual type first. */
function convert(from: StoredKind, to: StoredKind, oldType: string, type: string): Conversion {
  const usual = typeOfKind(from);
  const cast = (column: string): string => {
    if (oldType === usual || from === anyDecimal) return column;
    if (/^timestamp(?:\(\d\))? without/u.test(oldType)) return `(${column} AT TIME ZONE 'UTC')`;
    if (oldType.endsWith('[]')) return `to_jsonb(${column})`;
    return oldType === 'json' ? jsonbOf(column) : `${column}::${usual}`;
  };
  const changes = (column: string): string =>
    oldType === 'json' ? repeatsMembers(column, cast(column)) : 'false';
  if (from === to) {
    const value = (column: string): string => `${cast(column)}::${type}`;
    return {
      value,
      isInexact: changes,
      default: (old: string) => value(`(${old})::${oldType}`),
    };
  }
  const isRounded = (column: string): string =>
    convertColumn(from, to, cast(column)).isInexact ?? changes(column);
  const converted = (column: string): string => convertColumn(from, to, cast(column)).value;
  // Only their digits differ.
  const keepsDefault = baseOf(from) === baseOf(to);
  return {
    value: converted,
    isInexact: isRounded,
    ...(keepsDefault ? { default: (old) => `${cast(`(${old})::${oldType}`)}::${type}` } : {}),
  };
}

function fillSql(fill: Fill, kind: StoredKind): string {
  if (fill.kind === 'literal') return fill.sql;
  if (fill.kind === 'uuid') return 'gen_random_uuid()';
  if (baseOf(kind) === 'datetime') return 'now()';
  return `date_trunc('second', now() AT TIME ZONE 'UTC')::${kind}`;
}

/**
 * The steps that bring a PostgreSQL database up to date with the Api, in order; none if it is. Ignores tables that no
 * resource names and no migration made.
 */
export async function planMigration(
  database: PostgresDatabase,
  api: Api,
  options: MigrationOptions = {},
): Promise<readonly MigrationStep[]> {
  return (await prepared(database, api, options)).steps;
}

/** Whether a migration would change neither the database nor its record. */
export async function isUpToDate(database: PostgresDatabase, api: Api): Promise<boolean> {
  return isDone(await prepared(database, api, {}));
}

async function prepared(
  database: PostgresDatabase,
  api: Api,
  options: MigrationOptions,
): Promise<Migration> {
  const look = (): Promise<Migration> =>
    database.inspect(async (ask) => {
      await ask(limitWaiting);
      return prepareMigration(ask, rulesOf(database), api, options);
    });
  let hasLookedAgain = false;
  for (let attempt = 1; ; attempt += 1)
    try {
      return await look();
    } catch (error) {
      // Another session holds a table whose rows are counted.
      if (isBusy(error) && attempt < tries) continue;
      // Rows come from one snapshot, but names are looked up in the current catalog: another migration ran meanwhile.
      if (!isGone(error) || hasLookedAgain) throw error;
      hasLookedAgain = true;
    }
}

/**
 * Brings a database up to date. One transaction finds the steps and makes them: of two concurrent migrations, the second
 * waits for the first. Indexes and foreign keys of tables with rows are finished after it. Returns the steps; if one of
 * them is not possible, nothing was changed. Throws a DatabaseFailure.
 */
export async function migrate(
  database: PostgresDatabase,
  api: Api,
  options: MigrationOptions = {},
): Promise<readonly MigrationStep[]> {
  const progress: Progress = { at: undefined, pause: 0 };
  try {
    const planned = await prepared(database, api, options);
    if (isEmpty(planned) || !arePossible(planned.steps, options)) return planned.steps;
    await makeRecord(database, api);
    const changed = await changeOnceFree(database, api, options, progress);
    progress.at = undefined;
    if (changed.isUnfinished) await finishAlone(database, api, options);
    return changed.steps;
  } catch (error) {
    const { at } = progress;
    const meaning = meaningOf(error);
    if (at !== undefined && isBusy(meaning)) throw await lockFailure(database, at.table);
    throw migrationFailure(meaning, reasonOf(error), at?.purpose);
  }
}

/** The statement that runs. */
interface Progress {
  at: Omit<NamedStatement, 'sql'> | undefined;
  /** How long to let other requests go on before the next try, in ms. */
  pause: number;
}

interface Changed {
  readonly steps: readonly MigrationStep[];
  /** Whether something is left to do after the transaction. */
  readonly isUnfinished: boolean;
}

function isBusy(error: unknown): boolean {
  return error instanceof DatabaseFailure && error.kind === 'busy';
}

/** The transaction of a migration, again if another session holds a table for too long. */
async function changeOnceFree(
  database: PostgresDatabase,
  api: Api,
  options: MigrationOptions,
  progress: Progress,
): Promise<Changed> {
  let locksTables = true;
  for (let attempt = 1; ; attempt += 1)
    try {
      const changed = await change(database, api, options, locksTables, progress);
      if (changed !== undefined) return changed;
      locksTables = false;
    } catch (error) {
      if (!isBusy(error) || attempt === tries) throw error;
      await delay(progress.pause);
    }
}

/**
 * Finishes what the transaction has begun, or an interrupted migration. One session keeps other migrations away
 * meanwhile, idle in a transaction without a snapshot, which nothing waits for.
 */
function finishAlone(
  database: PostgresDatabase,
  api: Api,
  options: MigrationOptions,
): Promise<void> {
  return database.changeSchema(async (ask) => {
    await ask(lockRecord(recordTable(api.settings.database)));
    await database.alone(async (alone) =>
      finish(alone, await prepareMigration(alone, rules, api, options), rules),
    );
  });
}

/** The table whose lock separates migrations. If two create it at once, one of them fails, and the table exists. */
async function makeRecord(
  database: PostgresDatabase,
  { settings: { database: settings } }: Api,
): Promise<void> {
  const schema = settings?.serviceSchema;
  // `IF NOT EXISTS` needs the right to make schemas even if there is nothing to make.
  if (schema !== undefined && (await database.inspect((ask) => lacksSchema(ask, schema))))
    await make(database, `CREATE SCHEMA IF NOT EXISTS ${quote(schema)}`);
  const table = recordTable(settings);
  await make(database, createRecord(table, postgres));
  // Not in the transaction: it would wait for all that wait for the lock in this table.
  if (await database.inspect((ask) => lacksRules(ask, table)))
    await make(database, extendRecord(table, postgres));
}

/** Whether an earlier version has made the table of the record. */
async function lacksRules(ask: Ask, table: string): Promise<boolean> {
  const name = postgres.text(quoteTable(table));
  const [row] = await ask(
    `SELECT NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(${name}) AND attname = '${rulesColumn}')`,
  );
  return row?.[0] === true;
}

/** The rules that stored values may break (`unprovenRules`). Changes nothing. */
export function readUnproven(database: PostgresDatabase, api: Api): Promise<UnprovenRules> {
  return database.inspect(async (ask) =>
    unprovenRules(api, await readFound(ask, api.settings.database), rules),
  );
}

async function make(database: PostgresDatabase, sql: string): Promise<void> {
  try {
    await database.writeOne({ sql, parameters: [] }, { bound: [] });
  } catch (error) {
    if (!isThere(error)) throw error;
  }
}

async function lacksSchema(ask: Ask, schema: string): Promise<boolean> {
  const [row] = await ask(`SELECT ${schemaNamed(schema)} IS NULL`);
  return row?.[0] === true;
}

/** The transaction of a migration. Undefined if tables had to be locked and the server has no table locks. */
async function change(
  database: PostgresDatabase,
  api: Api,
  options: MigrationOptions,
  locksTables: boolean,
  progress: Progress,
): Promise<Changed | undefined> {
  let hasLocks = true;
  const changing = database.changeSchema(async (ask) => {
    const ownRecord = recordTable(api.settings.database);
    // Waits without a limit for another migration.
    await ask(lockRecord(ownRecord));
    const [[seconds = 0] = []] = await ask(limitWaiting);
    progress.pause = (Number(seconds) * 1_000) / 3;
    const ownRules = rulesOf(database);
    const seen = await prepareMigration(ask, ownRules, api, options);
    const isPossible = arePossible(seen.steps, options);
    const locks = locksTables && isPossible ? locksOf(seen) : [];
    for (const { sql, ...at } of locks) {
      progress.at = at;
      await ask(sql).catch((error: unknown) => {
        hasLocks = !isUnsupported(error);
        throw error;
      });
    }
    progress.at = undefined;
    // Other sessions may have written values until the locks were taken that cannot be kept.
    const { steps, changes, record, isRecordStale } =
      locks.length === 0 ? seen : await prepareMigration(ask, ownRules, api, options);
    if (!arePossible(steps, options)) return { steps, isUnfinished: false };
    for (const { sql, ...at } of statementsOf(changes, rules)) {
      progress.at = at;
      await ask(sql);
    }
    progress.at = undefined;
    if (isRecordStale) for (const sql of writeRecord(ownRecord, record, postgres)) await ask(sql);
    return { steps, isUnfinished: isFinishedLater(changes) };
  });
  return changing.catch((error: unknown) => {
    if (!hasLocks) return undefined;
    throw error;
  });
}

/** Locks the tables whose values a migration has examined and will change or restrict. New keys are checked later. */
function locksOf({ changes }: Migration): readonly NamedStatement[] {
  const examined = changes.alterTables.filter(({ isValidatedLater, columns }) =>
    columns.some((column) =>
      isChanged(
        isValidatedLater
          ? { ...column, reference: { ...column.reference, change: 'none' } }
          : column,
      ),
    ),
  );
  const names = new Set([...examined.map(({ actual }) => actual.name), ...changes.dropTables]);
  return [...names].map((table) => ({
    sql: `LOCK TABLE ${quoteTable(table)} IN ACCESS EXCLUSIVE MODE`,
    purpose: `lock the table ${table}`,
    table,
  }));
}

async function prepareMigration(
  ask: Ask,
  ownRules: SchemaRules,
  api: Api,
  options: MigrationOptions,
): Promise<Migration> {
  const wantsSearch = [...api.resources.values()].some(({ hasSearchIndex }) => hasSearchIndex);
  const found = {
    ...(await readFound(ask, api.settings.database)),
    search: await readSearch(ask, wantsSearch),
  };
  const asking = findMigration(api, ownRules, found, options);
  let next = asking.next();
  while (next.done !== true) {
    const [row = []] = await ask(next.value);
    next = asking.next(row);
  }
  const migration = next.value;
  const obstacles = await dependentObstacles(ask, migration.changes);
  const schema = api.settings.database?.serviceSchema;
  const isToMake = schema !== undefined && !isEmpty(migration) && (await lacksSchema(ask, schema));
  const first = isToMake ? [step(`create schema ${schema}`, { isExtra: true })] : [];
  return { ...migration, steps: [...first, ...migration.steps, ...obstacles] };
}

/** The null order of sorts: nulls first ascending, last descending. Columns that are never null need none. */
function putsNullsFirst({ columns }: TableSchema, name: string): boolean {
  return columns.some((column) => column.name === name && column.nullable && !column.isKey);
}

function indexSql(table: TableSchema, index: IndexSchema): string {
  const keys = withId(table, index).map(
    (name) => `${quote(name)}${putsNullsFirst(table, name) ? ' NULLS FIRST' : ''}`,
  );
  return `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${quote(index.name)} ON ${quoteTable(table.name)} (${keys.join(', ')})`;
}
