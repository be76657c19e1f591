import { neededSteps } from '../../migrations/steps.ts';
import { possibleRowCounts } from '../../databases/tables.ts';
import { shellArgument, typedCommand, type Context } from '../context.ts';
import { CommandFailure, GenerationFailure } from '../failure.ts';
import {
  freshStart,
  migrationAdvice,
  migrationRefusal,
  missingSteps,
  stepLines,
} from '../database/schema.ts';
import { Provenance } from '../../generate/fill/provenance.ts';
import type { OpenDatabase, Target } from '../database/target.ts';
import type { SpecificationFile } from '../files/specification.ts';
import { fillEmpty, fillLacking, generatingAnew, type FillOptions } from './fill.ts';
import { migrateAndFill, nothingLacking, type Filling, type Lacking } from './migrate-and-fill.ts';
import type { Served } from './served.ts';

/** A specification with its open database, as `dev` serves it. */
export async function servedOn(
  specification: SpecificationFile,
  target: Target,
  open: OpenDatabase,
  { generates }: FillOptions,
): Promise<Served> {
  const isStored = target.isOwn && generates;
  const provenance = await Provenance.of(open.database, specification.folder, isStored);
  return { specification, target, open, provenance };
}

/** Gets a database ready to be served by `dev`. One that is not its own stays as it is: what it lacks is told. */
export function prepare(context: Context, served: Served, options: FillOptions): Promise<void> {
  return served.target.isOwn ? prepareOwn(context, served, options) : inform(context, served);
}

/**
 * Migrates the own database of `dev`. Fills it if it is empty, or else generates the values of new fields and resources.
 */
async function prepareOwn(context: Context, served: Served, options: FillOptions): Promise<void> {
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
