import { countOf } from './counting.ts';
import type {
  ColumnSchema,
  IndexSchema,
  ReferenceSchema,
  SearchSchema,
  TableSchema,
} from '../sql/schema/table.ts';
import { quote, quoteTable, type Dialect } from '../sql/dialect.ts';
import type { MigrationStep } from '../sql/schema/schema.ts';
import type {
  ActualColumn,
  ActualReference,
  ActualTable,
  Conversion,
  Counting,
  FoundSearch,
  SchemaRules,
} from '../databases/existing/actual-schema.ts';
import type { RecordRow } from '../databases/existing/schema-record.ts';

/** A planned migration: the steps to show, and the changes that carry them out. */
export interface Migration {
  readonly steps: readonly MigrationStep[];
  readonly changes: SchemaChanges;
  readonly record: readonly RecordRow[];
  /** Whether `_plinth_schema` has to be written. */
  readonly isRecordStale: boolean;
}

/** The changes, each list in the order in which it is made. Names are not folded. */
export interface SchemaChanges {
  readonly dropIndexes: readonly IndexDrop[];
  readonly dropTables: readonly string[];
  readonly renameTables: readonly { readonly from: string; readonly to: string }[];
  readonly createTables: readonly TableSchema[];
  readonly alterTables: readonly TableChange[];
  readonly createIndexes: readonly IndexChange[];
  readonly search: SearchChanges;
  /** Foreign keys that hold for new rows alone until now. */
  readonly validations: readonly Validation[];
  readonly renameTypes: readonly TypeRename[];
}

/** The changes of search indexes. */
export interface SearchChanges {
  readonly drop: readonly IndexDrop[];
  readonly create: readonly SearchChange[];
  /** Whether the function that folds texts is made. */
  readonly makesFunction: boolean;
  readonly extension: FoundSearch['extension'];
}

/** A search index to create. */
export interface SearchChange {
  readonly table: string;
  readonly schema: SearchSchema;
  /** Whether it is made after the transaction, while writes go on. */
  readonly isLater: boolean;
}

/** A foreign key to be held against the rows that are there. */
export interface Validation {
  /** The step. */
  readonly summary: string;
  readonly table: string;
  readonly constraint: string;
}

/** A type in the morph pairs of a table that has another name now. */
export interface TypeRename {
  readonly table: string;
  readonly column: string;
  readonly from: string;
  readonly to: string;
}

export function renameTypeSql(
  { table, column, from, to }: TypeRename,
  { text }: Pick<Dialect, 'text'>,
): string {
  const name = quote(column);
  return `UPDATE ${quoteTable(table)} SET ${name} = ${text(to)} WHERE ${name} = ${text(from)}`;
}

/** An index to drop, and the table that it is of. */
export interface IndexDrop {
  readonly name: string;
  readonly table: string;
}

/** An index to create. */
export interface IndexChange {
  readonly table: TableSchema;
  readonly index: IndexSchema;
  /** The folded names of the table's columns whose collation is not by code point, before and after the migration. */
  readonly collated: ReadonlySet<string>;
  /** Whether it is made after the transaction, while writes go on. */
  readonly isLater: boolean;
}

/** The changes of an existing table. */
export interface TableChange {
  /** Its name after the migration. */
  readonly name: string;
  readonly actual: ActualTable;
  /** All of its columns in the order of the table, unchanged ones included; new ones last. */
  readonly columns: readonly ColumnChange[];
  /** Whether it has rows that new foreign keys are held against after the transaction, while writes go on. */
  readonly isValidatedLater: boolean;
}

/** The change of one column. */
export interface ColumnChange {
  /** Its name after the migration. */
  readonly name: string;
  /** The column in the database; undefined for a new one. */
  readonly actual: ActualColumn | undefined;
  /** The column in the file; undefined if the file does not name it. */
  readonly wanted: ColumnSchema | undefined;
  readonly isDropped: boolean;
  /** Whether it keeps its type. */
  readonly keepsType: boolean;
  /** How its values are converted; undefined if they stay. */
  readonly conversion: Conversion | undefined;
  /** The SQL of the value that replaces null. */
  readonly fill: string | undefined;
  readonly nullable: boolean;
  readonly becomesKey: boolean;
  /** Whether the database generates the id from now on. */
  readonly becomesGenerated: boolean;
  /** Whether its default, which a migration left there, is dropped because its values are converted. */
  readonly losesDefault: boolean;
  readonly reference: ReferenceChange;
}

/** The foreign key of a column, before and after where they differ. */
export interface ReferenceChange {
  readonly actual: ActualReference | undefined;
  readonly wanted: ReferenceSchema | undefined;
  readonly change: 'none' | 'add' | 'drop' | 'replace' | 'validate';
}

/** A wanted table beside the existing one. */
export interface Pair {
  readonly wanted: TableSchema;
  readonly actual: ActualTable | undefined;
  /** The rows of the record for this table, by folded column name; the empty name is the table itself. */
  readonly recorded: ReadonlyMap<string, RecordRow>;
  /** Undefined if the table does not exist yet. */
  readonly change: TableChange | undefined;
}

/** A step that is possible and loses nothing. */
export function step(summary: string, more: Partial<MigrationStep> = {}): MigrationStep {
  return { summary, loses: undefined, obstacle: undefined, isOptional: false, ...more };
}

/** The foreign key that the database enforces on a column. */
export function referenceOf(
  table: ActualTable,
  column: ActualColumn,
  { fold }: SchemaRules,
): ActualReference | undefined {
  return table.references.find((one) => one.isEnforced && fold(one.column) === fold(column.name));
}

/** A default as a step shows it; a value generated for each row by its name. */
export function shownFill({ fill }: ColumnSchema): string {
  if (fill?.kind === 'literal') return fill.shown;
  return fill?.kind === 'now' ? 'the time' : 'a UUID of its own';
}

/** Whether the column keeps its type or domain, and only its collation changes. */
export function keepsValues(column: string, { value }: Conversion): boolean {
  return value(column) === column;
}

/**
 * A column that the file does not name, unchanged. Its foreign key is dropped if `releases` says so of its target.
 */
export function keptColumn(
  actual: ActualColumn,
  reference: ActualReference | undefined,
  releases: (table: string) => boolean,
): ColumnChange {
  const isReleased = reference !== undefined && releases(reference.table);
  return {
    name: actual.name,
    actual,
    wanted: undefined,
    isDropped: false,
    keepsType: true,
    conversion: undefined,
    fill: undefined,
    nullable: actual.nullable,
    becomesKey: false,
    becomesGenerated: false,
    losesDefault: false,
    reference: { actual: reference, wanted: undefined, change: isReleased ? 'drop' : 'none' },
  };
}

/** The SQL of the column's value after the migration, over the table before it. */
export function newValue({ actual, conversion, fill }: ColumnChange): string {
  if (actual === undefined) return fill ?? 'NULL';
  return valueFrom(quote(actual.name), conversion, fill);
}

/** The SQL of a column's value after its conversion, with a value for null. */
export function valueFrom(
  column: string,
  conversion: Conversion | undefined,
  fill: string | undefined,
): string {
  const value = conversion?.value(column) ?? column;
  return fill === undefined ? value : `coalesce(${value}, ${fill})`;
}

/** Counts one row if a table that can be finished later has any. */
export function* hasRows(actual: ActualTable, { finishesLater }: SchemaRules): Counting<boolean> {
  if (!finishesLater || actual.isPartitioned) return false;
  return (
    (yield* countOf(
      `SELECT count(*) FROM (SELECT 1 FROM ${quoteTable(actual.name)} LIMIT 1) AS one`,
    )) > 0
  );
}

/** Whether an existing column is renamed. */
export function isRenamed({ name, actual }: ColumnChange): boolean {
  return actual !== undefined && actual.name !== name;
}

/** Whether the table has to be rebuilt where columns cannot be changed in place. */
export function needsRebuild(
  { columns }: TableChange,
  { renames, adds }: Pick<SchemaRules, 'renames' | 'adds'>,
): boolean {
  return columns.some(
    (column) =>
      (isChanged(column) && !isPlainAddition(column)) ||
      (column.actual === undefined
        ? !adds(column.name)
        : !renames(column.actual.name, column.name)),
  );
}

/** Whether the column can be added in place: it may be null, or has the same value in all rows. */
function isPlainAddition({ actual, wanted, nullable, fill, becomesKey }: ColumnChange): boolean {
  if (actual !== undefined || becomesKey) return false;
  return fill === undefined
    ? nullable
    : wanted?.fill?.kind === 'literal' && wanted.reference === undefined;
}

/** Whether anything but the name of a column changes. */
export function isChanged(column: ColumnChange): boolean {
  return (
    column.actual === undefined ||
    column.isDropped ||
    !column.keepsType ||
    column.conversion !== undefined ||
    column.nullable !== column.actual.nullable ||
    column.becomesKey ||
    column.becomesGenerated ||
    !['none', 'validate'].includes(column.reference.change)
  );
}
