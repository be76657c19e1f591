import { writeFileSync } from 'node:fs';
import { packagedScript } from '../src/openapi/reader-script.ts';

/** Puts the script of the API reader into the build, which is used without the reader's package. */
writeFileSync(new URL('../dist/openapi/reader.js', import.meta.url), await packagedScript());
