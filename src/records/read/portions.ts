import type { Field, Resource } from '../../model/api.ts';
import type { SqlValue } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { orderedFields } from '../../query/read/sort.ts';
import { decoderOf, quote, quoteTable, rowOf, type Dialect } from '../../sql/dialect.ts';
import { buildStatement } from '../../sql/statement.ts';
import type { Database, Row } from '../../databases/database.ts';
import { lengthOfAll } from '../../databases/database.ts';

/** A row as values on the wire, in the order of the requested fields. */
export type WireRow = readonly JsonValue[];

/** The fewest and the most rows in a portion. */
const fewest = 50;
const most = 5_000;
/** The intended length of a portion in characters, estimated from the previous one. */
const portionText = 1 << 20;

/**
 * The `fields` of all rows of a resource in order of id, in portions; the longer the texts, the fewer rows. Each portion
 * starts after the last id of the previous one, so no cursor is held open.
 */
export async function* portionsOf(
  { table, id }: Resource,
  fields: readonly Field[],
  database: Pick<Database, 'all' | 'dialect'>,
): AsyncGenerator<readonly WireRow[]> {
  const { dialect } = database;
  const keys = orderedFields(id);
  const columns = [...keys, ...fields].map((field) => dialect.select(quote(field.column), field));
  const order = keys.map((key) => quote(key.column));
  const from = `SELECT ${columns.join(', ')} FROM ${quoteTable(table)}`;
  const end = (limit: string): string => `ORDER BY ${order.join(', ')} LIMIT ${limit}`;
  const first = buildStatement(dialect, (add) => `${from} ${end(add('limit'))}`);
  const next = buildStatement(
    dialect,
    (add) =>
      `${from} WHERE ${rowOf(order)} > ${rowOf(keys.map((_, index) => add(index)))} ${end(add('limit'))}`,
  );
  const decode = rowDecoder(fields, dialect, keys.length);
  let limit = fewest;
  let last: readonly SqlValue[] | undefined;
  for (;;) {
    const rows: readonly Row[] = await database.all(last === undefined ? first : next, {
      bound: last ?? [],
      limit,
    });
    if (rows.length > 0) yield rows.map(decode);
    if (rows.length < limit) return;
    last = rows.at(-1)?.slice(0, keys.length) ?? [];
    const fitting = Math.floor((limit * portionText) / (1 + lengthOfAll(rows)));
    limit = Math.max(fewest, Math.min(most, fitting));
  }
}

/** Makes a function that decodes a row of a key and these fields to the fields' values on the wire. */
export function rowDecoder(
  fields: readonly Field[],
  dialect: Dialect,
  keys = 1,
): (row: Row) => WireRow {
  const decoders = fields.map((field) => decoderOf(dialect, field));
  return (row) => decoders.map((decode, index) => decode(row[index + keys] ?? null));
}
