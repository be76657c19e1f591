import type { Api, Field, Resource } from '../model/api.ts';
import type { OnDelete } from '../spec/specification.ts';
import { encodeValue, quote, type Dialect } from './dialect.ts';

/** A table as the specification wants it. */
export interface TableSchema {
  readonly name: string;
  readonly columns: readonly ColumnSchema[];
  readonly indexes: readonly IndexSchema[];
}

export interface ColumnSchema {
  readonly name: string;
  /** With `PRIMARY KEY` and the like for the id. */
  readonly type: string;
  readonly nullable: boolean;
  readonly isKey: boolean;
  readonly reference: ReferenceSchema | undefined;
  /** A literal for the rows that a table has when the column is added; undefined where only null would do. */
  readonly fill: string | undefined;
}

export interface ReferenceSchema {
  readonly table: string;
  readonly column: string;
  readonly onDelete: OnDelete;
}

export interface IndexSchema {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** The tables, columns, keys and indexes that an Api needs in a database. */
export function schemaOf(api: Api, dialect: Dialect): readonly TableSchema[] {
  // Tables and indexes share one set of names.
  const names = new Set([...api.resources.values()].map(({ table }) => table.toLowerCase()));
  return [...api.resources.values()].map((resource) => ({
    name: resource.table,
    columns: [...resource.fields.values()].map((field) => columnOf(field, dialect)),
    indexes: indexesOf(resource, names),
  }));
}

function columnOf(field: Field, dialect: Dialect): ColumnSchema {
  const { reference } = field;
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
    fill: fillOf(field, dialect),
  };
}

/** The fixed default of a field as a literal. */
function fillOf(field: Field, dialect: Dialect): string | undefined {
  if (field.default?.kind !== 'value' || field.default.value === null) return undefined;
  const value = encodeValue(dialect, field.default.value, field);
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** Each set of columns once: what is unique needs no second index. `names` are taken, and grow. */
function indexesOf(resource: Resource, names: Set<string>): readonly IndexSchema[] {
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
    const base = `${resource.table}_${columns.join('_')}_${unique ? 'unique' : 'index'}`;
    let name = base;
    for (let count = 2; names.has(name.toLowerCase()); count += 1) name = `${base}_${count}`;
    names.add(name.toLowerCase());
    indexes.set(key, { name, columns, unique });
  }
  return [...indexes.values()];
}

/** `ON DELETE` in SQL. */
export const deleteActions: Readonly<Record<OnDelete, string>> = {
  restrict: 'RESTRICT',
  cascade: 'CASCADE',
  setNull: 'SET NULL',
};

/** `"authorId" INTEGER NOT NULL REFERENCES "users" ("id") ON DELETE RESTRICT` */
export function columnSql({ name, type, nullable, isKey, reference }: ColumnSchema): string {
  const notNull = nullable || isKey ? '' : ' NOT NULL';
  const references =
    reference === undefined
      ? ''
      : ` REFERENCES ${quote(reference.table)} (${quote(reference.column)}) ON DELETE ${deleteActions[reference.onDelete]}`;
  return `${quote(name)} ${type}${notNull}${references}`;
}

/** `CREATE INDEX`; `table` is the table's name. */
export function indexSql(table: string, { name, columns, unique }: IndexSchema): string {
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${quote(table)} (${columns.map(quote).join(', ')})`;
}
