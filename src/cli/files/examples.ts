import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const examplesFolder = fileURLToPath(new URL('../../../examples/', import.meta.url));

/** The names of the examples that come with the program. */
export function exampleNames(): readonly string[] {
  return readdirSync(examplesFolder).filter((name) =>
    existsSync(join(examplesFolder, name, 'plinth.yaml')),
  );
}
