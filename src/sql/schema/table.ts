import type { OnDelete, StoredAs } from '../../specification/specification.ts';
import type { StoredKind } from '../stored-kind.ts';

/** A table as the specification wants it. */
export interface TableSchema {
  readonly name: string;
  /** Whose it is; undefined for one of the service's own. */
  readonly resource: string | undefined;
  /** Whether rows are made by requests: else a column that the file does not name may want a value. */
  readonly takesRows: boolean;
  readonly columns: readonly ColumnSchema[];
  readonly indexes: readonly IndexSchema[];
}

/** A column as the specification wants it. */
export interface ColumnSchema {
  readonly name: string;
  /** With `PRIMARY KEY` and the like for the id. */
  readonly type: string;
  readonly nullable: boolean;
  /** Whether what it holds may be lost, since its values are made anew. */
  readonly isMadeAnew?: boolean;
  readonly isKey: boolean;
  readonly reference: ReferenceSchema | undefined;
  /** What keeps values out that are none of the kind, in a column that is made: `CHECK (…)`. */
  readonly guard?: string | undefined;
  /** Whether requests never give it a value: its field is read-only, and has no default. */
  readonly isReadOnly: boolean;
  /** The name of the field that it stores. */
  readonly field: string;
  readonly kind: StoredKind;
  /** Set where the values are in a form of their own: the condition, in SQL, of those that are. */
  readonly form:
    | { readonly name: StoredAs; readonly isMet: (column: string) => string }
    | undefined;
  /** What rows get that have no value yet; undefined where only null would do. */
  readonly fill: Fill | undefined;
}

/** The default of a field, for rows that are there: a literal, or what each row draws. */
export type Fill =
  | { readonly kind: 'literal'; readonly sql: string; readonly shown: string }
  | { readonly kind: 'now' | 'uuid' };

/** A foreign key as the specification wants it. */
export interface ReferenceSchema {
  readonly table: string;
  readonly column: string;
  readonly onDelete: OnDelete;
}

/** An index as the specification wants it. */
export interface IndexSchema {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
  /** What to write instead, where the index is unique for a hasOne alone. */
  readonly otherwise?: string;
}
