import { arePossible } from '../execute/schema-steps.ts';
import type { Api } from '../model/api.ts';
import type { MigrationStep } from '../sql/schema.ts';
import type { Context } from './context.ts';
import { inspect } from './database.ts';
import { CommandFailure } from './failure.ts';
import { migrateCommand, type Target } from './target.ts';

/** Steps as lines; what cannot be done is marked. */
export function listed(steps: readonly MigrationStep[]): readonly string[] {
  return steps.map(
    ({ summary, sql }) => `- ${summary}${sql === undefined ? ' (not possible yet)' : ''}`,
  );
}

/** Fails, naming the steps, unless the database has what the specification needs. Changes nothing of it. */
export async function requireCurrent(context: Context, target: Target, api: Api): Promise<void> {
  const { name, steps } = await inspect(context, target, api, 'failure');
  if (steps.length === 0) return;
  throw new CommandFailure(
    arePossible(steps)
      ? `The database ${name} is behind the specification. Run "${migrateCommand(context, target)}" first.`
      : `The database ${name} does not fit the specification. ${byHand}`,
    { details: listed(steps), data: { steps: steps.map(({ summary }) => summary) } },
  );
}

/** What to do where this version cannot change a table. */
export const byHand = 'Change the table by hand, or name another database with --database.';
