import { momentIn } from './forms.ts';
import { decimalType } from '../model/field-types/decimal.ts';
import type { FieldTypes } from '../model/api.ts';
import type { FieldSpecification } from '../specification/specification.ts';
import type { RecordRow } from '../databases/existing/schema-record.ts';
import type { ActualColumn, ActualTable } from '../databases/existing/actual-schema.ts';
import type { Bounds } from '../databases/existing/expressions.ts';

/** As what a column can be served, or why it cannot. */
export type ColumnType =
  | { readonly attributes: FieldSpecification; readonly notes: readonly string[] }
  | { readonly left: string };

/** A column and all that the database knows of it. */
export interface FoundColumn {
  readonly actual: ActualColumn;
  readonly type: ColumnType;
  /** What CHECKs say of it. */
  readonly bounds: Bounds;
  /** What somebody has said of it in the database. */
  readonly comment: string | undefined;
  /** The different texts of one that may be the type of a morph pair; else none. */
  readonly kinds: readonly string[];
}

/** A table of an existing database. */
export interface FoundTable {
  readonly actual: ActualTable;
  readonly columns: readonly FoundColumn[];
  /** The columns of its primary key, in order; of a junction without one, those that tell its rows apart. */
  readonly primary: readonly string[];
  /** What a table with a key of several columns has as the id of a row; undefined where it has none. */
  readonly rowKey: string | undefined;
  /** The types that its columns may be recognised as. */
  readonly types: FieldTypes;
  /** Its foreign keys of several columns, as messages name them. */
  readonly wideKeys: readonly string[];
  /** What a migration has written down of it, by column. */
  readonly record: ReadonlyMap<string, RecordRow>;
  /** What somebody has said of it in the database. */
  readonly comment: string | undefined;
}

/** A database as it is. */
export interface FoundDatabase {
  readonly tables: readonly FoundTable[];
  readonly types: FieldTypes;
  /** A name so that two are the same for the database exactly when they are equal. */
  readonly fold: (name: string) => string;
  /** What is no table that could be served, and why, a sentence each. */
  readonly left: readonly string[];
}

/**
 * Attributes of a field whose kind a migration has written down: where it has made the column, and of others, which are
 * looked at, where one of JSON (`holdsJson`) was a list or an object to the file, since it does not tell them apart.
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
