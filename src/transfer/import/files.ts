import { readdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { Api } from '../../model/api.ts';
import { unknownName } from '../../model/build/names.ts';
import type { DataFile } from './source.ts';

const formats: Readonly<Record<string, DataFile['format']>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
  '.csv': 'csv',
};

/** The format of a data file by its name; undefined for other files. */
export function formatOf(name: string): DataFile['format'] | undefined {
  return formats[extname(name).toLowerCase()];
}

/** The data files at some paths (files and folders), and the problems of paths. */
export interface FoundFiles {
  readonly files: readonly DataFile[];
  readonly problems: readonly string[];
}

/**
 * Finds data files: named files, and in folders those with a known ending. A file is named after its resource; a
 * `.json` file of another name must be an object of lists, which is checked when it is read. `nameOf` returns the
 * name of a path for messages.
 */
export function findDataFiles(
  paths: readonly string[],
  api: Api,
  nameOf: (path: string) => string = (path) => path,
): FoundFiles {
  const files = new Map<string, DataFile>();
  const problems: string[] = [];
  for (const path of paths) {
    const stat = statOf(path);
    if (stat === undefined) problems.push(`There is no file or folder ${nameOf(path)}.`);
    else if (!stat.isDirectory()) addFile(path, stat);
    else addFolder(path);
  }
  return { files: [...files.values()], problems };

  function addFolder(folder: string): void {
    const found = readdirSync(folder)
      .filter((name) => formatOf(name) !== undefined)
      .sort()
      .map((name) => join(folder, name))
      .flatMap((path) => {
        const stat = statOf(path);
        return stat?.isFile() === true ? [{ path, stat }] : [];
      });
    if (found.length === 0)
      problems.push(`The folder ${nameOf(folder)} has no .ndjson, .json or .csv file.`);
    for (const { path, stat } of found) addFile(path, stat);
  }

  function addFile(path: string, stat: Stats): void {
    const name = nameOf(path);
    const ending = extname(path);
    const format = formatOf(path);
    const resource = basename(path, ending);
    if (!stat.isFile()) problems.push(`${name} is not a file. Name a file, or a folder of files.`);
    else if (format === undefined)
      problems.push(`${name} has an unknown format: give .ndjson, .jsonl, .json or .csv.`);
    else if (format !== 'json' && !api.resources.has(resource)) {
      const message = unknownName('resource', resource, api.resources.keys());
      problems.push(`${name} does not have the name of a resource: ${message}.`);
    }
    // A file may be named twice.
    else files.set(realpathSync(path), { path, name, format, resource, size: stat.size });
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
