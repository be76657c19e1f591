import { planMigration } from '../execute/sqlite-schema.ts';
import type { Api } from '../model/api.ts';
import type { OpenDatabase } from './database.ts';
import { CommandFailure } from './failure.ts';

/** Fails, naming the steps, unless the database has what the specification needs. */
export function requireCurrent({ database, name }: OpenDatabase, api: Api): void {
  const steps = planMigration(database.schemaConnection, api);
  if (steps.length === 0) return;
  throw new CommandFailure(
    `The database ${name} is behind the specification. Run "plinth migrate --apply" first.`,
    { details: steps.map(({ summary }) => `- ${summary}`) },
  );
}
