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

/** Selects the comments on tables and columns. */
const commentsQuery = (scope: Scope): string =>
  `SELECT ${tableName('pg_class')}, coalesce(attname, ''), description FROM pg_description JOIN pg_class ON pg_class.oid = objoid` +
  ` LEFT JOIN pg_attribute ON attrelid = objoid AND attnum = objsubid AND objsubid > 0` +
  ` WHERE classoid = 'pg_class'::regclass AND ${inSchemas('relnamespace', scope)}`;

/** Selects what is not served: views, foreign tables, and partitions, which are read through their parent. */
const othersQuery = (scope: Scope): string =>
  `SELECT ${tableName('pg_class')}, relkind, relispartition, pg_relation_is_updatable(oid, true), relispopulated FROM pg_class WHERE ${inSchemas('relnamespace', scope)}` +
  ` AND (relkind IN ('v', 'm', 'f') OR (relispartition AND relkind IN ('r', 'p'))) ORDER BY relname`;

/**
 * Selects the tables and views of which a rule writes rows elsewhere (2 is an UPDATE, 3 an INSERT) and returns none, so that
 * no statement with RETURNING works.
 */
const rulesQuery = (scope: Scope): string =>
  `SELECT ${tableName('pg_class')}, ev_type FROM pg_rewrite JOIN pg_class ON pg_class.oid = ev_class` +
  ` WHERE ev_type IN ('2', '3') AND ${inSchemas('relnamespace', scope)} GROUP BY pg_class.oid, ev_type` +
  ` HAVING bool_or(is_instead) AND NOT bool_or(pg_get_ruledef(pg_rewrite.oid) ~ '\\mRETURNING\\M')`;

/**
 * Selects the views over one table that lack a column of it without which no row can be made. 64 is an INSTEAD OF trigger, 4
 * one of INSERT, and 7 a BEFORE INSERT trigger for each row, which may fill the column.
 */
const partialQuery = (scope: Scope): string =>
  `SELECT ${tableName('pg_class')} FROM pg_class JOIN pg_rewrite AS shown ON shown.ev_class = pg_class.oid AND shown.ev_type = '1'` +
  ` JOIN pg_depend AS used ON used.classid = 'pg_rewrite'::regclass AND used.objid = shown.oid` +
  ` AND used.refclassid = 'pg_class'::regclass AND used.refobjid <> pg_class.oid` +
  ` WHERE pg_class.relkind = 'v' AND ${inSchemas('pg_class.relnamespace', scope)}` +
  ` AND NOT EXISTS (SELECT 1 FROM pg_rewrite WHERE ev_class = pg_class.oid AND ev_type = '3')` +
  ` AND NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgtype & 68 = 68)` +
  ` GROUP BY pg_class.oid HAVING count(DISTINCT used.refobjid) = 1 AND EXISTS (SELECT 1 FROM pg_attribute` +
  ` WHERE attrelid = min(used.refobjid::bigint)::oid AND attnum > 0 AND NOT attisdropped AND attnotnull AND NOT atthasdef` +
  ` AND attidentity = '' AND attnum <> ALL (array_agg(used.refobjsubid)))` +
  ` AND NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = min(used.refobjid::bigint)::oid AND NOT tgisinternal AND tgtype & 7 = 7)`;

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
  const closings: (readonly [name: string, operation: Closed, note: string])[] = [];
  if (!isManaged) {
    for (const [name, event] of await ask(rulesQuery(scope)))
      closings.push([String(name), event === '2' ? 'update' : 'create', ruledWrites]);
    for (const [name] of await ask(partialQuery(scope)))
      closings.push([String(name), 'create', partialView]);
  }
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
        const limits = { ...domainBounds(column), ...bounds.get(column.name) };
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
    const guess = view === undefined ? linkGuess(actual) : viewGuess(view.name, actual);
    const guessed =
      keys.length === 0 && !isManaged ? await guessKey(ask, actual, guess) : undefined;
    const declined = view === undefined ? [] : closedTo(view);
    const further = closings.filter(
      ([one, operation]) => one === name && !declined.includes(operation),
    );
    found.push({
      actual,
      columns,
      primary: guessed ?? keys,
      isKeyDrawn: view !== undefined || isDrawn(actual, actual.columns.get(keys[0] ?? '')),
      types,
      rowKey: isManaged && keys.length > 1 ? 'id' : undefined,
      closed: [...declined, ...new Set(further.map(([, operation]) => operation))],
      notes: [
        ...(guessed === undefined ? [] : [guessedKey(guess, guessed)]),
        ...new Set(further.map(([, , note]) => note)),
      ],
      isView: view !== undefined && view.name !== 'Foreign table',
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

/** What is no table: how messages call it, and which writes it takes (`pg_relation_is_updatable`). */
interface ViewKind {
  readonly name: string;
  readonly writes: number;
}

type Closed = FoundTable['closed'][number];

const ruledWrites =
  'Its rules write to other tables and return no row, so that requests cannot: give them RETURNING, or use triggers.';
const partialView = 'View: it lacks a column that its table needs, so that it takes no new rows.';

/** The operations that a view does not take. */
function closedTo({ writes }: ViewKind): readonly Closed[] {
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
