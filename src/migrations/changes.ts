import type {
  ColumnSchema,
  IndexSchema,
  ReferenceSchema,
  TableSchema,
} from '../sql/schema/table.ts';
import { quote } from '../sql/dialect.ts';
import type { MigrationStep } from '../sql/schema/schema.ts';
import type {
  ActualColumn,
  ActualReference,
  ActualTable,
  Conversion,
  SchemaRules,
} from '../databases/existing/actual-schema.ts';
import type { RecordRow } from '../databases/existing/schema-record.ts';

/** What a migration consists of: the steps to show, and the changes that make them. */
export interface Migration {
  readonly steps: readonly MigrationStep[];
  readonly changes: SchemaChanges;
  readonly record: readonly RecordRow[];
  /** Whether the record has to be written. */
  readonly isRecordStale: boolean;
}

/** The changes, each kind in the order in which it is made. Names are folded in none of them. */
export interface SchemaChanges {
  readonly dropIndexes: readonly string[];
  readonly dropTables: readonly string[];
  readonly renameTables: readonly { readonly from: string; readonly to: string }[];
  readonly createTables: readonly TableSchema[];
  readonly alterTables: readonly TableChange[];
  readonly createIndexes: readonly IndexChange[];
}

/** An index that is made. */
export interface IndexChange {
  readonly table: TableSchema;
  readonly index: IndexSchema;
  /** The folded names of the table's columns that compare texts otherwise than by code point, and go on to. */
  readonly collated: ReadonlySet<string>;
}

/** What changes of a table that is there. */
export interface TableChange {
  /** What it is called after the migration. */
  readonly name: string;
  readonly actual: ActualTable;
  /** All of its columns, those that stay as they are too, in the order of the table; new ones last. */
  readonly columns: readonly ColumnChange[];
}

/** What becomes of one column. */
export interface ColumnChange {
  /** What it is called after the migration. */
  readonly name: string;
  /** As it is; undefined for a new one. */
  readonly actual: ActualColumn | undefined;
  /** As the file wants it; undefined for one that it does not name. */
  readonly wanted: ColumnSchema | undefined;
  readonly isDropped: boolean;
  /** Whether it keeps the type that it has. */
  readonly keepsType: boolean;
  /** How its values change; undefined where they stay. */
  readonly conversion: Conversion | undefined;
  /** The SQL of the value that takes the place of null. */
  readonly fill: string | undefined;
  readonly nullable: boolean;
  readonly becomesKey: boolean;
  /** Whether the database is to give the id from now on. */
  readonly becomesGenerated: boolean;
  /** Whether the default that a migration has left with it goes, since its values become others. */
  readonly losesDefault: boolean;
  readonly reference: ReferenceChange;
}

/** The foreign key of a column: as it is, and as it will be where that differs. */
export interface ReferenceChange {
  readonly actual: ActualReference | undefined;
  readonly wanted: ReferenceSchema | undefined;
  readonly change: 'none' | 'add' | 'drop' | 'replace';
}

/** A wanted table beside the one that is there. */
export interface Pair {
  readonly wanted: TableSchema;
  readonly actual: ActualTable | undefined;
  /** What the record says of it: by the folded name of the column, empty for the table itself. */
  readonly recorded: ReadonlyMap<string, RecordRow>;
  /** Undefined where there is no table yet. */
  readonly change: TableChange | undefined;
}

/** A step that can be done and loses nothing. */
export function step(summary: string, more: Partial<MigrationStep> = {}): MigrationStep {
  return { summary, loses: undefined, obstacle: undefined, isOptional: false, ...more };
}

/** The foreign key to which the database holds a column. */
export function referenceOf(
  table: ActualTable,
  column: ActualColumn,
  { fold }: SchemaRules,
): ActualReference | undefined {
  return table.references.find((one) => one.isEnforced && fold(one.column) === fold(column.name));
}

/** How a default is told: what is drawn for each row by its name. */
export function shownFill({ fill }: ColumnSchema): string {
  if (fill?.kind === 'literal') return fill.shown;
  return fill?.kind === 'now' ? 'the time' : 'a UUID of its own';
}

/** Whether a column goes on to be of the type or domain that it is of: only how its values compare is another then. */
export function keepsValues(column: string, { value }: Conversion): boolean {
  return value(column) === column;
}

/** A column as it is left where the file does not name it; its foreign key goes where `releases` says so of the target. */
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

/** The value that a column will have, in SQL over the table as it is. */
export function newValue({ actual, conversion, fill }: ColumnChange): string {
  if (actual === undefined) return fill ?? 'NULL';
  return valueFrom(quote(actual.name), conversion, fill);
}

/** The value that comes from a column's, with what takes the place of null. */
export function valueFrom(
  column: string,
  conversion: Conversion | undefined,
  fill: string | undefined,
): string {
  const value = conversion?.value(column) ?? column;
  return fill === undefined ? value : `coalesce(${value}, ${fill})`;
}

/** Whether a column that is there gets another name. */
export function isRenamed({ name, actual }: ColumnChange): boolean {
  return actual !== undefined && actual.name !== name;
}

/** Whether a table has to be made anew where columns cannot be changed in place. */
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

/** Whether a column can be added to a table as it is: nothing has to be in it, or the same value in all rows. */
function isPlainAddition({ actual, wanted, nullable, fill, becomesKey }: ColumnChange): boolean {
  if (actual !== undefined || becomesKey) return false;
  return fill === undefined
    ? nullable
    : wanted?.fill?.kind === 'literal' && wanted.reference === undefined;
}

/** Whether a column is changed in any way but its name. */
export function isChanged(column: ColumnChange): boolean {
  return (
    column.actual === undefined ||
    column.isDropped ||
    !column.keepsType ||
    column.conversion !== undefined ||
    column.nullable !== column.actual.nullable ||
    column.becomesKey ||
    column.becomesGenerated ||
    column.reference.change !== 'none'
  );
}
