import { object } from '../parsers/collections.ts';
import { consistent, exactly, type Definition } from '../parsers/definition.ts';
import { integer, size } from '../parsers/scalars.ts';
import type { LimitsSpecification } from '../specification.ts';

/** The default limits. See docs/contract/4-errors-and-limits.md#limits. */
export const limitDefaults: Readonly<Required<LimitsSpecification>> = {
  defaultLimit: 20,
  maxLimit: 1000,
  defaultDepth: 3,
  maxDepth: 5,
  expandedItems: 100,
  responseItems: 20_000,
  exportItems: 1_000_000,
  inItems: 500,
  filters: 50,
  searchWords: 10,
  sorts: 8,
  groups: 10_000,
  pathDepth: 5,
  urlLength: 8192,
  batchItems: 1000,
  bulkItems: 1000,
};

function limit(name: keyof LimitsSpecification, description: string): Definition<number> {
  return integer({ description, minimum: 1, default: limitDefaults[name] });
}

const members = object(
  {
    defaultLimit: limit('defaultLimit', 'Records of a page when the request has no `limit`.'),
    maxLimit: limit('maxLimit', 'The highest `limit` that a request may ask for.'),
    defaultDepth: limit('defaultDepth', 'Depth of expansion that a request may use as it is.'),
    maxDepth: limit('maxDepth', 'The highest `maxDepth` that a request may ask for.'),
    expandedItems: limit('expandedItems', 'Records of one expanded collection of one parent.'),
    responseItems: limit('responseItems', 'Records of one response, expanded ones included.'),
    exportItems: limit('exportItems', 'Records of one export as CSV or NDJSON.'),
    inItems: limit('inItems', 'Items of one list in a filter.'),
    filters: limit('filters', 'Conditions of one request.'),
    searchWords: limit('searchWords', 'Words of one `search`.'),
    sorts: limit('sorts', 'Sort keys of one request.'),
    groups: limit('groups', 'Groups of one request, before `having` leaves some out.'),
    pathDepth: limit('pathDepth', 'Dots in the path of a filter or sort key.'),
    urlLength: size({
      description: 'Length of the URL, such as `8KiB`.',
      minimum: 1,
      default: limitDefaults.urlLength,
    }),
    batchItems: limit('batchItems', 'Records of one array that is posted.'),
    bulkItems: limit('bulkItems', 'Records that one PATCH or DELETE of a collection may change.'),
  },
  {
    description: 'What no request may exceed.',
    expects: 'a map of limits such as { maxLimit: 500 }',
  },
);

type Limit = keyof LimitsSpecification;

/** Limits whose defaults do not exceed their maximums. */
function within(
  definition: Definition<LimitsSpecification>,
  lower: Limit,
  upper: Limit,
): Definition<LimitsSpecification> {
  return consistent(definition, [lower, upper], (value, report) => {
    const chosen = value[lower];
    const most = value[upper] ?? limitDefaults[upper];
    if (chosen === undefined || chosen <= most) return;
    const byDefault = value[upper] === undefined ? ' by default' : '';
    report([lower], `\`${lower}\` (${chosen}) is over \`${upper}\`, which is ${most}${byDefault}`);
  });
}

/** `limits`. See docs/contract/4-errors-and-limits.md#limits. */
export const limits: Definition<LimitsSpecification> = within(
  within(exactly<LimitsSpecification>()(members), 'defaultLimit', 'maxLimit'),
  'defaultDepth',
  'maxDepth',
);
