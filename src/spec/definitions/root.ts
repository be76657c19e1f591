import { object, required } from '../collections.ts';
import { exactly, refined } from '../definition.ts';
import { text } from '../scalars.ts';
import type { Specification } from '../specification.ts';
import { access } from './access.ts';
import { api } from './api.ts';
import { auth } from './auth.ts';
import { audience } from './common.ts';
import { limits } from './limits.ts';
import { generate, logging, network, rateLimit } from './operation.ts';
import { groups, resources } from './resource.ts';
import { database, server } from './server.ts';

/** The whole file. Contract 1, Top-level keys. */
export const specification = exactly<Specification>()(
  refined(
    object(
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
        debug: audience('Who may use the debug parameters and X-Simulate.'),
        metrics: audience('Who may read /_metrics.'),
        dashboard: audience('Who may use the dashboard.'),
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
    ),
    ({ debug, dashboard, auth }, report) => {
      if (debug === true && auth !== undefined)
        report(
          ['debug'],
          '`debug: true` would show every caller what `auth` keeps from it; write `debug: { roles: […] }`',
        );
      if (dashboard === true && auth !== undefined)
        report(
          ['dashboard'],
          '`dashboard: true` would show every caller what `auth` keeps from it; write `dashboard: { roles: […] }`',
        );
    },
  ),
);
