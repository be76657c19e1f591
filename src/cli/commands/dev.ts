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
  /** False for `--no-generate`. */
  readonly generate?: boolean;
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
      await fill(context, specification, open, flags);
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

/** Where no resource has a record yet: loads what the file names as `data`, and generates the rest. */
async function fill(
  context: Context,
  specification: SpecificationFile,
  open: OpenDatabase,
  { generate: generates = true }: DevFlags,
): Promise<void> {
  const { api, folder } = specification;
  const { data } = api.settings;
  const counts = await rowCounts(api, open, 1);
  if ([...counts.values()].some((count) => count > 0)) return;
  const named = new Set<string>();
  if (data !== undefined) {
    const { loadData } = await import('./import.ts');
    const { byResource } = await loadData(context, api, open, [resolve(folder, data)]);
    for (const name of byResource.keys()) named.add(name);
  }
  const left = [...api.resources.values()].filter(({ name }) => !named.has(name));
  if (!generates || left.length === 0) return;
  const { fillResources } = await import('./generate.ts');
  await fillResources(context, specification, open, { resources: new Set(left) });
}
