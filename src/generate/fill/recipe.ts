import { readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Api } from '../../model/api.ts';
import { buildApi } from '../../model/build/api.ts';
import { isJsonObject } from '../../model/values.ts';
import type {
  FieldSpecification,
  ResourceSpecification,
  Specification,
} from '../../specification/specification.ts';
import { settingsOf } from '../settings.ts';
import { moduleFiles } from '../custom/modules.ts';

/** What generated values follow from: what a file says of them, the functions of its modules, and a seed. */
export interface Recipe {
  readonly api: Api;
  readonly folder: string;
  readonly seed: number;
  /** What stood in the modules that the file names, by their paths. */
  readonly modules: ReadonlyMap<string, string>;
  /** The tables whose records came from files: none of these is generated. */
  readonly loaded: ReadonlySet<string>;
  /** All of this as it is written down; two with the same text are the same. */
  readonly text: string;
}

/** How the text is made up; one of another program is none. */
const format = 1;

/** The recipe of a file, with another seed than its own where one is given, for all tables but those that were `loaded`. */
export function recipeOf(
  { api, folder }: { readonly api: Api; readonly folder: string },
  {
    seed = settingsOf(api).seed,
    loaded = new Set(),
  }: { readonly seed?: number | undefined; readonly loaded?: ReadonlySet<string> } = {},
): Recipe {
  const modules = new Map(
    moduleFiles(api, folder).flatMap((file): [string, string][] => {
      try {
        return [[file, readFileSync(file, 'utf8')]];
      } catch {
        // Who generates by it is told.
        return [];
      }
    }),
  );
  const written: Written = {
    format,
    seed,
    settings: generatingPart(api.settings),
    modules: Object.fromEntries(
      [...modules].map(([file, source]) => [relative(folder, file), source]),
    ),
    loaded: [...loaded].toSorted(),
  };
  return { api, folder, seed, modules, loaded, text: JSON.stringify(written) };
}

/** The recipe that a text is; undefined where it is none, or speaks of what this program does not know. */
export function readRecipe(text: string, folder: string): Recipe | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecipe(value)) return undefined;
  const { seed, settings, modules, loaded } = value;
  const api = buildApi(settings, () => undefined);
  if (api === undefined) return undefined;
  const sources = Object.entries(modules).map(
    ([file, source]) => [resolve(folder, file), source] as const,
  );
  return { api, folder, seed, modules: new Map(sources), loaded: new Set(loaded), text };
}

/** A recipe as it is written down. */
interface Written {
  readonly format: typeof format;
  readonly seed: number;
  readonly settings: Specification;
  readonly modules: Readonly<Record<string, string>>;
  readonly loaded: readonly string[];
}

/** Whether it was written by this program, which then has written all of it. */
function isRecipe(value: unknown): value is Written {
  if (!isJsonObject(value)) return false;
  const { format: of, seed, settings, modules, loaded } = value;
  return (
    of === format &&
    Number.isSafeInteger(seed) &&
    isJsonObject(modules) &&
    Array.isArray(loaded) &&
    isJsonObject(settings) &&
    isJsonObject(settings['resources'])
  );
}

/** What of a file generated values follow from: no credentials, and nothing of who may do what. */
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
