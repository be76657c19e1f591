import { copyFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { packagedScript } from '../src/openapi/reference-page/script.ts';

/**
 * Puts into the build what is no program of it: the script of the API reader, and the parts of the typed client. The
 * build is `dist`, or the folder that is named.
 */
const root = resolve(import.meta.dirname, '..');
const dist = resolve(process.argv[2] ?? resolve(root, 'dist'), 'openapi');
writeFileSync(resolve(dist, 'reader.js'), await packagedScript());
for (const part of ['filters.ts', 'types.ts', 'runtime.ts'])
  copyFileSync(resolve(root, 'src/openapi/client', part), resolve(dist, 'client', part));
