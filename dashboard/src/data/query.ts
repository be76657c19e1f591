import { collectionParameters } from '../../../src/query/request/parameters.ts';
import { isGroup, parseGroup } from '../../../src/query/filter/group.ts';
import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { isParameter } from '../../../src/query/request/parameters.ts';
import { collectionsIn } from './expansion.ts';
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

/** A list as the form has it. What the form has no place for stays in `others`, as it was written. */
export interface ListQuery extends Order {
  readonly conditions: readonly Condition[];
  /** Of each group at least one holds. */
  readonly groups: readonly (readonly Condition[])[];
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
  const groups: (readonly Condition[])[] = [];
  const others: (readonly [string, string])[] = [];
  let fields: readonly string[] = [];
  let exclude: readonly string[] = [];
  let nulls: string | undefined;
  const seen = new Set<string>();
  /** Whether the form has a place for it, where it then is. */
  const isTaken = (name: string, value: string): boolean => {
    if (name === '_or') {
      const group = groupOf(value, resource, model);
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
    if (name === 'fields') fields = namesIn(value);
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
  const pairOf = (one: Condition): string => `${nameOf(one)}:${quoted(one.value)}`;
  const namesOf = (name: string, names: readonly string[]): readonly Pair[] =>
    names.length === 0 ? [] : [[name, names.join(',')]];
  const pagingOf = (prefix: string, { page, limit }: Order): readonly Pair[] => [
    ...(page === undefined ? [] : [[`${prefix}page`, String(page)] as const]),
    ...(limit === undefined ? [] : [[`${prefix}limit`, String(limit)] as const]),
  ];
  const pairs: readonly Pair[] = [
    ...conditions.map((one) => [nameOf(one), one.value] as const),
    ...groups.map((group) => ['_or', group.map(pairOf).join(',')] as const),
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

/** Types that take an empty text for a value, or may. */
const takeEmpty: ReadonlySet<string> = new Set(['string', 'text', 'email', 'url', 'array', 'json']);

/** Whether a filter has no value yet where it needs one, so that the list would only be refused. */
export function isUnfinished(
  { conditions, groups }: ListQuery,
  resource: ResourceInfo,
  model: Model,
): boolean {
  return [...conditions, ...groups.flat()].some(({ path, operator, value }) => {
    if (value !== '') return false;
    const operand = model.operators.find(({ name }) => name === operator)?.operand;
    const { type, values } = leafAt(path, resource, model) ?? { type: 'json', values: null };
    const takes = takeEmpty.has(type ?? 'json') || values?.includes('') === true;
    return operand !== 'value' || !takes;
  });
}

/** Whether a change puts a condition there, or makes another one of it, that is to be filled in next. */
export function beginsCondition(before: ListQuery, next: ListQuery): boolean {
  const all = ({ conditions, groups }: ListQuery): readonly Condition[] => [
    ...conditions,
    ...groups.flat(),
  ];
  const countOf = (query: ListQuery, { path, operator }: Condition): number =>
    all(query).filter((one) => one.path === path && one.operator === operator).length;
  return all(next).some((one) => one.value === '' && countOf(next, one) > countOf(before, one));
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

/** The conditions of an `_or`, if the form has a place for all of them. */
function groupOf(
  text: string,
  resource: ResourceInfo,
  model: Model,
): readonly Condition[] | undefined {
  const read = parseGroup('or', text);
  if (!read.ok) return undefined;
  const { parts } = read.value;
  const group = parts.flatMap((part) => {
    if (isGroup(part)) return [];
    const filter = filterOf(part.name, resource, model);
    return filter === undefined ? [] : { ...filter, value: part.value };
  });
  return group.length === parts.length ? group : undefined;
}

/** A value of an `_or`: in quotes where something in it would end it. */
function quoted(text: string): string {
  return text === '' || /[",:()]/u.test(text) ? `"${text.replaceAll(/["\\]/gu, '\\$&')}"` : text;
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
