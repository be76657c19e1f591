import { quote } from '../sql/dialect.ts';
import { servicePrefix } from '../sql/service-tables.ts';
import { buildStatement, type Statement } from '../sql/statement.ts';
import { rowsFrom, type Database } from './database.ts';

/**
 * By what the generated records of a database were made, as texts in an order. `dev` keeps it in its own database alone:
 * nothing else looks at it, and no database needs it.
 */
const table = quote(`${servicePrefix}generated`);

const alone = (sql: string): Statement => ({ sql, parameters: [] });

/** Makes the table of the record where there is none. */
export async function makeRecipeRecord(database: Database): Promise<void> {
  const { textType } = database.dialect;
  const sql = `CREATE TABLE IF NOT EXISTS ${table} (place integer NOT NULL PRIMARY KEY, recipe ${textType} NOT NULL)`;
  await database.write(({ run }) => run(alone(sql), { bound: [] }));
}

/** Reads the texts of the record. */
export async function readRecipeRecord(database: Database): Promise<readonly string[]> {
  const rows = await rowsFrom(database, `SELECT recipe FROM ${table} ORDER BY place`);
  return rows.map(([text]) => String(text));
}

/** Makes these the texts of the record. */
export async function writeRecipeRecord(
  database: Database,
  texts: readonly string[],
): Promise<void> {
  const insert = buildStatement(
    database.dialect,
    (add) => `INSERT INTO ${table} (place, recipe) VALUES (${add(0)}, ${add(1)})`,
  );
  await database.write(async ({ run }) => {
    await run(alone(`DELETE FROM ${table}`), { bound: [] });
    for (const [place, text] of texts.entries()) await run(insert, { bound: [place, text] });
  });
}
