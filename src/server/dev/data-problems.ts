import { makeGenerator, missingSources, type Generator } from '../../generate/generator.ts';
import { circularKeys, fillOrder } from '../../generate/fill/order.ts';
import { unlessProblem, without, type GenerationProblem } from '../../generate/problem.ts';
import { problemsTogether } from '../../generate/check-rows.ts';
import { collectProblems } from '../../specification/parsers/collector.ts';
import type { Problem } from '../../specification/problems.ts';
import { tablesOfData } from './fill.ts';
import type { SpecificationFile } from '../files/specification.ts';

/** Problems of generated data with their lines and columns in the file. */
export function generationProblems(
  { name, positionOf }: Pick<SpecificationFile, 'name' | 'positionOf'>,
  found: readonly GenerationProblem[],
): readonly Problem[] {
  const collected = collectProblems(name, positionOf);
  for (const { path, message, severity } of found)
    collected.report(path, message, severity, { rule: 'generate' });
  return collected.problems();
}

/** Problems of the records of a new database together, such as too few distinct values, for resources without loaded data. */
function together(
  { api, folder }: Pick<SpecificationFile, 'api' | 'folder'>,
  generator: Generator,
): readonly GenerationProblem[] {
  const loaded = tablesOfData({ api, folder });
  const generated = new Set([...api.resources.values()].filter(({ table }) => !loaded.has(table)));
  return [...generated].flatMap(
    (resource) => unlessProblem(() => problemsTogether(generator, resource, generated)) ?? [],
  );
}

/** Whether a file is about generated records of a resource: of tables of others only if it says `generate`. */
function isGenerated({ resources, settings }: SpecificationFile['api'], name: string): boolean {
  const isManaged = resources.get(name)?.isManaged ?? true;
  return isManaged || settings.resources[name]?.generate !== undefined;
}

/**
 * Every problem of the generated data of a specification, from the first records. Loads the specification's own
 * modules.
 */
export async function checkGeneration(
  specification: Pick<SpecificationFile, 'name' | 'positionOf' | 'api' | 'folder'>,
): Promise<readonly Problem[]> {
  const { api, folder } = specification;
  const made = await makeGenerator(api, folder);
  const order = fillOrder(api);
  const problems = made.ok ? [] : made.problems;
  return generationProblems(specification, [
    ...problems,
    ...(made.generator === undefined
      ? []
      : without(together(specification, made.generator), problems)),
    ...(made.generator?.warnings() ?? []).filter(({ path }) => isGenerated(api, String(path[1]))),
    ...circularKeys(order.resources, order),
  ]);
}

/** The missing files and modules of a specification that has errors, for which no record can be generated. */
export async function checkSources(
  specification: Pick<SpecificationFile, 'name' | 'positionOf' | 'api' | 'folder'>,
): Promise<readonly Problem[]> {
  const { api, folder } = specification;
  return generationProblems(specification, await missingSources(api, folder));
}
