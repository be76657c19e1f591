import { Provenance } from '../../generate/fill/provenance.ts';
import { neededSteps } from '../../migrations/steps.ts';
import { possibleRowCounts } from '../../databases/tables.ts';
import { shellArgument, typedCommand, type Context } from '../context.ts';
import { deleteOwn } from '../database/consent.ts';
import { withStoredForms, withDatabase } from '../database/database.ts';
import type { ClientFile } from '../files/client-file.ts';
import { refreshEditorSchema } from '../files/editor-schema.ts';
import { CommandFailure, GenerationFailure } from '../failure.ts';
import {
  freshStart,
  migrationAdvice,
  migrationRefusal,
  missingSteps,
  stepLines,
} from '../database/schema.ts';
import { fillEmpty, fillLacking, generatingAnew, type FillOptions } from '../dev/fill.ts';
import {
  migrateAndFill,
  nothingLacking,
  type Filling,
  type Lacking,
} from '../dev/migrate-and-fill.ts';
import type { Served } from '../dev/served.ts';
import { readPort, type DevFlags } from '../serve/address.ts';
import { withCode } from '../files/code.ts';
import { formatProblem, requireSpecification } from '../files/specification.ts';
import { targetOrDevelopment } from '../database/target.ts';

/**
 * `plinth dev [file]`: migrates the development database, fills it if it is empty, and serves it. Serves any other
 * database as it is.
 */
export async function dev(context: Context, flags: DevFlags): Promise<void> {
  const stop = context.stop();
  readPort(context, flags);
  const read = requireSpecification(context, flags);
  for (const warning of read.warnings) context.output.note(formatProblem(warning));
  refreshEditorSchema(read);
  const { generate: generates = true } = flags;
  const target = targetOrDevelopment(context, read, flags.database);
  if (flags.reset === true) await deleteOwn(context, target);
  const specification = await withCode(context, await withStoredForms(context, target, read));
  await withDatabase(context, target, target.isOwn ? 'create' : 'write', async (open) => {
    const { database } = open;
    const isStored = target.isOwn && generates;
    const provenance = await Provenance.of(database, specification.folder, isStored);
    const served = { specification, target, open, provenance };
    try {
      if (target.isOwn) await prepare(context, served, { generates });
      else await inform(context, served);
    } catch (error) {
      // A signal while data is loaded stops the command as usual.
      if (stop.aborted) return;
      throw error;
    }
    const { LiveReload } = await import('../dev/reload.ts');
    const live = new LiveReload(context, flags, served, await clientFile(context, flags));
    const { serve } = await import('../serve/serve.ts');
    await serve(context, specification, open, flags, 'dev', { live });
  });
}

async function clientFile(context: Context, { types }: DevFlags): Promise<ClientFile | undefined> {
  if (types === undefined) return undefined;
  const file = await import('../files/client-file.ts');
  return new file.ClientFile(context, types);
}

/**
 * Migrates the own database of `dev`. Fills it if it is empty, or else generates the values of new fields and resources.
 */
async function prepare(context: Context, served: Served, options: FillOptions): Promise<void> {
  const { specification, open, provenance } = served;
  const fill = async (lacking: Lacking): Promise<void> => {
    for (const line of await fillLacking(context, served, lacking, options))
      context.output.note(line);
  };
  const filling = options.generates ? { fill, writtenIn: generatingAnew(served) } : undefined;
  const isCurrent = await open.isUpToDate(specification.api);
  const lacking = isCurrent ? undefined : await bringUpToDate(context, served, filling);
  if (await fillEmpty(context, specification, open, options, provenance)) return;
  try {
    await fill(lacking ?? nothingLacking);
  } catch (error) {
    // It can be served without the data; `LiveReload` prints the problems.
    if (!(error instanceof GenerationFailure)) throw error;
  }
}

async function bringUpToDate(
  context: Context,
  { specification: { name, api }, target, open }: Served,
  filling: Filling | undefined,
): Promise<Lacking | undefined> {
  const { steps: all, lacking } = await migrateAndFill(open, api, {}, filling);
  const steps = neededSteps(all);
  const what = migrationRefusal(context, target, steps);
  if (what === undefined) return lacking;
  throw new CommandFailure(
    `The database ${open.name} no longer fits the specification. ${what} ${freshStart(context, name)}`,
    { details: stepLines(steps) },
  );
}

/**
 * Says what a database lacks that `dev` may not change, and which command would do it. It is served as it is. See
 * docs/contract/6-operation.md#databases-that-commands-change, rule 1.
 */
async function inform(
  context: Context,
  { specification: { name, api }, target, open: { name: shown, database } }: Served,
): Promise<void> {
  const { output } = context;
  const steps = await missingSteps(context, target, api);
  if (steps.length > 0) {
    for (const line of stepLines(steps)) output.note(line);
    output.note(
      `Warning: the database ${shown} is behind the specification, and dev changes only its own. ${migrationAdvice(context, target, steps)} Until then requests for what is missing fail.`,
    );
    return;
  }
  const counts = await possibleRowCounts(api.resources.values(), database, 1);
  if (counts.size < api.resources.size || [...counts.values()].some((count) => count > 0)) return;
  const command = typedCommand(context, `generate ${shellArgument(name)} ${target.flag}`);
  output.note(
    `The database ${shown} has no records, and dev changes only its own. Run "${command}" to generate some.`,
  );
}
