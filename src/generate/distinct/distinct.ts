import type { Field, Resource } from '../../model/api.ts';
import type { FieldMaker } from '../maker.ts';

/**
 * The lists of fields that have to be distinct together: `unique`, and the two keys of each junction, in the order that they
 * have there, from whichever side it is used.
 */
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
      const keys = [relation.ownerKey, relation.targetKey];
      const fields = keys.toSorted((a, b) => own.indexOf(a) - own.indexOf(b));
      if (!has(fields)) lists.push(fields);
    }
  return lists.filter((list) => !lists.some((other) => isPart(other, list)));
}

/** Whether a list has some fields of another alone: where these are distinct together, so are all. */
function isPart(list: readonly Field[], of: readonly Field[]): boolean {
  return list.length < of.length && list.every((field) => of.includes(field));
}

/**
 * What of a list keeps its rows apart: without the fields that repeat themselves whatever is done, where there are
 * others. `loose` is the one that does so alone, where the values of one have no places.
 */
export function tellingPart(
  whole: readonly Field[],
  keys: ReadonlyMap<Field, unknown>,
  makers: ReadonlyMap<Field, FieldMaker>,
): { readonly list: readonly Field[]; readonly loose: FieldMaker | undefined } {
  const makerOf = (field: Field): FieldMaker | undefined =>
    keys.has(field) ? undefined : makers.get(field);
  const kept = whole.filter((field) => makerOf(field)?.repeats !== true);
  const list = kept.length === 0 || kept.length === whole.length ? whole : kept;
  const open = list
    .flatMap((field) => makerOf(field) ?? [])
    .filter(({ pool }) => pool === undefined);
  return { list, loose: open.find(({ isEndless }) => isEndless) ?? open[0] };
}
