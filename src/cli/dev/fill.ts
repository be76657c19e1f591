import { resolve } from 'node:path';
import { rowCounts } from '../../databases/tables.ts';
import { findDataFiles } from '../../transfer/import/files.ts';
import type { TakenIds } from '../../transfer/import/import.ts';
import { recipeOf, type Recipe } from '../../generate/fill/recipe.ts';
import type { Api, Resource } from '../../model/api.ts';
import { counted } from '../../model/values.ts';
import type { Context } from '../context.ts';
import type { Filling, Lacking } from './migrate-and-fill.ts';
import { loadedIn, type Provenance } from './provenance.ts';
import { records } from '../output.ts';
import type { Served } from './served.ts';
import type { SpecificationFile } from '../files/specification.ts';
import type { OpenDatabase } from '../database/target.ts';

export interface FillOptions {
  /** False for `--no-generate`. */
  readonly generates: boolean;
}

/**
 * Where no resource has a record yet: loads what the file names as `data`, and generates the rest, of which `provenance`
 * is told. Gives whether that was so.
 */
export async function fillEmpty(
  context: Context,
  specification: SpecificationFile,
  open: OpenDatabase,
  { generates }: FillOptions,
  provenance?: Provenance,
): Promise<boolean> {
  const { api } = specification;
  const counts = await rowCounts(api.resources.values(), open.database, 1);
  if ([...counts.values()].some((count) => count > 0)) return false;
  const loaded = await load(context, specification, open, 'refuse');
  if (generates) await generate(context, specification, open, without(api, loaded));
  await provenance?.restart(recipeOf(specification, { loaded: tablesOf(api, loaded) }));
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
  const { loadData } = await import('../commands/import.ts');
  return (await loadData(context, api, open, [resolve(folder, data)], takenIds)).byResource;
}

/** The tables of resources. */
export function tablesOf(
  { resources }: Api,
  names: ReadonlyMap<string, unknown>,
): ReadonlySet<string> {
  return new Set([...names.keys()].flatMap((name) => resources.get(name)?.table ?? []));
}

/** The tables of which what a file names as `data` may have the records, nobody having seen what it holds. */
export function tablesOfData({
  api,
  folder,
}: Pick<SpecificationFile, 'api' | 'folder'>): ReadonlySet<string> {
  const { data } = api.settings;
  if (data === undefined) return new Set();
  const { files } = findDataFiles([resolve(folder, data)], api);
  const own = new Map(files.map(({ resource }) => [resource, undefined]));
  const isClear = [...own.keys()].every((name) => api.resources.has(name));
  return tablesOf(api, isClear ? own : api.resources);
}

function without({ resources }: Api, names: ReadonlyMap<string, number>): readonly Resource[] {
  return [...resources.values()].filter(({ name }) => !names.has(name));
}

/**
 * Fills those of some resources that have no record: from a file of their name in what the specification names as
 * `data`, else with generated records of this seed.
 */
async function fillNew(
  context: Context,
  specification: SpecificationFile,
  open: OpenDatabase,
  resources: readonly Resource[],
  { generates }: FillOptions,
  seed: number,
): Promise<Filled> {
  const { api, folder } = specification;
  const { data } = api.settings;
  if (resources.length === 0) return { loaded: new Map(), generated: new Map() };
  const counts = await rowCounts(api.resources.values(), open.database, 1);
  const empty = resources.filter(({ name }) => counts.get(name) === 0);
  const names = new Set(empty.map(({ name }) => name));
  const files = data === undefined ? [] : findDataFiles([resolve(folder, data)], api).files;
  const own = files.filter(({ resource }) => names.has(resource)).map(({ path }) => path);
  let loaded: Filled['loaded'] = new Map();
  if (own.length > 0) {
    const { loadData } = await import('../commands/import.ts');
    loaded = (await loadData(context, api, open, own)).byResource;
  }
  const left = generates ? empty.filter(({ name }) => !loaded.has(name)) : [];
  return { loaded, generated: await generate(context, specification, open, left, seed) };
}

/** As `fillLacking`, of a database that was opened: a table of one that is not `dev`'s own is not for it to fill. */
export async function fillOpened(
  context: Context,
  served: Served,
  { resources, fields }: Lacking,
  options: FillOptions,
): Promise<readonly string[]> {
  const lacking = { resources: served.target.isOwn ? resources : [], fields };
  return fillLacking(context, served, lacking, options);
}

/**
 * Fills what a migration has left without values: resources as `fillNew`, then fields of records that were generated. What
 * else is new in the file since `provenance` gets its values as well, and generated records those that they have by this
 * specification. Gives what there is to say of it. Fails where values for `lacking` cannot be generated.
 */
export async function fillLacking(
  context: Context,
  { specification, open, provenance }: Served,
  lacking: Lacking,
  options: FillOptions,
): Promise<readonly string[]> {
  const madeBy = await provenance.known();
  const { whole, parts } = madeBy;
  const loaded = loadedIn(madeBy) ?? tablesOfData(specification);
  // Another seed makes other records, and not other values of these.
  const recipe = recipeOf(specification, { seed: whole?.seed, loaded });
  const lacksNothing = lacking.resources.length === 0 && lacking.fields.size === 0;
  if (lacksNothing && whole === undefined) await provenance.finish(recipe);
  const isSame = whole === undefined || (whole.text === recipe.text && parts.length === 0);
  if (lacksNothing && isSame) return [];
  const { resources, fields } =
    whole === undefined ? lacking : newSince(whole, specification, lacking);
  const lines: string[] = [];
  const filled = await fillNew(context, specification, open, resources, options, recipe.seed);
  for (const [name, count] of [...filled.loaded, ...filled.generated])
    if (count > 0) lines.push(`${name} has ${records(count)} now.`);
  const tables = new Set([...loaded, ...tablesOf(specification.api, filled.loaded)]);
  const next =
    tables.size === loaded.size
      ? recipe
      : recipeOf(specification, { seed: recipe.seed, loaded: tables });
  if (!options.generates) {
    await provenance.finish(next);
    return lines;
  }
  await provenance.begin(next);
  const { renewResources } = await import('./fill-resources.ts');
  const { renewed, isWhole } = await renewResources(
    context,
    specification,
    madeBy,
    open,
    fields,
    lacking.fields,
  );
  if (isWhole) await provenance.finish(next);
  for (const [{ name }, { fields: given, generated, written }] of renewed) {
    if (given.size === 0) continue;
    const others =
      written === 0 ? '' : `, and what may not be null for ${counted(written, 'written record')}`;
    lines.push(`Generated ${[...given].join(', ')} for ${records(generated)} of ${name}${others}.`);
  }
  return lines;
}

/** What lacks values: `lacking`, and what a file has that the recipe of the records knows nothing of. */
function newSince(
  { api: { resources: known } }: Recipe,
  { api }: SpecificationFile,
  lacking: Lacking,
): Lacking {
  const resources = new Set(lacking.resources);
  const fields = new Map(lacking.fields);
  for (const resource of api.resources.values()) {
    const before = [...known.values()].find(({ table }) => table === resource.table);
    if (before === undefined) resources.add(resource);
    else {
      // A migration to another type may have left nothing, whoever was to fill it.
      const types = new Map(
        [...before.fields.values()].map(({ column, type }) => [column, type.name] as const),
      );
      const added = [...resource.fields.values()].filter(
        ({ column, type }) => types.get(column) !== type.name,
      );
      const all = new Set([...(fields.get(resource) ?? []), ...added]);
      if (all.size > 0) fields.set(resource, [...all]);
    }
  }
  return { resources: [...resources], fields };
}

/** What tells whether values that a migration would lose can be made anew. */
export function generatingAnew({ specification, open, provenance }: Served): Filling['mayLose'] {
  return async (lost, lacking) => {
    const { mayGenerateAnew } = await import('./fill-resources.ts');
    return mayGenerateAnew(specification, await provenance.known(), open, lost, lacking);
  };
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
