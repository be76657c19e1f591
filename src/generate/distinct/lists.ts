import type { Field, Resource } from '../../model/api.ts';
import { keyFields } from '../../model/field-types/composite-id.ts';

/** The lists of jointly unique fields: those of `unique`, and the two keys of each junction in the order of its fields. */
export function distinctLists(
  resource: Resource,
  resources: Iterable<Resource>,
): readonly (readonly Field[])[] {
  const lists = [...resource.unique];
  const own = [...resource.fields.values()];
  const has = (fields: readonly Field[]): boolean =>
    lists.some((list) => list.every((field) => fields.includes(field)));
  for (const other of resources)
    for (const relation of other.relations.values()) {
      if (relation.kind !== 'belongsToMany' || relation.through !== resource) continue;
      const keys = [...new Set([relation.ownerKey, relation.targetKey].flatMap(keyFields))];
      const fields = keys.toSorted((a, b) => own.indexOf(a) - own.indexOf(b));
      if (!has(fields)) lists.push(fields);
    }
  return lists.filter((list) => !lists.some((other) => isPart(other, list)));
}

/** Whether a list is a proper part of another: if its fields are distinct together, so are those of the other. */
function isPart(list: readonly Field[], of: readonly Field[]): boolean {
  return list.length < of.length && list.every((field) => of.includes(field));
}

/** Groups lists that share fields, directly or through others. */
export function connectedLists<Item>(
  lists: readonly (readonly Item[])[],
): readonly (readonly (readonly Item[])[])[] {
  let groups: (readonly (readonly Item[])[])[] = [];
  for (const list of lists) {
    const touches = (group: readonly (readonly Item[])[]): boolean =>
      group.some((other) => other.some((item) => list.includes(item)));
    groups = [
      ...groups.filter((group) => !touches(group)),
      [...groups.filter(touches).flat(), list],
    ];
  }
  return groups;
}
