import type { Api, NativeColumn, Resource } from '../../model/api.ts';
import type { FoundForm, FoundForms } from '../../model/field-types/stored-as.ts';
import { cutName } from '../../sql/schema/cut-name.ts';
import { postgresText } from './dialect.ts';
import type { Ask } from './database.ts';
import { declaredType, limitsOf } from './native-types.ts';
import { quoteTable } from '../../sql/dialect.ts';

/**
 * The columns of tables and views, one row each that begins with the number of its table. A domain counts as its base type,
 * whose length and precision it may give.
 */
function columnsQuery(tables: readonly string[]): string {
  const wanted = tables.map((table, index) => `(${index}, ${postgresText(quoteTable(table))})`);
  return (
    `WITH RECURSIVE own AS (SELECT place, attname, attnum, atttypid AS type, atttypmod AS typmod,` +
    ` atthasdef OR attidentity <> '' AS fills,` +
    ` attgenerated <> '' OR attidentity = 'a' AS computed` +
    ` FROM (VALUES ${wanted.join(', ')}) AS wanted(place, name)` +
    ` JOIN pg_attribute ON attrelid = to_regclass(name) AND attnum > 0 AND NOT attisdropped),` +
    ` base AS (SELECT * FROM own UNION ALL SELECT place, attname, attnum, typbasetype,` +
    ` CASE WHEN typmod = -1 THEN typtypmod ELSE typmod END, fills OR typdefault IS NOT NULL, computed` +
    ` FROM base JOIN pg_type ON pg_type.oid = type WHERE typtype = 'd')` +
    ` SELECT place, attname, format_type(type, NULL), format_type(type, typmod), fills, computed, kind.typtype, item.oid IS NOT NULL,` +
    ` format_type(item.oid, NULL), item.typtype FROM base JOIN pg_type AS kind ON kind.oid = type` +
    ` LEFT JOIN pg_type AS item ON item.oid = kind.typelem AND kind.typcategory = 'A'` +
    ` WHERE kind.typtype <> 'd' ORDER BY place, attnum`
  );
}

/** What PostgreSQL says of the columns of resources that are not managed, in one query. Changes nothing. */
export async function nativeForms(ask: Ask, api: Api): Promise<FoundForms> {
  const resources = [...api.resources.values()].filter(({ isManaged }) => !isManaged);
  if (resources.length === 0) return new Map();
  const rows = await ask(columnsQuery(resources.map(({ table }) => table)));
  const byTable = Map.groupBy(rows, ([place]) => Number(place));
  return new Map(
    resources.map((resource, index) => [
      resource.name,
      formsOf(byTable.get(index) ?? [], api, resource),
    ]),
  );
}

function formsOf(
  columns: Awaited<ReturnType<Ask>>,
  api: Api,
  resource: Resource,
): Map<string, FoundForm> {
  const rows = new Map(columns.map(([, ...row]) => [String(row[0]), row]));
  const found = new Map<string, FoundForm>();
  for (const field of resource.fields.values()) {
    const row = rows.get(cutName(field.column));
    if (row === undefined) continue;
    const [, type, declared, fills, computed, kind, isArray, item, itemKind] = row;
    const { collation = api.settings.database?.collation ?? 'database' } = field.attributes;
    const shared = {
      isCollated: collation === 'database',
      isFilled: fills === true,
      isComputed: computed === true,
    };
    // An array has the digits of its items.
    const { digits } = declaredType(String(declared));
    const column = (name: unknown, itsKind: unknown): NativeColumn => ({
      ...shared,
      type: String(name),
      isEnum: itsKind === 'e',
      limits: limitsOf(String(name), digits),
    });
    const native = {
      ...column(type, kind),
      ...(isArray === true ? { items: column(item, itemKind) } : {}),
    };
    found.set(field.name, { native });
  }
  return found;
}
