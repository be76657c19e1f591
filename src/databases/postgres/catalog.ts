import { getOrInsert } from '../../lib/get-or-insert.ts';
import { isComputed, postgresText } from './dialect.ts';
import { servicePrefix, type ServiceSettings } from '../../model/service-table.ts';
import { quote } from '../../sql/dialect.ts';
import { DatabaseFailure } from '../database.ts';
import type { Ask } from './database.ts';
import type {
  ActualColumn,
  ActualIndex,
  ActualReference,
  ActualTable,
  Found,
  WideReference,
} from '../existing/actual-schema.ts';
import { readRecord, recordQuery, recordTable, type RecordRow } from '../existing/schema-record.ts';

/**
 * What is read: the schemas, or else the one in which new tables are created; and whether views and foreign tables are.
 * `service`: the schema whose own tables of a service are read as well, named with it.
 */
export interface Scope {
  readonly hasViews?: boolean;
  readonly schemas?: readonly string[] | undefined;
  readonly service?: string | undefined;
}

/** The schema in which new tables are created. */
export const ownSchema = `to_regnamespace(quote_ident(current_schema()))`;

export function schemaNamed(name: string): string {
  return `to_regnamespace(${postgresText(quote(name))})`;
}

/** Restricts a query to what is in the schemas of a scope. */
export function inSchemas(namespace: string, { schemas }: Scope): string {
  return schemas === undefined
    ? `${namespace} = ${ownSchema}`
    : `${namespace} IN (SELECT oid FROM pg_namespace WHERE nspname IN (${schemas.map(postgresText).join(', ')}))`;
}

/** Whether a relation is an own table of a service in its schema; undefined if the scope has none. */
function isOfService(relation: string, { service }: Scope): string | undefined {
  if (service === undefined) return undefined;
  return (
    `(${relation}.relnamespace = ${schemaNamed(service)}` +
    ` AND starts_with(${relation}.relname, ${postgresText(servicePrefix)}))`
  );
}

/** The name of a relation: with its schema, unless that is the one in which new tables are created. */
export function tableName(relation: string, scope: Scope = {}): string {
  const schema = `${relation}.relnamespace`;
  const named = isOfService(relation, scope);
  const isPlain = `${schema} = ${ownSchema}${named === undefined ? '' : ` AND ${named} IS NOT TRUE`}`;
  return (
    `(CASE WHEN ${isPlain} THEN '' ELSE` +
    ` (SELECT nspname || '.' FROM pg_namespace WHERE oid = ${schema}) END || ${relation}.relname)`
  );
}

/** Restricts a query to tables, or also to views and foreign tables. */
function inScope(scope: Scope): string {
  const kinds = scope.hasViews === true ? "'r', 'p', 'v', 'm', 'f'" : "'r', 'p'";
  const own = isOfService('table_', scope);
  const isIn = inSchemas('table_.relnamespace', scope);
  return `${own === undefined ? isIn : `(${isIn} OR ${own})`} AND table_.relkind IN (${kinds})`;
}

/**
 * Whether a collation is by code point. The server's built-in ones (b, from version 17 on) are, and those of ICU (i)
 * never; the default (d) is that of the database.
 */
export function isByCodePoint(collation: string): string {
  return (
    `CASE WHEN ${collation}.collprovider = 'd' THEN (SELECT datlocprovider = 'b' OR (datlocprovider = 'c'` +
    ` AND datcollate IN ('C', 'POSIX')) FROM pg_database WHERE datname = current_database())` +
    ` ELSE ${collation}.collprovider = 'b' OR (${collation}.collprovider = 'c'` +
    ` AND ${collation}.collcollate IN ('C', 'POSIX')) END`
  );
}

/** Whether a BEFORE INSERT trigger exists for each row: bits 1, 2 and 4 of `tgtype`. */
export const hasFillingTrigger = (oid: string): string =>
  `EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = ${oid} AND NOT tgisinternal` +
  ` AND tgenabled <> 'D' AND tgtype & 7 = 7)`;

/**
 * Whether a trigger of others runs after an INSERT (4) or UPDATE (16) of a table, not before (2) or instead (64) of it: it may
 * change the row, which RETURNING does not show.
 */
export const isLaterTrigger = `NOT tgisinternal AND tgenabled NOT IN ('D', 'R') AND tgtype & 66 = 0 AND tgtype & 20 <> 0`;

const columnsQuery = (scope: Scope): string =>
  `SELECT ${tableName('table_', scope)}, attname, format_type(atttypid, atttypmod), NOT attnotnull,` +
  ` atthasdef OR attidentity <> '', ${isComputed},` +
  ` CASE WHEN attcollation <> 0 THEN ${isByCodePoint('collation_')} END, pg_get_expr(adbin, adrelid),` +
  ` ${hasFillingTrigger('table_.oid')}, table_.relkind = 'p', NOT coalesce(collation_.collisdeterministic, true) FROM pg_class AS table_` +
  ` LEFT JOIN pg_attribute ON attrelid = table_.oid AND attnum > 0 AND NOT attisdropped` +
  ` LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum` +
  ` LEFT JOIN pg_collation AS collation_ ON collation_.oid = attcollation` +
  ` WHERE ${inScope(scope)} ORDER BY table_.relnamespace <> ${ownSchema}, table_.relname, attnum`;

/**
 * Whether an index has the order of requests: the default operator class of each type, texts by code point or as
 * their column (which a migration changes to code point), and one direction for all columns.
 */
const isInOrder =
  `NOT EXISTS (SELECT 1 FROM unnest(indkey::int[], indclass::oid[], indcollation::oid[])` +
  ` WITH ORDINALITY AS key(number, operators, sorting, place) JOIN pg_attribute ON attrelid = indrelid` +
  ` AND attnum = key.number JOIN pg_opclass AS used ON used.oid = operators` +
  ` LEFT JOIN pg_collation AS own ON own.oid = sorting WHERE place <= indnkeyatts AND` +
  ` (NOT EXISTS (SELECT 1 FROM pg_opclass AS usual WHERE usual.opcfamily = used.opcfamily AND usual.opcdefault)` +
  ` OR (sorting <> attcollation AND NOT ${isByCodePoint('own')})))` +
  ` AND (SELECT count(DISTINCT option & 1) FROM unnest(indoption::int[]) AS option) < 2`;

/** B-tree indexes: no other method has an order. */
const indexesQuery = (scope: Scope): string =>
  `SELECT ${tableName('table_', scope)}, index_.relname, (SELECT json_agg(attname ORDER BY place) FROM` +
  ` unnest(indkey::int[]) WITH ORDINALITY AS key(number, place) JOIN pg_attribute` +
  ` ON attrelid = indrelid AND attnum = key.number WHERE place <= indnkeyatts)::jsonb,` +
  ` indisunique, indisprimary, CASE WHEN NOT EXISTS (SELECT 1 FROM pg_constraint` +
  ` WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x')) THEN pg_get_indexdef(indexrelid) END,` +
  // Bit 2 of an option means nulls first, bit 1 descending.
  ` (SELECT json_agg((option & 3) IN (1, 2) ORDER BY place) FROM` +
  ` unnest(indoption::int[]) WITH ORDINALITY AS options(option, place))::jsonb, ${isInOrder}, indisvalid` +
  ` FROM pg_index JOIN pg_class AS table_ ON table_.oid = indrelid` +
  ` JOIN pg_class AS index_ ON index_.oid = indexrelid` +
  ` JOIN pg_am ON pg_am.oid = index_.relam AND amname = 'btree'` +
  ` WHERE ${inScope(scope)} AND indpred IS NULL AND indexprs IS NULL`;

/** The names of the columns whose numbers an array has, as JSON. */
function namesOf(table: string, numbers: string): string {
  return (
    `(SELECT json_agg(attname ORDER BY place) FROM unnest(${numbers}) WITH ORDINALITY AS key(number, place)` +
    ` JOIN pg_attribute ON attrelid = ${table} AND attnum = key.number)::jsonb`
  );
}

const referencesQuery = (scope: Scope): string =>
  `SELECT ${tableName('table_', scope)}, ${namesOf('conrelid', 'conkey')}, ${tableName('target', scope)},` +
  ` ${namesOf('confrelid', 'confkey')}, confdeltype, conname, confupdtype, condeferrable, condeferred,` +
  // The column exists from PostgreSQL 18 on.
  ` coalesce((to_jsonb(pg_constraint) ->> 'conenforced')::boolean, true), convalidated` +
  ` FROM pg_constraint JOIN pg_class AS table_ ON table_.oid = conrelid` +
  ` JOIN pg_class AS target ON target.oid = confrelid` +
  ` WHERE ${inScope({ ...scope, hasViews: false })} AND contype = 'f'` +
  // If a column has several foreign keys, the one within this schema counts.
  ` ORDER BY target.relnamespace <> table_.relnamespace`;

/** The domains of a database, with their base types and all inherited checks. */
const domainsQuery =
  `WITH RECURSIVE link AS (SELECT oid AS domain, 1 AS depth, type_.* FROM pg_type AS type_ WHERE typtype = 'd'` +
  ` UNION ALL SELECT domain, depth + 1, type_.* FROM link JOIN pg_type AS type_ ON type_.oid = link.typbasetype` +
  ` WHERE type_.typtype = 'd')` +
  ` SELECT format_type(domain, NULL), (array_agg(format_type(typbasetype, typtypmod) ORDER BY depth DESC))[1],` +
  ` bool_or(typnotnull), (array_agg(typdefault ORDER BY depth) FILTER (WHERE typdefault IS NOT NULL))[1],` +
  ` coalesce((SELECT json_agg(pg_get_expr(conbin, 0) ORDER BY conname) FROM pg_constraint` +
  ` WHERE contype = 'c' AND contypid = ANY(array_agg(link.oid))), '[]')::jsonb` +
  ` FROM link GROUP BY domain`;

interface FoundDomain {
  readonly base: string;
  readonly refusesNull: boolean;
  readonly default: string | undefined;
  readonly checks: readonly string[];
}

/** Reads the domains of a database, by their SQL names. */
async function readDomains(ask: Ask): Promise<ReadonlyMap<string, FoundDomain>> {
  const rows = await ask(domainsQuery);
  return new Map(
    rows.map(([name, base, refusesNull, value, checks]) => [
      String(name),
      {
        base: String(base),
        refusesNull: refusesNull === true,
        default: typeof value === 'string' ? value : undefined,
        checks: JSON.parse(String(checks)) as string[],
      },
    ]),
  );
}

/** `pg_constraint.confdeltype` in SQL. */
const deleteActions: Readonly<Record<string, string>> = {
  a: 'NO ACTION',
  r: 'RESTRICT',
  c: 'CASCADE',
  n: 'SET NULL',
  d: 'SET DEFAULT',
};

interface ReadTable extends ActualTable {
  mayFill: boolean;
  isPartitioned: boolean;
  readonly columns: Map<string, ActualColumn>;
  readonly references: ActualReference[];
  readonly wideReferences: WideReference[];
  readonly indexes: ActualIndex[];
  readonly brokenIndexes: ActualIndex[];
}

/** Reads the tables of a database and the record of migrations, wherever these settings say that it is. */
export async function readFound(ask: Ask, settings: ServiceSettings = {}): Promise<Found> {
  const tables = await readTables(ask, { service: settings.serviceSchema });
  const record = await readMade(ask, tables, recordTable(settings));
  return { tables: new Map([...tables].map(([name, table]) => [name, () => table])), record };
}

/**
 * Reads the record of migrations; empty if none has run, or if the role may not read it, as a role that only serves
 * need not.
 */
export async function readMade(
  ask: Ask,
  tables: ReadonlyMap<string, unknown>,
  table = recordTable(),
): Promise<readonly RecordRow[]> {
  if (!tables.has(table)) return [];
  const [name = '', schema] = table.split('.').toReversed();
  // Looking the table up by its name would fail without the right to use its schema.
  const [row] = await ask(
    `SELECT has_schema_privilege(relnamespace, 'USAGE') AND has_table_privilege(oid, 'SELECT') FROM pg_class` +
      ` WHERE relname = ${postgresText(name)} AND relnamespace = ${schema === undefined ? ownSchema : schemaNamed(schema)}`,
  );
  return row?.[0] === true ? readRecord(await ask(recordQuery(table))) : [];
}

/** Reads the tables of a scope, by name. */
export async function readTables(
  ask: Ask,
  scope: Scope = {},
): Promise<ReadonlyMap<string, ActualTable>> {
  const [schema] = await ask('SELECT current_schema()');
  if (schema?.[0] === null && scope.schemas === undefined)
    throw new DatabaseFailure(
      'The search_path of this role names no schema that exists. Create the schema, or set another search_path.',
    );
  const tables = new Map<string, ReadTable>();
  const tableOf = (found: unknown): ReadTable =>
    getOrInsert(tables, String(found), (name) => ({
      name,
      columns: new Map(),
      references: [],
      wideReferences: [],
      indexes: [],
      brokenIndexes: [],
      isPartitioned: false,
      options: '',
      peculiarity: undefined,
      mayFill: false,
    }));
  const keys = new Set<string>();
  for (const row of await ask(indexesQuery(scope))) {
    const [table, name, list, unique, primary, sql, nulls, inOrder, valid] = row;
    const columns = JSON.parse(String(list)) as string[];
    if (primary === true && valid === true && columns.length === 1)
      keys.add(JSON.stringify([table, ...columns]));
    const { indexes, brokenIndexes } = tableOf(table);
    (valid === true ? indexes : brokenIndexes).push({
      name: String(name),
      columns,
      unique: unique === true,
      sql: sql === null ? undefined : String(sql),
      isPrimary: primary === true,
      isInOrder: inOrder === true,
      nullsFirst: JSON.parse(String(nulls)) as boolean[],
    });
  }
  // Beside a primary key of several columns, the id is a column that is unique by itself.
  for (const { name, indexes } of tables.values())
    if (indexes.some(({ isPrimary, columns }) => isPrimary && columns.length > 1))
      for (const { unique, columns } of indexes)
        if (unique && columns.length === 1) keys.add(JSON.stringify([name, ...columns]));
  const domains = await readDomains(ask);
  for (const row of await ask(columnsQuery(scope))) {
    const [table, column, declared, nullable, fills, computed, ...more] = row;
    const [byCodePoint, value, triggered, partitioned, isLoose] = more;
    const found = tableOf(table);
    found.mayFill = triggered === true;
    found.isPartitioned = partitioned === true;
    const { columns } = found;
    if (typeof column !== 'string') continue;
    const type = String(declared);
    const isOfItems = !domains.has(type) && type.endsWith('[]');
    const name = isOfItems ? type.slice(0, -2) : type;
    const domain = domains.get(name);
    const refusesNull = domain?.refusesNull === true;
    const filled = isOfItems ? undefined : domain?.default;
    columns.set(column, {
      name: column,
      type: domain === undefined ? type : `${domain.base}${isOfItems ? '[]' : ''}`,
      nullable: nullable === true && (isOfItems || !refusesNull),
      isPrimary: keys.has(JSON.stringify([table, column])),
      fills: fills === true || filled !== undefined,
      isComputed: computed === true,
      default: typeof value === 'string' ? value : filled,
      byCodePoint: typeof byCodePoint === 'boolean' ? byCodePoint : undefined,
      isLoose: isLoose === true || type === 'citext',
      isGuarded: false,
      domain: domain && { name, checks: domain.checks, refusesNull, isOfItems },
    });
  }
  for (const row of await ask(referencesQuery(scope))) {
    const [table, columns, target, targetColumns, onDelete, name, onUpdate, ...more] = row;
    const [own, pointed] = [columns, targetColumns].map(
      (list) => JSON.parse(String(list)) as string[],
    );
    const [column = '', ...others] = own ?? [];
    const action = deleteActions[String(onDelete)] ?? '';
    if (others.length > 0) {
      tableOf(table).wideReferences.push({
        columns: [column, ...others],
        table: String(target),
        targets: pointed,
        onDelete: action,
      });
      continue;
    }
    const [deferrable, deferred, enforced, valid] = more;
    const update = deleteActions[String(onUpdate)];
    tableOf(table).references.push({
      name: String(name),
      column,
      table: String(target),
      target: pointed?.[0],
      onDelete: action,
      isEnforced: enforced === true,
      isValid: valid === true,
      others:
        (update === undefined || onUpdate === 'a' ? '' : ` ON UPDATE ${update}`) +
        (deferrable === true ? ' DEFERRABLE' : '') +
        (deferred === true ? ' INITIALLY DEFERRED' : ''),
    });
  }
  return tables;
}
