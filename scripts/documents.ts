import { readFileSync, writeFileSync } from 'node:fs';
import { specificationJsonSchema } from '../src/model/load-specification.ts';
import { errorGuide } from './errors.ts';
import { llms } from './llms.ts';
import { commandLineReference } from './reference/command-line.ts';
import { specificationReference } from './reference/file.ts';
import { headerReference } from './reference/headers.ts';
import { limitReference } from './reference/limits.ts';
import { packageReference } from './reference/package.ts';
import { queryParameterReference } from './reference/query-parameters.ts';

/** The files that are made from the source, by their path: `npm run documents` writes them. */
export const documents: Readonly<Record<string, () => string>> = {
  'schema.json': () => `${JSON.stringify(specificationJsonSchema(), undefined, 2)}\n`,
  'docs/reference/file.md': specificationReference,
  'docs/reference/query-parameters.md': queryParameterReference,
  'docs/reference/headers.md': headerReference,
  'docs/reference/limits.md': limitReference,
  'docs/reference/command-line.md': commandLineReference,
  'docs/reference/package.md': packageReference,
  'docs/errors.md': errorGuide,
  // After the others, which it lists.
  'llms.txt': llms,
};

if (import.meta.main) {
  for (const [path, make] of Object.entries(documents)) {
    const file = new URL(`../${path}`, import.meta.url);
    const text = make();
    let old = '';
    try {
      old = readFileSync(file, 'utf8');
    } catch {
      // It is made for the first time.
    }
    if (old !== text) writeFileSync(file, text);
  }
}
