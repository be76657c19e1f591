import { counted } from '../../model/values.ts';
import { neededSteps, type MigrationOptions } from '../../migrations/steps.ts';
import type { Context } from '../../server/context.ts';
import {
  withStoredForms,
  inspect,
  invalidValues,
  withDatabase,
  type Inspected,
} from '../../server/database/database.ts';
import { CommandFailure } from '../../server/failure.ts';
import { migrationRefusal, stepLines } from '../../server/database/schema.ts';
import { requireSpecification, type SpecificationFlags } from '../../server/files/specification.ts';
import { databaseTarget, migrateCommand, type Target } from '../../server/database/target.ts';
import type { StoredProblem } from '../../transfer/stored-problems.ts';

interface Flags extends SpecificationFlags, MigrationOptions {
  readonly database?: string;
  readonly apply?: boolean;
  readonly allowInvalid?: boolean;
  readonly json?: boolean;
}

/** `plinth migrate [file]`: prints the steps that bring the database up to date, and runs them with `--apply`. */
export async function migrate(context: Context, flags: Flags): Promise<void> {
  const specification = requireSpecification(context, flags);
  const target = databaseTarget(context, specification, flags.database);
  if (target === undefined)
    throw new CommandFailure(
      `No database is named. Add "database: sqlite:PATH" or "database: postgres://…" to ${specification.name}, or give --database.`,
      { exitCode: 2 },
    );
  const { api } = await withStoredForms(context, target, specification);
  const invalid = await invalidValues(context, target, api);
  const isAccepted = !invalid.some(isApplied) || flags.allowInvalid === true;
  if (flags.apply !== true || !isAccepted) {
    const inspected = await inspect(context, target, api, 'empty', flags);
    report(context, { ...inspected, invalid }, flags, target);
    return;
  }
  await withDatabase(context, target, 'create', async ({ name, migrate: apply }) => {
    const steps = await apply(api, { ...flags, acceptsRules: true });
    report(context, { name, steps, invalid }, flags, target);
  });
}

/** A migration, and the stored values that break new rules. */
interface Reported extends Inspected {
  readonly invalid: readonly StoredProblem[];
}

function report(
  context: Context,
  { name, steps, invalid }: Reported,
  { apply = false, json = false, allowDataLoss = false, allowInvalid = false }: Flags,
  target: Target,
): void {
  const { output } = context;
  const needed = neededSteps(steps);
  // If one step needs --allow-data-loss, the run with that flag does the optional steps too.
  const loses = needed.some((step) => step.loses !== undefined);
  const done = allowDataLoss || loses ? steps : needed;
  // Without --apply, a loss is reported and is no failure.
  const isInvalid = invalid.some(isApplied) && !allowInvalid;
  const what = migrationRefusal(
    context,
    target,
    steps,
    { allowDataLoss: allowDataLoss || !apply },
    isInvalid && apply,
  );
  const isDone = apply && what === undefined;
  const data = {
    database: name,
    steps: steps.map(({ summary, loses, obstacle, isOptional, hint }) => ({
      summary,
      possible: obstacle === undefined,
      loses: loses?.replace(/^loses /u, ''),
      obstacle,
      hint,
      ...(isOptional && !allowDataLoss ? { kept: true } : {}),
    })),
    ...(invalid.length === 0
      ? {}
      : {
          invalid: invalid.map(({ field, message, isUnknown }) => ({
            field: `${field.resource.name}.${field.name}`,
            message,
            ...(isUnknown && { unknown: true }),
          })),
        }),
    applied: isDone,
  };
  if (!json)
    for (const line of [...stepLines(steps, { allowDataLoss }), ...invalid.map(invalidLine)])
      output.print(line);
  if (what !== undefined) throw new CommandFailure(`Nothing was changed. ${what}`, { data });
  if (json) {
    output.print(JSON.stringify({ ok: true, ...data }, undefined, 2));
    return;
  }
  const count = counted(done.length, 'step');
  const command = migrateCommand(context, target, {
    allowDataLoss: allowDataLoss || loses,
    allowInvalid: allowInvalid || isInvalid,
  });
  if (done.length === 0 && isInvalid)
    output.print(
      `Change these values or the rules, or run "${command}" to keep the values as they are.`,
    );
  else if (done.length === 0) output.print(`${name} is up to date.`);
  else if (apply) output.print(`${name} is now up to date: ${count} done.`);
  else
    output.print(
      `Run "${command}" to do ${done.length === 1 ? 'this step' : `these ${count}`}.${done.some((step) => step.loses !== undefined) ? ' Lost values cannot be restored.' : ''}`,
    );
  if (steps.some(({ isOptional }) => isOptional) && done.length < steps.length)
    output.print(
      'Tables and columns that the specification no longer names stay until --allow-data-loss drops them.',
    );
}

/** Whether a migration makes the rules hold: those of an unmanaged table hold for requests alone. */
function isApplied({ field: { resource } }: StoredProblem): boolean {
  return resource.isManaged;
}

function invalidLine(problem: StoredProblem): string {
  const { field, message, isUnknown } = problem;
  const { name } = field.resource;
  if (isUnknown === true)
    return `- ${name}: whether stored values break its rules is not known (${message})`;
  return isApplied(problem)
    ? `- apply the rules of ${name}.${field.name} (${message})`
    : `- ${name}.${field.name}: ${message}`;
}
