import { readFileSync, writeFileSync } from 'node:fs';
import { errorTable } from '../src/errors.ts';
import { specificationJsonSchema } from '../src/model/load-specification.ts';
import { llms } from './llms.ts';
import { commandLineReference } from './reference/command-line.ts';
import { specificationReference } from './reference/file.ts';
import { headerReference } from './reference/headers.ts';
import { limitReference } from './reference/limits.ts';
import { queryParameterReference } from './reference/query-parameters.ts';

/** The files that are made from the source, by their path: `npm run documents` writes them. */
export const documents: Readonly<Record<string, () => string>> = {
  'schema.json': () => `${JSON.stringify(specificationJsonSchema(), undefined, 2)}\n`,
  'docs/reference/file.md': specificationReference,
  'docs/reference/query-parameters.md': queryParameterReference,
  'docs/reference/headers.md': headerReference,
  'docs/reference/limits.md': limitReference,
  'docs/reference/command-line.md': commandLineReference,
  'docs/errors.md': () => {
    const rows = Object.entries(errorTable).map(
      ([code, { status, about }]) => `| \`${code}\` | ${status} | ${about} |`,
    );
    return [
      '# Errors',
      '',
      '<!-- Made from src/errors.ts by `npm run documents`. -->',
      '',
      'Every error answer is JSON with `status`, `error` (the reason phrase), `message`, `path`, `code` and',
      '`requestId`; the request id is in the `X-Request-Id` header too. A 400 lists the parameters or fields to blame',
      'in `validationErrors` (`field`, `error`), a 422 in `errors` (`field`, `message`); of one request at most 10,000.',
      '',
      '| code | status | when |',
      '| --- | --- | --- |',
      ...rows,
      '',
    ].join('\n');
  },
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
