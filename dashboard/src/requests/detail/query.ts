import type { Model, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import type { RequestDetail } from '../../../../src/http/dashboard/wire.ts';

/** A parameter as it was understood. */
export interface QueryPart {
  readonly name: string;
  readonly value: string;
  readonly kind: 'filter' | 'sort' | 'fields' | 'expand' | 'page' | 'debug' | 'unknown' | 'other';
  /** Of a filter: its path and what its operator means. */
  readonly path?: string;
  readonly meaning?: string;
}

const kinds: Readonly<Record<string, QueryPart['kind']>> = {
  sort: 'sort',
  nulls: 'sort',
  fields: 'fields',
  exclude: 'fields',
  expand: 'expand',
  page: 'page',
  limit: 'page',
  offset: 'page',
  cursor: 'page',
  count: 'page',
};

/** The parameters of a request, those of a resource as its filters read them. */
export function queryPartsOf(request: RequestDetail, model: Model): readonly QueryPart[] {
  const { parameters, route, tellsValues } = request;
  const [name = ''] = route.split('.');
  const resource = model.resources.find((one) => one.name === name);
  const pairs = Array.isArray(parameters)
    ? (parameters as readonly string[]).map((one) => [one, ''] as const)
    : Object.entries(parameters as Readonly<Record<string, string | readonly string[]>>);
  return pairs.flatMap(([parameter, value]) =>
    [value].flat().map((text) => ({
      ...partOf(parameter, resource, model),
      name: parameter,
      value: tellsValues ? text : '',
    })),
  );
}

function partOf(
  name: string,
  resource: ResourceInfo | undefined,
  model: Model,
): Omit<QueryPart, 'name' | 'value'> {
  const known = kinds[name.slice(name.lastIndexOf('.') + 1)];
  if (known !== undefined) return { kind: known };
  if (/^_(?:or|and|not)$/u.test(name)) return { kind: 'filter', path: name, meaning: 'a group of' };
  if (name.startsWith('_')) return { kind: 'debug' };
  if (resource === undefined) return { kind: 'other' };
  const found = filterOf(name, resource, model, 0);
  return found === undefined ? { kind: 'unknown' } : { kind: 'filter', ...found };
}

/** More relations than these are behind each other in no path. */
const deepest = 6;

function filterOf(
  name: string,
  { filters, relations }: ResourceInfo,
  model: Model,
  depth: number,
): { readonly path: string; readonly meaning: string } | undefined {
  if (filters.some((one) => one.path === name)) return { path: name, meaning: 'equals' };
  // The longest suffix first: `_nin` before `_in`.
  const operators = model.operators.toSorted((a, b) => b.suffix.length - a.suffix.length);
  for (const { suffix, meaning, name: operator } of operators) {
    if (!name.endsWith(suffix)) continue;
    const path = name.slice(0, name.length - suffix.length);
    const filter = filters.find((one) => one.path === path);
    if (filter !== undefined && filter.operators.includes(operator)) return { path, meaning };
  }
  const dot = name.indexOf('.');
  const relation = relations.find((one) => one.name === name.slice(0, Math.max(0, dot)));
  if (relation === undefined || depth >= deepest) return undefined;
  for (const target of relation.targets) {
    const resource = model.resources.find((one) => one.name === target);
    const found = resource && filterOf(name.slice(dot + 1), resource, model, depth + 1);
    if (found !== undefined)
      return { path: `${relation.name}.${found.path}`, meaning: found.meaning };
  }
  return undefined;
}
