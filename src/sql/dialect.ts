import type { Comparison } from '../model/operators.ts';
import type { Codec, Field, Resource, Storage } from '../model/api.ts';
import type { SqlValue } from '../model/values.ts';
import type { JsonValue, StoredAs } from '../specification/specification.ts';
import { isComposite, joined, partsOf, partValues } from '../model/field-types/composite-id.ts';
import type { DatePart } from '../model/field-types/group-values.ts';
import type { Parameter } from './statement.ts';

/** How a database is asked for its plan of a statement, which does not run. */
export interface Explain {
  readonly sql: (sql: string) => string;
  /** The plan, a line a step. */
  readonly lines: (rows: readonly (readonly SqlValue[])[]) => readonly string[];
  /** Whether all rows of the statement's own table are looked through. */
  readonly scans: (lines: readonly string[]) => boolean;
  readonly sorts: (lines: readonly string[]) => boolean;
}

/** How the tables of a database store values. */
export interface StoredForms {
  /** How the own tables of this database store a field's type. */
  readonly storage: (field: Field) => Storage;
  /** How an unmanaged column stores a field's values; absent or undefined: as own tables do. */
  readonly nativeCodec?: (field: Field) => Codec | undefined;
  /** A composite id as its rows are selected with it: the stored values of its parts as the JSON text of a list. */
  readonly keyText: (values: readonly SqlValue[], parts: readonly Field[]) => string;
  /** Whether a value that is not null is in this form, as a condition; `digits` are those of a decimal. */
  readonly isStoredAs: (
    column: string,
    form: StoredAs,
    digits: { readonly precision: number; readonly scale: number },
  ) => string;
  /** What keeps values out of a column that is made for a field where its type does not; absent: nothing has to. */
  readonly guard?: (field: Field) => string | undefined;
  /** The bytes of a column of text, in hexadecimal; absent where every text is UTF-8. */
  readonly textBytes?: (column: string) => string;
  /** The type of a column of text that compares by code point. */
  readonly textType: string;
}

/** A value that own code gives to a statement of its own. */
export type GivenValue = null | string | number | bigint | boolean | Uint8Array;

/** Values of a row by field, as they are stored. */
export type StoredValues = ReadonlyMap<Field, SqlValue>;

/** How SQL is written: values, comparisons, members of JSON, lists. */
export interface SqlSyntax {
  /** The placeholder of a parameter that is the `count`-th of its statement. */
  readonly placeholder: (count: number, parameter: Parameter) => string;
  /** A text that stands in the statement itself. */
  readonly text: (text: string) => string;
  readonly nulls: (placed: 'first' | 'last') => string;
  /** A column as it is selected, where it cannot be read as it is. */
  readonly select: (column: string, field: Field) => string;
  /** A column as it is sorted by. */
  readonly sortKey: (column: string, field: Field) => string;
  /** A placeholder as what `sortKey` of the field is compared with. */
  readonly sortOperand: (placeholder: string, field: Field) => string;
  /** What a column is set to, from the placeholder of its stored value. */
  readonly assigned: (placeholder: string, field: Field) => string;
  /** The comparison of a column with one bound value; every operator's operand is one parameter. */
  readonly compare: (
    column: string,
    operator: Comparison,
    placeholder: string,
    field: Field,
  ) => string;
  /**
   * Whether each of the words is in at least one of the texts, by the search index of the resource. Each word is written
   * once for each use, in the order of the text; `plain` is the condition without the index. Absent: there are none.
   */
  readonly indexedSearch?: (
    resource: Resource,
    texts: readonly Field[],
    column: (field: Field) => string,
    words: readonly (() => string)[],
    plain: () => string,
  ) => string;
  /** What is bound for an operand that `readOperand` gave. */
  readonly operand: (value: JsonValue, operator: Comparison, field: Field) => SqlValue;
  /** What the items are of a list of operands; undefined: texts. */
  readonly operandField: (operator: Comparison, field: Field) => Field | undefined;
  /** A member of a JSON column, itself as JSON; null where there is none. */
  readonly member: (column: string, members: readonly string[], field: Field) => string;
  /** What a member is compared and sorted as; null where what is found is of another type. Of `anyMember` the JSON. */
  readonly memberValue: (json: string, leaf: Field) => string;
  /** Texts put together, without those that are null; null where all are. */
  readonly joined: (texts: readonly string[], between: string) => string;
  /**
   * The items that are objects of a JSON array in a column, or in a member of it: a table under an alias, the JSON of an
   * item, and the condition on the rows of the table. What is no array has no items.
   */
  readonly objectItems: (
    column: string,
    members: readonly string[],
    field: Field,
    alias: string,
  ) => { readonly from: string; readonly item: string; readonly where: string };
  /** Whether a member is not there or null. */
  readonly memberIsNull: (json: string) => string;
  /** Turns what `memberValue` or `sortKey` took out of JSON into the value on the wire. */
  readonly decodeMember: (leaf: Field) => Codec['decode'];
  /** A column that holds `from` as what a column of `to` holds; null where that cannot be. */
  readonly convertKey: (column: string, from: Field, to: Field) => string;
  /** A table of one column `value` with the items of one bound list, which are values of `field`; it needs an alias. */
  readonly listTable: (placeholder: string, field?: Field) => string;
  /**
   * A SELECT of rows with these fields, of which each is one bound list (see `keys`) at its placeholder; absent where
   * no such statement is better than one with each value bound.
   */
  readonly rowsOf?: (fields: readonly Field[], placeholder: (field: Field) => string) => string;
  /** What is bound for a value of own code, which no field stores. */
  readonly bound: (value: GivenValue) => SqlValue;
  /** What is bound for a list of keys that were read from the database. */
  readonly keys: (keys: readonly SqlValue[]) => SqlValue;
  /**
   * A SELECT of rows that are not written, from one bound list in JSON of `unwrittenItem`s, with the columns of `fields` as the table would
   * hold them. What a row of the list leaves out is null, or with `id` what the row with that id has.
   */
  readonly unwrittenRows: (
    resource: Resource,
    fields: readonly Field[],
    list: string,
    id?: string,
  ) => string;
  /** An item of such a list, of stored values. */
  readonly unwrittenItem: (fields: readonly Field[], row: StoredValues) => string;
  /** The same of a row of a table `t`, as an expression; absent where its values tell as much as its columns. */
  readonly keptItem?: (fields: readonly Field[]) => string;
  /** What an INSERT ends with so that it gives the new record's id; absent where the driver tells it anyway. */
  readonly returning?: (idColumn: string) => string;
  /** What stands before VALUES so that ids are taken as given by a table that always gives its own; absent: nothing. */
  readonly givenIds?: string;
}

/** How a column of a group is computed: from aggregates over its records, or from what groups them. */
export interface GroupValue {
  /** Expressions over the records, from the value that they are about. */
  readonly parts: readonly ((value: string) => string)[];
  /** The value of the group, from the columns that hold its parts. */
  readonly value: (parts: readonly string[]) => string;
}

/**
 * How groups are computed. `isMember`: the value is a member of JSON. An expression names its value once if that binds
 * parameters.
 */
export interface Aggregates {
  /** A part of a day or moment in UTC. */
  readonly datePart: (field: Field, part: DatePart, isMember: boolean) => GroupValue;
  /** An integer or decimal as what `exactSum` and `exactAverage` take. */
  readonly exact: (value: string, field: Field, isMember: boolean) => string;
  readonly exactSum: GroupValue;
  /** The average of numbers with so many decimal places. */
  readonly exactAverage: (places: number) => GroupValue;
  /** Infinite if no double can hold the sum. */
  readonly doubleSum: GroupValue;
  /** Infinite if no double can hold the sum. */
  readonly doubleAverage: GroupValue;
  /** Whether a sum or average of doubles is infinite. */
  readonly isInfinite: (value: string) => string;
  /** The sum of `exact` numbers as a value of a column of the same type; null beyond its bounds. */
  readonly fieldSum: (value: string, field: Field) => string;
  /** The sum of doubles; null if it is no finite one. */
  readonly fieldDoubleSum: (value: string) => string;
  /** The average of `exact` numbers or doubles, as a double; null if the sum of doubles is no finite one. */
  readonly fieldAverage: (value: string, field: Field) => string;
  /** The least or greatest of values as they are sorted. */
  readonly extreme: (name: 'min' | 'max', value: string, field: Field) => string;
}

/** What a database's planner needs to find rows fast, and what it does not stand. */
export interface PlannerHints {
  /** How a table is joined that is looked up for each row of those before it. */
  readonly joinEach: 'JOIN' | 'CROSS JOIN';
  /** A condition by which no rows are looked for: it is asked of those that another one finds. */
  readonly onlyAsked: (condition: string) => string;
  /**
   * Whether records are to be found by the keys of those that a condition is about: `above` as such a `key`. A planner
   * that knows its values does so itself.
   */
  readonly looksUp: (above: Field, key: Field) => boolean;
  /** Whether a subquery cannot name the rows around it: what is related is found by its keys, and numbered. */
  readonly asksByKeys?: boolean;
  /** Whether there is a row; of `many` such questions in one statement each is planned alone. */
  readonly exists: (select: string, many: boolean) => string;
  /**
   * FROM and WHERE of the rows that are among the first of each `parent.value` of `list`: `first` selects their
   * `row`, the columns of their key, and may name `parent.value`.
   */
  readonly firstOfEach: (
    list: string,
    from: string,
    row: readonly string[],
    first: string,
  ) => string;
  /** How many records one INSERT best takes. */
  readonly recordsAnInsert: number;
  /**
   * Whether a value that is computed for all records of a list is found faster by grouping the related records than by
   * a subquery for each record.
   */
  readonly groupsRelated: boolean;
  /**
   * A text that is the same in two statements only if both see the same rows of all tables, or null. Where there is one, a page
   * and the total are read by one statement. Absent: two statements are as fast.
   */
  readonly state?: string;
  /** Whether LIMIT makes a long sort slower than it is without. */
  readonly limitSlowsSort: boolean;
  /** Whether one statement can make a record and, in its WITH, whatever goes with it; else it takes a transaction. */
  readonly createsWhole: boolean;
  /** How the planner's guess at the number of rows is asked for and read; absent where there is none. */
  readonly estimate?: {
    readonly sql: (select: string) => string;
    readonly rows: (answer: SqlValue) => number;
  };
}

/** How a transaction keeps others from changing its rows, or finds that they have. */
export interface Locks {
  /**
   * A function after whose call a statement, and what follows it in its transaction, waits for the locks of others at most
   * so many milliseconds; absent where writes come one after the other.
   */
  readonly lockTimeout?: (milliseconds: string) => string;
  /** What a SELECT ends with so that nobody else changes its rows before the transaction ends. */
  readonly forUpdate: string;
  /** The same of rows that are not named by their id: they may be on several nodes, where no lock reaches all. */
  readonly forUpdateMany: string;
  /** What a SELECT ends with so that nobody else deletes its rows before the transaction ends. */
  readonly forKeyShare: string;
  /**
   * A column that every table has, whose value is another after each change of a row, and that value as text; absent
   * where there is none.
   */
  readonly rowVersion?: { readonly column: string; readonly text: string };
}

/** What is asked of the catalog, and done to the sequences of ids. */
export interface CatalogQueries {
  /**
   * A statement after which the database gives no record the id of one that came with its own; absent where it never
   * does. Table and column are plain names.
   */
  readonly passIds?: (table: string, idColumn: string) => string;
  /**
   * A SELECT of the statement after which the ids of an empty table begin at the first again; of nothing where none is
   * needed, or is not allowed.
   */
  readonly restartIds?: (table: string, idColumn: string) => string;
  /** A SELECT of those columns of a table, of which the plain names are bound as JSON, to which nobody but the database gives values. */
  readonly computedColumns: (table: string, columns: () => string) => string;
  /** A SELECT of the words of a constraint of a table, of which the names are bound, or of the whole table. */
  readonly ruleText: (rule: () => string, table: () => string) => string;
}

/**
 * Everything in which the databases differ. One file a database, and no other place asks which one it is. What needs a
 * part of it takes that part.
 */
export interface Dialect extends SqlSyntax, StoredForms, PlannerHints, Locks, CatalogQueries {
  /** As OpenTelemetry names the system. */
  readonly name: 'sqlite' | 'postgresql';
  readonly explain: Explain;
  readonly aggregates: Aggregates;
}

/** What an operand asks for, be it one value or a list of them. */
export function wantedValues(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

/** The codec of the form in which the own tables of a dialect store a field. */
export function codecOf(dialect: StoredForms, field: Field): Codec {
  if (isComposite(field)) return compositeCodec(dialect, field);
  const { form } = dialect.storage(field);
  const codec = dialect.nativeCodec?.(field) ?? field.type.forms[form];
  if (codec === undefined) throw new TypeError(`${field.type.name} has no form ${form}`);
  return codec;
}

/** How a composite id is bound and selected: as the JSON text of a list of the stored values of its parts. */
function compositeCodec(dialect: StoredForms, id: Field): Codec {
  const parts = partsOf(id);
  return {
    encode: (value) => {
      const values = partValues(String(value), id) ?? [];
      const stored = parts.map((part, index) => encodeValue(dialect, values[index] ?? null, part));
      return dialect.keyText(stored, parts);
    },
    decode: (text) => {
      const stored = JSON.parse(String(text)) as readonly SqlValue[];
      return joined(parts.map((part, index) => decodeValue(dialect, stored[index] ?? null, part)));
    },
  };
}

/** A value on the wire as a dialect's own tables store it. */
export function encodeValue(dialect: StoredForms, value: JsonValue, field: Field): SqlValue {
  if (value === null) return null;
  const { encode } = codecOf(dialect, field);
  return encode === undefined ? (value as SqlValue) : encode(value, field);
}

/** A stored value, as a dialect selects it, as it is on the wire. */
export function decodeValue(dialect: StoredForms, stored: SqlValue, field: Field): JsonValue {
  return decoderOf(dialect, field)(stored);
}

/** What decodes many values of one field, each as `decodeValue` does. */
export function decoderOf(dialect: StoredForms, field: Field): (stored: SqlValue) => JsonValue {
  const { decode } = codecOf(dialect, field);
  return (stored) =>
    stored === null || decode === undefined ? (stored as JsonValue) : decode(stored, field);
}

/** The SQL of a text that is no value of a record: a morph's type, a member's name. No other quoting is needed. */
export function literal(text: string, fromHex: (hex: string) => string): string {
  // What is not plain is written in digits, so that nothing in it can mean anything to any server's settings.
  return /^[\w$."\- ]*$/u.test(text) ? `'${text}'` : fromHex(Buffer.from(text).toString('hex'));
}

/** The text of an `isFineMoment` field with six digits behind the second, whether it has six, three or none. */
export function inMicroseconds(column: string): string {
  return `substr(${column} || CASE length(${column}) WHEN 19 THEN '.000000' ELSE '000' END, 1, 26)`;
}

/** A list of columns to be compared as one value. */
export function rowOf(columns: readonly string[]): string {
  return columns.length === 1 ? columns.join('') : `(${columns.join(', ')})`;
}

/** A table as SQL names it, with its schema if the name has one: `sales.orders`. */
export function quoteTable(name: string): string {
  return name.split('.').map(quote).join('.');
}

/** Quotes a name for SQL. Names come from the model alone. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
