import type { RelationInfo, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { hashOf } from '../../route.ts';
import { memberOf, type ApiRecord } from './draft.ts';
import { brief, shown, visible } from '../../words.ts';
import { queryFor } from '../query.ts';

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
  const query = searchOf(relation, record);
  return query === undefined ? undefined : hashOf('data', place(target), query);
}

/** The query string that finds the records of a relation among those of its target. */
export function searchOf({ foundBy }: RelationInfo, record: ApiRecord): string | undefined {
  if (foundBy === undefined) return undefined;
  const values = foundBy.map((one) => ('value' in one ? one.value : memberOf(record, one.field)));
  if (values.some((value) => value === null || value === undefined)) return undefined;
  return foundBy.map(({ path }, index) => queryFor(path, values[index])).join('&');
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
  const person = ['firstName', 'lastName'].map((name) => memberOf(record, name));
  if (person.every((part) => typeof part === 'string')) return person.join(' ');
  const names = usualNames.map((name) => memberOf(record, name));
  return names.find((one): one is string => typeof one === 'string' && one !== '');
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
