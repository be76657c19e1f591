import { takesNow } from '../../../query/filter/now.ts';
import { isToMany, type Api, type Limits } from '../../../model/api.ts';
import type { ResourceView } from '../../../model/view.ts';
import {
  isOn,
  parameterNames,
  parameters as reserved,
  type ParameterName,
  type RequestKind,
} from '../../../query/request/parameters.ts';
import { collectionSortText, defaultSortText } from '../../../query/read/default-sort.ts';
import { searchedPaths } from '../../../query/search/search.ts';
import { itemFilters, listFilters, neededFilters } from './filter-families.ts';
import { itemFilterables, sortables } from './filters.ts';
import { nameOf, type Naming } from '../records.ts';
import { ref, type JsonSchema } from '../schema.ts';

const names = { type: 'array', items: { type: 'string' } };
const commas = { style: 'form', explode: false };
const flag = { type: 'boolean' };

function count(minimum: number, more: JsonSchema = {}): JsonSchema {
  return { schema: { type: 'integer', minimum, maximum: Number.MAX_SAFE_INTEGER, ...more } };
}

/** A group of filters. Given again, another group holds too. */
function group(description: string): JsonSchema {
  return { description, style: 'form', explode: true, schema: names };
}

/**
 * What each reserved parameter takes, for all resources alike. See docs/contract/2-reading.md#query-string and
 * docs/contract/7-data-debug-dashboard.md#debug-parameters.
 */
export function reservedParameters(limits: Limits): Readonly<Record<ParameterName, JsonSchema>> {
  const most = Math.max(limits.maxLimit, limits.exportItems);
  const about: Readonly<Record<ParameterName, JsonSchema>> = {
    page: { description: 'The number of the page, from 1.', ...count(1) },
    limit: {
      description: `How many records a page has: at most ${limits.maxLimit}, as CSV and NDJSON at most ${limits.exportItems}.`,
      ...count(0, { maximum: most, default: limits.defaultLimit }),
    },
    offset: { description: 'How many records to skip, in the place of page.', ...count(0) },
    cursor: {
      description:
        'What the page before gave as next_cursor or X-Next-Cursor; empty for the first page.',
      allowEmptyValue: true,
      schema: { type: 'string' },
    },
    sort: {
      description: `What to sort by, at most ${limits.sorts} keys; a minus before a name turns the order round.`,
      ...commas,
      schema: { ...names, maxItems: limits.sorts },
    },
    search: {
      description: `Words that must all be found in the texts of a record, each in any of them, in any case and without accents: at most ${limits.searchWords}. A phrase is written in double quotes.`,
      schema: { type: 'string' },
    },
    nulls: {
      description: 'Where nulls are sorted to.',
      schema: { type: 'string', enum: ['first', 'last'] },
    },
    fields: {
      description:
        'Only these members: names, object.path, relation.field, wildcards (*) and @group. The id always stays.',
      ...commas,
      schema: names,
    },
    exclude: {
      description: 'All members but these, written as in fields.',
      ...commas,
      schema: names,
    },
    expand: {
      description: 'The relations to embed; author, or comments.author for what is below them.',
      ...commas,
      schema: names,
    },
    maxDepth: {
      description: 'How deep this request may expand.',
      ...count(1, { maximum: limits.maxDepth, default: limits.defaultDepth }),
    },
    onConflict: {
      description:
        'The names of a unique field or group: a record with the same values is changed in the place of a new one.',
      ...commas,
      schema: { ...names, minItems: 1 },
    },
    group: {
      description:
        'Groups the records by these fields, paths to one related record, and parts of dates such as placedAt:month. The answer has groups in place of records.',
      ...commas,
      schema: { ...names, maxItems: limits.sorts },
    },
    aggregate: {
      description:
        'Functions over the records of each group, or of all records: count, and sum, avg, min, max and countDistinct of a field, such as sum:total.',
      ...commas,
      schema: { ...names, maxItems: limits.filters },
    },
    having: group(
      'Groups for which all of the conditions hold: count_gte:5,sum.total_gt:100. and(…), or(…) and not(…) nest.',
    ),
    _and: group('Records for which all of the filters hold; useful for what it nests.'),
    _or: group(
      'Alternatives: price_gt:100,author.name:Bob keeps records for which any of the filters holds. and(…), or(…) and not(…) nest. A value with a comma, a colon, a parenthesis or a double quote is written in double quotes.',
    ),
    _not: group('Records for which none of the filters holds.'),
    _debug: {
      description: 'Adds how the request was understood and which statements ran.',
      // Readers send the default, or the first value.
      schema: { type: 'string', enum: ['false', 'true', 'plan'], default: 'false' },
    },
    _trace: { description: 'Adds the measured steps of the request.', schema: flag },
    _verbose: { description: 'Adds more to errors.', schema: flag },
    _inspect: {
      description: '`data` adds where the values come from.',
      schema: { type: 'string', pattern: '^data$' },
    },
    _inspectNetwork: { description: 'Adds what the network simulation did.', schema: flag },
  };
  return Object.fromEntries(
    Object.entries(about).map(([name, parameter]) => [name, { name, in: 'query', ...parameter }]),
  ) as unknown as Record<ParameterName, JsonSchema>;
}

/** The headers that requests may send, by the name of their component. */
export const headerParameters: Readonly<Record<string, JsonSchema>> = {
  IfNoneMatch: header(
    'If-None-Match',
    'The entity tag of what the client has: 304 where it is still so, and 412 to a write. * for any.',
  ),
  IfMatch: header(
    'If-Match',
    'The entity tag of a plain read: the write is done only where the record is still so, else 412. * for any.',
  ),
  PreferCount: header(
    'Prefer',
    'count=none leaves out the total, count=estimated takes an estimate where that is quicker.',
  ),
  PreferReturn: header('Prefer', 'return=minimal answers without a body.'),
  PreferCreate: header(
    'Prefer',
    'return=minimal answers without a body; with onConflict, resolution=ignore-duplicates leaves records that exist as they are.',
  ),
  PreferMany: header(
    'Prefer',
    'max-affected=N refuses the change if more records match; return=representation answers with the records, return=minimal without a body.',
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    'Makes it safe to repeat the request: for 24 hours the same key gives the same answer, and nothing is written twice.',
    { pattern: '^[!-~]{1,255}$' },
  ),
  Simulate: header(
    'X-Simulate',
    'Asks for a slow or failing network on this request alone, such as latency=200,error=503: latency in ms, up to 60000, error a status from 400 to 599.',
    { pattern: '^[ \\t]*(latency|error)=\\d+[ \\t]*(,[ \\t]*(latency|error)=\\d+[ \\t]*)?$' },
  ),
  Sandbox: header(
    'X-Sandbox',
    'Answers from a copy of the generated data under this name, made on first use, so that tests do not disturb each other.',
    { pattern: '^[A-Za-z0-9_-]{1,64}$' },
  ),
};

/** Without an example: readers send what they are given. */
function header(name: string, description: string, more: JsonSchema = {}): JsonSchema {
  return { name, in: 'header', description, schema: { type: 'string', ...more } };
}

/** Only where there are replicas: no other document has it. */
const position = header(
  'Plinth-Position',
  'The position of an earlier write, from its answer: what is read includes that write.',
);

const headersOf: Readonly<Record<RequestKind, readonly string[]>> = {
  list: ['IfNoneMatch', 'PreferCount'],
  read: ['IfNoneMatch'],
  create: ['PreferCreate', 'IdempotencyKey'],
  replace: ['IfMatch', 'IfNoneMatch', 'PreferReturn'],
  update: ['IfMatch', 'IfNoneMatch', 'PreferReturn'],
  delete: ['IfMatch', 'IfNoneMatch'],
  updateMany: ['PreferMany'],
  deleteMany: ['PreferMany'],
};

interface Context extends Naming {
  readonly api: Api;
  readonly isDebugOn: boolean;
  readonly hasSandboxes: boolean;
}

/** Every parameter of an operation: headers, reserved parameters, paging of expanded collections, filters. */
export function parametersOf(
  kind: RequestKind,
  resourceView: ResourceView,
  context: Context,
): readonly JsonSchema[] {
  const { isDebugOn, hasSandboxes } = context;
  const { limits } = context.api;
  const known = parameterNames.filter(
    (name) =>
      isOn(name, kind) &&
      isOffered(name, kind, resourceView) &&
      (isDebugOn || reserved[name].part !== 'debug'),
  );
  const isRead = kind === 'list' || kind === 'read';
  const readable = isRead ? collectionParameters(resourceView, limits) : [];
  const filters = filtersOf(kind, resourceView, context);
  const headers = [
    ...headersOf[kind],
    ...(isDebugOn ? ['Simulate'] : []),
    ...(hasSandboxes ? ['Sandbox'] : []),
  ];
  // The same name may be a field of a related record and the paging of an expanded collection.
  const own = new Map([...filters, ...readable].map((one) => [one['name'], one]));
  return [
    ...headers.map((name) => ref(`parameters/${name}`)),
    ...(isRead && context.api.settings.database?.replicas !== undefined ? [position] : []),
    ...known.map((name) => ref(`parameters/${name}`)),
    ...own.values(),
  ];
}

/** Whether a parameter could do anything on this operation for this caller. */
function isOffered(name: ParameterName, kind: RequestKind, resourceView: ResourceView): boolean {
  const { relations, fields, offered } = resourceView;
  if (name === 'expand' || name === 'maxDepth') return relations.size > 0;
  if (name === 'search') return searchedPaths(resourceView).length > 0;
  if (name === 'onConflict') return offered.has('update') && fields.size > 0;
  // Of a single record only expanded collections are sorted.
  if (name === 'sort' || name === 'nulls')
    return kind === 'list' || [...relations.values()].some(({ relation }) => isToMany(relation));
  return name !== 'fields' && name !== 'exclude' ? true : fields.size > 0;
}

function filtersOf(
  kind: RequestKind,
  resourceView: ResourceView,
  context: Context,
): readonly JsonSchema[] {
  const name = nameOf(resourceView, context);
  const { limits } = context.api;
  if (kind === 'list') return listFilters(resourceView, name, limits);
  if (kind === 'read') return itemFilters(resourceView, name, limits);
  return kind === 'updateMany' || kind === 'deleteMany' ? [neededFilters(name)] : [];
}

function whereExpanded(name: string): string {
  return `Where expand names ${name}:`;
}

function collectionParameters(
  resourceView: ResourceView,
  { maxLimit, sorts }: Limits,
): readonly JsonSchema[] {
  return [...resourceView.relations.values()].flatMap((view) => {
    const { name, relation } = view;
    if (!isToMany(relation)) return [];
    const one = (part: string, description: string, more: JsonSchema): JsonSchema => ({
      name: `${name}.${part}`,
      in: 'query',
      description: `${whereExpanded(name)} ${description}`,
      ...more,
    });
    return [
      one('page', 'the page of each collection.', count(1)),
      one('limit', 'how many each collection has.', count(0, { maximum: maxLimit })),
      one('offset', 'how many to skip in each.', count(0)),
      one(
        'sort',
        `what each collection is sorted by${byDefault(collectionSortText(view, resourceView))}.`,
        {
          ...commas,
          schema: { ...names, maxItems: sorts },
        },
      ),
    ];
  });
}

/** The order where a request asks for none, if it is not that by id. */
function byDefault(sort: string): string {
  return sort === '' ? '' : `; without sort by ${sort}`;
}

/** What a list's or a read's description says of paths and names, which parameters alone cannot. */
export function pathNotes(kind: RequestKind, resourceView: ResourceView, limits: Limits): string {
  const relations = [...resourceView.relations.keys()];
  const notes: string[] = [];
  if (kind === 'list')
    notes.push(
      `Can be sorted by ${sortables(resourceView, limits).join(', ')}${byDefault(defaultSortText(resourceView))}.`,
      'In a list of values, as _in takes it, one with a comma or a double quote is written in double quotes.',
    );
  if (relations.length > 0) notes.push(`Relations to expand: ${relations.join(', ')}.`);
  if (kind === 'read' && itemFilterables(resourceView, limits).length > 0)
    notes.push(
      'A filter into a collection is for where that is expanded, and leaves out items of it.',
    );
  if (kind === 'list' && relations.length > 0)
    notes.push(
      `Filters and sorts go through relations by dotted paths, at most ${limits.pathDepth} dots deep: relation.relation.field with any suffix that the field takes.`,
    );
  const open = [...resourceView.fields.values()].filter(({ field }) => field.isOpen);
  if (kind === 'list' && open.length > 0)
    notes.push(
      `Members of ${open.map(({ name }) => name).join(', ')} are filtered by their path, such as ${open[0]?.name ?? ''}.member=value.`,
    );
  const isDated = [...resourceView.fields.values()].some(({ field }) => takesNow(field));
  if (kind === 'list' && isDated)
    notes.push(
      'Dates and datetimes are also compared with now and with a time such as now-7d (units s, m, h, d, w).',
    );
  const groups = [...resourceView.groups].flatMap(([name, members]) =>
    members.length > 0 ? [name] : [],
  );
  if (groups.length > 0 && kind !== 'delete')
    notes.push(`Groups for fields: ${groups.map((group) => `@${group}`).join(', ')}.`);
  return notes.join(' ');
}
