import type { RelationInfo, ResourceInfo } from '../../../src/http/dashboard-wire-model.ts';
import { hashOf } from '../route.ts';
import { memberOf, type ApiRecord } from './draft.ts';
import { queryFor } from './query.ts';

type Place = (name: string) => string;

/** Where the records of a relation are listed, if a filter of theirs finds them. */
export function linkOf(
  { targets: [target], ownerKey, targetKey }: RelationInfo,
  record: ApiRecord,
  place: Place,
): string | undefined {
  if (target === undefined || typeof ownerKey !== 'string' || typeof targetKey !== 'string')
    return undefined;
  const value = memberOf(record, ownerKey);
  if (value === null || value === undefined) return undefined;
  return hashOf('explorer', place(target), queryFor(targetKey, value));
}

/** Where records that no filter of theirs finds are expanded at this one. */
export function expandedAt(
  { name, targets, ownerKey, targetKey }: RelationInfo,
  resource: ResourceInfo,
  record: ApiRecord,
  place: Place,
): string | undefined {
  const isFound = typeof ownerKey === 'string' && typeof targetKey === 'string';
  if (targets.length === 0 || isFound) return undefined;
  const query = `${queryFor('id', record['id'])}&expand=${encodeURIComponent(name)}`;
  return hashOf('explorer', place(resource.name), query);
}

/** The fields that say what a record is called. */
export const usualNames = ['name', 'title', 'label', 'subject', 'email'];

/** What a record is called; all of it where nothing says it. */
export function titleOf(record: ApiRecord): string {
  const names = usualNames.map((name) => record[name]);
  const name = names.find((one) => typeof one === 'string' && one !== '');
  return typeof name === 'string' ? name : JSON.stringify(record);
}
