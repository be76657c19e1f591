import { copyFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { packagedScript } from '../src/openapi/reference-page/script.ts';

/**
 * Copies into the build what the compiler does not emit: the script of the API reader, and the source of the typed
 * client. The first argument names the build folder; the default is `dist`.
 */
const root = resolve(import.meta.dirname, '..');
const dist = resolve(process.argv[2] ?? resolve(root, 'dist'), 'openapi');
writeFileSync(resolve(dist, 'reference-page/reader.js'), await packagedScript());
for (const part of ['filters.ts', 'types.ts', 'runtime.ts'])
  copyFileSync(resolve(root, 'src/openapi/client', part), resolve(dist, 'client', part));
