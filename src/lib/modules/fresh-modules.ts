import { registerHooks, type ResolveHookSync } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { getOrInsert } from '../get-or-insert.ts';

/** One load of a module. */
export interface ModuleLoad {
  /** The module and the files that it imports, directly or not, without those of packages; more while it loads. */
  readonly files: ReadonlySet<string>;
  readonly exports: Promise<Readonly<Record<string, unknown>>>;
}

/** A load that is known to the hook: what its modules import belongs to it. */
interface Load {
  readonly files: Set<string>;
  /** What tells its modules from those of other loads; empty for the first, so that its stacks show plain paths. */
  readonly mark: string;
}

/** The last load of each module. */
const latest = new Map<string, Load>();
/** Loads by the addresses of their modules. */
const loads = new Map<string, Load>();
const counts = new Map<string, number>();
let isHooked = false;

/**
 * Loads a module anew, with every file that it imports: Node keeps a module for as long as the process lives, so each load has
 * addresses of its own. Packages are loaded once.
 */
export function loadFresh(file: string): ModuleLoad {
  if (!isHooked) registerHooks({ resolve: resolveInLoad });
  isHooked = true;
  const before = getOrInsert(counts, file, () => 0);
  counts.set(file, before + 1);
  const load = { files: new Set([file]), mark: before === 0 ? '' : `?load=${before + 1}` };
  const address = `${pathToFileURL(file).href}${load.mark}`;
  loads.set(address, load);
  latest.set(file, load);
  return { files: load.files, exports: import(address) as ModuleLoad['exports'] };
}

/** The files of the last load of a module, whether it could be loaded or not. */
export function latestFiles(file: string): readonly string[] {
  return [...(latest.get(file)?.files ?? [])];
}

/** How files are named; anything else is a package, or a module of Node. */
const ofFiles = /^(?:\.{1,2}\/|\/|file:|#)/u;

const resolveInLoad: ResolveHookSync = (specifier, context, next) => {
  const resolved = next(specifier, context);
  const load = context.parentURL === undefined ? undefined : loads.get(context.parentURL);
  if (load === undefined || !ofFiles.test(specifier) || !resolved.url.startsWith('file:'))
    return resolved;
  load.files.add(fileURLToPath(resolved.url));
  // `require` knows no address beside the path.
  if (context.conditions.includes('require')) return resolved;
  const url = `${resolved.url}${load.mark}`;
  loads.set(url, load);
  return { ...resolved, url };
};
