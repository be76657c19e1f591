import { postgres } from '../../databases/postgres/dialect.ts';
import type { SqlValue } from '../../model/values.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import type { Ask } from '../../databases/postgres/database.ts';
import { quoteTable } from '../../sql/dialect.ts';
import { searchPrefix } from '../../sql/schema/search-index.ts';
import { keepsValues, step, type SchemaChanges } from '../changes.ts';
import { typeName } from './types.ts';

/** The columns in two lists, of tables and of columns; `attnum` null stands for a whole table. */
const changedColumns = `changed AS (
  SELECT relname, attname, pg_class.oid AS relation, attnum, attinhcount, reloftype
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

/** Changed columns that the table itself cannot change: inherited ones, those of its partition key, and of its type. */
const boundQuery = `WITH ${changedColumns}
 SELECT relname, attname, attinhcount > 0, reloftype <> 0
 FROM changed LEFT JOIN pg_partitioned_table ON partrelid = relation
 WHERE attinhcount > 0 OR attnum = ANY(partattrs) OR reloftype <> 0 ORDER BY relname, attnum`;

/** Whether an object uses functions or operators that no server has by itself, which may not take another type. */
const usesOthers = (catalog: string, object: string): string =>
  `EXISTS (SELECT 1 FROM pg_depend WHERE classid = '${catalog}'::regclass AND objid = ${object}
    AND refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass))`;

/** Functions and operators in a column's index that are not the usual ones of its type. */
const isUnusual = `EXISTS (SELECT 1 FROM unnest(indkey::int[], indclass::oid[]) AS key(number, operators)
    JOIN pg_opclass ON pg_opclass.oid = operators
    JOIN pg_am ON pg_am.oid = opcmethod WHERE number = attnum
    AND (NOT opcdefault OR amname NOT IN ('btree', 'hash', 'gin')))`;

/**
 * The rules of a table and its indexes that are made of columns of a new type: they would fail, or mean something else.
 * If the type is of the same family (integer and bigint), only other people's functions tell them apart. Functions that
 * take the type of a column would not take its values any more.
 */
const rulesQuery = `WITH changed AS (
  SELECT relname, pg_class.oid AS relation, attnum, atttypid, leaves
  FROM unnest($1::text[], $2::text[], $3::boolean[]) AS one(relation_name, column_name, leaves)
  JOIN pg_class ON relname = relation_name AND relnamespace = to_regnamespace(quote_ident(current_schema()))
  JOIN pg_attribute ON attrelid = pg_class.oid AND attname = column_name AND attnum > 0),
 own AS (SELECT typ.oid AS type FROM pg_type AS typ LEFT JOIN pg_type AS item ON item.oid = typ.typelem
  WHERE typ.typtype IN ('e', 'd') OR (typ.typcategory = 'A' AND item.typtype IN ('e', 'd')))
 SELECT DISTINCT relname, what, name FROM (
  SELECT relname, CASE contype WHEN 'c' THEN 'CHECK' ELSE 'exclusion constraint' END AS what, conname::text AS name
  FROM changed JOIN pg_constraint ON conrelid = relation AND contype IN ('c', 'x') AND attnum = ANY(conkey)
  WHERE leaves OR ${usesOthers('pg_constraint', 'pg_constraint.oid')}
  UNION ALL
  SELECT relname, 'index', indexrelid::regclass::text
  FROM changed JOIN pg_index ON indrelid = relation
  WHERE NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype = 'x')
  -- Those are made anew.
  AND NOT EXISTS (SELECT 1 FROM pg_class AS search WHERE search.oid = indexrelid AND starts_with(search.relname, '${searchPrefix}'))
  AND CASE WHEN concat(indexprs::text, indpred::text) ~ concat(':varattno ', attnum, ' ')
    THEN leaves OR ${usesOthers('pg_class', 'indexrelid')} ELSE leaves AND ${isUnusual} END
  UNION ALL
  SELECT relname, 'function', (pg_identify_object('pg_proc'::regclass, pg_proc.oid, 0)).identity
  FROM changed JOIN own ON type = atttypid JOIN pg_proc ON type = ANY(proargtypes)
  WHERE NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
 ) AS each ORDER BY relname, what, name`;

/** Types whose values mean the same in each of them, so that expressions over them do. */
const families: readonly RegExp[] = [
  /^(?:smallint|integer|bigint)$/u,
  /^(?:text|name|"char"|bpchar|character)\b/u,
  /^numeric\b/u,
  /^(?:real|double precision)$/u,
  /^timestamp(?:\(\d\))? with time zone$/u,
  /^time(?:\(\d\))? without time zone$/u,
];

function areAlike(type: string, other: string): boolean {
  return type === other || families.some((family) => family.test(type) && family.test(other));
}

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
  for (const [table, what, name] of await ask(rulesQuery, retypedLists(alterTables)))
    dependents.set(String(table), [
      ...(dependents.get(String(table)) ?? []),
      `the ${String(what)} ${String(name)}`,
    ]);
  const bound = (await ask(boundQuery, lists)).map(([table, column, isInherited, isOfType]) =>
    step(`change the type of ${String(table)}.${String(column)}`, {
      obstacle:
        isInherited === true
          ? 'it is inherited from another table; change it there'
          : isOfType === true
            ? `the table is made of a type; take that away: ALTER TABLE ${quoteTable(String(table))} NOT OF`
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

/** The tables and columns that get another type, and whether it is of another family. */
function retypedLists(tables: SchemaChanges['alterTables']): readonly SqlValue[] {
  const retyped = tables.flatMap(({ actual: { name }, columns }) =>
    columns.flatMap(({ actual, wanted, conversion }) => {
      if (actual === undefined || wanted === undefined || conversion === undefined) return [];
      if (keepsValues(actual.name, conversion)) return [];
      return [{ name, column: actual.name, leaves: !areAlike(actual.type, typeName(wanted.type)) }];
    }),
  );
  return [
    postgres.keys(retyped.map(({ name }) => name)),
    postgres.keys(retyped.map(({ column }) => column)),
    postgres.keys(retyped.map(({ leaves }) => String(leaves))),
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
