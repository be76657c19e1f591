import type { Api, NativeColumn, Resource } from '../../model/api.ts';
import type { FoundForm, FoundForms } from '../../model/field-types/stored-as.ts';
import { cutName } from '../../sql/schema/schema.ts';
import { postgresText } from './dialect.ts';
import type { Ask } from './database.ts';
import { limitsOf } from './native-types.ts';
import { quoteTable } from '../../sql/dialect.ts';

/**
 * The columns of a table or view, one row each. A domain counts as its base type, whose length and precision it may
 * give.
 */
function columnsQuery(table: string): string {
  return (
    `WITH RECURSIVE own AS (SELECT attname, attnum, atttypid AS type, atttypmod AS typmod,` +
    ` atthasdef OR attidentity <> '' AS fills,` +
    ` attgenerated <> '' OR attidentity = 'a' AS computed FROM pg_attribute` +
    ` WHERE attrelid = to_regclass(${postgresText(quoteTable(table))}) AND attnum > 0 AND NOT attisdropped),` +
    ` base AS (SELECT * FROM own UNION ALL SELECT attname, attnum, typbasetype,` +
    ` CASE WHEN typmod = -1 THEN typtypmod ELSE typmod END, fills OR typdefault IS NOT NULL, computed` +
    ` FROM base JOIN pg_type ON pg_type.oid = type WHERE typtype = 'd')` +
    ` SELECT attname, format_type(type, NULL), typmod, fills, computed, kind.typtype, item.oid IS NOT NULL,` +
    ` format_type(item.oid, NULL), item.typtype FROM base JOIN pg_type AS kind ON kind.oid = type` +
    ` LEFT JOIN pg_type AS item ON item.oid = kind.typelem AND kind.typcategory = 'A'` +
    ` WHERE kind.typtype <> 'd' ORDER BY attnum`
  );
}

/** What PostgreSQL says of the columns of resources that are not managed. Changes nothing. */
export async function nativeForms(ask: Ask, api: Api): Promise<FoundForms> {
  const forms = new Map<string, Map<string, FoundForm>>();
  for (const resource of api.resources.values()) {
    if (resource.isManaged) continue;
    forms.set(resource.name, await formsOf(ask, api, resource));
  }
  return forms;
}

async function formsOf(ask: Ask, api: Api, resource: Resource): Promise<Map<string, FoundForm>> {
  const rows = new Map(
    (await ask(columnsQuery(resource.table))).map((row) => [String(row[0]), row]),
  );
  const found = new Map<string, FoundForm>();
  for (const field of resource.fields.values()) {
    const row = rows.get(cutName(field.column));
    if (row === undefined) continue;
    const [, type, typmod, fills, computed, kind, isArray, item, itemKind] = row;
    const { collation = api.settings.database?.collation ?? 'database' } = field.attributes;
    const shared = {
      isCollated: collation === 'database',
      isFilled: fills === true,
      isComputed: computed === true,
    };
    const native: NativeColumn = {
      ...shared,
      type: String(type),
      isEnum: kind === 'e',
      ...(isArray === true
        ? { items: { ...shared, type: String(item), isEnum: itemKind === 'e' } }
        : {}),
    };
    found.set(field.name, { native, limits: limitsOf(native, lengthOf(native, Number(typmod))) });
  }
  return found;
}

/** The characters that a column takes; undefined without a bound. */
function lengthOf({ type, items }: NativeColumn, typmod: number): number | undefined {
  // The length is stored with that of a header of four bytes.
  const isBounded = type === 'character varying' || type === 'character';
  return isBounded && items === undefined && typmod > 4 ? typmod - 4 : undefined;
}
