import { arePossible } from '../../execute/schema-steps.ts';
import type { Context } from '../context.ts';
import { inspect, withDatabase, type Inspected } from '../database.ts';
import { CommandFailure } from '../failure.ts';
import { byHand, listed } from '../schema.ts';
import { requireSpecification, type Named } from '../specification.ts';
import { databaseTarget, migrateCommand, type Target } from '../target.ts';

interface Flags extends Named {
  readonly database?: string;
  readonly apply?: boolean;
  readonly json?: boolean;
}

/** `plinth migrate [file]`: shows what brings the database up to date, and does it with `--apply`. */
export async function migrate(context: Context, flags: Flags): Promise<void> {
  const specification = requireSpecification(context, flags);
  const { api } = specification;
  const target = databaseTarget(context, specification, flags.database);
  if (target === undefined)
    throw new CommandFailure(
      `No database is named. Add "database: sqlite:PATH" or "database: postgres://…" to ${specification.name}, or give --database.`,
      { exitCode: 2 },
    );
  if (flags.apply !== true) {
    report(context, await inspect(context, target, api, 'empty'), flags, target);
    return;
  }
  await withDatabase(context, target, { create: true }, async ({ name, migrate: apply }) => {
    report(context, { name, steps: await apply(api) }, flags, target);
  });
}

function report(
  context: Context,
  { name, steps }: Inspected,
  { apply = false, json = false }: Flags,
  target: Target,
): void {
  const { output } = context;
  const isPossible = arePossible(steps);
  const data = {
    database: name,
    steps: steps.map(({ summary, sql }) => ({ summary, possible: sql !== undefined })),
    applied: apply && isPossible,
  };
  if (!json) for (const line of listed(steps)) output.print(line);
  if (!isPossible)
    throw new CommandFailure(
      `This version cannot make all of these changes to a table that exists; nothing was changed. ${byHand}`,
      { data },
    );
  const count = steps.length === 1 ? '1 step' : `${steps.length} steps`;
  if (json) output.print(JSON.stringify({ ok: true, ...data }, undefined, 2));
  else if (steps.length === 0) output.print(`${name} is up to date.`);
  else if (apply) output.print(`${name} is now up to date: ${count} done.`);
  else
    output.print(
      `Run "${migrateCommand(context, target)}" to do ${steps.length === 1 ? 'this step' : `these ${count}`}.`,
    );
}
