import { createHash } from 'node:crypto';
import { isForSomebody } from '../../model/access.ts';
import type { Api, Field, Resource } from '../../model/api.ts';
import { isLeftToDatabase } from '../../query/write/defaults.ts';
import { longestName } from '../../specification/parsers/names.ts';
import type { OnDelete, StoredAs } from '../../specification/specification.ts';
import {
  codecOf,
  encodeValue,
  quote,
  quoteTable,
  type Dialect,
  type StoredForms,
} from '../dialect.ts';
import { idempotencyTable } from '../compile/idempotency.ts';
import { cutName } from './cut-name.ts';
import { searchIndexOf } from './search-index.ts';
import { storedKindOf } from '../kinds/stored-kind.ts';
import type { ColumnSchema, Fill, IndexSchema, TableSchema, WrittenValues } from './table.ts';

/** A table without records, or a column without values in existing records. */
export interface Lacking {
  readonly table: string;
  readonly column?: string;
}

/** One difference between a database and the specification. */
export interface MigrationStep {
  /** The description: "create table posts". */
  readonly summary: string;
  /** What it loses: "loses 3 values", "rounds 3 values to milliseconds"; undefined for nothing. */
  readonly loses: string | undefined;
  /** Why it is not possible, and what to do about it; undefined if it is possible. */
  readonly obstacle: string | undefined;
  /** Whether the service runs without it. Tables and columns that the file no longer names stay until dropping is requested. */
  readonly isOptional: boolean;
  /** Whether only a feature that the file does not ask for needs it: `Idempotency-Key`. */
  readonly isExtra?: boolean;
  /** Whether what it removes does not disturb servers of this specification; a newer specification may have added it. */
  readonly canWait?: boolean;
  /** The table or column that lacks values afterwards, which is also all that may block the step or be lost by it. */
  readonly lacking?: Lacking;
  /** What the file may say instead. */
  readonly hint?: string;
  /** The table that it renames. */
  readonly renames?: { readonly from: string; readonly to: string };
}

/**
 * The tables, columns, keys and indexes that an Api needs in a database, followed by those of the service itself. Columns
 * of `lacking` fields may be null, since their values are generated afterwards. The record of migrations
 * (`databases/existing/schema-record.ts`) is not among them, since a database can be served without it.
 */
export function schemaOf(
  api: Api,
  dialect: Dialect,
  lacking: ReadonlyMap<Field, WrittenValues> = new Map(),
): readonly TableSchema[] {
  const resources = [...api.resources.values()];
  const tables = new Set(resources.map(({ table }) => table.toLowerCase()));
  const tableOf = (resource: Resource): TableSchema => ({
    name: resource.table,
    resource: resource.name,
    takesRows: isForSomebody(resource.access.create),
    columns: [...resource.fields.values()].map((field) => ({
      ...columnOf(field, dialect),
      ...(lacking.has(field) ? { nullable: true, written: lacking.get(field) ?? [] } : {}),
    })),
    indexes: indexesOf(resource, tables),
    search: searchIndexOf(resource),
  });
  return [
    ...resources.filter(({ isManaged }) => isManaged).map(tableOf),
    ...idempotencyTable(api, dialect).map((table) => ({ ...table, isExtra: isUnmanaged(api) })),
    ...(api.audit === undefined
      ? []
      : [{ ...tableOf(api.audit.resource), resource: undefined, takesRows: true }]),
  ];
}

/** Whether the database as a whole is not managed, so that its service tables may be missing. */
export function isUnmanaged({ settings }: Pick<Api, 'settings'>): boolean {
  return settings.database?.managed === false;
}

/** Stored forms whose values are read, compared and sorted like those of another form. */
const takenFor: Readonly<Partial<Record<StoredAs, StoredAs>>> = { sqlMicroseconds: 'sqlMixed' };

function columnOf(field: Field, dialect: StoredForms): ColumnSchema {
  const { reference } = field;
  const { storedAs } = field.attributes;
  return {
    name: field.column,
    type: dialect.storage(field).column(field),
    nullable: field.nullable,
    isKey: field === field.resource.id,
    reference: reference && {
      table: reference.resource.table,
      column: reference.field.column,
      onDelete: reference.onDelete,
    },
    guard: dialect.guard?.(field),
    isReadOnly: isLeftToDatabase(field),
    field: field.name,
    kind: storedKindOf(field, dialect),
    form: storedAs && {
      name: storedAs,
      isMet: (column) => dialect.isStoredAs(column, takenFor[storedAs] ?? storedAs, field),
    },
    fill: fillOf(field, dialect),
  };
}

function fillOf(field: Field, dialect: StoredForms): Fill | undefined {
  // Rows that are there already have no caller.
  if (field.default === undefined) return undefined;
  if (field.default.kind === 'claim' || field.default.kind === 'database') return undefined;
  // The databases have no common expression for the current time in other forms.
  if (field.default.kind !== 'value')
    return field.attributes.storedAs === undefined ? { kind: field.default.kind } : undefined;
  if (field.default.value === null) return undefined;
  const value = encodeValue(dialect, field.default.value, field);
  const text = typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  const sql = codecOf(dialect, field).isBytes === true ? `x${text}` : text;
  return { kind: 'literal', sql, shown: JSON.stringify(field.default.value) };
}

/** The indexes, each set of columns once, since a unique key needs no second index. `tables` are names in use. */
function indexesOf(resource: Resource, tables: ReadonlySet<string>): readonly IndexSchema[] {
  const single = [...resource.fields.values()].filter((field) => field.unique);
  const wanted = [
    ...single.map((field) => ({ fields: [field], unique: true })),
    ...resource.unique.map((fields) => ({ fields, unique: true })),
    ...resource.indexes.map((fields) => ({ fields, unique: false })),
  ];
  const indexes = new Map<string, IndexSchema>();
  for (const { fields, unique } of wanted) {
    const columns = fields.map((field) => field.column);
    const key = JSON.stringify(columns);
    const isId = fields.length === 1 && fields[0] === resource.id;
    if (isId || indexes.has(key)) continue;
    const [plain, distinct] = indexNames(withoutSchema(resource.table), columns, unique);
    // Tables and indexes share a namespace.
    const name = tables.has(plain.toLowerCase()) ? distinct : plain;
    indexes.set(key, { name, columns, unique, ...otherwise(fields) });
  }
  return [...indexes.values()];
}

/** The name of a table without its schema, in which its indexes are, too. */
export function withoutSchema(table: string): string {
  return table.slice(table.lastIndexOf('.') + 1);
}

/** The alternative for a unique index that only a hasOne needs: to declare a hasMany. */
function otherwise([field, another]: readonly Field[]): Pick<IndexSchema, 'otherwise'> {
  if (field === undefined || another !== undefined || field.attributes.unique === true) return {};
  const relations = field.reference?.resource.relations.values() ?? [];
  const one = [...relations].find(
    (relation) => relation.kind === 'hasOne' && relation.key === field,
  );
  return one === undefined ? {} : { otherwise: `make ${one.owner.name}.${one.name} a hasMany` };
}

/**
 * The possible names of an index, the preferred one first. They depend only on the index, so other changes of the file do
 * not rename it. The first is `posts_title_index` if that is unambiguous: `a_b` with `c` must not collide with `a` and
 * `b_c`. The last one always contains a digest of the index.
 */
export function indexNames(
  table: string,
  columns: readonly string[],
  unique: boolean,
): readonly [first: string, last: string] {
  const plain = `${table}_${columns.join('_')}_${unique ? 'unique' : 'index'}`;
  const parts = JSON.stringify([table, ...columns, unique]).toLowerCase();
  const digest = createHash('sha256').update(parts).digest('hex').slice(0, 8);
  const distinct = `${cutName(plain, longestName - digest.length - 1)}_${digest}`;
  const isClear =
    ![table, ...columns].some((name) => name.includes('_')) && cutName(plain) === plain;
  return [isClear ? plain : distinct, distinct];
}

/** `ON DELETE` in SQL. */
export const deleteActions: Readonly<Record<OnDelete, string>> = {
  restrict: 'RESTRICT',
  cascade: 'CASCADE',
  setNull: 'SET NULL',
};

/** `"authorId" INTEGER NOT NULL REFERENCES "users" ("id") ON DELETE RESTRICT` */
export function columnSql({ name, type, nullable, isKey, guard, reference }: ColumnSchema): string {
  const notNull = nullable || isKey ? '' : ' NOT NULL';
  const references =
    reference === undefined
      ? ''
      : ` REFERENCES ${quoteTable(reference.table)} (${quote(reference.column)}) ON DELETE ${deleteActions[reference.onDelete]}`;
  return `${quote(name)} ${type}${notNull}${guard === undefined ? '' : ` ${guard}`}${references}`;
}
