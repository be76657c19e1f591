import { onceFree } from '../execute/sqlite-errors.ts';
import { planMigration, type MigrationStep } from '../execute/sqlite-schema.ts';
import type { Api } from '../model/api.ts';
import type { Context } from './context.ts';
import { migrateCommand, type OpenDatabase, type Target } from './database.ts';
import { CommandFailure } from './failure.ts';

/** What would bring the database up to date. */
export function stepsFor({ database }: OpenDatabase, api: Api): Promise<readonly MigrationStep[]> {
  return onceFree(() => planMigration(database.schemaConnection, api));
}

/** Steps as lines; what cannot be done is marked. */
export function listed(steps: readonly MigrationStep[]): readonly string[] {
  return steps.map(
    ({ summary, sql }) => `- ${summary}${sql === undefined ? ' (not possible yet)' : ''}`,
  );
}

/** Fails, naming the steps, unless the database has what the specification needs. */
export async function requireCurrent(
  context: Context,
  target: Target,
  open: OpenDatabase,
  api: Api,
): Promise<void> {
  const steps = await stepsFor(open, api);
  if (steps.length === 0) return;
  const isPossible = steps.every(({ sql }) => sql !== undefined);
  throw new CommandFailure(
    isPossible
      ? `The database ${open.name} is behind the specification. Run "${migrateCommand(context, target)}" first.`
      : `The database ${open.name} does not fit the specification. ${byHand}`,
    { details: listed(steps), data: { steps: steps.map(({ summary }) => summary) } },
  );
}

/** What to do where this version cannot change a table. */
export const byHand = 'Change the table by hand, or name another database with --database.';
