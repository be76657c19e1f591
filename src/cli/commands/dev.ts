import { neededSteps } from '../../execute/schema-steps.ts';
import type { Context } from '../context.ts';
import { asStored, withDatabase } from '../database.ts';
import { refreshEditorSchema } from '../editor-schema.ts';
import { CommandFailure } from '../failure.ts';
import { hindrance, listed } from '../schema.ts';
import { fillEmpty } from '../fill.ts';
import { readPort, type DevFlags } from '../port.ts';
import { formatProblem, requireSpecification, type SpecificationFile } from '../specification.ts';
import { databaseTarget, developmentTarget, type OpenDatabase, type Target } from '../target.ts';

/** `plinth dev [file]`: a database beside the file, brought up to date and filled when empty, then served. */
export async function dev(context: Context, flags: DevFlags): Promise<void> {
  const stop = context.stop();
  readPort(context, flags);
  const read = requireSpecification(context, flags);
  for (const warning of read.warnings) context.output.note(formatProblem(warning));
  refreshEditorSchema(read);
  const { generate: generates = true } = flags;
  const target = databaseTarget(context, read, flags.database) ?? developmentTarget(context, read);
  const specification = await asStored(context, target, read);
  await withDatabase(context, target, 'create', async (open) => {
    await bringUpToDate(context, specification, target, open);
    try {
      await fillEmpty(context, specification, open, { generates });
    } catch (error) {
      // A signal while loading stops like one while serving.
      if (stop.aborted) return;
      throw error;
    }
    const { LiveReload } = await import('../reload.ts');
    const live = new LiveReload(context, flags, { specification, target, open });
    const { serve } = await import('../serve.ts');
    await serve(context, specification, open, flags, 'dev', { live });
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
