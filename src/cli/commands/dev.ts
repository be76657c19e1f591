import { resolve } from 'node:path';
import { neededSteps } from '../../execute/schema-steps.ts';
import type { Context } from '../context.ts';
import { withDatabase } from '../database.ts';
import { CommandFailure } from '../failure.ts';
import { hindrance, listed } from '../schema.ts';
import { rowCounts } from '../counts.ts';
import { readPort, type ServeFlags } from '../port.ts';
import {
  formatProblem,
  requireSpecification,
  type Named,
  type SpecificationFile,
} from '../specification.ts';
import { databaseTarget, developmentTarget, type OpenDatabase, type Target } from '../target.ts';

export interface DevFlags extends ServeFlags, Named {
  readonly database?: string;
}

/** `plinth dev [file]`: a database beside the file, brought up to date and filled when empty, then served. */
export async function dev(context: Context, flags: DevFlags): Promise<void> {
  const stop = context.stop();
  readPort(context, flags);
  const specification = requireSpecification(context, flags);
  for (const warning of specification.warnings) context.output.note(formatProblem(warning));
  const target =
    databaseTarget(context, specification, flags.database) ??
    developmentTarget(context, specification);
  await withDatabase(context, target, { create: true }, async (open) => {
    await bringUpToDate(context, specification, target, open);
    try {
      await fill(context, specification, open);
    } catch (error) {
      // A signal while loading stops like one while serving.
      if (stop.aborted) return;
      throw error;
    }
    const { serve } = await import('../serve.ts');
    await serve(context, specification, open, flags, 'dev');
  });
}

async function bringUpToDate(
  context: Context,
  { api }: SpecificationFile,
  target: Target,
  { name, isUpToDate, migrate }: OpenDatabase,
): Promise<void> {
  if (await isUpToDate(api)) return;
  const steps = neededSteps(await migrate(api));
  const what = hindrance(context, target, steps);
  if (what === undefined) return;
  const anew = target.isOwn ? ' Or delete it to start anew.' : '';
  throw new CommandFailure(
    `The database ${name} no longer fits the specification. ${what}${anew}`,
    { details: listed(steps) },
  );
}

/** Loads what the file names as `data`, where no resource has a record yet. */
async function fill(
  context: Context,
  { api, folder }: SpecificationFile,
  open: OpenDatabase,
): Promise<void> {
  const { data } = api.settings;
  if (data === undefined) return;
  const counts = await rowCounts(api, open, 1);
  if ([...counts.values()].some((count) => count > 0)) return;
  const { loadData } = await import('./import.ts');
  await loadData(context, api, open, [resolve(folder, data)]);
}
