import { arePossible, stepsBeforeServing, type MigrationOptions } from '../../migrations/steps.ts';
import type { Api } from '../../model/api.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import { typed, type Context } from '../context.ts';
import { kindOf } from './kinds.ts';
import { inspect } from './database.ts';
import { CommandFailure } from '../failure.ts';
import { migrateCommand, type Target } from './target.ts';

/** Steps as lines, with what is lost by each, and what stands in its way. */
export function listed(
  steps: readonly MigrationStep[],
  { allowDataLoss = false }: MigrationOptions = {},
): readonly string[] {
  return steps.map(({ summary, loses, obstacle, isOptional }) => {
    if (obstacle !== undefined) return `- ${summary} (not possible: ${obstacle})`;
    if (loses === undefined) return `- ${summary}`;
    return isOptional && !allowDataLoss
      ? `- ${summary} (would lose ${loses}: only with --allow-data-loss)`
      : `- ${summary} (loses ${loses})`;
  });
}

/** What is the matter with steps that cannot simply be done, and the next thing to do; undefined where they can. */
export function hindrance(
  context: Context,
  target: Target,
  steps: readonly MigrationStep[],
  options: MigrationOptions = {},
): string | undefined {
  if (arePossible(steps, options)) return undefined;
  return steps.some(({ obstacle }) => obstacle !== undefined)
    ? `Do what is said of the steps that are not possible, or name another database with --database.`
    : `Values would be lost: change the specification, or make a backup and run "${migrateCommand(context, target, { allowDataLoss: true })}".`;
}

/** Fails, naming the steps, unless the database has what the specification needs. Changes nothing of it. */
export async function requireCurrent(context: Context, target: Target, api: Api): Promise<void> {
  if (kindOf(target.url) === 'memory')
    throw new CommandFailure(
      `A database in memory begins empty and is gone at the end, so no command finds anything in it but "${typed(context, 'dev')}". Name a file or a PostgreSQL database with --database.`,
    );
  const { name, steps: all } = await inspect(context, target, api, 'failure');
  const steps = stepsBeforeServing(all);
  if (steps.length === 0) return;
  const what = hindrance(context, target, steps);
  throw new CommandFailure(
    `The database ${name} is behind the specification. ${what ?? `Run "${migrateCommand(context, target)}" first.`}`,
    { details: listed(steps), data: { steps: steps.map(({ summary }) => summary) } },
  );
}
