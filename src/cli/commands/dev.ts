import { neededSteps } from '../../execute/schema-steps.ts';
import type { Context } from '../context.ts';
import { asStored, withDatabase } from '../database.ts';
import { refreshEditorSchema } from '../editor-schema.ts';
import { CommandFailure } from '../failure.ts';
import { hindrance, listed } from '../schema.ts';
import { fillEmpty, fillLacking, generatingAnew, type FillOptions } from '../fill.ts';
import { migrateAndFill, type Filling, type Lacking } from '../migrate-and-fill.ts';
import { readPort, type DevFlags } from '../port.ts';
import { formatProblem, requireSpecification, type SpecificationFile } from '../specification.ts';
import { targetOrDevelopment, type OpenDatabase, type Target } from '../target.ts';

/** `plinth dev [file]`: a database beside the file, brought up to date and filled when empty, then served. */
export async function dev(context: Context, flags: DevFlags): Promise<void> {
  const stop = context.stop();
  readPort(context, flags);
  const read = requireSpecification(context, flags);
  for (const warning of read.warnings) context.output.note(formatProblem(warning));
  refreshEditorSchema(read);
  const { generate: generates = true } = flags;
  const target = targetOrDevelopment(context, read, flags.database);
  const specification = await asStored(context, target, read);
  await withDatabase(context, target, 'create', async (open) => {
    try {
      await prepare(context, specification, target, open, { generates });
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

/** Brings the database up to date, and fills it where it is empty; else what is new in it. */
async function prepare(
  context: Context,
  specification: SpecificationFile,
  target: Target,
  open: OpenDatabase,
  options: FillOptions,
): Promise<void> {
  const fill = async ({ resources, fields }: Lacking): Promise<void> => {
    // A table of a database that is not its own is not for it to fill.
    const lacking = { resources: target.isOwn ? resources : [], fields };
    for (const line of await fillLacking(context, specification, undefined, open, lacking, options))
      context.output.note(line);
  };
  const isCurrent = await open.isUpToDate(specification.api);
  const lacking = isCurrent
    ? undefined
    : await bringUpToDate(
        context,
        specification,
        target,
        open,
        options.generates
          ? { fill, mayLose: generatingAnew(specification, undefined, open) }
          : undefined,
      );
  const wasEmpty = await fillEmpty(context, specification, open, options);
  if (!wasEmpty && lacking !== undefined) await fill(lacking);
}

async function bringUpToDate(
  context: Context,
  { api }: SpecificationFile,
  target: Target,
  open: OpenDatabase,
  filling: Filling | undefined,
): Promise<Lacking | undefined> {
  const { steps: all, lacking } = await migrateAndFill(open, api, {}, filling);
  const steps = neededSteps(all);
  const what = hindrance(context, target, steps);
  if (what === undefined) return lacking;
  const anew = target.isOwn ? ' Or delete it to start anew.' : '';
  throw new CommandFailure(
    `The database ${open.name} no longer fits the specification. ${what}${anew}`,
    { details: listed(steps) },
  );
}
