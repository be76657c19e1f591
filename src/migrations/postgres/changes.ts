import { quote, quoteTable } from '../../sql/dialect.ts';
import { columnSql, deleteActions, withoutSchema } from '../../sql/schema/schema.ts';
import type { ColumnSchema, ReferenceSchema } from '../../sql/schema/table.ts';
import type {
  ActualReference,
  ActualTable,
  SchemaRules,
} from '../../databases/existing/actual-schema.ts';
import {
  isRenamed,
  keepsValues,
  renameTypeSql,
  valueFrom,
  type ColumnChange,
  type IndexDrop,
  type SchemaChanges,
  type SearchChanges,
  type TableChange,
} from '../changes.ts';
import {
  functionGrant,
  functionStatement,
  indexStatement,
} from '../../databases/postgres/search/search.ts';
import { creationOf } from '../indexes.ts';
import { searchCreationOf } from '../search.ts';

/** A statement, and what it does as a refusal says it. */
export interface NamedStatement {
  readonly sql: string;
  /** "change the table users" */
  readonly purpose: string;
  readonly table: string;
}

/** The statements of the transaction of a migration, in order. */
export function statementsOf(
  changes: SchemaChanges,
  rules: SchemaRules,
): readonly NamedStatement[] {
  const { alterTables, createTables } = changes;
  const altering = (make: (table: TableChange) => readonly string[]): readonly NamedStatement[] =>
    alterTables.flatMap((table) =>
      make(table).map((sql) => ({
        sql,
        purpose: `change the table ${table.name}`,
        table: table.actual.name,
      })),
    );
  return [
    // Foreign keys prevent changes of the columns on either side.
    ...altering(dropReferences),
    ...changes.dropIndexes.map((index) => ({
      sql: `DROP INDEX ${indexName(index)}`,
      purpose: `drop the index ${index.name}`,
      table: index.table,
    })),
    ...changes.search.drop.map((index) => ({
      sql: `DROP INDEX ${indexName(index)}`,
      purpose: `drop the index ${index.name}`,
      table: index.table,
    })),
    ...dropTables(changes),
    ...changes.renameTables.map(({ from, to }) => ({
      sql: `ALTER TABLE ${quote(from)} RENAME TO ${quote(to)}`,
      purpose: `rename the table ${from}`,
      table: from,
    })),
    ...altering(renameColumns),
    ...createTables.map(({ name, columns }) => ({
      sql: `CREATE TABLE ${quoteTable(name)} (${columns.map(columnOf).join(', ')})`,
      purpose: `create the table ${name}`,
      table: name,
    })),
    ...altering(alterTable),
    ...changes.createIndexes.flatMap(({ table, index, collated, isLater }) =>
      isLater
        ? []
        : [
            {
              sql: rules.indexSql(table, index, collated),
              purpose: creationOf(table.name, index),
              table: table.name,
            },
          ],
    ),
    ...searchStatements(changes.search),
    ...createTables.flatMap(({ name, columns }) =>
      columns.flatMap(({ name: column, reference }) =>
        reference === undefined
          ? []
          : addReference(name, column, reference).map((sql) => ({
              sql,
              purpose: `refer ${name}.${column} to ${reference.table}`,
              table: reference.table,
            })),
      ),
    ),
    ...altering(addReferences),
    ...changes.renameTypes.map((rename) => ({
      sql: renameTypeSql(rename, rules.dialect),
      purpose: `change the table ${rename.table}`,
      table: rename.table,
    })),
  ];
}

/** An index as SQL names it: it is in the schema of its table. */
export function indexName({ name, table }: IndexDrop): string {
  const schema = table.slice(0, -withoutSchema(table).length);
  return `${schema === '' ? '' : `${quote(schema.slice(0, -1))}.`}${quote(name)}`;
}

/** What search indexes need, and those of tables without rows. */
function searchStatements({
  create,
  makesFunction,
  extension,
}: SearchChanges): readonly NamedStatement[] {
  const first = create[0]?.table ?? '';
  const statements: NamedStatement[] = [];
  if (create.length > 0 && extension?.isMissing === true)
    statements.push({
      sql: 'CREATE EXTENSION IF NOT EXISTS pg_trgm',
      purpose: 'create the extension pg_trgm',
      table: first,
    });
  if (makesFunction)
    for (const sql of [functionStatement(), functionGrant()])
      statements.push({
        sql,
        purpose: 'create the function that folds texts for search',
        table: first,
      });
  return [
    ...statements,
    ...create.flatMap(({ table, schema, isLater }) =>
      isLater
        ? []
        : [
            {
              sql: indexStatement(table, schema, extension?.schema ?? ''),
              purpose: searchCreationOf(table, schema),
              table,
            },
          ],
    ),
  ];
}

/** Drops them in one statement, since they may refer to each other. */
function dropTables({ dropTables: names }: SchemaChanges): readonly NamedStatement[] {
  const [table] = names;
  if (table === undefined) return [];
  const purpose = `drop the table${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
  return [{ sql: `DROP TABLE ${names.map(quote).join(', ')}`, purpose, table }];
}

/** The definition of a column without its foreign key, which is added once all tables exist. */
function columnOf(column: ColumnSchema): string {
  return columnSql({ ...column, reference: undefined });
}

/**
 * Whether a foreign key has to be dropped before its column changes. It is added again if the file wants it. The
 * server keeps one that the file does not mention, or refuses the change.
 */
function isReleased({ actual, conversion, isDropped, reference }: ColumnChange): boolean {
  return (
    actual !== undefined &&
    reference.actual !== undefined &&
    !isDropped &&
    (reference.change === 'drop' ||
      reference.change === 'replace' ||
      (conversion !== undefined && reference.wanted !== undefined))
  );
}

function dropReferences({ actual, columns }: TableChange): readonly string[] {
  return columns.flatMap((column) => {
    const name = column.reference.actual?.name;
    return isReleased(column) && name !== undefined
      ? [`ALTER TABLE ${quoteTable(actual.name)} DROP CONSTRAINT ${quote(name)}`]
      : [];
  });
}

/** Whether foreign keys are added to a table. */
export function addsReferences(table: TableChange): boolean {
  return addReferences(table).length > 0;
}

function addReferences({ name, columns, isValidatedLater }: TableChange): readonly string[] {
  // Constraints that return under their old name come before those that get a new one.
  const released = columns.filter(isReleased);
  const added = columns.filter(
    (column) => column.actual === undefined || column.reference.change === 'add',
  );
  return [...released, ...added].flatMap((column) => {
    const { wanted, actual: before } = column.reference;
    const actual = isReleased(column) ? before : undefined;
    const constraint = isRenamed(column) ? undefined : actual?.name;
    if (wanted === undefined) return [];
    const added = addReference(name, column.name, wanted, actual, constraint);
    return isValidatedLater ? added.map((sql) => `${sql} NOT VALID`) : added;
  });
}

/** Adds a foreign key; options that the file does not mention are taken from `actual`. */
function addReference(
  table: string,
  column: string,
  reference: ReferenceSchema,
  actual?: ActualReference,
  constraint?: string,
): readonly string[] {
  const target = `${quoteTable(reference.table)} (${quote(reference.column)})`;
  const name = constraint === undefined ? '' : ` CONSTRAINT ${quote(constraint)}`;
  const action = deleteActions[reference.onDelete];
  const isLike = actual?.onDelete === 'NO ACTION' && action === 'RESTRICT';
  return [
    `ALTER TABLE ${quoteTable(table)} ADD${name} FOREIGN KEY (${quote(column)})` +
      ` REFERENCES ${target} ON DELETE ${isLike ? 'NO ACTION' : action}${actual?.others ?? ''}`,
  ];
}

function renameColumns({ name, columns }: TableChange): readonly string[] {
  return columns.flatMap((column) =>
    column.actual !== undefined && isRenamed(column)
      ? [
          `ALTER TABLE ${quoteTable(name)} RENAME COLUMN ${quote(column.actual.name)} TO ${quote(column.name)}`,
        ]
      : [],
  );
}

/**
 * All column changes of a table in as few statements as possible: each type change rewrites the table and its indexes
 * while it is locked for reading.
 */
function alterTable({ name, actual: there, columns }: TableChange): readonly string[] {
  const table = quoteTable(name);
  const alter = (action: string): string => `ALTER TABLE ${table} ${action}`;
  const first: string[] = [];
  const actions: string[] = [];
  const last: string[] = [];
  for (const column of columns) {
    const { actual, wanted, conversion, fill, losesDefault } = column;
    const one = quote(column.name);
    const act = (action: string): unknown => actions.push(`ALTER COLUMN ${one} ${action}`);
    if (column.isDropped) {
      first.push(alter(`DROP COLUMN ${one}`));
      continue;
    }
    if (actual === undefined) {
      if (wanted !== undefined)
        last.push(alter(`ADD COLUMN ${withDefault(columnOf(besideKey(wanted, there)), fill)}`));
      continue;
    }
    const changesNull = column.nullable !== actual.nullable && wanted?.isKey !== true;
    if (changesNull && column.nullable) act('DROP NOT NULL');
    if (conversion !== undefined && wanted !== undefined) {
      // Identity columns hold integers only, and a default has the old type.
      if (actual.isPrimary && !wanted.type.includes('GENERATED'))
        first.push(alter(`ALTER COLUMN ${one} DROP IDENTITY IF EXISTS`));
      // Except the default of a serial column, which goes on generating ids.
      const isSerial =
        wanted.type.includes('GENERATED') && actual.default?.startsWith('nextval(') === true;
      const old = isSerial || keepsValues(one, conversion) ? undefined : actual.default;
      if (old !== undefined) act('DROP DEFAULT');
      act(`TYPE ${newType(column, wanted)} USING ${valueFrom(one, conversion, fill)}`);
      const kept = losesDefault || actual.isPrimary ? undefined : conversion.default;
      if (old !== undefined && kept !== undefined) act(`SET DEFAULT ${kept(old)}`);
      last.push(...keptRules(column).map((check) => alter(`ADD CHECK (${check})`)));
      if (leavesDomain(column) && !column.nullable && actual.domain?.refusesNull === true)
        act('SET NOT NULL');
    } else if (fill !== undefined && !column.nullable)
      first.push(`UPDATE ${table} SET ${one} = ${fill} WHERE ${one} IS NULL`);
    if (changesNull && !column.nullable) act('SET NOT NULL');
    if (column.becomesKey) last.push(alter(`ADD PRIMARY KEY (${one})`));
    if (column.becomesGenerated) {
      act('SET NOT NULL');
      last.push(
        alter(`ALTER COLUMN ${one} ADD GENERATED BY DEFAULT AS IDENTITY`),
        `SELECT setval(pg_get_serial_sequence('${table.replaceAll("'", "''")}', '${column.name.replaceAll("'", "''")}'), greatest(max(${one}), 1), max(${one}) IS NOT NULL) FROM ${table}`,
      );
    }
  }
  return [...first, ...(actions.length === 0 ? [] : [alter(actions.join(', '))]), ...last];
}

/** The new type without the rest of the definition. A domain stays if only the collation changes. */
function newType({ name, actual, conversion }: ColumnChange, wanted: ColumnSchema): string {
  const [type = ''] = wanted.type.split(/ (?:GENERATED|NOT NULL|PRIMARY)/u);
  return actual?.domain !== undefined && conversion !== undefined && keepsValues(name, conversion)
    ? type.replace(/^\S+/u, () => actual.domain?.name ?? '')
    : type;
}

function leavesDomain({ name, actual, conversion }: ColumnChange): boolean {
  const isOfOne = actual?.domain !== undefined && !actual.domain.isOfItems;
  return isOfOne && conversion !== undefined && !keepsValues(name, conversion);
}

/** The checks of the domain that a column leaves, if its values stay of the same kind. */
function keptRules(column: ColumnChange): readonly string[] {
  const { name, actual, conversion } = column;
  if (!leavesDomain(column) || conversion?.default === undefined) return [];
  return (actual?.domain?.checks ?? []).map((check) =>
    // Outside of quotes, a word in capitals is a keyword.
    check.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\bVALUE\b/gu, (part) =>
      part === 'VALUE' ? quote(name) : part,
    ),
  );
}

/** A table has one primary key, so the id beside a primary key of several columns is unique instead. */
function besideKey(column: ColumnSchema, { indexes }: ActualTable): ColumnSchema {
  return column.isKey && indexes.some(({ isPrimary }) => isPrimary)
    ? { ...column, type: column.type.replace('PRIMARY KEY', 'UNIQUE') }
    : column;
}

/** An added column keeps its default, because servers of the previous specification insert rows without naming it. */
function withDefault(definition: string, fill: string | undefined): string {
  return fill === undefined ? definition : `${definition} DEFAULT ${fill}`;
}
