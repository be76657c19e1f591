import type { Field } from '../../model/api.ts';
import { readValue } from '../../model/validation.ts';
import { isJsonObject, type ValueIssue } from '../../model/values.ts';

/**
 * Merges a part into a JSON value (RFC 7396): members of objects one by one, null removes, everything else replaces. Does
 * not modify its arguments.
 */
export function mergePatch(target: unknown, part: unknown): unknown {
  if (!isJsonObject(part)) return part;
  const members = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(part)) {
    if (value === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name), value));
  }
  return Object.fromEntries(members);
}

/** The problems of a part that do not depend on the stored value. Members that it does not name are checked after merging. */
export function partIssues(part: unknown, field: Field): readonly ValueIssue[] {
  const parsed = readValue(mergePatch({}, part), field);
  if (parsed.ok) return [];
  return parsed.issues.filter(({ kind, path }) => kind === 'value' || isNamed(part, path));
}

function isNamed(part: unknown, path: string): boolean {
  const [, name, below = ''] = /^\.(\w+)(.*)$/su.exec(path) ?? [];
  // A value that is not an object replaces the stored one, so all its problems count.
  if (name === undefined || !isJsonObject(part)) return true;
  return Object.hasOwn(part, name) && isNamed(part[name], below);
}
