import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Api, Field, Resource } from '../../model/api.ts';
import { buildApi } from '../../model/build/api.ts';
import { isJsonObject } from '../../model/values.ts';
import type {
  FieldSpecification,
  JsonValue,
  ResourceSpecification,
  Specification,
} from '../../specification/specification.ts';
import { settingsOf } from '../settings.ts';
import { moduleFiles } from '../custom/modules.ts';

/**
 * What generated values follow from: the generating part of a file, the source of its modules, and a seed. It holds no
 * credentials and no access rules.
 */
export interface Recipe {
  readonly api: Api;
  readonly folder: string;
  readonly seed: number;
  /** The source of the modules that the file names, by path. */
  readonly modules: ReadonlyMap<string, string>;
  /** The recipe as it is stored; recipes with the same text generate the same values. */
  readonly text: string;
}

/** A recipe as it is stored. */
interface StoredRecipe {
  readonly seed: number;
  readonly settings: Specification;
  readonly modules: Readonly<Record<string, string>>;
}

/** The recipe of a file; `seed` replaces the seed that the file names. */
export function recipeOf(
  { api, folder }: { readonly api: Api; readonly folder: string },
  seed = settingsOf(api).seed,
): Recipe {
  const modules = new Map(
    moduleFiles(api, folder).flatMap((file): [string, string][] => {
      try {
        return [[file, readFileSync(file, 'utf8')]];
      } catch {
        // Loading the generator reports a missing module.
        return [];
      }
    }),
  );
  const stored: StoredRecipe = {
    seed,
    settings: generatingPart(api.settings),
    modules: Object.fromEntries(
      [...modules].map(([file, source]) => [relative(folder, file), source]),
    ),
  };
  return { api, folder, seed, modules, text: JSON.stringify(stored) };
}

/** The field with the table and column of another one, whatever its name. */
export function sameField(
  { resource: { table }, column }: Field,
  resources: Iterable<Resource>,
): Field | undefined {
  const resource = [...resources].find((one) => one.table === table);
  return [...(resource?.fields.values() ?? [])].find((field) => field.column === column);
}

/** Reads a recipe from what `JSON.parse` makes of its text; undefined if it is damaged. */
export function readRecipe(stored: JsonValue, folder: string): Recipe | undefined {
  if (!isStoredRecipe(stored)) return undefined;
  const { seed, settings, modules } = stored;
  const api = buildApi(settings, () => undefined);
  if (api === undefined) return undefined;
  const sources = Object.entries(modules).map(
    ([file, source]) => [resolve(folder, file), source] as const,
  );
  return { api, folder, seed, modules: new Map(sources), text: JSON.stringify(stored) };
}

/** A recipe whose resources have other tables; `tables` is by the former name. */
export function withTables(recipe: Recipe, tables: ReadonlyMap<string, string>): Recipe {
  const stored = JSON.parse(recipe.text) as StoredRecipe;
  const resources = { ...stored.settings.resources };
  for (const { name, table } of recipe.api.resources.values()) {
    const [to, resource] = [tables.get(table), resources[name]];
    if (to !== undefined && resource !== undefined) resources[name] = { ...resource, table: to };
  }
  const settings = { ...stored.settings, resources };
  // A recipe with two resources in one table would be none.
  const renamed = readRecipe(JSON.parse(JSON.stringify({ ...stored, settings })), recipe.folder);
  return renamed === undefined ? recipe : renamed;
}

/** Checks the outline: this program has written all of it. */
function isStoredRecipe(value: unknown): value is StoredRecipe {
  if (!isJsonObject(value)) return false;
  const { seed, settings, modules } = value;
  return (
    Number.isSafeInteger(seed) &&
    isJsonObject(modules) &&
    isJsonObject(settings) &&
    isJsonObject(settings['resources'])
  );
}

/** The part of a file that generated values follow from. */
function generatingPart({ generate = {}, resources }: Specification): Specification {
  const { seed: _, ...others } = generate;
  return {
    generate: others,
    resources: Object.fromEntries(
      Object.entries(resources).map(([name, resource]) => [name, generatingPartOf(resource)]),
    ),
  };
}

function generatingPartOf({
  table,
  fields,
  timestamps,
  unique,
  generate,
}: ResourceSpecification): ResourceSpecification {
  const own = Object.entries(fields).map(([name, field]): [string, FieldSpecification] => {
    const { access: _access, description: _description, example: _example, ...others } = field;
    return [name, others];
  });
  return {
    fields: Object.fromEntries(own),
    ...(table === undefined ? {} : { table }),
    ...(timestamps === undefined ? {} : { timestamps }),
    ...(unique === undefined ? {} : { unique }),
    ...(generate === undefined ? {} : { generate }),
  };
}
