import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Field } from '../../model/api.ts';
import { undeclared } from '../../model/field-types/object.ts';
import { below } from '../../model/field-types/json.ts';
import { readValue } from '../../model/validation/read-value.ts';
import { isJsonObject, type ParsedValue, type ValueIssue } from '../../model/values.ts';

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
  const found = parsed.ok
    ? []
    : parsed.issues.filter(({ kind, path }) => kind === 'value' || isNamed(part, path));
  return [...found, ...undeclaredNulls(part, field)];
}

/** The problems of members that would be removed though the field has none of that name. */
function undeclaredNulls(part: unknown, { properties, isOpen }: Field): readonly ValueIssue[] {
  if (!isJsonObject(part) || properties === undefined) return [];
  const nulls = Object.keys(part).filter((name) => part[name] === null && !properties.has(name));
  const refused = isOpen ? undefined : undeclared(nulls, properties.keys());
  const inside = [...properties].map(([name, property]): ParsedValue => {
    const issues = Object.hasOwn(part, name) ? undeclaredNulls(part[name], property) : [];
    return below(`.${name}`, { ok: false, issues });
  });
  return [refused, ...inside].flatMap((parsed) => (parsed?.ok === false ? parsed.issues : []));
}

/** Reads what a merge has made of a stored value. Its members that the file does not declare, or no longer does, stay. */
export function readMerged(whole: unknown, field: Field): ParsedValue {
  return readValue(whole, opened(field));
}

const openedFields = new WeakMap<Field, Field>();

/** The field, taking members that it does not declare. */
function opened(field: Field): Field {
  const { properties, items } = field;
  if (properties === undefined && items === undefined) return field;
  return getOrInsert(openedFields, field, () => ({
    ...field,
    isOpen: properties !== undefined,
    properties: properties && new Map(Array.from(properties, ([name, one]) => [name, opened(one)])),
    items: items && opened(items),
  }));
}

function isNamed(part: unknown, path: string): boolean {
  const [, name, below = ''] = /^\.(\w+)(.*)$/su.exec(path) ?? [];
  // A value that is not an object replaces the stored one, so all its problems count.
  if (name === undefined || !isJsonObject(part)) return true;
  return Object.hasOwn(part, name) && isNamed(part[name], below);
}
