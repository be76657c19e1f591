import type { JsonValue, OnDelete, StoredAs } from '../../specification/specification.ts';
import type { StoredKind } from '../kinds/stored-kind.ts';

/** A table that the specification requires. */
export interface TableSchema {
  readonly name: string;
  /** The resource; undefined for a table of the service itself. */
  readonly resource: string | undefined;
  /** Whether requests create rows. Otherwise a NOT NULL column that the file does not name does no harm. */
  readonly takesRows: boolean;
  readonly columns: readonly ColumnSchema[];
  readonly indexes: readonly IndexSchema[];
  /** The index of the texts that `search` looks into, if the resource wants one. */
  readonly search?: SearchSchema | undefined;
  /** Whether only a feature that the file does not ask for needs it. */
  readonly isExtra?: boolean;
}

/** The index of the texts that `search` looks into. */
export interface SearchSchema {
  /** It says what the index is made of: with other columns, or other foldings of characters, it is another index. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The column of the id, and whether it is an integer. */
  readonly id: string;
  readonly isInteger: boolean;
}

/** The rows whose value of a column was written, by id. */
export type WrittenValues = readonly JsonValue[] | 'all';

/** A column that the specification requires. */
export interface ColumnSchema {
  readonly name: string;
  /** The SQL type; for the id with `PRIMARY KEY`. */
  readonly type: string;
  readonly nullable: boolean;
  /**
   * Set if its values are generated anew: the ids of the rows whose value was written instead, which cannot be generated; or
   * `all`.
   */
  readonly written?: WrittenValues;
  readonly isKey: boolean;
  readonly reference: ReferenceSchema | undefined;
  /** The `CHECK (…)` of a new column, which rejects values that are not of its type. */
  readonly guard?: string | undefined;
  /** Whether requests never write it, since its field is read-only and has no default. */
  readonly isReadOnly: boolean;
  /** The name of its field. */
  readonly field: string;
  readonly kind: StoredKind;
  /** For a field with a stored form: the SQL condition that a value has this form. */
  readonly form:
    | { readonly name: StoredAs; readonly isMet: (column: string) => string }
    | undefined;
  /** The value for existing rows without one; undefined for null. */
  readonly fill: Fill | undefined;
}

/** The default of a field for existing rows: a literal, or an expression evaluated for each row. */
export type Fill =
  | { readonly kind: 'literal'; readonly sql: string; readonly shown: string }
  | { readonly kind: 'now' | 'uuid' };

/** A foreign key that the specification requires. */
export interface ReferenceSchema {
  readonly table: string;
  readonly column: string;
  readonly onDelete: OnDelete;
}

/** An index that the specification requires. */
export interface IndexSchema {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** The alternative to suggest, if the index is unique only because of a hasOne. */
  readonly otherwise?: string;
}
