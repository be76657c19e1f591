import type { FieldTypes } from '../../model/api.ts';
import { fieldTypes } from '../../model/field-types/registry.ts';
import { counted } from '../../model/values.ts';
import { quoteTable } from '../../sql/dialect.ts';
import { isServiceTable, servicePrefix } from '../../model/service-table.ts';
import {
  inSchemas,
  readMade,
  readTables,
  tableName,
  type Scope,
} from '../../databases/postgres/catalog.ts';
import {
  closedIn,
  closedWritesQuery,
  type ClosedBy,
} from '../../databases/postgres/closed-writes.ts';
import { DatabaseFailure } from '../../databases/database.ts';
import type { Ask, PostgresDatabase } from '../../databases/postgres/database.ts';
import { causeOf } from '../../databases/postgres/errors.ts';
import { messageOf } from '../../lib/message-of.ts';
import {
  pairOf,
  type ActualColumn,
  type ActualTable,
} from '../../databases/existing/actual-schema.ts';
import { boundsOf, narrowed, type Bounds } from '../../databases/existing/expressions.ts';
import { kindsQuery } from '../morphs.ts';
import { columnType } from './column-type.ts';
import { TableCounts } from './counts.ts';
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

/**
 * Selects the columns whose sequence gives, or begins with, numbers that a double does not tell apart: of a serial or identity
 * column, or in a default.
 */
const wideSequencesQuery = (scope: Scope): string => {
  const most = Number.MAX_SAFE_INTEGER;
  const last = `CASE WHEN has_sequence_privilege(seqrelid, 'USAGE, SELECT') THEN pg_sequence_last_value(seqrelid) END`;
  const inTables = `classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass AND refobjsubid > 0`;
  const inDefaults = `classid = 'pg_attrdef'::regclass AND refclassid = 'pg_class'::regclass`;
  return (
    `WITH wide AS (SELECT seqrelid FROM pg_sequence WHERE greatest(abs(seqstart::numeric), abs((${last})::numeric)) > ${most}` +
    ` OR seqmin > ${most} OR seqmax < -${most}),` +
    ` filled(relid, number) AS (SELECT refobjid, refobjsubid FROM wide JOIN pg_depend ON objid = seqrelid AND ${inTables}` +
    ` UNION SELECT adrelid, adnum FROM wide JOIN pg_depend ON refobjid = seqrelid AND ${inDefaults} JOIN pg_attrdef ON pg_attrdef.oid = objid)` +
    ` SELECT ${tableName('pg_class')}, attname FROM filled JOIN pg_class ON pg_class.oid = relid` +
    ` JOIN pg_attribute ON attrelid = relid AND attnum = number WHERE ${inSchemas('relnamespace', scope)}`
  );
};

/** Selects the comments on tables and columns. */
const commentsQuery = (scope: Scope): string =>
  `SELECT ${tableName('pg_class')}, coalesce(attname, ''), description FROM pg_description JOIN pg_class ON pg_class.oid = objoid` +
  ` LEFT JOIN pg_attribute ON attrelid = objoid AND attnum = objsubid AND objsubid > 0` +
  ` WHERE classoid = 'pg_class'::regclass AND ${inSchemas('relnamespace', scope)}`;

/** Selects what is not served: views, foreign tables, and partitions, which are read through their parent. */
const othersQuery = (scope: Scope): string =>
  `SELECT ${tableName('pg_class')}, relkind, relispartition, relispopulated FROM pg_class WHERE ${inSchemas('relnamespace', scope)}` +
  ` AND (relkind IN ('v', 'm', 'f') OR (relispartition AND relkind IN ('r', 'p'))) ORDER BY relname`;

/** Selects the other schemas that have something to serve: how many tables, and how many views. */
const schemasQuery = (scope: Scope): string =>
  `SELECT nspname, count(*) FILTER (WHERE relkind NOT IN ('v', 'm'))::int, count(*) FILTER (WHERE relkind IN ('v', 'm'))::int` +
  ` FROM pg_class JOIN pg_namespace AS space ON space.oid = relnamespace` +
  ` WHERE relkind IN ('r', 'p'${scope.hasViews === true ? `, 'f', 'v', 'm'` : ''}) AND NOT relispartition AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'` +
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
  for (const [name, , isPart, isFilled] of views) {
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
  const wideSequences = await grouped(wideSequencesQuery(scope));
  const left: string[] = [];
  const parts = new Set<string>();
  /** How messages call what is no table. */
  const views = new Map<string, string>();
  for (const [name, kind, isPart, isFilled] of await ask(othersQuery(scope)))
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
    } else if (!isManaged) views.set(String(name), kinds[String(kind)] ?? 'Table');
    else
      left.push(
        `${kinds[String(kind)] ?? 'Table'} ${String(name)} is left out: only tables are served.${kind === 'f' ? '' : ' Where migrate has to change a column that it uses, drop it before and make it again afterwards.'}`,
      );
  const closed = isManaged
    ? []
    : closedIn(
        await ask(
          closedWritesQuery(
            `SELECT ${tableName('pg_class')}, oid FROM pg_class WHERE ${inSchemas('relnamespace', scope)}`,
          ),
        ),
      );
  const instead = isManaged ? 'Set its search_path for another one' : 'Name others with --schema';
  const unread =
    schemas === undefined
      ? `only the schema in which the role makes tables is read. ${instead}`
      : 'it is not named by --schema';
  const otherSchemas: string[] = [];
  for (const [name, tablesIn, viewsIn] of await ask(schemasQuery(scope))) {
    otherSchemas.push(String(name));
    const content = [someOf(tablesIn, 'table'), someOf(viewsIn, 'view')].flat().join(' and ');
    left.push(`Schema ${String(name)} with ${content} is left out: ${unread}.`);
  }
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
        const limits = narrowed(domainBounds(column), bounds.get(column.name));
        const asked = kindsQuery(actual, column);
        return {
          actual: column,
          type:
            known !== undefined
              ? { attributes: known, notes: [] }
              : isManaged && column.isComputed
                ? computed
                : await columnType(
                    { ask, counts, table: actual, enums, types, isManaged },
                    column,
                    limits,
                    wideSequences.get(name)?.includes(column.name),
                  ),
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
    const guess = view === undefined ? linkGuess(actual) : viewGuess(view, actual);
    const guessed =
      keys.length === 0 && !isManaged ? await guessKey(ask, actual, guess) : undefined;
    const closedHere = closed.filter(({ label }) => label === name);
    const ofKind = closedHere.filter(({ by }) => by === 'kind');
    const declined = new Set(ofKind.map(({ operation }) => operation));
    const further = closedHere.filter(({ operation }) => !declined.has(operation));
    found.push({
      actual,
      columns,
      primary: guessed ?? keys,
      isKeyDrawn: view !== undefined || isDrawn(actual, actual.columns.get(keys[0] ?? '')),
      types,
      rowKey: isManaged && keys.length > 1 ? 'id' : undefined,
      closed: [...new Set(closedHere.map(({ operation }) => operation))],
      notes: [
        ...(guessed === undefined ? [] : [guessedKey(guess, guessed)]),
        ...new Set(further.map(({ by }) => closedNotes[by]).filter((note) => note !== undefined)),
      ],
      isView: view !== undefined && view !== kinds['f'],
      record: recorded,
      comment: comments.get(`${name}\0`),
    });
  }
  return { isManaged, tables: found, left, otherSchemas, types, fold: (name) => name };
}

function someOf(count: unknown, noun: string): readonly string[] {
  return count === 0 ? [] : [counted(Number(count), noun)];
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

/** What a comment says of operations that something other than the kind of view closes. */
const closedNotes: Readonly<Partial<Record<ClosedBy, string>>> = {
  rule: 'Its rules write to other tables and return no row, so that requests cannot: give them RETURNING, or use triggers.',
  missingColumn: 'View: it lacks a column that its table needs, so that it takes no new rows.',
};

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

/** Whether a row can be inserted without this key: the database fills it, or it takes a UUID. */
function isDrawn({ mayFill }: ActualTable, column: ActualColumn | undefined): boolean {
  if (column === undefined || column.fills || mayFill) return true;
  const [, length = uuidLength] = /^character(?: varying)?\((\d+)\)$/u.exec(column.type) ?? [];
  return !/^(?:smallint|integer|bigint)$/u.test(column.type) && Number(length) >= uuidLength;
}

const uuidLength = 36;

/** The CHECKs of a column's domain. */
function domainBounds({ domain }: ActualColumn): Bounds {
  if (domain === undefined || domain.isOfItems) return {};
  return boundsOf(domain.checks).get('VALUE') ?? {};
}
