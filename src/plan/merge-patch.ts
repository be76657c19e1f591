import { isJsonObject } from '../model/values.ts';

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
