import { readdirSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { Api } from '../../model/api.ts';
import { unknownName } from '../../model/names.ts';
import type { DataFile } from './source.ts';

const formats: Readonly<Record<string, DataFile['format']>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
};

/** The data files that paths (files and folders) mean, or why one of them means none. */
export interface FoundFiles {
  readonly files: readonly DataFile[];
  readonly problems: readonly string[];
}

/**
 * Finds data files: named ones, and in a folder those with a known ending. A file is named after its resource; a
 * `.json` file of another name must be an object of lists, which is seen when it is read.
 */
export function findDataFiles(paths: readonly string[], api: Api): FoundFiles {
  const files: DataFile[] = [];
  const problems: string[] = [];
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) problems.push(`There is no file or folder ${path}.`);
    else if (!stat.isDirectory()) addFile(path, stat.size, true);
    else {
      const names = readdirSync(path).filter((name) => extname(name).toLowerCase() in formats);
      if (names.length === 0) problems.push(`The folder ${path} has no .ndjson or .json file.`);
      for (const name of names.sort())
        addFile(join(path, name), statSync(join(path, name)).size, false);
    }
  }
  return { files, problems };

  function addFile(path: string, size: number, named: boolean): void {
    const name = basename(path);
    const ending = extname(name);
    const format = formats[ending.toLowerCase()];
    const resource = basename(name, ending);
    if (format === undefined)
      problems.push(`${path} is of no known format: give .ndjson, .jsonl or .json.`);
    else if (format === 'ndjson' && !api.resources.has(resource)) {
      const message = unknownName('resource', resource, api.resources.keys());
      problems.push(`${path} is named after no resource: ${message}.`);
    } else files.push({ path, name: named ? path : name, format, resource, size });
  }
}
