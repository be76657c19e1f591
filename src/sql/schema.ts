import type { Api, Field, Resource } from '../model/api.ts';
import type { OnDelete } from '../spec/specification.ts';
import { quote, type Dialect } from './dialect.ts';

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
  return [...api.resources.values()].map((resource) => ({
    name: resource.table,
    columns: [...resource.fields.values()].map((field) => columnOf(field, dialect)),
    indexes: indexesOf(resource),
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
  };
}

function indexesOf(resource: Resource): readonly IndexSchema[] {
  const make = (fields: readonly Field[], unique: boolean): IndexSchema => {
    const columns = fields.map((field) => field.column);
    const name = `${resource.table}_${columns.join('_')}_${unique ? 'unique' : 'index'}`;
    return { name, columns, unique };
  };
  const single = [...resource.fields.values()].filter((field) => field.unique);
  return [
    ...single.map((field) => make([field], true)),
    ...resource.unique.map((fields) => make(fields, true)),
    ...resource.indexes.map((fields) => make(fields, false)),
  ];
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
