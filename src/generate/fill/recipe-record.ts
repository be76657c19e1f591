import { quote } from '../../sql/dialect.ts';
import { servicePrefix } from '../../sql/schema/service-tables.ts';
import { buildStatement, type Statement } from '../../sql/statement.ts';
import { rowsFrom, type Database } from '../../databases/database.ts';

/**
 * By what the generated records of a database were made: texts in an order, each with the part that it has in it. `dev` keeps it in its own database alone:
 * nothing else looks at it, and no database needs it.
 */
const table = quote(`${servicePrefix}generated`);

/** A row of the record. */
export interface RecipeRow {
  readonly part: string;
  readonly recipe: string;
}

const alone = (sql: string): Statement => ({ sql, parameters: [] });

/** Makes the table of the record where there is none. */
export async function makeRecipeRecord(database: Database): Promise<void> {
  const { textType } = database.dialect;
  const sql = `CREATE TABLE IF NOT EXISTS ${table} (place integer NOT NULL PRIMARY KEY, part ${textType} NOT NULL, recipe ${textType} NOT NULL)`;
  await database.write(({ run }) => run(alone(sql), { bound: [] }));
}

/** Reads the record. */
export async function readRecipeRecord(database: Database): Promise<readonly RecipeRow[]> {
  const rows = await rowsFrom(database, `SELECT part, recipe FROM ${table} ORDER BY place`);
  return rows.map(([part, recipe]) => ({ part: String(part), recipe: String(recipe) }));
}

/** Makes these the rows of the record. */
export async function writeRecipeRecord(
  database: Database,
  rows: readonly RecipeRow[],
): Promise<void> {
  const insert = buildStatement(
    database.dialect,
    (add) => `INSERT INTO ${table} (place, part, recipe) VALUES (${add(0)}, ${add(1)}, ${add(2)})`,
  );
  await database.write(async ({ run }) => {
    await run(alone(`DELETE FROM ${table}`), { bound: [] });
    for (const [place, { part, recipe }] of rows.entries())
      await run(insert, { bound: [place, part, recipe] });
  });
}
