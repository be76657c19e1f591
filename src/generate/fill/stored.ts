import type { Field, Resource } from '../../model/api.ts';
import { isNumbered } from '../../model/field-types/id.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { rowsFrom, type Database, type Transaction } from '../../databases/database.ts';
import { decodeValue, quote, quoteTable, type Dialect } from '../../sql/dialect.ts';
import { orderedFields } from '../../query/read/sort.ts';
import { buildStatement } from '../../sql/statement.ts';
import { countedId, lastTextId, rowOfId } from '../ids.ts';
import type { KeyTargets } from '../distinct/dimensions.ts';
import { keyOf } from '../random.ts';

/** The records of a resource before it is filled. */
export interface StoredRows {
  readonly count: number;
  /** The highest stored row number; 0 if there is none. */
  readonly last: number;
  /** Whether exactly the rows 1 to `last` are stored, with the values that keys of the own table lead to. */
  readonly isWhole: boolean;
  /** The number of records by the value of the `per` key. */
  readonly owned: ReadonlyMap<JsonValue, number>;
}

/** No records. */
export const nothingStored: StoredRows = { count: 0, last: 0, isWhole: true, owned: new Map() };

/** Reads which rows of a resource are stored, and how many belong to each record that `perKey` leads to. */
export async function storedRowsOf(
  resource: Resource,
  perKey: Field | undefined,
  transaction: Transaction,
  dialect: Dialect,
  seed: number,
): Promise<StoredRows> {
  const storedRows = await rowsThere(resource, transaction, dialect, seed);
  if (storedRows.count === 0) return nothingStored;
  const owned = new Map<JsonValue, number>();
  if (perKey !== undefined) {
    const column = quote(perKey.column);
    const sql = `SELECT ${dialect.select(column, perKey)}, count(*) FROM ${quoteTable(resource.table)} GROUP BY ${column}`;
    for (const [value = null, count] of await rowsFrom(transaction, sql))
      owned.set(decodeValue(dialect, value, perKey), Number(count));
  }
  // Ids never change; another field may have been edited.
  const leadsByValue = resource.incoming.some(
    ({ resource: from, reference }) => from === resource && reference?.field !== resource.id,
  );
  return { ...storedRows, isWhole: storedRows.isWhole && !leadsByValue, owned };
}

async function rowsThere(
  { table, id, ...resource }: Resource,
  transaction: Transaction,
  dialect: Dialect,
  seed: number,
): Promise<Omit<StoredRows, 'owned'>> {
  const column = quote(id.column);
  const from = `FROM ${quoteTable(table)}`;
  if (isNumbered(id)) {
    const sql = `SELECT count(*), coalesce(min(${column}), 1), coalesce(max(${column}), 0) ${from}`;
    const [row = []] = await rowsFrom(transaction, sql);
    const [count = 0, first = 0, last = 0] = row.map(Number);
    return { count, last: Math.max(0, last), isWhole: first === 1 && last === count };
  }
  const [counted = []] = await rowsFrom(transaction, `SELECT count(*) ${from}`);
  const count = Number(counted[0]);
  // Such an id tells no number of a row.
  if (id.parts !== undefined) return { count, last: count, isWhole: count === 0 };
  const generated = buildStatement(
    dialect,
    (add) =>
      `SELECT ${dialect.select(column, id)} ${from} WHERE ${dialect.compare(column, 'lte', add(0), id)} ORDER BY ${dialect.sortKey(column, id)} DESC LIMIT 1`,
  );
  const [row = []] = await transaction.all(generated, {
    bound: [dialect.operand(lastTextId, 'lte', id)],
  });
  const last =
    rowOfId({ id, table, ...resource }, decodeValue(dialect, row[0] ?? null, id), seed) ?? 0;
  return { count, last, isWhole: count === 0 };
}

/** The stored records as targets of keys, in order of their ids. */
export async function storedTargets(
  resource: Resource,
  { count, isWhole }: StoredRows,
  transaction: Transaction,
  dialect: Dialect,
  seed: number,
): Promise<KeyTargets> {
  const { id, table, incoming } = resource;
  const wanted = new Set([id, ...incoming.flatMap(({ reference }) => reference?.field ?? [])]);
  if (isWhole && wanted.size === 1 && isNumbered(id))
    return {
      size: count,
      valueAt: (place) => countedId(id, place + 1),
      numberAt: (place) => place + 1,
    };
  const fields = [...wanted];
  const columns = fields.map((field) => dialect.select(quote(field.column), field));
  const order = orderedFields(id).map((field) => dialect.sortKey(quote(field.column), field));
  const sql = `SELECT ${columns.join(', ')} FROM ${quoteTable(table)} ORDER BY ${order.join(', ')}`;
  const rows = await rowsFrom(transaction, sql);
  const valueAt = (place: number, field: Field): JsonValue =>
    decodeValue(dialect, rows[place]?.[fields.indexOf(field)] ?? null, field);
  return {
    size: rows.length,
    valueAt,
    numberAt: (place) => {
      const value = valueAt(place, id);
      return rowOfId(resource, value, seed) ?? keyOf(String(value)).low;
    },
  };
}

/** The stored values of some fields, each list as JSON. */
export async function storedValues(
  { table }: Resource,
  fields: readonly Field[],
  database: Pick<Database, 'all'>,
  dialect: Dialect,
): Promise<ReadonlySet<string>> {
  const columns = fields.map((field) => dialect.select(quote(field.column), field));
  const sql = `SELECT ${columns.join(', ')} FROM ${quoteTable(table)}`;
  const rows = await rowsFrom(database, sql);
  return new Set(
    rows.map((row) =>
      JSON.stringify(fields.map((field, at) => decodeValue(dialect, row[at] ?? null, field))),
    ),
  );
}
