import type { FieldTypes } from '../../model/api.ts';
import { booleanType } from '../../model/field-types/boolean.ts';
import { fieldTypes, typeOf } from '../../model/field-types/registry.ts';
import { counted } from '../../model/values.ts';
import type { FieldSpecification } from '../../specification/specification.ts';
import { quote, quoteTable } from '../../sql/dialect.ts';
import { postgres } from '../../databases/postgres/dialect.ts';
import { isServiceTable, servicePrefix } from '../../model/service-table.ts';
import {
  inSchemas,
  readMade,
  readTables,
  tableName,
  type Scope,
} from '../../databases/postgres/catalog.ts';
import { DatabaseFailure } from '../../databases/database.ts';
import type { Ask, PostgresDatabase } from '../../databases/postgres/database.ts';
import { causeOf } from '../../databases/postgres/errors.ts';
import { messageOf } from '../../lib/message-of.ts';
import {
  pairOf,
  type ActualColumn,
  type ActualTable,
} from '../../databases/existing/actual-schema.ts';
import { boundsOf, type Bounds } from '../../databases/existing/expressions.ts';
import { momentRanges } from '../../databases/existing/stored-forms.ts';
import { momentTexts, wordForms } from '../../specification/stored-forms.ts';
import { hintsOf, momentIn } from '../forms.ts';
import { kindsQuery } from '../morphs.ts';
import { TableCounts, type Condition, type CountValues } from './counts.ts';
import { nativeField } from './native.ts';
import { decimalBounds, postgresType, type Enums } from './types.ts';
import {
  distinctQuery,
  guessedKey,
  isLikelyKey,
  linkGuess,
  sampledRows,
  viewGuess,
  type KeyGuess,
} from '../keys/guessed.ts';
import {
  recordedType,
  uniqueColumns,
  type ColumnType,
  type FoundColumn,
  type FoundDatabase,
  type FoundTable,
} from '../table.ts';

/** Selects the enums with their values. */
const enumsQuery =
  `SELECT format_type(kind.oid, NULL), (SELECT json_agg(enumlabel ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = kind.oid)` +
  ` FROM pg_type AS kind WHERE typtype = 'e'`;

const checksQuery = (scope: Scope): string =>
  `SELECT ${tableName('pg_class')}, pg_get_expr(conbin, conrelid) FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid` +
  ` WHERE contype = 'c' AND ${inSchemas('relnamespace', scope)}`;

/** Selects the comments on tables and columns. */
const commentsQuery = (scope: Scope): string =>
  `SELECT ${tableName('pg_class')}, coalesce(attname, ''), description FROM pg_description JOIN pg_class ON pg_class.oid = objoid` +
  ` LEFT JOIN pg_attribute ON attrelid = objoid AND attnum = objsubid AND objsubid > 0` +
  ` WHERE classoid = 'pg_class'::regclass AND ${inSchemas('relnamespace', scope)}`;

/** Selects what is not served: views, foreign tables, and partitions, which are read through their parent. */
const othersQuery = (scope: Scope): string =>
  `SELECT ${tableName('pg_class')}, relkind, relispartition, pg_relation_is_updatable(oid, true), relispopulated FROM pg_class WHERE ${inSchemas('relnamespace', scope)}` +
  ` AND (relkind IN ('v', 'm', 'f') OR (relispartition AND relkind IN ('r', 'p'))) ORDER BY relname`;

const schemasQuery = (scope: Scope): string =>
  `SELECT nspname, count(*)::int FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace` +
  ` WHERE relkind IN ('r', 'p') AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'` +
  ` AND NOT starts_with(relname, '${servicePrefix}')` +
  ` AND NOT (${inSchemas('relnamespace', scope)}) GROUP BY nspname ORDER BY nspname`;

const kinds: Readonly<Record<string, string>> = {
  v: 'View',
  m: 'Materialized view',
  f: 'Foreign table',
};

const computed: ColumnType = {
  left: 'the database computes it. Where migrate has to change a column that it is made of, drop it before and make it again afterwards',
};

/**
 * The views and foreign tables that cannot be read, with the reason: a function in them may want another `search_path`, or a
 * server be gone. Each is asked in a transaction of its own, which an error ends.
 */
export async function unreadableViews(
  database: Pick<PostgresDatabase, 'inspect'>,
  schemas?: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const scope: Scope = { hasViews: true, schemas };
  const views = await database.inspect((ask) => ask(othersQuery(scope)));
  const reasons = new Map<string, string>();
  for (const [name, , isPart, , isFilled] of views) {
    if (isPart === true || isFilled === false) continue;
    const table = quoteTable(String(name));
    const read = `SELECT count(one::text) FROM (SELECT * FROM ${table} LIMIT ${sampledRows}) AS one`;
    try {
      await database.inspect((ask) => ask(read));
    } catch (error) {
      reasons.set(String(name), messageOf(causeOf(error)));
    }
  }
  return reasons;
}

/** Reads the tables of a PostgreSQL schema and samples their values. Changes nothing. `unreadable` are left out. */
export async function readPostgres(
  ask: Ask,
  isManaged = false,
  types: FieldTypes = fieldTypes,
  schemas?: readonly string[],
  unreadable: ReadonlyMap<string, string> = new Map(),
): Promise<FoundDatabase> {
  const scope: Scope = { hasViews: !isManaged, schemas };
  await requireSchemas(ask, schemas ?? []);
  const tables = await readTables(ask, scope);
  const record = await readMade(ask, tables);
  const enums = new Map<string, readonly string[]>();
  for (const [name, values] of await ask(enumsQuery))
    enums.set(String(name), values === null ? [] : (JSON.parse(String(values)) as string[]));
  const grouped = async (sql: string): Promise<ReadonlyMap<string, readonly string[]>> => {
    const groups = new Map<string, string[]>();
    for (const [table, text] of await ask(sql))
      groups.set(String(table), [...(groups.get(String(table)) ?? []), String(text)]);
    return groups;
  };
  const checks = await grouped(checksQuery(scope));
  const comments = new Map<string, string>();
  for (const [table, column, text] of await ask(commentsQuery(scope)))
    comments.set(`${String(table)}\0${String(column)}`, String(text));
  const left: string[] = [];
  const parts = new Set<string>();
  const views = new Map<string, ViewKind>();
  for (const [name, kind, isPart, writes, isFilled] of await ask(othersQuery(scope)))
    if (isPart === true) parts.add(String(name));
    else if (unreadable.has(String(name))) {
      parts.add(String(name));
      left.push(
        `${kinds[String(kind)] ?? 'Table'} ${String(name)} is left out: it cannot be read (${unreadable.get(String(name)) ?? ''}).`,
      );
    } else if (!isManaged && isFilled === false) {
      parts.add(String(name));
      left.push(
        `Materialized view ${String(name)} is left out: it was never filled. Run REFRESH MATERIALIZED VIEW.`,
      );
    } else if (!isManaged)
      views.set(String(name), { name: kinds[String(kind)] ?? 'Table', writes: Number(writes) });
    else
      left.push(
        `${kinds[String(kind)] ?? 'Table'} ${String(name)} is left out: only tables are served.${kind === 'f' ? '' : ' Where migrate has to change a column that it uses, drop it before and make it again afterwards.'}`,
      );
  const instead = isManaged ? 'Set its search_path for another one' : 'Name others with --schema';
  const unread =
    schemas === undefined
      ? `only the schema in which the role makes tables is read. ${instead}`
      : 'it is not named by --schema';
  for (const [name, count] of await ask(schemasQuery(scope)))
    left.push(
      `Schema ${String(name)} with ${counted(Number(count), 'table')} is left out: ${unread}.`,
    );
  const found: FoundTable[] = [];
  for (const actual of tables.values()) {
    const { name } = actual;
    const isOwn = isServiceTable(name);
    if (isOwn || parts.has(name)) continue;
    const rows = record.filter((row) => row.table === name);
    const recorded = new Map(rows.map((row) => [row.column, row]));
    const bounds = boundsOf(checks.get(name) ?? []);
    const primary = actual.indexes.find(({ isPrimary }) => isPrimary)?.columns;
    const counts = new TableCounts(ask, actual);
    const columns = await Promise.all(
      [...actual.columns.values()].map(async (column): Promise<FoundColumn> => {
        const known = recordedType(recorded.get(column.name), column.type === 'jsonb', types);
        const limits = { ...domainBounds(column), ...bounds.get(column.name) };
        const asked = kindsQuery(actual, column);
        return {
          actual: column,
          type:
            known !== undefined
              ? { attributes: known, notes: [] }
              : !isManaged
                ? await unmanagedType(counts, actual, column, enums, limits, types)
                : column.isComputed
                  ? computed
                  : await columnType(ask, counts, actual, column, enums, limits, types),
          bounds: limits,
          comment: comments.get(`${name}\0${column.name}`),
          kinds: asked === undefined ? [] : (await ask(asked)).map(([kind]) => String(kind)),
        };
      }),
    );
    const view = views.get(name);
    const keys =
      primary?.filter((column) => column !== null) ??
      (isManaged ? pairOf(actual, (one) => one) : uniqueColumns(actual)) ??
      [];
    const guess = view === undefined ? linkGuess(actual) : viewGuess(view.name, actual);
    const guessed =
      keys.length === 0 && !isManaged ? await guessKey(ask, actual, guess) : undefined;
    found.push({
      actual,
      columns,
      primary: guessed ?? keys,
      types,
      rowKey: isManaged && keys.length > 1 ? 'id' : undefined,
      closed: view === undefined ? [] : closedTo(view),
      notes: guessed === undefined ? [] : [guessedKey(guess, guessed)],
      isView: view !== undefined && view.name !== 'Foreign table',
      record: recorded,
      comment: comments.get(`${name}\0`),
    });
  }
  return { isManaged, tables: found, left, types, fold: (name) => name };
}

/** Fails if a schema that is asked for is not there. */
async function requireSchemas(ask: Ask, schemas: readonly string[]): Promise<void> {
  if (schemas.length === 0) return;
  const rows = await ask(`SELECT nspname FROM pg_namespace WHERE ${inSchemas('oid', { schemas })}`);
  const known = new Set(rows.map(([name]) => String(name)));
  const unknown = schemas.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new DatabaseFailure(`The database has no schema ${unknown}. Change --schema.`);
}

/** What is no table: how messages call it, and which writes it takes (`pg_relation_is_updatable`). */
interface ViewKind {
  readonly name: string;
  readonly writes: number;
}

/** The operations that a view does not take. */
function closedTo({ writes }: ViewKind): FoundTable['closed'] {
  const bits = { create: 8, update: 4, delete: 16 } as const;
  return (['create', 'update', 'delete'] as const).filter(
    (operation) => (writes & bits[operation]) === 0,
  );
}

/** The columns whose values identify the rows of a view or table without a key: the first that have distinct values. */
async function guessKey(
  ask: Ask,
  table: ActualTable,
  { candidates }: KeyGuess,
): Promise<readonly string[] | undefined> {
  for (const columns of candidates) {
    const [row = []] = await ask(distinctQuery(table, columns, (column) => `${column}::text`));
    if (isLikelyKey(columns, row)) return columns;
  }
  return undefined;
}

/** The type of an unmanaged column, and of the stored form that its texts or numbers have. */
async function unmanagedType(
  counts: TableCounts,
  table: ActualTable,
  column: ActualColumn,
  enums: Enums,
  bounds: Bounds,
  types: FieldTypes,
): Promise<ColumnType> {
  const count: CountValues = (condition) => counts.count(column.name, condition);
  const field = await nativeField(column.type, enums, types, count);
  const { kind, text } = typeOf(field.attributes, types);
  if (kind !== 'integer' && (text === undefined || field.attributes.format !== undefined))
    return field;
  const form = await formOf(counts, table, column, kind === 'integer', bounds);
  return form === undefined ? field : { attributes: form, notes: field.notes };
}

/** The CHECKs of a column's domain. */
function domainBounds({ domain }: ActualColumn): Bounds {
  if (domain === undefined || domain.isOfItems) return {};
  return boundsOf(domain.checks).get('VALUE') ?? {};
}

/** The type of a column. If the declared type is ambiguous, the stored values decide. */
async function columnType(
  ask: Ask,
  counts: TableCounts,
  table: ActualTable,
  column: ActualColumn,
  enums: Enums,
  bounds: Bounds,
  types: FieldTypes,
): Promise<ColumnType> {
  const count = (condition: string): Promise<number> => counts.count(column.name, () => condition);
  const name = quote(column.name);
  const type = postgresType(column.type, enums, types);
  if ('left' in type) return type;
  const { kind, text } = typeOf(type.attributes, types);
  if (kind === 'decimal' && type.attributes.precision === undefined) {
    const [row = []] = await ask(
      `SELECT max(scale(${name}))::int, max(length(rtrim(split_part(${name}::text, '.', 2), '0')))::int,` +
        ` max(length(trunc(abs(${name}))::text))::int, count(*) FILTER (WHERE ${name} IN ('NaN', 'Infinity', '-Infinity'))::int FROM ${quoteTable(table.name)}`,
    );
    const [scale, filled, whole, odd] = row;
    return decimalBounds(
      { scale: Number(scale ?? 2), filled: Number(filled ?? 0), whole: Number(whole ?? 1) },
      Number(odd),
    );
  }
  if (kind === 'integer' && column.type === 'bigint') {
    const unsafe = await count(`${name} NOT BETWEEN -9007199254740991 AND 9007199254740991`);
    if (unsafe > 0) return { left: 'it holds whole numbers that JSON cannot tell exactly' };
  }
  if (kind === 'integer' || text !== undefined) {
    const form = await formOf(counts, table, column, kind === 'integer', bounds);
    if (form !== undefined) return { attributes: form, notes: type.notes };
  }
  if (kind === 'number') {
    const odd = await count(`${name}::text IN ('NaN', 'Infinity', '-Infinity')`);
    if (odd > 0) return { left: 'it holds numbers that JSON does not know, such as NaN' };
  }
  if (kind === 'datetime' || kind === 'date') {
    const endless = await count(
      `NOT isfinite(${name}) OR ${name} < DATE '0001-01-01' OR ${name} >= DATE '10000-01-01'`,
    );
    if (endless > 0) return { left: 'it holds dates that are not from the years 1 to 9999' };
  }
  if (kind === 'datetime') {
    const finer = await count(`date_trunc('milliseconds', ${name}) <> ${name}`);
    if (finer > 0)
      return {
        ...type,
        notes: [
          ...type.notes,
          `${finer === 1 ? '1 value is' : `${finer} values are`} finer than a millisecond; migrate --apply rounds them, and only with --allow-data-loss.`,
        ],
      };
  }
  if (kind === 'array') {
    const nested = await count(`array_ndims(${name}) > 1`);
    if (nested > 0) return { left: 'it holds arrays of several dimensions' };
  }
  if (kind === 'time') {
    const finer = await count(`date_trunc('second', ${name}::interval) <> ${name}::interval`);
    if (finer > 0) return { left: 'it holds times with fractions of a second' };
  }
  return type;
}

/** The type that numbers or texts are a stored form of, if all of them have one form. */
async function formOf(
  counts: TableCounts,
  table: ActualTable,
  { name, isPrimary }: ActualColumn,
  isNumber: boolean,
  bounds: Bounds,
): Promise<FieldSpecification | undefined> {
  const isKey = isPrimary || table.references.some(({ column }) => column === name);
  const { isFlag, isMoment } = hintsOf(name, bounds, isKey);
  if (isKey || (isNumber && !isFlag && !isMoment)) return undefined;
  const none = { precision: 1, scale: 0 };
  const conditions: (readonly [FieldSpecification, Condition])[] = [];
  if (!isNumber)
    for (const form of momentTexts)
      conditions.push([momentIn(form), (c) => postgres.isStoredAs(c, form, none)]);
  const words = isNumber ? (['1/0'] as const) : wordForms;
  if (isFlag)
    for (const storedAs of words)
      conditions.push([
        { type: booleanType.name, storedAs },
        (c) => postgres.isStoredAs(c, storedAs, none),
      ]);
  if (isNumber && isMoment)
    for (const form of ['unixSeconds', 'unixMilliseconds'] as const)
      conditions.push([momentIn(form), (c) => `${c} BETWEEN ${momentRanges[form].join(' AND ')}`]);
  if (conditions.length === 0) return undefined;
  const [all, ...found] = await Promise.all(
    [(c: string) => `${c} IS NOT NULL`, ...conditions.map(([, condition]) => condition)].map(
      (condition) => counts.count(name, condition),
    ),
  );
  const index = found.findIndex((count) => count > 0 && count === all);
  return conditions[index]?.[0];
}
