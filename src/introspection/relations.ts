import type { FieldTypes } from '../model/api.ts';
import type { FieldSpecification } from '../specification/specification.ts';
import type { CompositeKeyDraft, FieldDraft, ResourceDraft } from './draft.ts';
import { morphPairs, type MorphPair } from './morphs.ts';
import { fieldName, freeName } from './names/words.ts';
import { backNames, keysOf, linkNames, nameOf, toldApart, type Key } from './names/relations.ts';

/** Adds the relations that follow from keys to the resources on both sides, each under a free name. */
export function addRelations(resources: readonly ResourceDraft[], types: FieldTypes): void {
  const taken = new Map(
    resources.map((resource) => [
      resource,
      new Set([
        ...resource.fields.map(({ name }) => name.toLowerCase()),
        ...(resource.timestamps ? ['createdat', 'updatedat', 'id'] : ['id']),
      ]),
    ]),
  );
  const put: Put = (resource, names, relation) => {
    const known = taken.get(resource) ?? new Set();
    const name = names.find((one) => !known.has(one.toLowerCase())) ?? names.at(-1) ?? '';
    const free = freeName(name, known);
    const { foreignKey, typeField, idField, ...others } = relation;
    const isFound =
      relation.relation === 'belongsTo'
        ? foreignKey === `${free}Id`
        : relation.relation === 'morphTo' && typeField === `${free}Type` && idField === `${free}Id`;
    resource.relations.set(free, isFound ? others : relation);
  };
  const keys = resources.flatMap((resource) => keysOf(resource, resources));
  for (const { owner, fields, target, names, onDelete } of keys)
    put(owner, names, {
      type: 'relation',
      relation: 'belongsTo',
      resource: target.name,
      foreignKey: foreignKeyOf(fields),
      ...(onDelete === undefined ? {} : { onDelete }),
    });
  const keyed = resources.filter(({ key }) => key !== 'none');
  const pairs = morphPairs(keyed, types);
  for (const pair of pairs) addMorphTo(pair, put);
  for (const key of keys) {
    const { owner, fields, target } = key;
    // A view, which shows records that the target has by another relation.
    if (owner.key === 'none' || owner.closed.length === 3) continue;
    if (owner.isLink && owner.junction?.includes(nameOf(key)) === true) continue;
    const rivals = keys.filter((one) => one.owner === owner && one.target === target);
    const isOne = isUnique(key);
    put(target, backNames(key, isOne, rivals.length > 1), {
      type: 'relation',
      relation: isOne ? 'hasOne' : 'hasMany',
      resource: owner.name,
      ...(rivals.length > 1 ? { foreignKey: foreignKeyOf(fields) } : {}),
    });
  }
  for (const pair of pairs)
    addMorphMany(pair, pairs.filter(({ owner }) => owner === pair.owner).length > 1, put);
  addMany(resources, keys, put);
}

/** Adds a relation under the first name that is free, or one that is like the last of them. */
type Put = (
  resource: ResourceDraft,
  names: readonly string[],
  relation: FieldSpecification,
) => void;

/** A key as the file names it. */
function foreignKeyOf(fields: readonly FieldDraft[]): string | string[] {
  const names = fields.map(({ name }) => name);
  return names.length === 1 ? names.join('') : names;
}

/** Whether at most one record has each value of a key. */
function isUnique({ owner, fields }: Key): boolean {
  const isWithin = (list: readonly string[]): boolean =>
    list.length > 0 && list.every((name) => fields.some((field) => field.name === name));
  const lists = [...owner.unique, ...(Array.isArray(owner.key) ? [owner.key] : [])];
  return fields.some(({ attributes }) => attributes.unique === true) || lists.some(isWithin);
}

const fieldsOf = ({
  typeField,
  idField,
}: MorphPair): Required<Pick<FieldSpecification, 'typeField' | 'idField'>> => ({
  typeField: typeField.name,
  idField: idField.name,
});

function addMorphTo(pair: MorphPair, put: Put): void {
  put(pair.owner, [pair.base], { type: 'relation', relation: 'morphTo', ...fieldsOf(pair) });
}

/** Adds a morphMany to each owner of a pair. */
function addMorphMany(pair: MorphPair, hasRivals: boolean, put: Put): void {
  const name = fieldName(pair.owner.name);
  for (const [kind, target] of pair.targets)
    put(target, [...(hasRivals ? [] : [name]), toldApart(name, pair.base)], {
      type: 'relation',
      relation: 'morphMany',
      resource: pair.owner.name,
      ...(hasRivals ? fieldsOf(pair) : {}),
      ...(kind === target.name ? {} : { typeValue: kind }),
    });
}

/** A junction with its two keys. */
interface Link {
  readonly junction: ResourceDraft;
  readonly sides: readonly [Key, Key];
}

/** Adds a belongsToMany to both sides of each junction. */
function addMany(resources: readonly ResourceDraft[], keys: readonly Key[], put: Put): void {
  const links = resources.flatMap((junction): readonly Link[] => {
    const [left, right] = (junction.junction ?? []).map((name) =>
      keys.find((key) => key.owner === junction && nameOf(key) === name),
    );
    return left === undefined || right === undefined ? [] : [{ junction, sides: [left, right] }];
  });
  for (const { junction, sides } of links) {
    const [left, right] = sides;
    const own = keys.filter(({ owner }) => owner === junction);
    const withPivot = junction.fields
      .filter((field) => field.name !== 'id' && ![...left.fields, ...right.fields].includes(field))
      .map(({ name }) => name);
    const joins = (one: ResourceDraft, other: ResourceDraft): boolean =>
      (one === left.target && other === right.target) ||
      (one === right.target && other === left.target);
    const isOnly =
      links.filter(({ sides: [one, other] }) => joins(one.target, other.target)).length === 1 &&
      !keys.some(({ owner, target }) => joins(owner, target));
    for (const [here, there] of [
      [left, right],
      [right, left],
    ] as const) {
      const rivals = own.filter(({ target }) => target === here.target);
      put(here.target, linkNames(here, there, isOnly), {
        type: 'relation',
        relation: 'belongsToMany',
        resource: there.target.name,
        through: junction.name,
        ...(rivals.length > 1 ? { foreignKey: foreignKeyOf(here.fields) } : {}),
        ...(withPivot.length > 0 ? { withPivot } : {}),
      });
    }
  }
}

/**
 * The two keys of a junction: a table whose primary key or a unique list is just two keys, and which has no other key to
 * either side. `lists` are the unique lists.
 */
export function junctionKeys(
  fields: readonly FieldDraft[],
  lists: readonly (readonly string[])[],
  compositeKeys: readonly CompositeKeyDraft[] = [],
): readonly [string, string] | undefined {
  const keys = [
    ...fields.flatMap(({ name, target }) =>
      target === undefined ? [] : [{ names: [name], target: target.resource }],
    ),
    ...compositeKeys.map(({ fields: names, target }) => ({ names, target })),
  ];
  for (const list of lists) {
    const inside = keys
      .filter(({ names }) => names.every((name) => list.includes(name)))
      .toSorted((a, b) => placeIn(list, a) - placeIn(list, b));
    for (const [index, one] of inside.entries())
      for (const other of inside.slice(index + 1)) {
        const parts = new Set([...one.names, ...other.names]);
        if (parts.size !== list.length || parts.size === one.names.length) continue;
        if (parts.size === other.names.length) continue;
        const rivals = keys.filter(
          (key) =>
            key !== one &&
            key !== other &&
            (key.target === one.target || key.target === other.target),
        );
        if (rivals.length === 0) return [one.names.join(','), other.names.join(',')];
      }
  }
  return undefined;
}

function placeIn(
  list: readonly string[],
  { names }: { readonly names: readonly string[] },
): number {
  return list.indexOf(names.at(-1) ?? '');
}
