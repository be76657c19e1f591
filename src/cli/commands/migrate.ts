import { counted } from '../../model/values.ts';
import { neededSteps, type MigrationOptions } from '../../migrations/steps.ts';
import type { Context } from '../context.ts';
import { asStored, inspect, withDatabase, type Inspected } from '../database/database.ts';
import { CommandFailure } from '../failure.ts';
import { hindrance, listed } from '../database/schema.ts';
import { requireSpecification, type Named } from '../files/specification.ts';
import { databaseTarget, migrateCommand, type Target } from '../database/target.ts';

interface Flags extends Named, MigrationOptions {
  readonly database?: string;
  readonly apply?: boolean;
  readonly json?: boolean;
}

/** `plinth migrate [file]`: shows what brings the database up to date, and does it with `--apply`. */
export async function migrate(context: Context, flags: Flags): Promise<void> {
  const specification = requireSpecification(context, flags);
  const target = databaseTarget(context, specification, flags.database);
  if (target === undefined)
    throw new CommandFailure(
      `No database is named. Add "database: sqlite:PATH" or "database: postgres://…" to ${specification.name}, or give --database.`,
      { exitCode: 2 },
    );
  const { api } = await asStored(context, target, specification);
  if (flags.apply !== true) {
    report(context, await inspect(context, target, api, 'empty', flags), flags, target);
    return;
  }
  await withDatabase(context, target, 'create', async ({ name, migrate: apply }) => {
    report(context, { name, steps: await apply(api, flags) }, flags, target);
  });
}

function report(
  context: Context,
  { name, steps }: Inspected,
  { apply = false, json = false, allowDataLoss = false }: Flags,
  target: Target,
): void {
  const { output } = context;
  const needed = neededSteps(steps);
  // What has to be run with --allow-data-loss does all that may be done with it.
  const loses = needed.some((step) => step.loses !== undefined);
  const done = allowDataLoss || loses ? steps : needed;
  // Without --apply, what is lost is news and no failure.
  const what = hindrance(context, target, steps, { allowDataLoss: allowDataLoss || !apply });
  const isApplied = apply && what === undefined;
  const data = {
    database: name,
    steps: steps.map(({ summary, loses, obstacle, isOptional }) => ({
      summary,
      possible: obstacle === undefined,
      loses,
      obstacle,
      ...(isOptional && !allowDataLoss ? { kept: true } : {}),
    })),
    applied: isApplied,
  };
  if (!json) for (const line of listed(steps, { allowDataLoss })) output.print(line);
  if (what !== undefined) throw new CommandFailure(`Nothing was changed. ${what}`, { data });
  if (json) {
    output.print(JSON.stringify({ ok: true, ...data }, undefined, 2));
    return;
  }
  const count = counted(done.length, 'step');
  const command = migrateCommand(context, target, { allowDataLoss: allowDataLoss || loses });
  if (done.length === 0) output.print(`${name} is up to date.`);
  else if (apply) output.print(`${name} is now up to date: ${count} done.`);
  else
    output.print(
      `Run "${command}" to do ${done.length === 1 ? 'this step' : `these ${count}`}.${done.some((step) => step.loses !== undefined) ? ' What is lost by it cannot be brought back.' : ''}`,
    );
  if (done.length < steps.length)
    output.print(
      'What the specification no longer names is kept until --allow-data-loss drops it.',
    );
}
