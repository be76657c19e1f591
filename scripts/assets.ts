import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { brotliCompressSync } from 'node:zlib';
import { packagedScript } from '../src/openapi/reference-page/script.ts';

/** Writes the script of the API reader into the build folder: the first argument, or `dist`. */
const root = resolve(import.meta.dirname, '..');
const dist = resolve(process.argv[2] ?? resolve(root, 'dist'), 'openapi');
writeFileSync(
  resolve(dist, 'reference-page/reader.js.br'),
  brotliCompressSync(await packagedScript()),
);
