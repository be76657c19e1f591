import type { KindName, StoredKind } from './stored-kind.ts';

/** A value as SQLite stores it. */
export type StoredValue = string | number | bigint | Buffer;

/** A converted value, and whether it keeps its meaning. */
export interface ConvertedValue {
  readonly value: StoredValue;
  readonly isExact: boolean;
}

/** The SQL of a converted value: null if it cannot be converted. */
export interface ConvertedColumn {
  readonly value: string;
  /** Whether the result loses meaning; absent if it never does. */
  readonly isInexact?: string;
}

interface KindParts {
  /** What its values can become beside `string` and `json`. */
  readonly becomes: readonly KindName[];
  /** What a value that becomes this kind loses: `the time`. */
  readonly drops?: string;
  /** What a value that becomes this kind is rounded to: `whole numbers`. */
  readonly unit?: (kind: StoredKind) => string;
  readonly sqlite: {
    /** The declared type of a column. */
    readonly column: string;
    /** A value as text on the wire; absent: it is stored so. */
    readonly text?: (stored: StoredValue, kind: StoredKind) => string;
    /** The JSON of a value's text; absent: a string. */
    readonly json?: (text: string) => string;
  };
  /** The same in SQL, over a column or another expression. */
  readonly postgres: {
    readonly column: (kind: StoredKind) => string;
    /** Absent: the column, cast to `text`. */
    readonly text?: (column: string, kind: StoredKind) => string;
    readonly json?: (column: string) => string;
  };
}

interface Reader {
  readonly sqlite: {
    /** Reads a text; undefined if it is not a value. */
    readonly fromText: (text: string, to: StoredKind) => ConvertedValue | undefined;
  };
  readonly postgres: {
    /** Casts a text only if its format is known to be valid, so that no row fails the statement. */
    readonly fromText: (text: string, to: StoredKind) => ConvertedColumn;
  };
}

interface Converter {
  readonly sqlite: {
    /** Converts a value, given as text on the wire, to one of `becomes`. */
    readonly convert: (text: string, to: StoredKind) => ConvertedValue | undefined;
  };
  readonly postgres: {
    readonly convert: (column: string, to: StoredKind) => ConvertedColumn;
  };
}

/** What both databases have, or neither. */
type Both<Part extends { readonly sqlite: object; readonly postgres: object }> =
  | Part
  | {
      readonly sqlite: { readonly [Name in keyof Part['sqlite']]?: never };
      readonly postgres: { readonly [Name in keyof Part['postgres']]?: never };
    };

/**
 * How migrations create columns for a kind of values, and convert values from it and to it, on both databases with the same
 * results. A value becomes what means the same, or if it says more than the new kind can hold (a moment → its day, 1.5 → 2)
 * what is nearest, which counts as lost too. See `docs/development/add-a-field-type.md`.
 */
export type Kind = KindParts & Both<Reader> & Both<Converter>;

export const exact = (value: StoredValue): ConvertedValue => ({ value, isExact: true });

/** SQL that is null if a text does not have a form. */
export function inForm(form: string, text: string, value: string): string {
  return `CASE WHEN ${text} ~ '${form}' THEN ${value} END`;
}
