import { collectionParameters } from '../../../src/query/request/parameters.ts';
import {
  isGroup,
  parseGroup,
  type Group,
  type GroupKind,
  type Pair as GroupPair,
} from '../../../src/query/filter/group.ts';
import { splitList } from '../../../src/query/filter/text.ts';
import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import {
  groupParameters,
  isGroupParameter,
  isParameter,
} from '../../../src/query/request/parameters.ts';
import { collectionsIn, restrictedBy } from './expansion.ts';
import { leafAt } from './paths.ts';

/** A condition of a list: which parameter it is, and what it says. */
export interface Condition {
  readonly path: string;
  readonly operator: string;
  readonly value: string;
}

/** How something is sorted and paged: the list, or an expanded collection. */
export interface Order {
  readonly sort: readonly string[];
  readonly page: number | undefined;
  readonly limit: number | undefined;
}

/** Conditions of which all, one at least, or none hold, with further groups in it. */
export type FilterGroup = Group<Condition>;

/** A list as the form has it. What the form has no place for stays in `others`, as it was written. */
export interface ListQuery extends Order {
  readonly conditions: readonly Condition[];
  readonly groups: readonly FilterGroup[];
  /** Words that the records contain; empty for none. */
  readonly search: string;
  readonly nulls: string | undefined;
  readonly fields: readonly string[];
  readonly exclude: readonly string[];
  readonly expand: readonly string[];
  /** By their paths; those that nothing is said of may be missing. */
  readonly collections: ReadonlyMap<string, Order>;
  readonly others: readonly (readonly [string, string])[];
}

export const noOrder: Order = { sort: [], page: undefined, limit: undefined };

/** Reads a query string into the form. */
export function readQuery(search: string, resource: ResourceInfo, model: Model): ListQuery {
  const parameters = new URLSearchParams(search);
  const expand = namesIn(parameters.get('expand') ?? '');
  const orders = new Map<string, Order>([['', noOrder]]);
  for (const { path } of collectionsIn(expand, resource, model)) orders.set(path, noOrder);
  const conditions: Condition[] = [];
  const groups: FilterGroup[] = [];
  let words = '';
  const others: (readonly [string, string])[] = [];
  let fields: readonly string[] = [];
  let exclude: readonly string[] = [];
  let nulls: string | undefined;
  const seen = new Set<string>();
  /** Whether the form has a place for it, where it then is. */
  const isTaken = (name: string, value: string): boolean => {
    if (isGroupParameter(name)) {
      const group = groupOf(groupParameters[name], value, resource, model);
      if (group !== undefined) groups.push(group);
      return group !== undefined;
    }
    const dot = name.lastIndexOf('.');
    const path = name.slice(0, Math.max(dot, 0));
    const part = name.slice(dot + 1);
    if (!isParameter(name) && !isOfCollection(name, orders)) {
      const filter = filterOf(name, resource, model);
      if (filter !== undefined) conditions.push({ ...filter, value });
      return filter !== undefined;
    }
    if (seen.has(name)) return false;
    seen.add(name);
    const order = orders.get(path);
    if (name === 'expand') return true;
    if (name === 'search' && value !== '') words = value;
    else if (name === 'fields') fields = namesIn(value);
    else if (name === 'exclude') exclude = namesIn(value);
    else if (name === 'nulls' && (value === 'first' || value === 'last')) nulls = value;
    else if (part === 'sort' && order !== undefined)
      orders.set(path, { ...order, sort: namesIn(value) });
    else if (
      (part === 'page' || part === 'limit') &&
      order !== undefined &&
      /^[1-9]\d{0,8}$/u.test(value)
    )
      orders.set(path, { ...order, [part]: Number(value) });
    else return false;
    return true;
  };
  for (const [name, value] of parameters) if (!isTaken(name, value)) others.push([name, value]);
  const { sort, page, limit } = orders.get('') ?? noOrder;
  orders.delete('');
  return {
    conditions,
    groups,
    search: words,
    sort,
    nulls,
    fields,
    exclude,
    expand,
    page,
    limit,
    collections: orders,
    others,
  };
}

/** Writes the form as a query string, readable where a URL allows it. */
export function writeQuery(query: ListQuery, resource: ResourceInfo, model: Model): string {
  const { conditions, groups, nulls, fields, exclude, expand, others } = query;
  const collections = new Map(
    collectionsIn(expand, resource, model).map(
      ({ path }) => [path, query.collections.get(path) ?? noOrder] as const,
    ),
  );
  const nameOf = ({ path, operator }: Condition): string => {
    const { suffix = '' } = model.operators.find(({ name }) => name === operator) ?? {};
    // Equality is asked by the name alone, unless that is the name of a parameter.
    const isOwn = operator === 'eq' && !isParameter(path) && !isOfCollection(path, collections);
    return isOwn ? path : `${path}${suffix}`;
  };
  const partOf = (part: Condition | FilterGroup): string =>
    isGroup(part) ? `${part.kind}(${partsOf(part)})` : `${nameOf(part)}:${quoted(part.value)}`;
  const partsOf = ({ parts }: FilterGroup): string => parts.map(partOf).join(',');
  const namesOf = (name: string, names: readonly string[]): readonly Pair[] =>
    names.length === 0 ? [] : [[name, names.join(',')]];
  const pagingOf = (prefix: string, { page, limit }: Order): readonly Pair[] => [
    ...(page === undefined ? [] : [[`${prefix}page`, String(page)] as const]),
    ...(limit === undefined ? [] : [[`${prefix}limit`, String(limit)] as const]),
  ];
  const pairs: readonly Pair[] = [
    ...conditions.map((one) => [nameOf(one), one.value] as const),
    ...groups.map((group) => [`_${group.kind}`, partsOf(group)] as const),
    ...(query.search === '' ? [] : [['search', query.search] as const]),
    ...others,
    ...namesOf('sort', query.sort),
    ...(nulls === undefined ? [] : [['nulls', nulls] as const]),
    ...namesOf('fields', fields),
    ...namesOf('exclude', exclude),
    ...namesOf('expand', expand),
    ...[...collections].flatMap(([path, order]) => [
      ...namesOf(`${path}.sort`, order.sort),
      ...pagingOf(`${path}.`, order),
    ]),
    ...pagingOf('', query),
  ];
  return pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
}

type Pair = readonly [string, string];

function namesIn(text: string): readonly string[] {
  return text.split(',').flatMap((item) => item.trim() || []);
}

/** Whether it is about one of these expanded collections, and no filter. */
function isOfCollection(name: string, collections: ReadonlyMap<string, unknown>): boolean {
  const dot = name.lastIndexOf('.');
  const part = name.slice(dot + 1);
  return (
    dot > 0 &&
    collections.has(name.slice(0, dot)) &&
    collectionParameters.some((parameter) => parameter === part)
  );
}

/** A group of the URL, if the form has a place for all of it. */
function groupOf(
  kind: GroupKind,
  text: string,
  resource: ResourceInfo,
  model: Model,
): FilterGroup | undefined {
  const read = parseGroup(kind, text);
  return read.ok ? resolved(read.value, resource, model) : undefined;
}

function resolved(
  { kind, parts }: Group<GroupPair>,
  resource: ResourceInfo,
  model: Model,
): FilterGroup | undefined {
  const found = parts.flatMap((part): readonly (Condition | FilterGroup)[] => {
    if (isGroup(part)) {
      const group = resolved(part, resource, model);
      return group === undefined ? [] : [group];
    }
    const filter = filterOf(part.name, resource, model);
    return filter === undefined ? [] : [{ ...filter, value: part.value }];
  });
  return found.length === parts.length ? { kind, parts: found } : undefined;
}

/** A value in a group: in quotes where something in it would end it. */
function quoted(text: string): string {
  return text === '' || /[",:()]/u.test(text) ? `"${text.replaceAll(/["\\]/gu, '\\$&')}"` : text;
}

/** The items of a list operand such as that of `_in`; undefined where it cannot be read. */
export function itemsOf(value: string): readonly string[] | undefined {
  if (value === '') return [];
  const read = splitList(value);
  return read.ok ? read.value : undefined;
}

/** A list operand of these items, each in quotes where the comma or a quote in it needs them. */
export function listOf(items: readonly string[]): string {
  return items
    .map((item) =>
      item === '' || /[",]/u.test(item) ? `"${item.replaceAll(/["\\]/gu, '\\$&')}"` : item,
    )
    .join(',');
}

/**
 * The query with these expansions, and every filter with the meaning that it had: a filter of records by what becomes an
 * expanded collection goes into a group, which filters records all the same. See
 * docs/contract/2-reading.md#groups, rule 5.
 */
export function withExpansions(
  query: ListQuery,
  expand: readonly string[],
  resource: ResourceInfo,
  model: Model,
): ListQuery {
  const before = collectionsIn(query.expand, resource, model);
  const after = collectionsIn(expand, resource, model);
  const isTurned = ({ path }: Condition): boolean =>
    restrictedBy(path, before) === undefined && restrictedBy(path, after) !== undefined;
  const turned = query.conditions.filter(isTurned);
  return {
    ...query,
    expand,
    conditions: query.conditions.filter((one) => !isTurned(one)),
    groups: turned.length === 0 ? query.groups : [...query.groups, { kind: 'and', parts: turned }],
  };
}

/** The query of the records alone, whatever is expanded: what an export and a change of many are asked with. */
export function recordsOnly(query: ListQuery, resource: ResourceInfo, model: Model): ListQuery {
  const collections = collectionsIn(query.expand, resource, model);
  return {
    ...query,
    conditions: query.conditions.filter(
      ({ path }) => restrictedBy(path, collections) === undefined,
    ),
    expand: [],
    collections: new Map(),
    fields: query.fields.filter((name) => !isBehindRelation(name, resource)),
    exclude: query.exclude.filter((name) => !isBehindRelation(name, resource)),
    page: undefined,
    limit: undefined,
    others: query.others.filter(([name]) => !paging.has(name)),
  };
}

const paging: ReadonlySet<string> = new Set(['cursor', 'offset', 'page', 'limit', 'maxDepth']);

function isBehindRelation(name: string, { relations }: ResourceInfo): boolean {
  return relations.some((relation) => relation.name === name.split('.')[0]);
}

/** What a filter asks: its name is a path, or a path with the suffix of an operator. */
function filterOf(
  name: string,
  resource: ResourceInfo,
  model: Model,
): Pick<Condition, 'path' | 'operator'> | undefined {
  if (leafAt(name, resource, model)?.operators.includes('eq') === true)
    return { path: name, operator: 'eq' };
  return model.operators
    .filter(({ suffix }) => name.endsWith(suffix))
    .map(({ name: operator, suffix }) => ({ path: name.slice(0, -suffix.length), operator }))
    .find(({ path, operator }) => leafAt(path, resource, model)?.operators.includes(operator));
}

/** Percent-encoded only where it has to be. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%2C', ',')
    .replaceAll('%3A', ':')
    .replaceAll('%40', '@')
    .replaceAll('%2F', '/');
}

/** The query string of the records with this value. */
export function queryFor(path: string, value: unknown): string {
  return `${encoded(path)}=${encoded(String(value))}`;
}
