import type { Api } from '../model/api.ts';
import { quote } from '../sql/dialect.ts';
import { postgres } from '../sql/postgres.ts';
import {
  columnSql,
  deleteActions,
  schemaOf,
  type ColumnSchema,
  type IndexSchema,
  type ReferenceSchema,
  type TableSchema,
} from '../sql/schema.ts';
import { DatabaseFailure } from './database.ts';
import { readTables, type ActualColumn, type ActualTable } from './postgres-catalog.ts';
import type { Ask, PostgresDatabase } from './postgres.ts';
import type { MigrationStep } from './sqlite-schema.ts';

/**
 * What would bring a PostgreSQL database up to date with the Api, in order; nothing when it is. Tables that no
 * resource names are not looked at.
 */
export function planMigration(
  database: PostgresDatabase,
  api: Api,
): Promise<readonly MigrationStep[]> {
  return database.alone((ask) => findSteps(ask, api));
}

/** Runs the steps in one transaction. Throws a DatabaseFailure, with nothing changed, when one fails. */
export async function applyMigration(
  database: PostgresDatabase,
  steps: readonly MigrationStep[],
): Promise<void> {
  await changing(database, (ask) => runSteps(ask, steps));
}

/**
 * Brings a database up to date in one transaction, in which the steps are found as well, so that two at once are
 * safe. Gives the steps; where one of them has no `sql`, nothing was done. Throws a DatabaseFailure.
 */
export function migrate(database: PostgresDatabase, api: Api): Promise<readonly MigrationStep[]> {
  return changing(database, async (ask) => {
    const steps = await findSteps(ask, api);
    if (steps.every(({ sql }) => sql !== undefined)) await runSteps(ask, steps);
    return steps;
  });
}

async function runSteps(ask: Ask, steps: readonly MigrationStep[]): Promise<void> {
  for (const { sql } of steps) if (sql !== undefined) await ask(sql);
}

async function changing<Value>(
  database: PostgresDatabase,
  work: (ask: Ask) => Promise<Value>,
): Promise<Value> {
  try {
    return await database.alone(work);
  } catch (error) {
    if (error instanceof DatabaseFailure) throw error;
    const { message } = ((error as Error).cause ?? error) as Error;
    throw new DatabaseFailure(`The database refused the migration: ${message}.`, { cause: error });
  }
}

async function findSteps(ask: Ask, api: Api): Promise<readonly MigrationStep[]> {
  const wanted = schemaOf(api, postgres);
  const actual = await readTables(ask);
  // Tables first, so that keys may point to each other in a circle; an index before the key that needs it.
  return [
    ...wanted.flatMap((table) => {
      const known = actual.get(table.name);
      return known === undefined ? [createTable(table)] : compareColumns(table, known);
    }),
    ...wanted.flatMap((table) => missingIndexes(table, actual.get(table.name))),
    ...wanted.flatMap((table) => compareReferences(table, actual.get(table.name))),
  ];
}

function createTable({ name, columns }: TableSchema): MigrationStep {
  const definitions = columns.map((column) => columnSql({ ...column, reference: undefined }));
  return {
    summary: `create table ${name} (${columns.map((column) => column.name).join(', ')})`,
    sql: `CREATE TABLE ${quote(name)} (${definitions.join(', ')})`,
  };
}

function compareColumns(table: TableSchema, actual: ActualTable): readonly MigrationStep[] {
  return [
    ...table.columns.flatMap((column) => {
      const known = actual.columns.get(column.name);
      return known === undefined
        ? [addColumn(table, column)]
        : compareColumn(`${table.name}.${column.name}`, column, known);
    }),
    ...table.columns
      .filter(({ isKey, name }) => isKey && actual.columns.has(name) && !isPrimary(actual, name))
      .map(({ name }) => ({
        summary: `change ${table.name}.${name} to be the primary key`,
        sql: undefined,
      })),
    ...unknownColumns(table, actual),
  ];
}

function isPrimary({ indexes }: ActualTable, column: string): boolean {
  return indexes.some(({ columns, primary }) => primary && columns === JSON.stringify([column]));
}

/** A column that the file does not know must let rows be written without it. */
function unknownColumns(
  { name, columns }: TableSchema,
  actual: ActualTable,
): readonly MigrationStep[] {
  const known = new Set(columns.map((column) => column.name));
  return [...actual.columns]
    .filter(([column, { nullable, fills }]) => !known.has(column) && !nullable && !fills)
    .map(([column]) => ({
      summary: `drop column ${name}.${column}, which may not be null and is not in the file`,
      sql: undefined,
    }));
}

function addColumn({ name }: TableSchema, column: ColumnSchema): MigrationStep {
  const summary = `add column ${name}.${column.name}`;
  const add = `ALTER TABLE ${quote(name)} ADD COLUMN ${columnSql({ ...column, reference: undefined })}`;
  if (column.nullable && !column.isKey) return { summary, sql: add };
  return column.fill === undefined || column.isKey
    ? { summary: `${summary} (not null)`, sql: undefined }
    : {
        summary: `${summary} (${column.fill} where a row is there)`,
        sql: `${add} DEFAULT ${column.fill}`,
      };
}

function compareColumn(
  name: string,
  column: ColumnSchema,
  actual: ActualColumn,
): readonly MigrationStep[] {
  const change = (what: string): MigrationStep => ({
    summary: `change ${name} ${what}`,
    sql: undefined,
  });
  const steps: MigrationStep[] = [];
  const type = typeName(column.type);
  if (actual.type !== type) steps.push(change(`from ${actual.type} to ${type}`));
  else if (column.type.includes('COLLATE') && actual.byCodePoint === false)
    steps.push(change('to collation "C"'));
  if (!column.isKey && actual.nullable !== column.nullable)
    steps.push(change(column.nullable ? 'to allow null' : 'to refuse null'));
  return steps;
}

/** The type in a column's definition, written as `format_type` writes it. */
function typeName(definition: string): string {
  const [type = ''] = definition.split(/ (?:COLLATE|GENERATED|NOT NULL|PRIMARY)/u);
  return type
    .replace(', ', ',')
    .replace(/^time$/u, 'time without time zone')
    .replace(/^timestamptz(\(\d\))?$/u, 'timestamp$1 with time zone');
}

function missingIndexes(
  table: TableSchema,
  actual: ActualTable | undefined,
): readonly MigrationStep[] {
  return table.indexes
    .filter((index) => {
      const wanted = new Set(
        [index.columns, keysOf(table, index)].map((one) => JSON.stringify(one)),
      );
      return !actual?.indexes.some(
        ({ columns, unique }) => wanted.has(columns) && unique === index.unique,
      );
    })
    .map((index) => createIndex(table, index));
}

/**
 * The columns of an index with the id behind them, as SQLite's have it: every list and every expanded collection ends
 * its order with it, and without it all equal rows would have to be read and sorted for the first of them.
 */
function keysOf(table: TableSchema, { columns, unique }: IndexSchema): readonly string[] {
  const id = table.columns.find(({ isKey }) => isKey)?.name;
  return unique || id === undefined || columns.includes(id) ? columns : [...columns, id];
}

/** PostgreSQL names the index itself: names that it would cut off could meet. */
function createIndex(table: TableSchema, index: IndexSchema): MigrationStep {
  const kind = index.unique ? 'unique index' : 'index';
  const keys = keysOf(table, index).map((name) => {
    // As lists are sorted: nulls first ascending, last descending. What is never null goes without saying.
    const isNullable = table.columns.some(
      (column) => column.name === name && column.nullable && !column.isKey,
    );
    return `${quote(name)}${isNullable ? ' NULLS FIRST' : ''}`;
  });
  return {
    summary: `create ${kind} on ${table.name} (${index.columns.join(', ')})`,
    sql: `CREATE ${kind.toUpperCase()} ON ${quote(table.name)} (${keys.join(', ')})`,
  };
}

const actionLetters = { restrict: 'r', cascade: 'c', setNull: 'n' } as const;

function compareReferences(
  table: TableSchema,
  actual: ActualTable | undefined,
): readonly MigrationStep[] {
  return table.columns.flatMap((column): MigrationStep[] => {
    const { name, reference } = column;
    const known = actual?.references.find((one) => one.column === name);
    if (known === undefined)
      return reference === undefined ? [] : [addReference(table.name, name, reference)];
    const fits =
      reference !== undefined &&
      known.table === reference.table &&
      known.target === reference.column &&
      known.onDelete === actionLetters[reference.onDelete];
    const what =
      reference === undefined
        ? 'to refer to nothing'
        : `to refer to ${reference.table}.${reference.column} on delete ${reference.onDelete}`;
    return fits ? [] : [{ summary: `change ${table.name}.${name} ${what}`, sql: undefined }];
  });
}

function addReference(table: string, column: string, reference: ReferenceSchema): MigrationStep {
  const target = `${quote(reference.table)} (${quote(reference.column)})`;
  return {
    summary: `refer ${table}.${column} to ${reference.table}.${reference.column}`,
    sql:
      `ALTER TABLE ${quote(table)} ADD FOREIGN KEY (${quote(column)})` +
      ` REFERENCES ${target} ON DELETE ${deleteActions[reference.onDelete]}`,
  };
}
