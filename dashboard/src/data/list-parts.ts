import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { isGroupParameter, isParameter } from '../../../src/query/request/parameters.ts';
import type { Column } from './grid/columns.ts';
import { recordsOnly, writeQuery, type ListQuery } from './query.ts';
import { memberOf, type ApiRecord } from './record/draft.ts';

/** Parameters with which the URL names a page itself. */
export const pagingNames: ReadonlySet<string> = new Set(['cursor', 'offset', 'page', 'limit']);

/** What `fields` and `exclude` can name. */
export function offeredNames({ fields, relations, groups }: ResourceInfo): readonly string[] {
  const named = Object.keys(groups).map((name) => `@${name}`);
  const readable = fields.filter(({ isReadable }) => isReadable).map(({ name }) => name);
  return [...new Set([...named, ...readable, ...relations.map(({ name }) => name)])];
}

/** A field that makes few groups: one of few values, else a key, else any. */
export function firstKey({ fields, sorts }: ResourceInfo): string {
  const able = fields.filter(({ name, isReadable }) => isReadable && sorts.includes(name));
  const best =
    able.find(({ values, type }) => values !== null || type === 'boolean') ??
    able.find(({ name }) => name === 'country') ??
    able.find(({ reference }) => reference !== undefined) ??
    able.find(({ name }) => name !== 'id');
  return best?.name ?? 'id';
}

/** The filters of the records as a query string: what a change of many is asked with. */
export function filtersOf(query: ListQuery, resource: ResourceInfo, model: Model): string {
  const records = recordsOnly(query, resource, model);
  const others = records.others.filter(([name]) => isGroupParameter(name) || !isParameter(name));
  return writeQuery(
    { ...records, sort: [], nulls: undefined, fields: [], exclude: [], others },
    resource,
    model,
  );
}

/** What a list says beside its filters of its records, as a query string. */
export function orderOf(query: ListQuery, resource: ResourceInfo, model: Model): string {
  const records = recordsOnly(query, resource, model);
  return writeQuery(
    { ...records, conditions: [], groups: [], search: '', others: [] },
    resource,
    model,
  );
}

export function conditionOn(
  path: string,
  value: unknown,
  isNegated: boolean,
): ListQuery['conditions'][number] {
  if (value === null) return { path, operator: 'null', value: String(!isNegated) };
  return { path, operator: isNegated ? 'neq' : 'eq', value: String(value) };
}

export function cellText(record: ApiRecord, { name }: Column): string {
  const value = memberOf(record, name);
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
