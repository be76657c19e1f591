/** Query parameters with a meaning of their own on every resource. See docs/contract/2-reading.md#query-string. */
export const reservedParameters = [
  'page',
  'limit',
  'offset',
  'cursor',
  'search',
  'sort',
  'nulls',
  'fields',
  'exclude',
  'expand',
  'maxDepth',
  'onConflict',
  'group',
  'aggregate',
  'having',
  '_and',
  '_or',
  '_not',
  '_debug',
  '_trace',
  '_verbose',
  '_inspect',
  '_inspectNetwork',
] as const;

/** Roles that everyone has or no one has: no credential can carry them. See docs/contract/5-access.md#rules, rule 5. */
export const reservedRoles = ['public', 'authenticated', 'none'] as const;
