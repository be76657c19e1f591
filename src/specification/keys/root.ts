import { object, required } from '../parsers/collections.ts';
import { consistent, exactly } from '../parsers/definition.ts';
import { text } from '../parsers/scalars.ts';
import type { Specification } from '../specification.ts';
import { access } from './access.ts';
import { api } from './api.ts';
import { auth } from './auth.ts';
import { audience } from './common.ts';
import { limits } from './limits.ts';
import { generate, logging, network, rateLimit } from './operation.ts';
import { groups, resources } from './resource.ts';
import { database, server } from './server.ts';

const file = object(
  {
    name: text({ description: 'The title of the API.' }),
    description: text({ description: 'What the API is for.', allowEmpty: true }),
    resources: required(resources),
    groups,
    api,
    database,
    server,
    limits,
    auth,
    access,
    rateLimit,
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
  },
  {
    description: 'A Plinth specification: one file from which a REST API is served.',
    expects: 'a map with the key `resources`',
    ignored: { $schema: text({ description: 'The schema of this file, for editors.' }) },
  },
);

/** A tool that shows what rules keep is not for everyone where there are rules. */
function forSome(definition: typeof file, tool: 'debug' | 'dashboard'): typeof file {
  return consistent(definition, [tool], (value, report) => {
    if (value[tool] === true && value.auth !== undefined)
      report(
        [tool],
        `\`${tool}: true\` would show every caller what \`auth\` keeps from it; write \`${tool}: { roles: […] }\``,
      );
  });
}

/** The whole file. See docs/contract/1-specification-file.md#top-level-keys. */
export const specification = exactly<Specification>()(forSome(forSome(file, 'debug'), 'dashboard'));
