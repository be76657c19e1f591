import type { Field } from '../../model/api.ts';
import { readValue } from '../../model/validation.ts';
import { isJsonObject, type ValueIssue } from '../../model/values.ts';

/**
 * Merges a part into a JSON value: members of objects one by one, null removes, everything else replaces (RFC 7396).
 * Neither of them is changed.
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

/** What is wrong with a part whatever it is merged into: of members that it does not name, the record decides. */
export function partIssues(part: unknown, field: Field): readonly ValueIssue[] {
  const reading = readValue(mergePatch({}, part), field);
  if (reading.ok) return [];
  return reading.issues.filter(({ kind, path }) => kind === 'value' || isNamed(part, path));
}

function isNamed(part: unknown, path: string): boolean {
  const [, name, below = ''] = /^\.(\w+)(.*)$/su.exec(path) ?? [];
  // What is no object is as it is sent.
  if (name === undefined || !isJsonObject(part)) return true;
  return Object.hasOwn(part, name) && isNamed(part[name], below);
}
