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

/**
 * Whether a problem matters: in tables of others records are generated only if their resource says `generate`. What is wrong
 * with a source that the file names is always told.
 */
function isMeant(
  { resources, settings }: SpecificationFile['api'],
  { path: [, name, , , ...attribute], severity }: GenerationProblem,
): boolean {
  const isManaged = resources.get(String(name))?.isManaged ?? true;
  const isNamed = attribute.length > 0 && severity !== 'warning';
  return isManaged || isNamed || settings.resources[String(name)]?.generate !== undefined;
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
  const found = [
    ...problems,
    ...(made.generator === undefined
      ? []
      : without(together(specification, made.generator), problems)),
    ...(made.generator?.warnings() ?? []),
    ...circularKeys(order.resources, order),
  ];
  return generationProblems(
    specification,
    found.filter((problem) => isMeant(api, problem)),
  );
}

/** The missing files and modules of a specification that has errors, for which no record can be generated. */
export async function checkSources(
  specification: Pick<SpecificationFile, 'name' | 'positionOf' | 'api' | 'folder'>,
): Promise<readonly Problem[]> {
  const { api, folder } = specification;
  return generationProblems(specification, await missingSources(api, folder));
}
