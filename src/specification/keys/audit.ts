import { list, object, scalarOrMap } from '../parsers/collections.ts';
import { exactly } from '../parsers/definition.ts';
import { age, boolean } from '../parsers/scalars.ts';
import type { AuditSpecification } from '../specification.ts';
import { resourceName, role } from './common.ts';

/** The defaults, with the age in ms. See docs/contract/6-operation.md#audit. */
export const auditDefaults = { keep: 90 * 86_400_000, roles: ['auditor'] } as const;

/** `audit`. See docs/contract/6-operation.md#audit. */
export const audit = exactly<boolean | AuditSpecification>()(
  scalarOrMap(
    boolean(),
    object({
      resources: list(resourceName('A resource whose changes are recorded.'), {
        description: 'The resources whose changes are recorded; all if left out.',
        minimum: 1,
      }),
      keep: age({
        description: 'How long a change stays in the log.',
        default: auditDefaults.keep,
      }),
      roles: list(role, {
        description: 'Callers with one of these roles may read `/_audit`.',
        minimum: 1,
        default: [...auditDefaults.roles],
      }),
    }),
    {
      description:
        'Records who changed which record, and which fields, in the database; `true` for all resources.',
      expects: 'true, false or a map such as { keep: 90d, roles: [auditor] }',
    },
  ),
);
