import { postgres } from '../../databases/postgres/dialect.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import type { Ask } from '../../databases/postgres/database.ts';
import { step, type SchemaChanges } from '../changes.ts';

/** The columns in two lists, of tables and of columns; `attnum` null stands for a whole table. */
const changedColumns = `changed AS (
  SELECT relname, attname, pg_class.oid AS relation, attnum, attinhcount
  FROM unnest($1::text[], $2::text[]) AS one(relation_name, column_name)
  JOIN pg_class ON relname = relation_name AND relnamespace = to_regnamespace(quote_ident(current_schema()))
  LEFT JOIN pg_attribute ON attrelid = pg_class.oid AND attname = column_name AND attnum > 0)`;

/**
 * The objects that depend on them, and the views of those, most distant first, so that they can be dropped in this
 * order. In the catalog a view depends on a column through its internal rule, and a computed column through its
 * default.
 */
const dependentsQuery = `WITH RECURSIVE ${changedColumns},
 made AS (
  SELECT refobjid, refobjsubid, relkind IS NOT NULL AND relkind IN ('v', 'm') AS is_view, classid, objid, ev_class
  FROM pg_depend
  LEFT JOIN pg_rewrite ON classid = 'pg_rewrite'::regclass AND pg_rewrite.oid = objid
  LEFT JOIN pg_class ON pg_class.oid = ev_class
  LEFT JOIN pg_trigger ON classid = 'pg_trigger'::regclass AND pg_trigger.oid = objid
  LEFT JOIN pg_attrdef ON classid = 'pg_attrdef'::regclass AND pg_attrdef.oid = objid
  LEFT JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
  WHERE refclassid = 'pg_class'::regclass AND (tgisinternal IS FALSE OR (attgenerated <> '' AND adnum <> refobjsubid)
    OR classid IN ('pg_rewrite'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass, 'pg_publication_rel'::regclass))),
 dependent AS (
  SELECT refobjid, refobjsubid, is_view, CASE WHEN is_view THEN 'pg_class'::regclass ELSE classid END AS class,
    CASE WHEN is_view THEN ev_class ELSE objid END AS object
  FROM made),
 found AS (
  SELECT relname, is_view, class, object, 1 AS distance FROM changed JOIN dependent ON refobjid = relation
  -- With a whole table go its own rules, policies and triggers.
  AND CASE WHEN attnum IS NULL THEN is_view OR class = 'pg_proc'::regclass ELSE refobjsubid = attnum END
  UNION
  SELECT relname, dependent.is_view, dependent.class, dependent.object, distance + 1
  FROM found JOIN dependent ON found.is_view AND refobjid = found.object AND dependent.object <> found.object)
 SELECT relname, named.type, identity
 FROM (SELECT relname, class, object, max(distance) AS distance FROM found GROUP BY relname, class, object) AS each,
  pg_identify_object(class, object, 0) AS named
 ORDER BY relname, distance DESC, identity`;

/** Changed columns that the table itself cannot change: inherited ones, and those of its partition key. */
const boundQuery = `WITH ${changedColumns}
 SELECT relname, attname, attinhcount > 0 FROM changed LEFT JOIN pg_partitioned_table ON partrelid = relation
 WHERE attinhcount > 0 OR attnum = ANY(partattrs) ORDER BY relname, attnum`;

/** All obstacles that the tables themselves do not show. */
export async function dependentObstacles(
  ask: Ask,
  { alterTables, dropTables }: SchemaChanges,
): Promise<readonly MigrationStep[]> {
  const columns = alterTables.flatMap((table) =>
    table.columns.flatMap(({ actual, conversion, isDropped }) =>
      actual !== undefined && (conversion !== undefined || isDropped)
        ? [{ table: table.actual.name, column: actual.name }]
        : [],
    ),
  );
  const changed = [...columns, ...dropTables.map((table) => ({ table, column: '' }))];
  if (changed.length === 0) return [];
  const lists = [
    postgres.keys(changed.map(({ table }) => table)),
    postgres.keys(changed.map(({ column }) => column)),
  ];
  const dependents = new Map<string, string[]>();
  for (const [table, type, identity] of await ask(dependentsQuery, lists))
    dependents.set(String(table), [
      ...(dependents.get(String(table)) ?? []),
      described(String(type), String(identity)),
    ]);
  const bound = (await ask(boundQuery, lists)).map(([table, column, isInherited]) =>
    step(`change the type of ${String(table)}.${String(column)}`, {
      obstacle:
        isInherited === true
          ? 'it is inherited from another table; change it there'
          : 'the table is divided by it; make the table anew by hand',
    }),
  );
  return [
    ...bound,
    ...[...dependents].map(([table, names]) =>
      step(
        `change what ${listed(names)} ${names.length === 1 ? 'is' : 'are'} made of in ${table}`,
        {
          obstacle: `drop ${names.length === 1 ? 'it' : 'them in this order'}, and make ${names.length === 1 ? 'it' : 'them'} again afterwards`,
        },
      ),
    ),
  ];
}

/** The server's name for an object, in words. */
function described(type: string, identity: string): string {
  if (type === 'default value') return `the computed column ${identity.replace(/^for /u, '')}`;
  if (type === 'publication relation') return identity.replace(/^.* in (?=publication )/u, 'the ');
  return `the ${type} ${identity}`;
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
