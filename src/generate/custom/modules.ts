import { readFileSync, realpathSync, statSync } from 'node:fs';
import { registerHooks, type LoadHookSync, type ResolveHookSync } from 'node:module';
import { resolve } from 'node:path';
import type { Faker } from '@faker-js/faker';
import type { Api, Field } from '../../model/api.ts';
import { unknownName } from '../../model/build/names.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { messageOf } from '../../lib/message-of.ts';
import { addressOfText, locateModule, presentAddress } from '../../lib/modules/own-modules.ts';
import { GenerationProblem } from '../problem.ts';

/** What a function of a user's module is called with. */
export interface GeneratorContext {
  /** The number of the row, from 1. */
  readonly row: number;
  /** A number in [0, 1), the same in every run. */
  readonly random: () => number;
  /** The faker library, with the same results in every run. */
  readonly faker: Faker;
  /** The values of the row's other fields. */
  readonly self: Readonly<Record<string, JsonValue | undefined>>;
  /** The `args` of the specification. */
  readonly args: JsonValue | undefined;
  /** The value to change, for a function in `transform`. */
  readonly value?: unknown;
}

export type UserFunction = (context: GeneratorContext) => unknown;
/** Functions by their names in the file: `./generators.ts#sku`. */
export type UserFunctions = ReadonlyMap<string, UserFunction>;

/** Whether a generator or transform is a function of a module. */
export function isModuleFunction(name: string): boolean {
  return name.startsWith('./') || name.startsWith('../');
}

/** The module functions that the specification names, with their paths. */
function namedFunctions(api: Api): ReadonlyMap<string, readonly (string | number)[]> {
  const found = new Map<string, readonly (string | number)[]>();
  const visit = (field: Field, path: readonly (string | number)[]): void => {
    const { generator, transform = [] } = field.attributes;
    const name = typeof generator === 'string' ? generator : generator?.name;
    if (name !== undefined && isModuleFunction(name)) found.set(name, [...path, 'generator']);
    for (const [index, one] of transform.entries())
      if (isModuleFunction(one)) found.set(one, [...path, 'transform', index]);
    for (const [member, property] of field.properties ?? [])
      visit(property, [...path, 'properties', member]);
    if (field.items !== undefined) visit(field.items, [...path, 'items']);
  };
  for (const resource of api.resources.values())
    for (const field of resource.fields.values())
      visit(field, ['resources', resource.name, 'fields', field.name]);
  return found;
}

/** The modules that the specification names, existing or not. */
export function moduleFiles(api: Api, folder: string): readonly string[] {
  const files = [...namedFunctions(api).keys()].map((name) => name.split('#')[0] ?? '');
  return [...new Set(files)].map((file) => resolve(folder, file));
}

/**
 * Loads the functions that the specification names, only from modules in its own folder, and passes problems to `report`.
 * `former` is the source of modules by path, instead of the present files.
 */
export async function loadFunctions(
  api: Api,
  folder: string | undefined,
  report: (problem: GenerationProblem) => unknown,
  former: ReadonlyMap<string, string> = new Map(),
): Promise<UserFunctions> {
  const functions = new Map<string, UserFunction>();
  for (const [name, path] of namedFunctions(api)) {
    const [file = '', exported = ''] = name.split('#');
    try {
      const address =
        formerAddress(folder, file, former) ?? presentAddress(locateModule(folder, file));
      const loaded = (await import(address)) as Record<string, unknown>;
      const found = loaded[exported];
      if (typeof found !== 'function') throw new TypeError(noFunction(exported, loaded));
      functions.set(name, found as UserFunction);
    } catch (error) {
      report(new GenerationProblem(path, `${file} cannot be used: ${messageOf(error)}`));
    }
  }
  return functions;
}

/** "it exports no function sukk; did you mean sku?" */
function noFunction(name: string, exports: Readonly<Record<string, unknown>>): string {
  const others = Object.keys(exports).filter((one) => typeof exports[one] === 'function');
  return `it exports no ${unknownName('function', name, others).slice('there is no '.length)}`;
}

/** The former sources of changed modules, by address. */
const formerTexts = new Map<string, string>();

/** The address of a former module; undefined if it is unknown or unchanged. */
function formerAddress(
  folder: string | undefined,
  name: string,
  former: ReadonlyMap<string, string>,
): string | undefined {
  const wanted = resolve(folder ?? '', name);
  const text = former.get(wanted);
  if (text === undefined) return undefined;
  const isThere = statSync(wanted, { throwIfNoEntry: false })?.isFile() === true;
  if (isThere && readFileSync(wanted, 'utf8') === text) return undefined;
  const file = isThere ? realpathSync(wanted) : wanted;
  const address = addressOfText(file, text);
  if (formerTexts.size === 0) registerHooks({ resolve: resolveFormer, load: loadFormer });
  formerTexts.set(address, text);
  return address;
}

const resolveFormer: ResolveHookSync = (specifier, context, next) =>
  formerTexts.has(specifier) ? { url: specifier, shortCircuit: true } : next(specifier, context);

const loadFormer: LoadHookSync = (url, context, next) => {
  const source = formerTexts.get(url);
  if (source === undefined) return next(url, context);
  const format = /\.m?ts(?:\?|$)/u.test(url) ? 'module-typescript' : 'module';
  return { format, source, shortCircuit: true };
};
