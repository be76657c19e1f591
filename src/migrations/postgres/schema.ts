import type { Api } from '../../model/api.ts';
import { quote } from '../../sql/dialect.ts';
import { convertColumn } from '../../databases/postgres/conversion.ts';
import { postgres } from '../../databases/postgres/dialect.ts';
import { cutName, type MigrationStep } from '../../sql/schema/schema.ts';
import {
  baseOf,
  digitsOf,
  momentKind,
  precisionOf,
  type BaseKind,
  type StoredKind,
} from '../../sql/stored-kind.ts';
import type { Fill, IndexSchema, TableSchema } from '../../sql/schema/table.ts';
import { readFound } from '../../databases/postgres/catalog.ts';
import { dependentObstacles } from './dependents.ts';
import { isServed } from '../../databases/postgres/native-types.ts';
import { hasRoomFor } from '../../databases/postgres/stored-forms.ts';
import { statementsOf } from './changes.ts';
import {
  isDependedOn,
  isGone,
  isThere,
  isUnsupported,
  meaningOf,
} from '../../databases/postgres/errors.ts';
import type { Ask, PostgresDatabase } from '../../databases/postgres/database.ts';
import {
  withId,
  type Conversion,
  type SchemaRules,
} from '../../databases/existing/actual-schema.ts';
import type { Migration } from '../changes.ts';
import { createRecord, lockRecord, writeRecord } from '../../databases/existing/schema-record.ts';
import {
  arePossible,
  findMigration,
  isDone,
  isEmpty,
  migrationFailure,
  type MigrationOptions,
} from '../steps.ts';

/** How long to wait for a table lock, in ms: later requests queue behind it. */
const limitWaiting = 'SET LOCAL lock_timeout = 10000';

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
  countOthers: (name) =>
    `SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))` +
    ` AND relkind NOT IN ('r', 'p') AND relname = ${postgres.text(cutName(name))}`,
  rebuilds: false,
  renames: () => true,
  adds: () => true,
  indexColumns: withId,
  indexSql,
  putsNullsFirst,
  // The server does not keep the text of an index, and nothing else makes names with this ending.
  isAsWritten: () => true,
};

const kindTypes: Readonly<Record<Exclude<BaseKind, 'datetime'>, string>> = {
  // As migrations never create it, but convert from it.
  any: 'text',
  string: 'text',
  integer: 'bigint',
  bigint: 'bigint',
  number: 'double precision',
  numeric: 'numeric',
  boolean: 'boolean',
  date: 'date',
  time: 'time without time zone',
  uuid: 'uuid',
  bytes: 'bytea',
  object: 'jsonb',
  array: 'jsonb',
  json: 'jsonb',
};

function typeOfKind(kind: StoredKind): string {
  const digits = digitsOf(kind);
  if (baseOf(kind) === 'datetime') return `timestamp(${precisionOf(kind)}) with time zone`;
  return digits === undefined
    ? kindTypes[kind as keyof typeof kindTypes]
    : `numeric(${digits.precision},${digits.scale})`;
}

/** The kind of a column whose type declares no precision. */
const anyDecimal: StoredKind = 'decimal(1000,500)';

function kindOfType(type: string): StoredKind {
  const [, precision, scale = '0'] = /^numeric\((\d+),(-?\d+)\)$/u.exec(type) ?? [];
  if (precision !== undefined) return `decimal(${Number(precision)},${Number(scale)})`;
  if (/^(?:smallint|integer|bigint)$/u.test(type)) return 'integer';
  if (type === 'numeric') return anyDecimal;
  if (/^(?:real|double precision)$/u.test(type)) return 'number';
  if (type.startsWith('timestamp'))
    return momentKind(Number(/^timestamp\((\d)\)/u.exec(type)?.[1] ?? 6));
  if (/^time(?:\(\d\))? without/u.test(type)) return 'time';
  if (type === 'json' || type === 'jsonb') return 'json';
  if (type.endsWith('[]')) return 'array';
  if (type === 'bytea') return 'bytes';
  return type === 'boolean' || type === 'date' || type === 'uuid' ? type : 'string';
}

/** If only the type of the column differs, or Plinth does not use it, values go through the usual type first. */
function convert(from: StoredKind, to: StoredKind, oldType: string, type: string): Conversion {
  const usual = typeOfKind(from);
  const cast = (column: string): string => {
    if (oldType === usual || from === anyDecimal) return column;
    if (/^timestamp(?:\(\d\))? without/u.test(oldType)) return `(${column} AT TIME ZONE 'UTC')`;
    if (oldType.endsWith('[]')) return `to_jsonb(${column})`;
    return `${column}::${usual}`;
  };
  if (from === to) {
    const value = (column: string): string => `${cast(column)}::${type}`;
    const same = { value, default: (old: string) => value(`(${old})::${oldType}`) };
    return same;
  }
  const isRounded = (column: string): string =>
    convertColumn(from, to, cast(column)).isInexact ?? 'false';
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
      return prepareMigration(ask, api, options);
    });
  try {
    return await look();
  } catch (error) {
    // Rows come from one snapshot, but names are looked up in the current catalog: another migration ran meanwhile.
    if (!isGone(error)) throw error;
    return look();
  }
}

/**
 * Brings a database up to date in one transaction, which finds the steps as well: of two concurrent migrations, the
 * second waits for the first. Returns the steps; if one of them is not possible, nothing was changed. Throws a
 * DatabaseFailure.
 */
export async function migrate(
  database: PostgresDatabase,
  api: Api,
  options: MigrationOptions = {},
): Promise<readonly MigrationStep[]> {
  try {
    const planned = await prepared(database, api, options);
    if (isEmpty(planned) || !arePossible(planned.steps, options)) return planned.steps;
    await makeRecord(database);
    const steps = await change(database, api, options, true);
    return steps ?? (await change(database, api, options, false)) ?? [];
  } catch (error) {
    // The error of a constraint that rows violate has the server's own words in its cause.
    const { message, detail } = ((error as Error).cause ?? error) as Error & { detail?: string };
    const reason =
      detail === undefined
        ? message
        : `${message} (${detail.replace(/\.$/u, '').replaceAll('\n', ', ')})`;
    throw migrationFailure(
      meaningOf(error),
      isDependedOn(error)
        ? `${reason}. Drop what depends on it before, and make it again afterwards`
        : reason,
    );
  }
}

/** The table whose lock separates migrations. If two create it at once, one of them fails, and the table exists. */
async function makeRecord(database: PostgresDatabase): Promise<void> {
  try {
    await database.writeOne({ sql: createRecord(postgres), parameters: [] }, { bound: [] });
  } catch (error) {
    if (!isThere(error)) throw error;
  }
}

/** The transaction of a migration. Undefined if tables had to be locked and the server has no table locks. */
async function change(
  database: PostgresDatabase,
  api: Api,
  options: MigrationOptions,
  locksTables: boolean,
): Promise<readonly MigrationStep[] | undefined> {
  let hasLocks = true;
  const changing = database.changeSchema(async (ask) => {
    // Waits without a limit for another migration.
    await ask(lockRecord);
    await ask(limitWaiting);
    const seen = await prepareMigration(ask, api, options);
    const isPossible = arePossible(seen.steps, options);
    const locks = locksTables && isPossible ? locksOf(seen) : [];
    for (const sql of locks)
      await ask(sql).catch((error: unknown) => {
        hasLocks = !isUnsupported(error);
        throw error;
      });
    // Other sessions may have written values until the locks were taken that cannot be kept.
    const { steps, changes, record, isRecordStale } =
      locks.length === 0 ? seen : await prepareMigration(ask, api, options);
    if (!arePossible(steps, options)) return steps;
    for (const sql of statementsOf(changes, rules)) await ask(sql);
    if (isRecordStale) for (const sql of writeRecord(record, postgres)) await ask(sql);
    return steps;
  });
  return changing.catch((error: unknown) => {
    if (!hasLocks) return undefined;
    throw error;
  });
}

/** Locks the tables that a migration has examined and will change. */
function locksOf({ changes }: Migration): readonly string[] {
  const names = new Set([
    ...changes.alterTables.map(({ actual }) => actual.name),
    ...changes.dropTables,
  ]);
  return [...names].map((name) => `LOCK TABLE ${quote(name)} IN ACCESS EXCLUSIVE MODE`);
}

async function prepareMigration(ask: Ask, api: Api, options: MigrationOptions): Promise<Migration> {
  const asking = findMigration(api, rules, await readFound(ask), options);
  let next = asking.next();
  while (next.done !== true) {
    const [row] = await ask(next.value);
    next = asking.next(Number(row?.[0]));
  }
  const migration = next.value;
  const obstacles = await dependentObstacles(ask, migration.changes);
  return { ...migration, steps: [...migration.steps, ...obstacles] };
}

/** The type in a column's definition, as `format_type` writes it. */
function typeName(definition: string): string {
  const [type = ''] = definition.split(/ (?:COLLATE|GENERATED|NOT NULL|PRIMARY)/u);
  return type
    .replace(', ', ',')
    .replace(/^time$/u, 'time without time zone')
    .replace(/^timestamptz(\(\d\))?$/u, 'timestamp$1 with time zone');
}

/** The null order of sorts: nulls first ascending, last descending. Columns that are never null need none. */
function putsNullsFirst({ columns }: TableSchema, name: string): boolean {
  return columns.some((column) => column.name === name && column.nullable && !column.isKey);
}

function indexSql(table: TableSchema, index: IndexSchema): string {
  const keys = withId(table, index).map(
    (name) => `${quote(name)}${putsNullsFirst(table, name) ? ' NULLS FIRST' : ''}`,
  );
  return `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${quote(index.name)} ON ${quote(table.name)} (${keys.join(', ')})`;
}
