import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { rowCounts } from '../execute/counts.ts';
import { findDataFiles } from '../execute/import/files.ts';
import type { TakenIds } from '../execute/import/import.ts';
import type { Api, Resource } from '../model/api.ts';
import { counted } from '../model/values.ts';
import type { Context } from './context.ts';
import type { Filling, Lacking } from './migrate-and-fill.ts';
import { records } from './record-counts.ts';
import type { SpecificationFile } from './specification.ts';
import type { OpenDatabase } from './target.ts';

export interface FillOptions {
  /** False for `--no-generate`. */
  readonly generates: boolean;
}

/**
 * Where no resource has a record yet: loads what the file names as `data`, and generates the rest. Gives whether that was
 * so.
 */
export async function fillEmpty(
  context: Context,
  specification: SpecificationFile,
  open: OpenDatabase,
  { generates }: FillOptions,
): Promise<boolean> {
  const { api } = specification;
  const counts = await rowCounts(api.resources.values(), open.database, 1);
  if ([...counts.values()].some((count) => count > 0)) return false;
  const loaded = await load(context, specification, open, 'refuse');
  if (generates) await generate(context, specification, open, without(api, loaded));
  return true;
}

/** What a database was filled with: how many records each resource got. */
export interface Filled {
  readonly loaded: ReadonlyMap<string, number>;
  readonly generated: ReadonlyMap<string, number>;
}

/**
 * Deletes all records and fills the database as an empty one: what the file names as `data` takes their place in one
 * transaction, then the rest is generated.
 */
export async function refill(
  context: Context,
  specification: SpecificationFile,
  open: OpenDatabase,
  seed: number | undefined,
): Promise<Filled> {
  const loaded = await load(context, specification, open, 'reset');
  const left = without(specification.api, loaded);
  return { loaded, generated: await generate(context, specification, open, left, seed) };
}

/** Loads what the file names as `data`; gives how many records each resource in it got. */
async function load(
  context: Context,
  { api, folder }: SpecificationFile,
  open: OpenDatabase,
  takenIds: TakenIds,
): Promise<ReadonlyMap<string, number>> {
  const { data } = api.settings;
  if (data === undefined) return new Map();
  const { loadData } = await import('./commands/import.ts');
  return (await loadData(context, api, open, [resolve(folder, data)], takenIds)).byResource;
}

function without({ resources }: Api, names: ReadonlyMap<string, number>): readonly Resource[] {
  return [...resources.values()].filter(({ name }) => !names.has(name));
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

/**
 * Fills what a migration has left without values: resources as `fillNew`, then fields of records that were generated, which
 * also get the values that they have by this specification in place of those by `former`. Gives what there is to say of it.
 */
export async function fillLacking(
  context: Context,
  specification: SpecificationFile,
  former: SpecificationFile | undefined,
  open: OpenDatabase,
  { resources, fields }: Lacking,
  options: FillOptions,
): Promise<readonly string[]> {
  const lines: string[] = [];
  if (resources.length > 0)
    for (const [name, count] of await fillNew(context, specification, open, resources, options))
      if (count > 0) lines.push(`${name} has ${records(count)} now.`);
  if (!options.generates || (fields.size === 0 && former === undefined)) return lines;
  const { renewResources } = await import('./fill-resources.ts');
  const renewed = await renewResources(context, specification, former, open, fields);
  for (const [{ name }, { fields: given, generated, written }] of renewed) {
    if (given.size === 0) continue;
    const others =
      written === 0 ? '' : `, and what may not be null for ${counted(written, 'written record')}`;
    lines.push(`Generated ${[...given].join(', ')} for ${records(generated)} of ${name}${others}.`);
  }
  return lines;
}

/** What tells whether values that a migration would lose can be made anew. */
export function generatingAnew(
  specification: SpecificationFile,
  former: SpecificationFile | undefined,
  open: OpenDatabase,
): Filling['mayLose'] {
  return async (lost, lacking) => {
    const { mayGenerateAnew } = await import('./fill-resources.ts');
    return mayGenerateAnew(specification, former, open, lost, lacking);
  };
}

/** Whether the values of generated records may be other ones by another file. */
export function generatesOtherwise({ api }: SpecificationFile, former: SpecificationFile): boolean {
  const drawnFrom = ({ settings }: Api): unknown => [
    settings.generate,
    ...Object.values(settings.resources).map(({ fields }) => fields),
  ];
  return !isDeepStrictEqual(drawnFrom(api), drawnFrom(former.api));
}

async function generate(
  context: Context,
  specification: SpecificationFile,
  open: OpenDatabase,
  resources: readonly Resource[],
  seed?: number,
): Promise<ReadonlyMap<string, number>> {
  if (resources.length === 0) return new Map();
  const { fillResources } = await import('./fill-resources.ts');
  return fillResources(context, specification, open, { resources: new Set(resources), seed });
}
