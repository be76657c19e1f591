import { fillDatabase } from '../generate/fill.ts';
import { makeGenerator, type GenerationOptions } from '../generate/generator.ts';
import type { GenerationProblem } from '../generate/problem.ts';
import { changedResources, renewRecords, type FieldsOf, type Renewed } from '../generate/renew.ts';
import type { Resource } from '../model/api.ts';
import { writeStatements } from '../sql/compile-write.ts';
import type { Problem } from '../spec/problems.ts';
import type { Context } from './context.ts';
import { CommandFailure } from './failure.ts';
import { generationProblems } from './generation-problems.ts';
import { formatProblem, type SpecificationFile } from './specification.ts';
import type { OpenDatabase } from './target.ts';

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

/**
 * Makes generated records what they are by this specification, where they were made by `former`: as `renewRecords` does,
 * with `fields` that may be null for want of a value.
 */
export async function renewResources(
  specification: SpecificationFile,
  former: SpecificationFile | undefined,
  { database }: OpenDatabase,
  fields: FieldsOf,
): Promise<ReadonlyMap<Resource, Renewed>> {
  const { api, folder } = specification;
  const made = await makeGenerator(api, folder, { resources: new Set(fields.keys()) });
  if (!made.ok && fields.size > 0) throw generationFailure(specification, made.problems);
  if (!made.ok) return new Map();
  const before = former && (await makeGenerator(former.api, former.folder));
  const last = before?.ok === true ? before.generator : undefined;
  const changed = last === undefined ? [] : changedResources(made.generator, last);
  const resources = new Map([...changed.map((one) => [one, []] as const), ...fields]);
  return renewRecords(made.generator, last, database, resources);
}

/** What keeps data from being generated. */
function generationFailure(
  specification: SpecificationFile,
  found: readonly GenerationProblem[],
): CommandFailure {
  const problems = generationProblems(specification, found).map((problem): Problem => ({
    ...problem,
    severity: 'error',
  }));
  return new CommandFailure(
    `Nothing was generated. Mend ${problems.length === 1 ? 'this' : 'these places'} in ${specification.name} and run it again.`,
    { details: problems.map(formatProblem), data: { problems } },
  );
}
