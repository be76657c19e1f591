import { isObject } from './error.ts';
import { namesOf, type PlinthMeta } from './meta.ts';

/** Whether two values are written as the same JSON, in whatever order the members of their objects come. */
export function isSame(a: unknown, b: unknown): boolean {
  const [left, right] = [plain(a), plain(b)];
  if (Object.is(left, right)) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => isSame(item, right[index]));
  if (!isObject(left) || !isObject(right)) return false;
  const [keys, others] = [namesOfMembers(left), namesOfMembers(right)];
  return (
    keys.length === others.length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]))
  );
}

function plain(value: unknown): unknown {
  return value instanceof Date ? value.toJSON() : value;
}

/** JSON has no undefined: such a member is not there. */
function namesOfMembers(value: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

/**
 * The body that changes a record: what differs from `previous`, or all of `data` where nothing is known of before. The
 * id is in the path, and `_pagination` is no field.
 */
export function changesOf(
  data: Readonly<Record<string, unknown>>,
  previous: unknown,
  meta: PlinthMeta | undefined,
): Readonly<Record<string, unknown>> {
  const before = isObject(previous) ? previous : {};
  const changed = Object.entries(data).filter(
    ([name, value]) =>
      name !== 'id' &&
      name !== '_pagination' &&
      value !== undefined &&
      !(Object.hasOwn(before, name) && isSame(value, before[name])),
  );
  return bodyOf(Object.fromEntries(changed), meta);
}

/** A body as it is written: an expanded collection, which is read as records, is written as links to them. */
export function bodyOf(
  data: Readonly<Record<string, unknown>>,
  meta: PlinthMeta = {},
): Readonly<Record<string, unknown>> {
  const relations = new Set(namesOf(meta.expand, 'expand').map((path) => path.split('.')[0]));
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      relations.has(name) && Array.isArray(value) ? value.map(linkTo) : value,
    ]),
  );
}

function linkTo(item: unknown): unknown {
  if (!isObject(item) || !('id' in item)) return item;
  return 'pivot' in item ? { id: item['id'], pivot: item['pivot'] } : item['id'];
}
