import type { ActualTable, Counting } from '../databases/existing/actual-schema.ts';
import { counted } from '../model/values.ts';
import { quote, quoteTable } from '../sql/dialect.ts';

/** The number that SQL counts. */
export function* countOf(sql: string): Counting<number> {
  const [count = 0] = yield sql;
  return Number(count);
}

/** How many ids of rows messages name. */
const mostNamed = 3;

/** The rows of a table that meet a condition: their number, and their text with the first ids, such as `2 rows (id 3, 5)`. */
export function* rowsWith(
  table: ActualTable,
  condition: string,
): Counting<{ readonly count: number; readonly text: string }> {
  const from = `FROM ${quoteTable(table.name)} WHERE ${condition}`;
  const count = yield* countOf(`SELECT count(*) ${from}`);
  const rows = counted(count, 'row');
  const columns = keyOf(table).map(quote);
  if (count === 0 || columns.length === 0) return { count, text: rows };
  const id = columns.map((one) => `CAST(${one} AS text)`).join(` || ',' || `);
  const nth = (place: number): string =>
    `(SELECT ${id} ${from} ORDER BY ${columns.join(', ')} LIMIT 1 OFFSET ${place})`;
  const found =
    yield `SELECT ${Array.from({ length: mostNamed }, (_, place) => nth(place)).join(', ')}`;
  const ids = found.filter((one) => one !== null).join(', ');
  return { count, text: `${rows} (id ${ids}${count > mostNamed ? ', …' : ''})` };
}

/** The columns of the primary key, of which SQLite has no index if it is the number of the row. */
function keyOf({ columns, indexes }: ActualTable): readonly string[] {
  const index = indexes.find(({ isPrimary }) => isPrimary);
  const own = [...columns.values()].filter(({ isPrimary }) => isPrimary);
  return index?.columns.flatMap((one) => one ?? []) ?? own.map(({ name }) => name);
}
