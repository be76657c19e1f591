import type { Api, NativeColumn, Resource } from '../../model/api.ts';
import type { FieldForms, FoundForm, FoundForms } from '../../model/field-types/stored-as.ts';
import { cutName } from '../../sql/schema/cut-name.ts';
import { hasFillingTrigger, isLaterTrigger } from './catalog.ts';
import { closedIn, closedWritesQuery } from './closed-writes.ts';
import { isComputed, postgresText } from './dialect.ts';
import type { Ask } from './database.ts';
import { declaredType, limitsOf } from './native-types.ts';
import { quoteTable } from '../../sql/dialect.ts';

/** Selects the numbers of tables and views with their oids. */
function numbered(tables: readonly string[]): string {
  const all = tables.map((table, index) => `(${index}, ${postgresText(quoteTable(table))})`);
  return `SELECT place, to_regclass(name)::oid FROM (VALUES ${all.join(', ')}) AS named(place, name)`;
}

/**
 * The columns of tables and views, one row each that begins with the number of its table. A domain counts as its base type,
 * whose length and precision it may give; so does one of the items of an array.
 */
function columnsQuery(tables: readonly string[]): string {
  return (
    `WITH RECURSIVE wanted(place, oid) AS (${numbered(tables)}),` +
    // The tables and views that views are made of. A view has the defaults of their columns, and is asked by name.
    ` source AS (SELECT oid, oid AS table_ FROM wanted UNION SELECT source.oid, refobjid FROM source` +
    ` JOIN pg_rewrite ON ev_class = table_ AND ev_type = '1' JOIN pg_depend ON classid = 'pg_rewrite'::regclass` +
    ` AND objid = pg_rewrite.oid AND refclassid = 'pg_class'::regclass AND refobjid <> table_),` +
    ` late AS (SELECT DISTINCT source.oid FROM source JOIN pg_trigger ON tgrelid = table_ WHERE ${isLaterTrigger}),` +
    ` own AS (SELECT place, attname, attnum, atttypid AS type, atttypmod AS typmod, filled.fills,` +
    ` (${isComputed} OR filled.always) AS computed, attnotnull AND NOT ${hasFillingTrigger('attrelid')} AS required,` +
    ` (SELECT relkind = 'v' FROM pg_class WHERE pg_class.oid = attrelid) AS shown,` +
    ` wanted.oid IN (SELECT oid FROM late) AS late` +
    ` FROM wanted JOIN pg_attribute ON attrelid = wanted.oid AND attnum > 0 AND NOT attisdropped,` +
    ` LATERAL (SELECT bool_or(below.atthasdef OR below.attidentity <> '') AS fills,` +
    ` bool_or(below.attgenerated <> '' OR below.attidentity = 'a') AS always FROM source JOIN pg_attribute AS below` +
    ` ON below.attrelid = table_ AND below.attname = pg_attribute.attname WHERE source.oid = wanted.oid) AS filled),` +
    ` base AS (SELECT * FROM own UNION ALL SELECT place, attname, attnum, typbasetype,` +
    ` CASE WHEN typmod = -1 THEN typtypmod ELSE typmod END, fills OR typdefault IS NOT NULL, computed, required, shown, late` +
    ` FROM base JOIN pg_type ON pg_type.oid = type WHERE typtype = 'd')` +
    `, domains AS (SELECT oid AS domain, typbasetype AS type, typtypmod AS typmod FROM pg_type WHERE typtype = 'd'` +
    ` UNION ALL SELECT domain, typbasetype, CASE WHEN typmod = -1 THEN typtypmod ELSE typmod END` +
    ` FROM domains JOIN pg_type ON pg_type.oid = type WHERE typtype = 'd')` +
    // Without digits: of NULL, bit and char would have one.
    ` SELECT place, attname, format_type(base.type, -1), format_type(base.type, base.typmod), fills, computed,` +
    ` item.oid IS NOT NULL, format_type(item.oid, -1), format_type(item.oid, coalesce(domains.typmod, base.typmod)),` +
    ` (SELECT json_agg(enumlabel)::text FROM pg_enum WHERE enumtypid = coalesce(item.oid, kind.oid)), required,` +
    ` EXISTS (SELECT FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod WHERE amname = 'btree' AND opcdefault AND opcintype` +
    ` IN (kind.oid, CASE kind.typtype WHEN 'e' THEN 'anyenum'::regtype WHEN 'r' THEN 'anyrange' WHEN 'm' THEN 'anymultirange' END)), late, shown` +
    ` FROM base JOIN pg_type AS kind ON kind.oid = base.type LEFT JOIN domains ON domain = kind.typelem AND NOT EXISTS` +
    ` (SELECT FROM pg_type WHERE oid = domains.type AND typtype = 'd')` +
    ` LEFT JOIN pg_type AS item ON item.oid = coalesce(domains.type, kind.typelem) AND kind.typcategory = 'A'` +
    ` WHERE kind.typtype <> 'd' ORDER BY place, attnum`
  );
}

/** What PostgreSQL says of the tables of resources that are not managed, in two queries. Changes nothing. */
export async function nativeForms(ask: Ask, api: Api): Promise<FoundForms> {
  const resources = [...api.resources.values()].filter(({ isManaged }) => !isManaged);
  if (resources.length === 0) return new Map();
  const tables = resources.map(({ table }) => table);
  const columns = Map.groupBy(await ask(columnsQuery(tables)), ([place]) => Number(place));
  const closed = closedIn(await ask(closedWritesQuery(numbered(tables))));
  return new Map(
    resources.map((resource, index) => {
      const own = columns.get(index) ?? [];
      const closedHere = closed.filter(({ label }) => label === String(index));
      return [
        resource.name,
        {
          fields: formsOf(own, api, resource),
          isView: own.some((row) => row.at(-1) === true),
          closed: new Set(closedHere.map(({ operation }) => operation)),
        },
      ];
    }),
  );
}

function formsOf(columns: Awaited<ReturnType<Ask>>, api: Api, resource: Resource): FieldForms {
  const rows = new Map(columns.map(([, ...row]) => [String(row[0]), row]));
  const found = new Map<string, FoundForm>();
  for (const field of resource.fields.values()) {
    const row = rows.get(cutName(field.column));
    if (row === undefined) continue;
    const [
      ,
      type,
      declared,
      fills,
      computed,
      isArray,
      item,
      declaredItem,
      enumLabels,
      required,
      ordered,
      late,
    ] = row;
    const { collation = api.settings.database?.collation ?? 'database' } = field.attributes;
    const column = (name: unknown, declaration: unknown): NativeColumn => ({
      type: String(name),
      isCollated: collation === 'database',
      isFilled: fills === true,
      isComputed: computed === true,
      isNeeded: required === true && fills !== true,
      isSetLater: late === true,
      limits: limitsOf(String(name), declaredType(String(declaration)).digits),
    });
    const labelled =
      enumLabels === null ? {} : { labels: JSON.parse(String(enumLabels)) as readonly string[] };
    const native =
      isArray === true
        ? { ...column(type, declared), items: { ...column(item, declaredItem), ...labelled } }
        : { ...column(type, declared), ...labelled, isOrdered: ordered === true };
    found.set(field.name, { native });
  }
  return found;
}
