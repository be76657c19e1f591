import { resolve } from 'node:path';
import { rowCounts } from '../../databases/tables.ts';
import { findDataFiles } from '../../transfer/import/files.ts';
import type { TakenIds } from '../../transfer/import/import.ts';
import {
  isMadeBy,
  madeByOne,
  recipeFor,
  seedOf,
  withRenamedTables,
  type MadeBy,
  type Provenance,
} from '../../generate/fill/provenance.ts';
import { recipeOf, sameField } from '../../generate/fill/recipe.ts';
import type { Renewed } from '../../generate/fill/renew.ts';
import type { Api, Resource } from '../../model/api.ts';
import { counted } from '../../model/values.ts';
import type { Context } from '../context.ts';
import type { Filling, Lacking } from './migrate-and-fill.ts';
import { records } from '../output.ts';
import type { Served } from './served.ts';
import type { SpecificationFile } from '../files/specification.ts';
import type { OpenDatabase } from '../database/target.ts';

export interface FillOptions {
  /** False for `--no-generate`. */
  readonly generates: boolean;
}

/** If no resource has records: loads `data`, generates the rest, and remembers that. Returns whether it did. */
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
  const generated = generates
    ? await generate(context, specification, open, leftToGenerate(api, loaded))
    : new Map<string, number>();
  const madeBy = madeByOne(recipeOf(specification), tablesLoaded(api, { loaded, generated }));
  await provenance?.remember(madeBy);
  return true;
}

/** The number of records that each resource got. */
export interface Filled {
  readonly loaded: ReadonlyMap<string, number>;
  readonly generated: ReadonlyMap<string, number>;
}

/** Replaces all records with those of `data` in one transaction, then generates the rest. */
export async function refill(
  context: Context,
  specification: SpecificationFile,
  open: OpenDatabase,
  seed: number | undefined,
): Promise<Filled> {
  const loaded = await load(context, specification, open, 'reset');
  const left = leftToGenerate(specification.api, loaded);
  return { loaded, generated: await generate(context, specification, open, left, seed) };
}

/** Loads `data`; returns the number of records by resource. */
async function load(
  context: Context,
  { api, folder }: SpecificationFile,
  open: OpenDatabase,
  takenIds: TakenIds,
): Promise<ReadonlyMap<string, number>> {
  const { data } = api.settings;
  if (data === undefined) return new Map();
  const { loadData } = await import('./load-data.ts');
  return (await loadData(context, api, open, [resolve(folder, data)], takenIds)).byResource;
}

/** The tables of resources. */
export function tablesOf(
  { resources }: Api,
  names: ReadonlyMap<string, unknown>,
): ReadonlySet<string> {
  return new Set([...names.keys()].flatMap((name) => resources.get(name)?.table ?? []));
}

/** The tables that `data` may fill, judged by the names of its files. */
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

/** The tables that have loaded records alone. */
export function tablesLoaded(api: Api, { loaded, generated }: Filled): ReadonlySet<string> {
  return tablesOf(api, new Map([...loaded].filter(([name]) => (generated.get(name) ?? 0) === 0)));
}

/** The resources that were not loaded, and those whose own `generate: { count }` is more than was loaded. */
function leftToGenerate(
  { resources, settings }: Api,
  loaded: ReadonlyMap<string, number>,
): readonly Resource[] {
  return [...resources.values()].filter(({ name }) => {
    const count = loaded.get(name);
    return count === undefined || (settings.resources[name]?.generate?.count ?? 0) > count;
  });
}

/** Fills those of some resources that have no record: from the file of their name in `data`, else with generated records. */
async function fillNew(
  context: Context,
  specification: SpecificationFile,
  open: OpenDatabase,
  resources: readonly Resource[],
  { generates }: FillOptions,
  seed?: number,
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
    const { loadData } = await import('./load-data.ts');
    loaded = (await loadData(context, api, open, own)).byResource;
  }
  const wanted = new Set(leftToGenerate(api, loaded));
  const left = generates ? empty.filter((resource) => wanted.has(resource)) : [];
  return { loaded, generated: await generate(context, specification, open, left, seed) };
}

/**
 * Fills what a migration has left without values: resources as `fillNew`, then fields of generated records. Also fills
 * whatever else is new in the file, and gives generated records the values that the file has for them now. Returns lines
 * to print. Fails if values for `lacking` cannot be generated.
 */
export async function fillLacking(
  context: Context,
  served: Served,
  lacking: Lacking,
  options: FillOptions,
): Promise<readonly string[]> {
  const { specification, open, provenance } = served;
  const { api } = specification;
  if (!options.generates) {
    const filled = await fillNew(context, specification, open, lacking.resources, options);
    return filledLines(filled);
  }
  const before = await provenance.known();
  const known = before && withRenamedTables(before, lacking.renamed);
  // Another seed would make other records, not other values of these.
  const recipe = recipeOf(specification, known === undefined ? undefined : seedOf(known));
  // If nobody knows, the records count as made by this file.
  const madeBy = known ?? madeByOne(recipe, tablesOfData(specification));
  if (known !== before || known === undefined) await provenance.remember(madeBy);
  const isNothingLacking = lacking.resources.length === 0 && lacking.fields.size === 0;
  if (isNothingLacking && isMadeBy(madeBy, recipe)) return [];
  const { resources, fields } = newSince(madeBy, api, lacking);
  const filled = await fillNew(context, specification, open, resources, options, recipe.seed);
  const former = new Map(madeBy);
  for (const table of tablesLoaded(api, filled)) former.set(table, new Map());
  const { renewResources } = await import('./fill-resources.ts');
  const renewed = await renewResources(context, served, former, recipe, fields, lacking.fields);
  return [...filledLines(filled), ...renewedLines(renewed)];
}

/** The number of records that each resource got in all. */
export function totalOf({ loaded, generated }: Filled): ReadonlyMap<string, number> {
  const total = new Map(loaded);
  for (const [name, count] of generated) total.set(name, (total.get(name) ?? 0) + count);
  return total;
}

function filledLines({ loaded, generated }: Filled): readonly string[] {
  return [...totalOf({ loaded, generated })].flatMap(([name, count]) =>
    count > 0 ? [`${name} has ${records(count)} now.`] : [],
  );
}

function renewedLines(renewed: ReadonlyMap<Resource, Renewed>): readonly string[] {
  return [...renewed].flatMap(([{ name }, { fields, generated, written }]) => {
    if (fields.size === 0) return [];
    const others =
      written === 0 ? '' : `, and what may not be null for ${counted(written, 'written record')}`;
    return [`Generated ${[...fields].join(', ')} for ${records(generated)} of ${name}${others}.`];
  });
}

/** What lacks values: `lacking`, and what the file has that was not generated, or was as another type. */
function newSince(madeBy: MadeBy, api: Api, lacking: Lacking): Lacking {
  const resources = new Set(lacking.resources);
  const fields = new Map(lacking.fields);
  for (const resource of api.resources.values()) {
    if (!madeBy.has(resource.table)) resources.add(resource);
    // A migration to another type may have left nulls that were never filled.
    const added = [...resource.fields.values()].filter((field) => {
      const recipe = recipeFor(field, madeBy);
      const former = recipe && sameField(field, recipe.api.resources.values());
      return former?.type.name !== field.type.name;
    });
    const all = new Set([...(fields.get(resource) ?? []), ...added]);
    if (all.size > 0 && madeBy.has(resource.table)) fields.set(resource, [...all]);
  }
  return { ...lacking, resources: [...resources], fields };
}

/** What tells which values that a migration would lose cannot be generated again. */
export function generatingAnew({ specification, open, provenance }: Served): Filling['writtenIn'] {
  return async (lost, lacking) => {
    const { writtenIn } = await import('./fill-resources.ts');
    const madeBy = (await provenance.known()) ?? new Map();
    return writtenIn(specification, madeBy, open, lost, lacking);
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
