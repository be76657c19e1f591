import type { Model, OperatorInfo, ResourceInfo } from '../../../src/http/dashboard-wire-model.ts';
import { leafAt } from './paths.ts';

/** A condition of a list: which parameter it is, and what it says. */
export interface Condition {
  readonly path: string;
  readonly operator: string;
  readonly value: string;
}

/** A list as the form has it. What the form has no place for stays in `others`, as it was written. */
export interface ListQuery {
  readonly conditions: readonly Condition[];
  readonly sort: readonly string[];
  readonly fields: readonly string[];
  readonly expand: readonly string[];
  readonly page: number | undefined;
  readonly limit: number | undefined;
  readonly others: readonly (readonly [string, string])[];
}

/** Reads a query string into the form. */
export function readQuery(search: string, resource: ResourceInfo, model: Model): ListQuery {
  const conditions: Condition[] = [];
  const others: (readonly [string, string])[] = [];
  const lists = { sort: [] as string[], fields: [] as string[], expand: [] as string[] };
  const numbers: { page?: number; limit?: number } = {};
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(search)) {
    const isFirst = !seen.has(name);
    seen.add(name);
    const filter = filterOf(name, resource, model);
    if (isFirst && (name === 'sort' || name === 'fields' || name === 'expand'))
      lists[name] = value.split(',').flatMap((item) => item.trim() || []);
    else if (isFirst && (name === 'page' || name === 'limit') && /^[1-9]\d{0,8}$/u.test(value))
      numbers[name] = Number(value);
    else if (filter === undefined) others.push([name, value]);
    else conditions.push({ ...filter, value });
  }
  return { conditions, ...lists, page: numbers.page, limit: numbers.limit, others };
}

/** Writes the form as a query string, readable where a URL allows it. */
export function writeQuery(query: ListQuery, operators: readonly OperatorInfo[]): string {
  const { conditions, sort, fields, expand, page, limit, others } = query;
  const pairs: (readonly [string, string])[] = [
    ...conditions.map(
      ({ path, operator, value }) => [nameOf(path, operator, operators), value] as const,
    ),
    ...others,
    ...(sort.length === 0 ? [] : [['sort', sort.join(',')] as const]),
    ...(fields.length === 0 ? [] : [['fields', fields.join(',')] as const]),
    ...(expand.length === 0 ? [] : [['expand', expand.join(',')] as const]),
    ...(page === undefined ? [] : [['page', String(page)] as const]),
    ...(limit === undefined ? [] : [['limit', String(limit)] as const]),
  ];
  return pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
}

/** Equality is asked by the name alone, unless that is the name of a parameter. */
function nameOf(path: string, operator: string, operators: readonly OperatorInfo[]): string {
  const { suffix = '' } = operators.find(({ name }) => name === operator) ?? {};
  return operator === 'eq' && !reserved.has(path) ? path : `${path}${suffix}`;
}

const reserved: ReadonlySet<string> = new Set([
  'sort',
  'fields',
  'exclude',
  'expand',
  'page',
  'limit',
  'offset',
  'cursor',
  'nulls',
  'maxDepth',
]);

/** What a parameter asks, if it is a filter: its name is a path, or a path with the suffix of an operator. */
function filterOf(
  name: string,
  resource: ResourceInfo,
  model: Model,
): Pick<Condition, 'path' | 'operator'> | undefined {
  if (!reserved.has(name) && leafAt(name, resource, model)?.operators.includes('eq') === true)
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
