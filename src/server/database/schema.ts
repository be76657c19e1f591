import { arePossible, stepsBeforeServing, type MigrationOptions } from '../../migrations/steps.ts';
import type { Api } from '../../model/api.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import { shellArgument, typedCommand, type Context } from '../context.ts';
import { databaseKindOf } from './kinds.ts';
import { inspect } from './database.ts';
import { CommandFailure } from '../failure.ts';
import { migrateCommand, type Target } from './target.ts';

/** A line for each step, with the values that it loses or why it is not possible. */
export function stepLines(
  steps: readonly MigrationStep[],
  { allowDataLoss = false }: MigrationOptions = {},
): readonly string[] {
  return steps.map(({ summary, loses, obstacle, isOptional, isExtra, hint }) => {
    const instead = hint === undefined ? '' : `; ${hint}`;
    if (isExtra === true) return `- ${summary} (only for requests with an Idempotency-Key)`;
    if (obstacle !== undefined) return `- ${summary} (not possible: ${obstacle})`;
    if (loses === undefined) return `- ${summary}`;
    return isOptional && !allowDataLoss
      ? `- ${summary} (${loses.replace(/^loses/u, 'would lose')}: only with --allow-data-loss${instead})`
      : `- ${summary} (${loses}${instead})`;
  });
}

/** Why steps cannot be applied, and what to do next; undefined if they can. */
export function migrationRefusal(
  context: Context,
  target: Target,
  steps: readonly MigrationStep[],
  options: MigrationOptions = {},
  isInvalid = false,
): string | undefined {
  if (arePossible(steps, options))
    return isInvalid
      ? `Stored values break rules of the file: change them or the rules, or run "${migrateCommand(context, target, { ...options, allowInvalid: true })}" to keep them as they are.`
      : undefined;
  return steps.some(({ obstacle }) => obstacle !== undefined)
    ? `Resolve the steps that are not possible, or name another database with --database.`
    : `Values would be lost: change the specification, or make a backup and run "${migrateCommand(context, target, { allowDataLoss: true })}".`;
}

/** How to begin with a new database of `dev`. */
export function freshStart(context: Context, file: string): string {
  return `Or run "${typedCommand(context, `dev ${shellArgument(file)} --reset`)}" to start with new data.`;
}

/**
 * Fails with the missing steps if the database lacks something that the specification needs. Gives those that only some
 * requests need. Changes nothing.
 */
export async function requireCurrent(
  context: Context,
  target: Target,
  api: Api,
): Promise<readonly MigrationStep[]> {
  if (databaseKindOf(target.url) === 'memory')
    throw new CommandFailure(
      `A database in memory starts empty and is deleted at the end. Only this command can use it: "${typedCommand(context, 'dev')}". Name a file or a PostgreSQL database with --database.`,
    );
  const { name, steps } = await inspect(context, target, api, 'failure');
  const refusal = behind(context, target, name, steps);
  if (refusal !== undefined) throw refusal;
  return steps.filter(({ isExtra }) => isExtra === true);
}

/**
 * The error that names the steps without which a database cannot serve an Api; undefined if it can. `missing` says whether a
 * database that does not exist counts as empty or fails. Changes nothing.
 */
export async function whyBehind(
  context: Context,
  target: Target,
  api: Api,
  missing: 'empty' | 'failure',
): Promise<CommandFailure | undefined> {
  const { name, steps } = await inspect(context, target, api, missing);
  return behind(context, target, name, steps);
}

function behind(
  context: Context,
  target: Target,
  name: string,
  all: readonly MigrationStep[],
): CommandFailure | undefined {
  const steps = stepsBeforeServing(all);
  if (steps.length === 0) return undefined;
  return new CommandFailure(
    `The database ${name} is behind the specification. ${migrationAdvice(context, target, steps, ' first')}`,
    { details: stepLines(steps), data: { steps: steps.map(({ summary }) => summary) } },
  );
}

/** The steps without which an existing database cannot serve an Api. Changes nothing. */
export async function missingSteps(
  context: Context,
  target: Target,
  api: Api,
): Promise<readonly MigrationStep[]> {
  const { steps } = await inspect(context, target, api, 'failure');
  return stepsBeforeServing(steps);
}

/** How to get missing steps done. */
export function migrationAdvice(
  context: Context,
  target: Target,
  steps: readonly MigrationStep[],
  when = '',
): string {
  return (
    migrationRefusal(context, target, steps) ?? `Run "${migrateCommand(context, target)}"${when}.`
  );
}
