import { fillDatabase } from '../../generate/fill/fill.ts';
import { makeGenerator, type GenerationOptions, type Generator } from '../../generate/generator.ts';
import type { GenerationProblem } from '../../generate/problem.ts';
import {
  changedResources,
  holdsGenerated,
  renewRecords,
  type FieldsOf,
  type Renewed,
} from '../../generate/fill/renew.ts';
import type { Resource } from '../../model/api.ts';
import { writeStatements } from '../../sql/compile/write.ts';
import type { Problem } from '../../specification/problems.ts';
import type { Context } from '../context.ts';
import { CommandFailure, GenerationFailure } from '../failure.ts';
import { generationProblems } from './data-problems.ts';
import { loadedIn, type MadeBy } from './provenance.ts';
import { formatProblem, type SpecificationFile } from '../files/specification.ts';
import type { OpenDatabase } from '../database/target.ts';

/** A signal came: the run is taken back. */
class Stopped extends CommandFailure {
  constructor() {
    super('Stopped: nothing was generated. Run it again to generate everything.');
  }
}

interface Filling extends GenerationOptions {
  readonly resources: ReadonlySet<Resource>;
  readonly reset?: boolean;
}

/** Fills resources of a database that is up to date; gives how many records each of them got. */
export async function fillResources(
  context: Context,
  specification: SpecificationFile,
  { database, analyze }: OpenDatabase,
  { reset = false, ...options }: Filling,
): Promise<ReadonlyMap<string, number>> {
  const { api, folder } = specification;
  const stop = context.stop();
  const made = await makeGenerator(api, folder, options);
  if (!made.ok) throw generationFailure(specification, made.problems);
  for (const warning of generationProblems(specification, made.generator.warnings()))
    context.output.note(formatProblem(warning));
  const { resources } = options;
  const result = await context.output.progress('Generating', (report) =>
    fillDatabase(made.generator, api, database, writeStatements(database.dialect), {
      resources,
      reset,
      onProgress: (done, total) => {
        if (stop.aborted) throw new Stopped();
        report(done, total);
      },
    }),
  );
  if (result.ok) {
    await analyze(resources);
    return result.byResource;
  }
  if ('problems' in result) throw generationFailure(specification, result.problems);
  const names = result.referredFrom.names.join(', ');
  throw new CommandFailure(
    `Nothing was deleted: records of ${names} refer to records that --reset would delete. Name these resources too, with --resource.`,
  );
}

/** What was given to generated records. */
export interface RenewedAll {
  readonly renewed: ReadonlyMap<Resource, Renewed>;
  /** Whether all of them are what the file makes of them; else something of it cannot be generated, or a signal came. */
  readonly isWhole: boolean;
}

/**
 * Makes generated records what they are by this specification, where they were `madeBy` another: as `renewRecords` does,
 * with `fields` that may be null for want of a value. Fails where values for `needed` ones of these cannot be generated.
 */
export async function renewResources(
  context: Context,
  specification: SpecificationFile,
  madeBy: MadeBy,
  { database }: OpenDatabase,
  fields: FieldsOf,
  needed: FieldsOf,
): Promise<RenewedAll> {
  const { generator, problems } = await generatorFor(specification, madeBy, needed);
  if (generator === undefined) return { renewed: new Map(), isWhole: false };
  const formers = await formerGenerators(madeBy);
  const changed = formers.flatMap((former) => changedResources(generator, former));
  // What came from files is nobody's to make anew, like what was generated as it may be by chance.
  const resources = new Map(
    [...changed.map((one) => [one, []] as const), ...fields].filter(
      ([{ table }]) => loadedIn(madeBy)?.has(table) !== true,
    ),
  );
  const stop = context.stop();
  const renewed = await renewRecords(generator, formers, database, resources, stop);
  return { renewed, isWhole: problems.length === 0 && !stop.aborted };
}

/** The generator of a file, by the seed that its records have. Fails where values for `needed` cannot be generated. */
async function generatorFor(
  specification: SpecificationFile,
  { whole }: MadeBy,
  needed: FieldsOf,
): Promise<{
  readonly generator: Generator | undefined;
  readonly problems: readonly GenerationProblem[];
}> {
  const { api, folder } = specification;
  const made = await makeGenerator(api, folder, { seed: whole?.seed });
  if (made.ok) return { generator: made.generator, problems: [] };
  const names = new Set([...needed.keys()].map(({ name }) => name));
  const isNeeded = ({ path: [, name] }: GenerationProblem): boolean => names.has(String(name));
  const found = made.generator === undefined ? made.problems : made.problems.filter(isNeeded);
  if (names.size > 0 && found.length > 0) throw generationFailure(specification, found);
  return { generator: made.generator, problems: made.problems };
}

/** What makes records as they were made before, as far as that can still be had. */
async function formerGenerators({ whole, parts, left }: MadeBy): Promise<readonly Generator[]> {
  const recipes = [left.toReversed(), whole ?? [], parts].flat();
  const made = await Promise.all(
    recipes.map(({ api, folder, modules }) =>
      makeGenerator(api, folder, { seed: whole?.seed, modules }),
    ),
  );
  return made.flatMap(({ generator }) => generator ?? []);
}

/**
 * Whether all that some fields hold was generated, and is generated anew by this specification, which keys and unique
 * values need not be. Fails where values for `lacking` cannot be generated.
 */
export async function mayGenerateAnew(
  specification: SpecificationFile,
  madeBy: MadeBy,
  { database }: OpenDatabase,
  lost: FieldsOf,
  lacking: FieldsOf,
): Promise<boolean> {
  await generatorFor(specification, madeBy, lacking);
  if (lost.size === 0) return true;
  const formers = await formerGenerators(madeBy);
  const known = formers.flatMap(({ resources }) => [...resources]);
  for (const [{ table }, fields] of lost) {
    if (loadedIn(madeBy)?.has(table) === true) return false;
    for (const { column, unique, reference } of fields) {
      const own = known
        .flatMap((resource) => (resource.table === table ? [...resource.fields.values()] : []))
        .findLast((field) => field.column === column);
      if (own === undefined || unique || reference !== undefined) return false;
      if (!(await holdsGenerated(formers, database, own))) return false;
    }
  }
  return true;
}

/** What keeps data from being generated. */
function generationFailure(
  specification: SpecificationFile,
  found: readonly GenerationProblem[],
): GenerationFailure {
  const problems = generationProblems(specification, found).map((problem): Problem => ({
    ...problem,
    severity: 'error',
  }));
  return new GenerationFailure(
    `Nothing was generated. Mend ${problems.length === 1 ? 'this' : 'these places'} in ${specification.name} and run it again.`,
    { details: problems.map(formatProblem), data: { problems } },
  );
}
