import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../lib/modules/package-files.ts';

export const examplesFolder = fileURLToPath(packageFile('examples/'));

/** The names of the examples that are a file and its data. The others are projects, which are installed. */
export function exampleNames(): readonly string[] {
  const has = (name: string, file: string): boolean => existsSync(join(examplesFolder, name, file));
  return readdirSync(examplesFolder).filter(
    (name) => has(name, 'plinth.yaml') && !has(name, 'package.json'),
  );
}
