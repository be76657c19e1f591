import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { wholeOrNothing } from '../../lib/whole-files.ts';

/** What a command keeps beside a specification: no part of the project, and a private key may be among it. */
export const ownFolder = '.plinth';

/** Makes the folder of a file where there is none; our own one tells git to leave it out. Fails as the file system does. */
export function makeFolderOf(path: string): void {
  const folder = dirname(path);
  wholeOrNothing([folder], () => {
    const made = mkdirSync(folder, { recursive: true });
    if (made !== undefined && basename(folder) === ownFolder)
      writeFileSync(join(folder, '.gitignore'), '*\n');
  });
}
