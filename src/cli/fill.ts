import { resolve } from 'node:path';
import { rowCounts } from '../execute/counts.ts';
import { findDataFiles } from '../execute/import/files.ts';
import type { Resource } from '../model/api.ts';
import type { Context } from './context.ts';
import type { SpecificationFile } from './specification.ts';
import type { OpenDatabase } from './target.ts';

export interface FillOptions {
  /** False for `--no-generate`. */
  readonly generates: boolean;
}

/** Where no resource has a record yet: loads what the file names as `data`, and generates the rest. */
export async function fillEmpty(
  context: Context,
  specification: SpecificationFile,
  open: OpenDatabase,
  { generates }: FillOptions,
): Promise<void> {
  const { api, folder } = specification;
  const { data } = api.settings;
  const counts = await rowCounts(api.resources.values(), open.database, 1);
  if ([...counts.values()].some((count) => count > 0)) return;
  const named = new Set<string>();
  if (data !== undefined) {
    const { loadData } = await import('./commands/import.ts');
    const { byResource } = await loadData(context, api, open, [resolve(folder, data)]);
    for (const name of byResource.keys()) named.add(name);
  }
  const left = [...api.resources.values()].filter(({ name }) => !named.has(name));
  if (generates) await generate(context, specification, open, left);
}

/**
 * Fills those of some resources that have no record: from a file of their name in what the specification names as
 * `data`, else with generated records. Gives how many records each of them got.
 */
export async function fillNew(
  context: Context,
  specification: SpecificationFile,
  open: OpenDatabase,
  resources: readonly Resource[],
  { generates }: FillOptions,
): Promise<ReadonlyMap<string, number>> {
  const { api, folder } = specification;
  const { data } = api.settings;
  const counts = await rowCounts(api.resources.values(), open.database, 1);
  const empty = resources.filter(({ name }) => counts.get(name) === 0);
  const names = new Set(empty.map(({ name }) => name));
  const files = data === undefined ? [] : findDataFiles([resolve(folder, data)], api).files;
  const own = files.filter(({ resource }) => names.has(resource)).map(({ path }) => path);
  const filled = new Map<string, number>();
  if (own.length > 0) {
    const { loadData } = await import('./commands/import.ts');
    const { byResource } = await loadData(context, api, open, own);
    for (const [name, count] of byResource) filled.set(name, count);
  }
  if (!generates) return filled;
  const left = empty.filter(({ name }) => !filled.has(name));
  return new Map([...filled, ...(await generate(context, specification, open, left))]);
}

async function generate(
  context: Context,
  specification: SpecificationFile,
  open: OpenDatabase,
  resources: readonly Resource[],
): Promise<ReadonlyMap<string, number>> {
  if (resources.length === 0) return new Map();
  const { fillResources } = await import('./commands/generate.ts');
  return fillResources(context, specification, open, { resources: new Set(resources) });
}
