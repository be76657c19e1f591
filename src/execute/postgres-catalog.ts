import { DatabaseFailure } from './database.ts';
import type { Ask } from './postgres.ts';

/** A table as it is, with names as PostgreSQL keeps them. */
export interface ActualTable {
  readonly columns: Map<string, ActualColumn>;
  readonly references: ActualReference[];
  readonly indexes: ActualIndex[];
}

export interface ActualColumn {
  readonly type: string;
  readonly nullable: boolean;
  /** Whether a row can be written without it. */
  readonly fills: boolean;
  /** Whether it compares by code point; undefined for what is no text. */
  readonly byCodePoint: boolean | undefined;
}

export interface ActualReference {
  readonly column: string;
  readonly table: string;
  readonly target: string;
  /** As `pg_constraint.confdeltype`. */
  readonly onDelete: string;
}

export interface ActualIndex {
  /** A JSON list, in order. */
  readonly columns: string;
  readonly unique: boolean;
  readonly primary: boolean;
}

/** Of the schema in which new tables would be made. */
const inSchema = `table_.relnamespace = to_regnamespace(quote_ident(current_schema())) AND table_.relkind IN ('r', 'p')`;

const columnsQuery =
  `SELECT table_.relname, attname, format_type(atttypid, atttypmod), NOT attnotnull,` +
  ` atthasdef OR attidentity <> '',` +
  // A column of the default collation compares as the database does.
  ` CASE WHEN collprovider = 'd' THEN datlocprovider = 'c' AND datcollate IN ('C', 'POSIX')` +
  ` ELSE collcollate IN ('C', 'POSIX') END` +
  ` FROM pg_class AS table_` +
  ` LEFT JOIN pg_attribute ON attrelid = table_.oid AND attnum > 0 AND NOT attisdropped` +
  ` LEFT JOIN pg_collation AS collation_ ON collation_.oid = attcollation` +
  ` JOIN pg_database ON datname = current_database()` +
  ` WHERE ${inSchema}`;

const indexesQuery =
  `SELECT table_.relname, (SELECT json_agg(attname ORDER BY place) FROM` +
  ` unnest(indkey::int[]) WITH ORDINALITY AS key(number, place) JOIN pg_attribute` +
  ` ON attrelid = indrelid AND attnum = key.number WHERE place <= indnkeyatts)::jsonb,` +
  ` indisunique, indisprimary` +
  ` FROM pg_index JOIN pg_class AS table_ ON table_.oid = indrelid` +
  ` WHERE ${inSchema} AND indisvalid AND indpred IS NULL AND indexprs IS NULL`;

const referencesQuery =
  `SELECT table_.relname, own.attname, target.relname, pointed.attname, confdeltype` +
  ` FROM pg_constraint JOIN pg_class AS table_ ON table_.oid = conrelid` +
  ` JOIN pg_class AS target ON target.oid = confrelid` +
  ` JOIN pg_attribute AS own ON own.attrelid = conrelid AND own.attnum = conkey[1]` +
  ` JOIN pg_attribute AS pointed ON pointed.attrelid = confrelid AND pointed.attnum = confkey[1]` +
  ` WHERE ${inSchema} AND contype = 'f' AND cardinality(conkey) = 1`;

/** The tables of the schema in which new ones would be made, by name. */
export async function readTables(ask: Ask): Promise<ReadonlyMap<string, ActualTable>> {
  const [schema] = await ask('SELECT current_schema()');
  if (schema?.[0] === null)
    throw new DatabaseFailure('The search_path of this role names no schema that exists.');
  const tables = new Map<string, ActualTable>();
  const tableOf = (name: unknown): ActualTable => {
    let table = tables.get(String(name));
    if (table === undefined) {
      table = { columns: new Map(), references: [], indexes: [] };
      tables.set(String(name), table);
    }
    return table;
  };
  for (const [table, column, type, nullable, fills, byCodePoint] of await ask(columnsQuery)) {
    const { columns } = tableOf(table);
    if (typeof column === 'string')
      columns.set(column, {
        type: String(type),
        nullable: nullable === true,
        fills: fills === true,
        byCodePoint: typeof byCodePoint === 'boolean' ? byCodePoint : undefined,
      });
  }
  for (const [table, columns, unique, primary] of await ask(indexesQuery))
    tableOf(table).indexes.push({
      columns: JSON.stringify(JSON.parse(String(columns))),
      unique: unique === true,
      primary: primary === true,
    });
  for (const [table, column, target, targetColumn, onDelete] of await ask(referencesQuery))
    tableOf(table).references.push({
      column: String(column),
      table: String(target),
      target: String(targetColumn),
      onDelete: String(onDelete),
    });
  return tables;
}
