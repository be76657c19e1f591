import { neededSteps } from '../../execute/schema-steps.ts';
import type { Context } from '../context.ts';
import { asStored, withDatabase } from '../database.ts';
import { refreshEditorSchema } from '../editor-schema.ts';
import { CommandFailure, GenerationFailure } from '../failure.ts';
import { hindrance, listed } from '../schema.ts';
import { fillEmpty, fillLacking, generatingAnew, type FillOptions } from '../fill.ts';
import { migrateAndFill, type Filling, type Lacking } from '../migrate-and-fill.ts';
import { Provenance } from '../provenance.ts';
import type { Served } from '../reload.ts';
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
    const provenance = await Provenance.of(target, open, specification, { isKept: generates });
    const served = { specification, target, open, provenance };
    try {
      await prepare(context, served, { generates });
    } catch (error) {
      // A signal while loading stops like one while serving.
      if (stop.aborted) return;
      throw error;
    }
    const { LiveReload } = await import('../reload.ts');
    const live = new LiveReload(context, flags, served);
    const { serve } = await import('../serve.ts');
    await serve(context, specification, open, flags, 'dev', { live });
  });
}

/** Brings the database up to date, and fills it where it is empty; else what is new in it. */
async function prepare(
  context: Context,
  { specification, target, open, provenance }: Served,
  options: FillOptions,
): Promise<void> {
  const fill = async ({ resources, fields }: Lacking): Promise<void> => {
    // A table of a database that is not its own is not for it to fill.
    const lacking = { resources: target.isOwn ? resources : [], fields };
    const lines = await fillLacking(context, specification, provenance, open, lacking, options);
    for (const line of lines) context.output.note(line);
  };
  const lacking = (await open.isUpToDate(specification.api))
    ? undefined
    : await bringUpToDate(
        context,
        specification,
        target,
        open,
        options.generates
          ? { fill, mayLose: generatingAnew(specification, provenance, open) }
          : undefined,
      );
  if (await fillEmpty(context, specification, open, options, provenance)) return;
  try {
    await fill(lacking ?? { resources: [], fields: new Map() });
  } catch (error) {
    // It can be served all the same, and whoever serves it says what is wrong.
    if (!(error instanceof GenerationFailure)) throw error;
  }
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
