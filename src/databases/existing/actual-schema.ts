import type { Field } from '../../model/api.ts';
import type { Dialect } from '../../sql/dialect.ts';
import type { StoredKind } from '../../sql/stored-kind.ts';
import type { ColumnSchema, Fill, IndexSchema, TableSchema } from '../../sql/schema/table.ts';
import type { RecordRow } from './schema-record.ts';

/** A table as it is; names in it are folded as the database tells names apart. */
export interface ActualTable {
  /** As it is written. */
  readonly name: string;
  readonly columns: ReadonlyMap<string, ActualColumn>;
  readonly references: readonly ActualReference[];
  readonly indexes: readonly ActualIndex[];
  /** What `CREATE TABLE` has ended with. */
  readonly options: string;
  /** What of it would be lost if it were made anew, where that is the way to change it: "a CHECK". */
  readonly peculiarity: string | undefined;
  /** Whether a trigger has each new row before it is written, and may give values to what nobody else does. */
  readonly mayFill: boolean;
}

/** A database as a migration finds it. */
export interface Found {
  /** The tables that are there, by their folded names. */
  readonly tables: ReadonlyMap<string, () => ActualTable>;
  /** What migrations have written down. */
  readonly record: readonly RecordRow[];
}

/** A column as it is. */
export interface ActualColumn {
  /** As it is written. */
  readonly name: string;
  /** As the database writes it; empty where there is none. */
  readonly type: string;
  readonly nullable: boolean;
  readonly isPrimary: boolean;
  /** Whether a row can be written without it. */
  readonly fills: boolean;
  /** Whether nobody but the database gives it values: it computes them, or counts what is no key. */
  readonly isComputed: boolean;
  /** The expression of its default, in SQL. */
  readonly default: string | undefined;
  /** Whether its text compares by code point; undefined where nobody asks. */
  readonly byCodePoint: boolean | undefined;
  /** Whether it takes nothing but JSON, by a CHECK as a migration makes it. */
  readonly isGuarded: boolean;
  /** The domain that it is of, where it is of one; `type` is then the type that the domain is of. */
  readonly domain: Domain | undefined;
}

/** A type with rules of its own, which a column has as long as it is of it. */
export interface Domain {
  /** As it is written in SQL. */
  readonly name: string;
  /** The expressions of its CHECKs, in which VALUE is the value. */
  readonly checks: readonly string[];
  readonly refusesNull: boolean;
  /** Whether the items of the column are of it, which is an array. */
  readonly isOfItems: boolean;
}

/** A foreign key as it is. */
export interface ActualReference {
  /** Of the constraint, where it has one. */
  readonly name: string | undefined;
  readonly column: string;
  readonly table: string;
  /** Undefined for the primary key, whatever its name. */
  readonly target: string | undefined;
  /** In SQL: `SET NULL`. */
  readonly onDelete: string;
  /** Whether the database holds values to it; PostgreSQL 18 knows keys that only tell what they would be. */
  readonly isEnforced: boolean;
  /** What else it says, in SQL: ` ON UPDATE CASCADE DEFERRABLE`; empty where a table is made anew, which it hinders. */
  readonly others: string;
}

/** An index of whole columns and all rows. */
export interface ActualIndex {
  readonly name: string;
  /** In order; null for an expression. */
  readonly columns: readonly (string | null)[];
  readonly unique: boolean;
  /** Undefined where it belongs to a constraint. */
  readonly sql: string | undefined;
  /** Whether that constraint is the primary key. */
  readonly isPrimary: boolean;
  /**
   * Whether it has values in the order in which requests compare them, as texts by code point, and several columns in
   * the same direction: read downwards, it is the order upwards.
   */
  readonly isInOrder: boolean;
  /** Of each column whether its nulls come first when it is read upwards; undefined where they always do. */
  readonly nullsFirst: readonly boolean[] | undefined;
}

/** A field that its column in an existing table does not serve well, and what to do about it. */
export interface ColumnAdvice {
  readonly field: Field;
  readonly message: string;
}

/** The new value of a column in SQL, from its old one. */
export interface Conversion {
  readonly value: (column: string) => string;
  /** Whether a value that becomes another one does not mean the same; absent where all do. */
  readonly isInexact?: (column: string) => string;
  /**
   * The default that goes with it, from the old one, so that other programs write on as before; absent: none does, nor
   * any other rule that the old type had, since the values are of another kind.
   */
  readonly default?: (expression: string) => string;
}

/** In what the schemas of the databases differ. */
export interface SchemaRules {
  readonly dialect: Dialect;
  /** A name so that two are the same for the database exactly when they are equal. */
  readonly fold: (name: string) => string;
  /** The type in a column's definition as the database writes it. */
  readonly typeName: (definition: string) => string;
  /** Whether a column of an actual type serves as one of the wanted type as it is. */
  readonly isLike: (actual: string, wanted: string, isKey: boolean) => boolean;
  /**
   * For a column of another type that keeps the wanted values as they are written: the condition, in SQL, of those in it
   * that are in another form. Absent or undefined where it does not keep them.
   */
  readonly misfits?: (actual: string, wanted: ColumnSchema, column: string) => string | undefined;
  /** What a column of this type holds where nobody has written it down. */
  readonly kindOfType: (type: string) => StoredKind;
  /** The type, as the database writes it, in which a kind is stored. */
  readonly typeOfKind: (kind: StoredKind) => string;
  /** How values change from one kind or type to another, both known to be convertible. */
  readonly convert: (from: StoredKind, to: StoredKind, oldType: string, type: string) => Conversion;
  readonly fillSql: (fill: Fill, kind: StoredKind) => string;
  /** What `CREATE TABLE` ends with. */
  readonly tableOptions: string;
  /** How many others than tables have a name, such as views, which no table can have then; in SQL. */
  readonly countOthers: (name: string) => string;
  /** Whether a table is made anew to change a column of it; else each change is a statement. */
  readonly rebuilds: boolean;
  /** Whether the database gives a column another name in place. */
  readonly renames: (from: string, to: string) => boolean;
  /** Whether a table that is there can be given a column of this name. */
  readonly adds: (name: string) => boolean;
  /** The columns that an index has, in which those wanted come first. */
  readonly indexColumns: (table: TableSchema, index: IndexSchema) => readonly string[];
  /** `collated` are the folded names of columns that compare texts otherwise than by code point. */
  readonly indexSql: (
    table: TableSchema,
    index: IndexSchema,
    collated: ReadonlySet<string>,
  ) => string;
  /** Whether a column's nulls come first in an index that is made now; absent where they always do. */
  readonly putsNullsFirst?: (table: TableSchema, column: string) => boolean;
  /** Whether an index, which has a name that Plinth gives, is written as Plinth writes it. */
  readonly isAsWritten: (table: string, index: ActualIndex) => boolean;
}

/**
 * The two columns by which a junction without a primary key tells its rows apart, as that of Prisma: keys, never null, and
 * no pair of them twice. Undefined where a table is none.
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

/** A question of the planning to the database: SQL that counts, which is answered with the number. */
export type Counting<Answer> = Generator<string, Answer, number>;

/**
 * The columns of an index with the id behind them: every list and every expanded collection ends its order with it, and
 * without it all equal rows would have to be read and sorted for the first of them.
 */
export function withId(table: TableSchema, { columns, unique }: IndexSchema): readonly string[] {
  const id = table.columns.find(({ isKey }) => isKey)?.name;
  return unique || id === undefined || columns.includes(id) ? columns : [...columns, id];
}
