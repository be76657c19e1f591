import type { Api } from '../model/api.ts';
import { quote } from '../sql/dialect.ts';
import { postgres } from '../sql/postgres.ts';
import { cutName, type IndexSchema, type MigrationStep, type TableSchema } from '../sql/schema.ts';
import { readTables } from './postgres-catalog.ts';
import { meaningOf } from './postgres-errors.ts';
import type { Ask, PostgresDatabase } from './postgres.ts';
import {
  arePossible,
  findSteps,
  migrationFailure,
  withId,
  type SchemaRules,
} from './schema-steps.ts';

const rules: SchemaRules = {
  dialect: postgres,
  fold: (name) => cutName(name),
  typeName,
  tableOptions: '',
  keysApart: true,
  indexColumns: withId,
  indexSql,
  // The server keeps no text, and nothing else gives names with such an end.
  isAsWritten: () => true,
};

/**
 * What would bring a PostgreSQL database up to date with the Api, in order; nothing when it is. Tables that no
 * resource names are not looked at.
 */
export function planMigration(
  database: PostgresDatabase,
  api: Api,
): Promise<readonly MigrationStep[]> {
  return database.alone((ask) => stepsFor(ask, api));
}

/**
 * Brings a database up to date in one transaction, in which the steps are found as well, so that two at once are
 * safe. Gives the steps; where one of them has no `sql`, nothing was done. Throws a DatabaseFailure.
 */
export async function migrate(
  database: PostgresDatabase,
  api: Api,
): Promise<readonly MigrationStep[]> {
  try {
    return await database.alone(async (ask) => {
      const steps = await stepsFor(ask, api);
      if (arePossible(steps)) for (const { sql = '' } of steps) await ask(sql);
      return steps;
    });
  } catch (error) {
    // A constraint that rows break has its own words in the cause.
    const { message, detail } = ((error as Error).cause ?? error) as Error & { detail?: string };
    throw migrationFailure(
      meaningOf(error),
      detail === undefined ? message : `${message} (${detail.replace(/\.$/u, '')})`,
    );
  }
}

async function stepsFor(ask: Ask, api: Api): Promise<readonly MigrationStep[]> {
  const tables = await readTables(ask);
  return findSteps(api, rules, (table) => tables.get(table));
}

/** The type in a column's definition, written as `format_type` writes it. */
function typeName(definition: string): string {
  const [type = ''] = definition.split(/ (?:COLLATE|GENERATED|NOT NULL|PRIMARY)/u);
  return type
    .replace(', ', ',')
    .replace(/^time$/u, 'time without time zone')
    .replace(/^timestamptz(\(\d\))?$/u, 'timestamp$1 with time zone');
}

function indexSql(table: TableSchema, index: IndexSchema): string {
  const keys = withId(table, index).map((name) => {
    // As lists are sorted: nulls first ascending, last descending. What is never null goes without saying.
    const isNullable = table.columns.some(
      (column) => column.name === name && column.nullable && !column.isKey,
    );
    return `${quote(name)}${isNullable ? ' NULLS FIRST' : ''}`;
  });
  return `CREATE ${index.unique ? 'UNIQUE ' : ''}INDEX ${quote(index.name)} ON ${quote(table.name)} (${keys.join(', ')})`;
}
