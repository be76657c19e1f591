/** Query parameters with a meaning of their own on every resource. See docs/contract/2-reading.md#query-string. */
export const reservedParameters = [
  'page',
  'limit',
  'offset',
  'cursor',
  'sort',
  'nulls',
  'fields',
  'exclude',
  'expand',
  'maxDepth',
  '_or',
  '_debug',
  '_trace',
  '_verbose',
  '_inspect',
  '_inspectNetwork',
] as const;

/** What may follow a field's name in a filter. See docs/contract/2-reading.md#filters. */
export const operatorSuffixes = [
  '_eq',
  '_neq',
  '_gt',
  '_gte',
  '_lt',
  '_lte',
  '_like',
  '_ilike',
  '_in',
  '_nin',
  '_exists',
  '_null',
  '_contains',
  '_containsAll',
  '_containsAny',
] as const;

/** Roles that everyone has or no one has: no credential can carry them. See docs/contract/5-access.md#rules, rule 5. */
export const reservedRoles = ['public', 'authenticated', 'none'] as const;
