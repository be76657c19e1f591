import { compareApis } from '../../src/openapi/compatibility/changes.ts';
import { buildValid } from '../support/api.ts';

const today = new Date('2026-11-01T12:00:00Z');

/** What differs between two specifications, as `plinth check` prints it on 1 November 2026. */
export function lines(old: string, now: string): readonly string[] {
  return compareApis(buildValid(old), buildValid(now), today)
    .map(
      ({ isBreaking, path, message }) => `${isBreaking ? 'breaking' : 'safe'} ${path}: ${message}`,
    )
    .toSorted();
}

/** A resource with these fields. */
export function posts(fields: string, more = ''): string {
  return `${more}\nresources:\n  posts: { fields: { ${fields} } }\n  tags: { fields: { name: { type: string } } }\n`;
}

/** A specification as it was, and with some of its text replaced. */
export function changed(
  old: string,
  text: string,
  by: string,
): readonly [old: string, now: string] {
  if (!old.includes(text)) throw new TypeError(`The specification does not have ${text}`);
  return [old, old.replace(text, by)];
}
