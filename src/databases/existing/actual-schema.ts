import type { Field } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { StoredKind } from '../../sql/kinds/stored-kind.ts';
import type { ColumnSchema, Fill, IndexSchema, TableSchema } from '../../sql/schema/table.ts';
import type { RecordRow } from './schema-record.ts';

/** An existing table. Names in it are folded as the database compares them. */
export interface ActualTable {
  /** As written. */
  readonly name: string;
  readonly columns: ReadonlyMap<string, ActualColumn>;
  readonly references: readonly ActualReference[];
  /** The foreign keys of several columns. */
  readonly wideReferences: readonly WideReference[];
  readonly indexes: readonly ActualIndex[];
  /** Indexes that the database does not use, since their creation was interrupted. */
  readonly brokenIndexes: readonly ActualIndex[];
  /** The table options at the end of `CREATE TABLE`. */
  readonly options: string;
  /** What a rebuild would lose, if the database changes tables by rebuilding them: "a CHECK". */
  readonly peculiarity: string | undefined;
  /** Whether its rows are in partitions, whose indexes and keys cannot be made while writes go on. */
  readonly isPartitioned: boolean;
  /** Whether a trigger sees each new row before it is written and may set columns that no client sets. */
  readonly mayFill: boolean;
}

/** The database as a migration finds it. */
export interface Found {
  /** The existing tables, by folded name. */
  readonly tables: ReadonlyMap<string, () => ActualTable>;
  /** The record of earlier migrations. */
  readonly record: readonly RecordRow[];
  /** What it has for search indexes; absent: it makes none. */
  readonly search?: FoundSearch | undefined;
}

/** What a database has for search indexes. */
export interface FoundSearch {
  readonly indexes: readonly FoundSearchIndex[];
  /** Why no index can be made: searches read every record until then. */
  readonly obstacle?: string | undefined;
  /** Whether the function that folds texts has to be made first. */
  readonly lacksFunction?: boolean;
  /** The schema of the extension that indexes need, and whether that has to be made first. */
  readonly extension?: { readonly schema: string; readonly isMissing: boolean };
}

/** An existing search index. */
export interface FoundSearchIndex {
  readonly name: string;
  /** The table whose texts it keeps; undefined if that is gone. */
  readonly table: string | undefined;
  /** Whether all of it is there, and used. */
  readonly isWhole: boolean;
}

/** An existing column. */
export interface ActualColumn {
  /** As written. */
  readonly name: string;
  /** As the database writes it; empty if there is none. */
  readonly type: string;
  readonly nullable: boolean;
  readonly isPrimary: boolean;
  /** Whether a row can be inserted without it. */
  readonly fills: boolean;
  /** Whether only the database sets it: it is computed, or generated but no key. */
  readonly isComputed: boolean;
  /** The SQL expression of its default. */
  readonly default: string | undefined;
  /** Whether its collation is by code point; undefined if that is not read. */
  readonly byCodePoint: boolean | undefined;
  /** Whether texts of different bytes may be equal in it: `citext`, a collation that is not deterministic. */
  readonly isLoose: boolean;
  /** Whether a CHECK made by a migration restricts it to JSON. */
  readonly isGuarded: boolean;
  /** Its domain, if any; `type` is then the domain's base type. */
  readonly domain: Domain | undefined;
}

/** A type with rules of its own, which apply to its columns. */
export interface Domain {
  /** As written in SQL. */
  readonly name: string;
  /** The expressions of its CHECKs, in which VALUE is the value. */
  readonly checks: readonly string[];
  readonly refusesNull: boolean;
  /** Whether the column is an array and its items have the domain. */
  readonly isOfItems: boolean;
}

/** An existing foreign key. */
export interface ActualReference {
  /** The name of the constraint, if any. */
  readonly name: string | undefined;
  readonly column: string;
  readonly table: string;
  /** Undefined for the primary key, whatever its name. */
  readonly target: string | undefined;
  /** In SQL: `SET NULL`. */
  readonly onDelete: string;
  /** Whether the database enforces it; PostgreSQL 18 has NOT ENFORCED. */
  readonly isEnforced: boolean;
  /** Whether the rows of before hold it as well; PostgreSQL has NOT VALID. */
  readonly isValid: boolean;
  /**
   * Other options in SQL, such as ` ON UPDATE CASCADE DEFERRABLE`; empty if tables are rebuilt, which such options
   * prevent.
   */
  readonly others: string;
}

/** An existing foreign key of several columns. */
export interface WideReference {
  readonly columns: readonly string[];
  readonly table: string;
  /** The columns that these refer to, in their order; undefined for the primary key. */
  readonly targets: readonly string[] | undefined;
  /** In SQL: `SET NULL`. */
  readonly onDelete: string;
}

/** An index of whole columns and all rows. */
export interface ActualIndex {
  readonly name: string;
  /** In order; null for an expression. */
  readonly columns: readonly (string | null)[];
  readonly unique: boolean;
  /** Undefined if it belongs to a constraint. */
  readonly sql: string | undefined;
  /** Whether that constraint is the primary key. */
  readonly isPrimary: boolean;
  /**
   * Whether its order is the one that requests use: texts by code point, and all columns in the same direction, which
   * may be read backwards.
   */
  readonly isInOrder: boolean;
  /** For each column, whether nulls come first in ascending order; undefined if they always do. */
  readonly nullsFirst: readonly boolean[] | undefined;
}

/** A field that an existing column serves badly, and what to do about it. */
export interface ColumnAdvice {
  readonly field: Field;
  readonly message: string;
}

/** The SQL of a column's new value, from its old one. */
export interface Conversion {
  readonly value: (column: string) => string;
  /** Whether a converted value has changed its meaning; absent if none has. */
  readonly isInexact?: (column: string) => string;
  /**
   * The new default from the old one, so that other programs can go on inserting rows. Absent if the values become
   * another kind: then the default and all other rules of the old type are dropped.
   */
  readonly default?: (expression: string) => string;
}

/** The differences between the schemas of the databases. */
export interface SchemaRules {
  readonly dialect: Dialect;
  /** Folds a name, so that names are equal if they are equal to the database. */
  readonly fold: (name: string) => string;
  /**
   * Why a field of an unmanaged resource cannot be served: its column is `missing`, or the type of the column. Undefined if
   * it can.
   */
  readonly fault: (field: Field) => string | undefined;
  /** The type in a column's definition as the database writes it. */
  readonly typeName: (definition: string) => string;
  /** Whether a column of an actual type serves as the wanted type without a change. */
  readonly isLike: (actual: string, wanted: string, isKey: boolean) => boolean;
  /**
   * For a column of another type that stores the wanted values unchanged: the SQL condition of existing values in
   * another form. Absent or undefined if it does not.
   */
  readonly misfits?: (actual: string, wanted: ColumnSchema, column: string) => string | undefined;
  /** The kind of values in a column of this type, if the record has none. */
  readonly kindOfType: (type: string) => StoredKind;
  /** The type, as the database writes it, that stores a kind. */
  readonly typeOfKind: (kind: StoredKind) => string;
  /** The conversion from one kind or type to another. Both are known to be convertible. */
  readonly convert: (from: StoredKind, to: StoredKind, oldType: string, type: string) => Conversion;
  readonly fillSql: (fill: Fill, kind: StoredKind) => string;
  /** The table options at the end of `CREATE TABLE`. */
  readonly tableOptions: string;
  /** SQL that counts other objects with the name, such as views, which a table cannot have then. */
  readonly countOthers: (name: string) => string;
  /** Whether a table is rebuilt to change its columns; otherwise each change is a statement. */
  readonly rebuilds: boolean;
  /** Whether indexes and foreign keys of tables with rows are made after the transaction, while writes go on. */
  readonly finishesLater: boolean;
  /** Whether the database renames a column in place. */
  readonly renames: (from: string, to: string) => boolean;
  /** Whether a column of this name can be added to an existing table. */
  readonly adds: (name: string) => boolean;
  /** The columns of an index; the wanted ones come first. */
  readonly indexColumns: (table: TableSchema, index: IndexSchema) => readonly string[];
  /** `collated` are the folded names of columns whose collation is not by code point. */
  readonly indexSql: (
    table: TableSchema,
    index: IndexSchema,
    collated: ReadonlySet<string>,
  ) => string;
  /** Whether nulls come first in a new index of a column; absent if they always do. */
  readonly putsNullsFirst?: (table: TableSchema, column: string) => boolean;
  /** Whether an index with a name of Plinth's is also defined as Plinth defines it. */
  readonly isAsWritten: (table: string, index: ActualIndex) => boolean;
}

/**
 * The two columns that identify the rows of a junction without a primary key, as in Prisma: foreign keys, never null,
 * with a unique pair. Undefined if the table is no such junction.
 */
export function pairOf(
  { columns, indexes, references }: Pick<ActualTable, 'columns' | 'indexes' | 'references'>,
  fold: (name: string) => string,
): readonly string[] | undefined {
  const isKey = (name: string | null): boolean =>
    name !== null &&
    columns.get(fold(name))?.nullable === false &&
    references.some(({ column }) => fold(column) === fold(name));
  return indexes
    .find(({ unique, columns: names }) => unique && names.length === 2 && names.every(isKey))
    ?.columns.flatMap((name) => name ?? []);
}

/** A generator that yields SQL, and receives the values of its first row. */
export type Counting<Answer> = Generator<string, Answer, readonly SqlValue[]>;

/**
 * The columns of an index followed by the id. Every list and every expanded collection sorts by the id last, so
 * without it all equal rows would be read and sorted for the first of them.
 */
export function withId(table: TableSchema, { columns, unique }: IndexSchema): readonly string[] {
  const id = table.columns.find(({ isKey }) => isKey)?.name;
  return unique || id === undefined || columns.includes(id) ? columns : [...columns, id];
}
