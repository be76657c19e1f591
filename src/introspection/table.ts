import type { WriteOperation } from '../model/access.ts';
import { momentIn } from './forms.ts';
import { decimalType } from '../model/field-types/numbers/decimal.ts';
import type { FieldTypes } from '../model/api.ts';
import type { FieldSpecification } from '../specification/specification.ts';
import type { RecordRow } from '../databases/existing/schema-record.ts';
import type { ActualColumn, ActualTable } from '../databases/existing/actual-schema.ts';
import type { Bounds } from '../databases/existing/expressions.ts';

/** The field type of a column, or why it cannot be served. */
export type ColumnType =
  | { readonly attributes: FieldSpecification; readonly notes: readonly string[] }
  | { readonly left: string };

/** A column of an existing table. */
export interface FoundColumn {
  readonly actual: ActualColumn;
  readonly type: ColumnType;
  /** What its CHECKs say about its values. */
  readonly bounds: Bounds;
  /** What somebody has said of it in the database. */
  readonly comment: string | undefined;
  /** The distinct texts of a column that may be the type of a morph pair; otherwise empty. */
  readonly kinds: readonly string[];
}

/** A table of an existing database. */
export interface FoundTable {
  readonly actual: ActualTable;
  readonly columns: readonly FoundColumn[];
  /** The columns of the primary key, in order; without one, those of a unique key that is never null. */
  readonly primary: readonly string[];
  /** Whether a create may leave out a key of one column: the database fills it, or it takes a UUID. */
  readonly isKeyDrawn: boolean;
  /** The row id of a table with a primary key of several columns; undefined if it has none. */
  readonly rowKey: string | undefined;
  /** The types that its columns may be recognised as. */
  readonly types: FieldTypes;
  /** What a migration has recorded about it, by column. */
  readonly record: ReadonlyMap<string, RecordRow>;
  /** What somebody has said of it in the database. */
  readonly comment: string | undefined;
  /** The operations that it does not take: those of a view. */
  readonly closed: readonly WriteOperation[];
  /** Whether it is no table but shows rows of others, so that no foreign keys are declared in it. */
  readonly isView: boolean;
  /** Sentences for readers of the file. */
  readonly notes: readonly string[];
}

/** An existing database. */
export interface FoundDatabase {
  /** Whether the file is for a database that Plinth takes over, so that `migrate` converts what it does not serve. */
  readonly isManaged: boolean;
  readonly tables: readonly FoundTable[];
  readonly types: FieldTypes;
  /** Normalizes a name: two names are the same for the database if the results are equal. */
  readonly fold: (name: string) => string;
  /** Tables and views that cannot be served, with the reason, a sentence each. */
  readonly left: readonly string[];
  /** Schemas of PostgreSQL that have tables or views and are not read. */
  readonly otherSchemas: readonly string[];
}

/**
 * Attributes of a field whose kind a migration has recorded: for columns that it made, and for JSON columns (`holdsJson`)
 * that were a list or an object in the file, which the database does not distinguish.
 */
export function recordedType(
  row: RecordRow | undefined,
  holdsJson: boolean,
  types: FieldTypes,
): FieldSpecification | undefined {
  if (row === undefined) return undefined;
  const { kind, isMade } = row;
  if (!isMade && !(holdsJson && (kind === 'array' || kind === 'object'))) return undefined;
  const [, precision, scale] = /^decimal\((\d+),(\d+)\)$/u.exec(kind) ?? [];
  if (precision !== undefined)
    return { type: decimalType.name, precision: Number(precision), scale: Number(scale) };
  if (kind === 'unixSeconds' || kind === 'unixMilliseconds') return momentIn(kind);
  // The simplest type of a kind has its name.
  return types[kind] === undefined ? undefined : { type: kind };
}

/** The columns of the shortest unique key that is never null. */
export function uniqueColumns({ indexes, columns }: ActualTable): readonly string[] | undefined {
  const isFilled = (name: string | null): name is string =>
    name !== null &&
    [...columns.values()].some((column) => column.name === name && !column.nullable);
  return indexes
    .filter(({ unique, columns: names }) => unique && names.every(isFilled))
    .map(({ columns: names }) => names.filter(isFilled))
    .toSorted((a, b) => a.length - b.length)[0];
}
