import { copyFileSync, writeFileSync } from 'node:fs';
import { packagedScript } from '../src/openapi/reader-script.ts';

/** Puts into the build what is no program of it: the script of the API reader, and the parts of the typed client. */
const dist = new URL('../dist/openapi/', import.meta.url);
writeFileSync(new URL('reader.js', dist), await packagedScript());
for (const part of ['types.ts', 'runtime.ts'])
  copyFileSync(
    new URL(`../src/openapi/client/${part}`, import.meta.url),
    new URL(`client/${part}`, dist),
  );
