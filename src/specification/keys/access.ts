import { list, object, oneOf, scalarOrList, type ObjectOf } from '../parsers/collections.ts';
import {
  described,
  exactly,
  named,
  refined,
  reworded,
  withSchema,
  type Definition,
} from '../parsers/definition.ts';
import { text } from '../parsers/scalars.ts';
import type {
  AccessByOperation,
  AccessRule,
  AccessRules,
  AccessSpecification,
  FieldAccessRules,
  FieldAccessSpecification,
} from '../specification.ts';

const who = '`public`, `authenticated`, `none` or a role';
/** A role, or `public`, `authenticated` or `none`. */
const roleOrWord = text({ expects: who, pattern: /^\S(.*\S)?$/ });

const ruleMembers = {
  role: described(
    'Who: `public`, `authenticated`, `none` or a role; `authenticated` if left out.',
    roleOrWord,
  ),
  where: text({
    description:
      'For which rows: a filter in the names of the storage, such as `status=published` or `authorId={user.sub}`; `{now}` is the time of the request.',
    expects: 'a filter such as "status=published"',
  }),
};

const ruleMap: Definition<ObjectOf<typeof ruleMembers>> = refined(
  withSchema(object(ruleMembers, { expects: 'a map with `role` or `where`' }), {
    minProperties: 1,
  }),
  (rule, report) => {
    if (Object.keys(rule).length === 0) report([], 'a rule needs `role`, `where` or both');
  },
);

const rule = named(
  'rule',
  exactly<AccessRule>()(
    oneOf([roleOrWord, ruleMap], ({ kind }) =>
      kind === 'scalar' ? roleOrWord : kind === 'map' ? ruleMap : undefined,
    ),
  ),
);

const ruleList = list(rule, {
  expects: 'a list of rules, each a role or a map with `role` and `where`',
  minimum: 1,
});

const rules = named(
  'rules',
  exactly<AccessRules>()(
    oneOf([rule, ruleList], ({ kind }) => (kind === 'list' ? ruleList : rule), {
      expects: `${who}, a map with \`role\` and \`where\`, or a list of these`,
    }),
  ),
);

function byOperationMembers<T>(rules: Definition<T>) {
  return {
    read: described('Who may read.', rules),
    create: described('Who may create; `write` if left out.', rules),
    update: described('Who may change; `write` if left out.', rules),
    write: described('Who may create, change and delete, where these are not named.', rules),
  };
}

const byOperation = exactly<AccessByOperation>()(
  object({
    ...byOperationMembers(rules),
    delete: described('Who may delete; `write` if left out.', rules),
  }),
);

/** `access` of the API and of a resource. See docs/contract/5-access.md#rules. */
export const access = named(
  'access',
  exactly<AccessSpecification>()(
    oneOf(
      [rules, byOperation],
      (node) =>
        node.kind === 'map' && !node.entries.has('role') && !node.entries.has('where')
          ? byOperation
          : rules,
      {
        description:
          'Who may do what: one rule for every operation, or rules for `read`, `create`, `update`, `delete` and `write`.',
      },
    ),
  ),
);

const fieldWho = `${who} (a field takes no \`where\`)`;
const fieldRoles = list(reworded(fieldWho, roleOrWord), { expects: 'a list of roles', minimum: 1 });
const fieldRules = named(
  'fieldRules',
  exactly<FieldAccessRules>()(
    scalarOrList(roleOrWord, fieldRoles, {
      expects: `${who}, or a list of these (a field takes no \`where\`)`,
    }),
  ),
);

const fieldByOperation = object(byOperationMembers(fieldRules));

/** `access` of a field, which narrows that of its resource and takes no row rules. */
export const fieldAccess = named(
  'fieldAccess',
  exactly<FieldAccessSpecification>()(
    oneOf(
      [fieldRules, fieldByOperation],
      ({ kind }) => (kind === 'map' ? fieldByOperation : fieldRules),
      {
        description: 'Who may read and who may write this field, within what the resource allows.',
      },
    ),
  ),
);
