import { getOrInsert } from '../../lib/get-or-insert.ts';
import { object, required } from '../parsers/collections.ts';
import { consistent, exactly, type Definition } from '../parsers/definition.ts';
import { text } from '../parsers/scalars.ts';
import type { Specification } from '../specification.ts';
import { access } from './access.ts';
import { api } from './api.ts';
import { audit } from './audit.ts';
import { auth } from './auth.ts';
import { audience } from './common.ts';
import { limits } from './limits.ts';
import { generate, logging, network, rateLimit } from './operation.ts';
import type { Words } from './attribute.ts';
import { fieldDefinitions } from './field.ts';
import { advised, otherRootWords } from './other-words.ts';
import { groups, resourceDefinitions } from './resource.ts';
import { database, server } from './server.ts';

const fileOf = (words: Words) =>
  object(
    {
      name: text({ description: 'The title of the API.' }),
      description: text({ description: 'What the API is for.', allowEmpty: true }),
      resources: required(resourceDefinitions(fieldDefinitions(words))),
      groups,
      api,
      database,
      server,
      limits,
      auth,
      access,
      rateLimit,
      audit,
      debug: audience(
        'Who may use the debug parameters and `X-Simulate`; if left out, everyone in `dev` and nobody in `start`.',
      ),
      metrics: audience(
        'Who may read `/_metrics`; if left out, everyone in `dev`, and clients on the same machine in `start`.',
      ),
      dashboard: audience(
        'Who may use the dashboard; if left out, it is on in `dev` and off in `start`.',
      ),
      logging,
      network,
      generate,
      data: text({ description: 'A folder or file of records to start with.' }),
      code: text({
        description:
          'A module of own code, such as `./api.ts`: hooks on writes, computed values and endpoints.',
      }),
    },
    {
      description: 'A Plinth specification: one file from which a REST API is served.',
      expects: 'a map with the key `resources`',
      unknown: advised(otherRootWords),
      otherNames: new Map(
        ['models', 'entities', 'tables', 'collections', 'types'].map((name) => [
          name,
          ['resources'],
        ]),
      ),
      ignored: { $schema: text({ description: 'The schema of this file, for editors.' }) },
    },
  );

/** A tool that bypasses access rules must not be open to everyone if there are rules. */
function forSome(
  definition: ReturnType<typeof fileOf>,
  tool: 'debug' | 'dashboard',
): ReturnType<typeof fileOf> {
  return consistent(definition, [tool], (value, report) => {
    if (value[tool] === true && value.auth !== undefined)
      report(
        [tool],
        `\`${tool}: true\` would show every caller what \`auth\` keeps from it; write \`${tool}: { roles: […] }\``,
      );
  });
}

const made = new WeakMap<Words, Definition<Specification>>();

/** The whole file, with fields of these types. See docs/contract/1-specification-file.md#top-level-keys. */
export function specificationOf(words: Words): Definition<Specification> {
  return getOrInsert(made, words, () =>
    exactly<Specification>()(forSome(forSome(fileOf(words), 'debug'), 'dashboard')),
  );
}
