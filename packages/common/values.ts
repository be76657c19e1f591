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

type Body = Readonly<Record<string, unknown>>;

/**
 * The body that changes a record: what differs from `previous`, or all of `data` where nothing is known of before. The
 * id is in the path.
 */
export function changesOf(data: Body, previous: unknown, meta: PlinthMeta | undefined): Body {
  const before: Body = isObject(previous) ? previous : {};
  const changed = Object.entries(data).filter(
    ([name, value]) =>
      name !== 'id' &&
      value !== undefined &&
      !(Object.hasOwn(before, name) && isSame(value, before[name])),
  );
  return bodyOf(Object.fromEntries(changed), meta, before);
}

/**
 * A body as it is written. An expanded collection, which is read as records, is written as links: those that have come
 * and gone since `before`, else all of them; records in it without an id are created. A TypeError where only a part of them
 * was read. An expanded single record is left out, since its key is what can be written, unless it has no id: then it is
 * created. What says itself how related records are written stays as it is.
 */
export function bodyOf(data: Body, meta: PlinthMeta = {}, before: Body = {}): Body {
  const relations = new Set(namesOf(meta.expand, 'expand').map((path) => path.split('.')[0]));
  const { _pagination: cut, ...fields } = data;
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!relations.has(name)) body[name] = value;
    else if (Array.isArray(value)) {
      const [items, former] = [value as readonly unknown[], before[name]];
      if (!Array.isArray(former) && isObject(cut) && Object.hasOwn(cut, name))
        throw new TypeError(
          `Only a part of ${name} was read: say what the record was, or write { add, remove }`,
        );
      body[name] = collectionOf(items, former);
    } else if (isObject(value) && isNestedWrite(value)) body[name] = value;
    else if (isObject(value) && !('id' in value)) body[name] = { create: value };
  }
  return body;
}

/** Whether an object says how related records are written. */
function isNestedWrite(value: Body): boolean {
  return ['create', 'update', 'delete', 'add', 'remove'].some((name) => name in value);
}

function collectionOf(items: readonly unknown[], former: unknown): unknown {
  const isNew = (item: unknown): boolean => isObject(item) && !('id' in item);
  const [made, known] = [items.filter(isNew), items.filter((item) => !isNew(item))];
  const create = made.length === 0 ? {} : { create: made };
  if (Array.isArray(former)) return { ...create, ...linkChanges(known, former) };
  if (made.length === 0) return known.map(linkTo);
  return { ...create, ...(known.length === 0 ? {} : { add: known.map(linkTo) }) };
}

function linkChanges(items: readonly unknown[], former: readonly unknown[]): object {
  const [now, then] = [linksById(items), linksById(former)];
  return {
    add: [...now].filter(([id, link]) => !isSame(link, then.get(id))).map(([, link]) => link),
    remove: [...then.keys()].filter((id) => !now.has(id)).map((id) => idOf(then.get(id))),
  };
}

function linksById(items: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(items.map(linkTo).map((link) => [String(idOf(link)), link]));
}

function idOf(link: unknown): unknown {
  return isObject(link) ? link['id'] : link;
}

function linkTo(item: unknown): unknown {
  if (!isObject(item) || !('id' in item)) return item;
  return 'pivot' in item ? { id: item['id'], pivot: item['pivot'] } : item['id'];
}
