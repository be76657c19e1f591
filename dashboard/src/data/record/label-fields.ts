import type { ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { brief, shown } from '../../words.ts';
import { memberOf, type ApiRecord } from './draft.ts';
import { usualNames } from './related.ts';

/** The fields that together say what a record is, if any does. */
export function labelFields({ fields }: ResourceInfo): readonly string[] {
  const texts = fields
    .filter(({ isReadable, type }) => isReadable && (type === 'string' || type === 'email'))
    .map(({ name }) => name);
  const person = ['firstName', 'lastName'];
  if (person.every((name) => texts.includes(name))) return person;
  const best = usualNames.find((name) => texts.includes(name)) ?? texts[0];
  return best === undefined ? [] : [best];
}

/** What a record is called by these fields. */
export function labelBy(fields: readonly string[], record: ApiRecord): string {
  return brief(
    fields
      .map((name) => memberOf(record, name))
      .filter((value) => value !== null && value !== undefined)
      .map(shown)
      .join(' '),
  );
}
