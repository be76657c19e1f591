import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { licenceFile } from './licences.ts';

/** Writes what is no TypeScript into the build folder: the first argument, or `dist`. */
const root = resolve(import.meta.dirname, '..');
const dist = resolve(process.argv[2] ?? resolve(root, 'dist'));
writeFileSync(resolve(dist, 'THIRD-PARTY-LICENSES.txt'), licenceFile());
