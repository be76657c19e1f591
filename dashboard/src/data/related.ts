import type { RelationInfo, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { hashOf } from '../route.ts';
import { memberOf, type ApiRecord } from './draft.ts';
import { brief, shown, visible } from '../words.ts';
import { queryFor } from './query.ts';

type Place = (name: string) => string;

/** Where the records of a relation are listed: by filters of theirs, else expanded at this one. */
export function linkOf(
  relation: RelationInfo,
  resource: ResourceInfo,
  record: ApiRecord,
  place: Place,
): string | undefined {
  const { name, pair, targets, foundBy } = relation;
  if (pair !== undefined) return recordAt(relation, record, memberOf(record, pair.id), place);
  const [target] = targets;
  if (target === undefined) return undefined;
  if (foundBy === undefined) {
    const query = `${queryFor('id', record['id'])}&expand=${encodeURIComponent(name)}`;
    return hashOf('data', place(resource.name), query);
  }
  const values = foundBy.map((one) => ('value' in one ? one.value : memberOf(record, one.field)));
  if (values.some((value) => value === null || value === undefined)) return undefined;
  const query = foundBy.map(({ path }, index) => queryFor(path, values[index])).join('&');
  return hashOf('data', place(target), query);
}

/** Where one of the records of a relation is, by its id. */
export function recordAt(
  { pair, targets }: RelationInfo,
  record: ApiRecord,
  id: unknown,
  place: Place,
): string | undefined {
  const target =
    pair === undefined
      ? targets[0]
      : pair.types.find(({ value }) => value === memberOf(record, pair.type))?.resource;
  if (target === undefined || id === null || id === undefined) return undefined;
  return hashOf('data', place(target), queryFor('id', id));
}

/** The fields that say what a record is called. */
export const usualNames = ['name', 'title', 'label', 'subject', 'email'];

/** What a record is called, if anything says it. */
export function nameOf(record: ApiRecord): string | undefined {
  const names = usualNames.map((name) => memberOf(record, name));
  return names.find((one): one is string => typeof one === 'string' && one !== '');
}

/** What a record is called; all of it where nothing says it. */
export function titleOf(record: ApiRecord): string {
  return nameOf(record) ?? JSON.stringify(record);
}

/** What an item of a collection says beside its name: what its link carries, and all of it where nothing names it. */
export function detailsOf(record: ApiRecord): string {
  const { id: _id, pivot, ...own } = record;
  const told = [
    ...(nameOf(record) === undefined ? [own] : []),
    ...(isRecord(pivot) ? [pivot] : []),
  ];
  return told.map(membersOf).join(', ');
}

/** Members with their names, as a line of text. */
export function membersOf(record: ApiRecord): string {
  return Object.entries(record)
    .map(([name, value]) => `${visible(name)} ${brief(shown(value))}`)
    .join(', ');
}

export function isRecord(value: unknown): value is ApiRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
