import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { wholeOrNothing } from '../../lib/whole-files.ts';

/** The folder beside a specification with files of Plinth, such as the development database and a private key. */
export const ownFolder = '.plinth';

/** Creates the folder of a file if it is missing; git ignores `.plinth`. Fails with the file system's error. */
export function makeFolderOf(path: string): void {
  const folder = dirname(path);
  wholeOrNothing([folder], () => {
    const made = mkdirSync(folder, { recursive: true });
    if (made !== undefined && basename(folder) === ownFolder)
      writeFileSync(join(folder, '.gitignore'), '*\n');
  });
}
