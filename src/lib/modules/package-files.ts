import { existsSync } from 'node:fs';
import { extname } from 'node:path';

// The command reads its version by this module on every Node that knows modules, before it asks for a newer one.

/** Whether this program is the build, whose modules are bundled. */
const isBuilt = extname(import.meta.url) === '.js';

/** The folder of this package: the nearest one above with a `package.json`, from the sources and from the build. */
function packageFolder(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder))) folder = new URL('../', folder);
  return folder;
}

const folder = packageFolder();

/** A file or folder of this package by its path, such as `schema.json`. */
export const packageFile = (path: string): URL => new URL(path, folder);

/**
 * A module of this package that is loaded by its URL, as a process, a thread or `plinth` are. `path` is below `src/`, without
 * an ending. The build has a file for each of them (`scripts/bundle.ts`).
 */
export const packageModule = (path: string): URL =>
  packageFile(isBuilt ? `dist/${path}.js` : `src/${path}.ts`);
