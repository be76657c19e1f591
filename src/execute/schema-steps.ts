import type { Api } from '../model/api.ts';
import { quote, type Dialect } from '../sql/dialect.ts';
import {
  columnSql,
  deleteActions,
  indexNames,
  schemaOf,
  type ColumnSchema,
  type IndexSchema,
  type MigrationStep,
  type ReferenceSchema,
  type TableSchema,
} from '../sql/schema.ts';
import { DatabaseFailure } from './database.ts';

/** A table as it is; names in it are folded as the database tells names apart. */
export interface ActualTable {
  readonly columns: ReadonlyMap<string, ActualColumn>;
  readonly references: readonly ActualReference[];
  readonly indexes: readonly ActualIndex[];
}

export interface ActualColumn {
  /** As it is written. */
  readonly name: string;
  /** As the database writes it; empty where there is none. */
  readonly type: string;
  readonly nullable: boolean;
  readonly isPrimary: boolean;
  /** Whether a row can be written without it. */
  readonly fills: boolean;
  /** Whether its text compares by code point; undefined where nobody asks. */
  readonly byCodePoint: boolean | undefined;
}

export interface ActualReference {
  readonly column: string;
  readonly table: string;
  /** Undefined for the primary key, whatever its name. */
  readonly target: string | undefined;
  /** In SQL: `SET NULL`. */
  readonly onDelete: string;
}

/** An index of whole columns and all rows. */
export interface ActualIndex {
  readonly name: string;
  /** In order; null for an expression. */
  readonly columns: readonly (string | null)[];
  readonly unique: boolean;
  /** Undefined where it belongs to a constraint. */
  readonly sql: string | undefined;
}

/** In what the schemas of the databases differ. */
export interface SchemaRules {
  readonly dialect: Dialect;
  /** A name so that two are the same for the database exactly when they are equal. */
  readonly fold: (name: string) => string;
  /** The type in a column's definition as the database writes it. */
  readonly typeName: (definition: string) => string;
  /** What `CREATE TABLE` ends with. */
  readonly tableOptions: string;
  /** Whether a key becomes a constraint of its own once all tables are there; else it is part of its column. */
  readonly keysApart: boolean;
  /** The columns that an index has, in which those wanted come first. */
  readonly indexColumns: (table: TableSchema, index: IndexSchema) => readonly string[];
  readonly indexSql: (table: TableSchema, index: IndexSchema) => string;
  /** Whether an index, which has a name that Plinth gives, is written as Plinth writes it. */
  readonly isAsWritten: (table: TableSchema, index: ActualIndex) => boolean;
}

/**
 * What would bring tables up to date with the Api, in order; nothing when they are. `actual` gives a table by its
 * folded name.
 */
export function findSteps(
  api: Api,
  rules: SchemaRules,
  actual: (table: string) => ActualTable | undefined,
): readonly MigrationStep[] {
  const pairs = schemaOf(api, rules.dialect).map(
    (table) => [table, actual(rules.fold(table.name))] as const,
  );
  // Tables first, so that keys may point to each other in a circle; an index before the key that needs it.
  return [
    ...pairs.flatMap(([table, known]) =>
      known === undefined ? [createTable(table, rules)] : compareColumns(table, known, rules),
    ),
    ...pairs.flatMap(([table, known]) => compareIndexes(table, known, rules)),
    ...pairs.flatMap(([table, known]) => compareReferences(table, known, rules)),
  ];
}

/**
 * The columns of an index with the id behind them: every list and every expanded collection ends its order with it, and
 * without it all equal rows would have to be read and sorted for the first of them.
 */
export function withId(table: TableSchema, { columns, unique }: IndexSchema): readonly string[] {
  const id = table.columns.find(({ isKey }) => isKey)?.name;
  return unique || id === undefined || columns.includes(id) ? columns : [...columns, id];
}

/** Whether this version of Plinth can do all of the steps. */
export function arePossible(steps: readonly MigrationStep[]): boolean {
  return steps.every(({ sql }) => sql !== undefined);
}

/** Why a migration did not happen, as a DatabaseFailure; `meaning` is the error as the rooms above know it. */
export function migrationFailure(meaning: unknown, reason: string): DatabaseFailure {
  return meaning instanceof DatabaseFailure
    ? meaning
    : new DatabaseFailure(`The database refused the migration: ${reason}.`, { cause: meaning });
}

function columnOf(column: ColumnSchema, { keysApart }: SchemaRules): string {
  return columnSql(keysApart ? { ...column, reference: undefined } : column);
}

function createTable({ name, columns }: TableSchema, rules: SchemaRules): MigrationStep {
  const definitions = columns.map((column) => columnOf(column, rules));
  return {
    summary: `create table ${name} (${columns.map((column) => column.name).join(', ')})`,
    sql: `CREATE TABLE ${quote(name)} (${definitions.join(', ')})${rules.tableOptions}`,
  };
}

function compareColumns(
  table: TableSchema,
  actual: ActualTable,
  rules: SchemaRules,
): readonly MigrationStep[] {
  const known = new Set(table.columns.map(({ name }) => rules.fold(name)));
  return [
    ...table.columns.flatMap((column) => {
      const same = actual.columns.get(rules.fold(column.name));
      return same === undefined
        ? [addColumn(table, column, rules)]
        : compareColumn(table, column, same, rules);
    }),
    // A column that the file does not know must let rows be written without it.
    ...[...actual.columns]
      .filter(([name, { nullable, fills }]) => !known.has(name) && !nullable && !fills)
      .map(([, { name }]) =>
        impossible(
          `drop column ${table.name}.${name}, which may not be null and is not in the file`,
        ),
      ),
  ];
}

function impossible(summary: string): MigrationStep {
  return { summary, sql: undefined };
}

function addColumn(table: TableSchema, column: ColumnSchema, rules: SchemaRules): MigrationStep {
  const summary = `add column ${table.name}.${column.name}`;
  const add = `ALTER TABLE ${quote(table.name)} ADD COLUMN ${columnOf(column, rules)}`;
  if (column.nullable && !column.isKey) return { summary, sql: add };
  // SQLite adds no key whose rows have a value at once: that needs the table rebuilt.
  const isRefused = column.isKey || (column.reference !== undefined && !rules.keysApart);
  return column.fill === undefined || isRefused
    ? impossible(`${summary} (not null)`)
    : {
        summary: `${summary} (${column.fill} where a row is there)`,
        sql: `${add} DEFAULT ${column.fill}`,
      };
}

function compareColumn(
  table: TableSchema,
  column: ColumnSchema,
  actual: ActualColumn,
  { typeName }: SchemaRules,
): readonly MigrationStep[] {
  const changes: string[] = [];
  const type = typeName(column.type);
  if (actual.type !== type)
    changes.push(`from ${actual.type === '' ? 'no type' : actual.type} to ${type}`);
  else if (column.type.includes('COLLATE') && actual.byCodePoint === false)
    changes.push('to collation "C"');
  if (column.isKey && !actual.isPrimary) changes.push('to be the primary key');
  // SQLite's integer keys need no word for it.
  if (column.type.includes('GENERATED') && !actual.fills)
    changes.push('to be given by the database');
  if (!column.isKey && actual.nullable !== column.nullable)
    changes.push(column.nullable ? 'to allow null' : 'to refuse null');
  return changes.map((change) => impossible(`change ${table.name}.${column.name} ${change}`));
}

/** Leftovers of Plinth's own go first: they may have the name that another is to get. */
function compareIndexes(
  table: TableSchema,
  actual: ActualTable | undefined,
  rules: SchemaRules,
): readonly MigrationStep[] {
  const { fold } = rules;
  const there = actual?.indexes ?? [];
  const keyOf = (columns: readonly (string | null)[]): string =>
    JSON.stringify(columns.map((name) => (name === null ? null : fold(name))));
  const serves = ({ columns, unique }: ActualIndex, wanted: IndexSchema): boolean =>
    unique === wanted.unique &&
    [wanted.columns, rules.indexColumns(table, wanted)].some(
      (one) => keyOf(one) === keyOf(columns),
    );
  const left = there.filter(
    (index) => isOwn(table, index, rules) && !table.indexes.some((wanted) => serves(index, wanted)),
  );
  return [
    ...left.map(({ name }) => ({
      summary: `drop index ${name}`,
      sql: `DROP INDEX ${quote(name)}`,
    })),
    ...table.indexes
      .filter((wanted) => !there.some((index) => serves(index, wanted)))
      .map((index) => ({
        summary: `create ${index.unique ? 'unique ' : ''}index on ${table.name} (${index.columns.join(', ')})`,
        sql: rules.indexSql(table, index),
      })),
  ];
}

/** Whether an index is one that Plinth has made: then its name follows from it, and it is written as Plinth writes it. */
function isOwn(table: TableSchema, index: ActualIndex, rules: SchemaRules): boolean {
  const { name, columns, unique, sql } = index;
  const names = columns.filter((column) => column !== null);
  if (sql === undefined || names.length < columns.length) return false;
  // The id may have been put behind the columns that were wanted.
  const wanted = [names, names.slice(0, -1)];
  return (
    wanted.some((one) => indexNames(table.name, one, unique).includes(name)) &&
    rules.isAsWritten(table, index)
  );
}

function compareReferences(
  table: TableSchema,
  actual: ActualTable | undefined,
  { fold, keysApart }: SchemaRules,
): readonly MigrationStep[] {
  return table.columns.flatMap((column): MigrationStep[] => {
    const { name, reference } = column;
    const isNew = actual?.columns.has(fold(name)) !== true;
    if (isNew && !keysApart) return [];
    const known = actual?.references.find((one) => fold(one.column) === fold(name));
    if (reference === undefined)
      return known === undefined
        ? []
        : [impossible(`change ${table.name}.${name} to refer to nothing`)];
    if (known === undefined && keysApart) return [addReference(table.name, name, reference)];
    const fits =
      known !== undefined &&
      fold(known.table) === fold(reference.table) &&
      fold(known.target ?? reference.column) === fold(reference.column) &&
      known.onDelete === deleteActions[reference.onDelete];
    const target = `${reference.table}.${reference.column} on delete ${reference.onDelete}`;
    return fits ? [] : [impossible(`change ${table.name}.${name} to refer to ${target}`)];
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
