import type { FieldTypes } from '../model/api.ts';
import { recordName } from '../lib/text/singular.ts';
import type { FieldSpecification, OnDelete } from '../specification/specification.ts';
import type { CompositeKeyDraft, FieldDraft, ResourceDraft } from './draft.ts';
import { morphPairs, type MorphPair } from './morphs.ts';
import { capital, fieldName, freeName, plural } from './names.ts';

/** A foreign key and its target. */
interface Key {
  readonly owner: ResourceDraft;
  /** Several for a composite key. */
  readonly fields: readonly FieldDraft[];
  readonly target: ResourceDraft;
  /** The name of the belongsTo: `artist` for `artistId`. */
  readonly base: string;
  readonly onDelete?: OnDelete | undefined;
}

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
  const put: Put = (resource, name, relation) => {
    const free = freeName(name, taken.get(resource) ?? new Set());
    const { foreignKey, typeField, idField, ...others } = relation;
    const isFound =
      relation.relation === 'belongsTo'
        ? foreignKey === `${free}Id`
        : relation.relation === 'morphTo' && typeField === `${free}Type` && idField === `${free}Id`;
    resource.relations.set(free, isFound ? others : relation);
  };
  const keys = resources.flatMap((resource) => keysOf(resource, resources));
  for (const { owner, fields, target, base, onDelete } of keys)
    put(owner, base, {
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
    put(target, hasName(key, isOne, rivals.length > 1), {
      type: 'relation',
      relation: isOne ? 'hasOne' : 'hasMany',
      resource: owner.name,
      ...(rivals.length > 1 ? { foreignKey: foreignKeyOf(fields) } : {}),
    });
  }
  for (const pair of pairs)
    addMorphMany(pair, pairs.filter(({ owner }) => owner === pair.owner).length > 1, put);
  for (const resource of resources) addMany(resource, keys, put);
}

/** Adds a relation under the name, or a similar free one. */
type Put = (resource: ResourceDraft, name: string, relation: FieldSpecification) => void;

/** The names of the fields of a key, joined with commas. */
const nameOf = ({ fields }: Pick<Key, 'fields'>): string =>
  fields.map(({ name }) => name).join(',');

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
  put(pair.owner, pair.base, { type: 'relation', relation: 'morphTo', ...fieldsOf(pair) });
}

/** Adds a morphMany to each owner of a pair. */
function addMorphMany(pair: MorphPair, hasRivals: boolean, put: Put): void {
  const name = fieldName(pair.owner.name);
  for (const [kind, target] of pair.targets)
    put(target, hasRivals ? `${name}By${capital(pair.base)}` : name, {
      type: 'relation',
      relation: 'morphMany',
      resource: pair.owner.name,
      ...(hasRivals ? fieldsOf(pair) : {}),
      ...(kind === target.name ? {} : { typeValue: kind }),
    });
}

function keysOf(owner: ResourceDraft, resources: readonly ResourceDraft[]): readonly Key[] {
  const resourceNamed = (name: string | undefined): ResourceDraft | undefined =>
    resources.find((resource) => resource.name === name);
  const single = owner.fields.flatMap((field): readonly Key[] => {
    const target = resourceNamed(field.target?.resource);
    if (target === undefined) return [];
    return [{ owner, fields: [field], target, base: baseOf(owner, field, target) }];
  });
  const composite = owner.compositeKeys.flatMap((key): readonly Key[] => {
    const target = resourceNamed(key.target);
    const fields = key.fields.flatMap(
      (name) => owner.fields.find((one) => one.name === name) ?? [],
    );
    const last = fields.at(-1);
    if (target === undefined || last === undefined) return [];
    const rivals = owner.compositeKeys.filter((other) => other.target === key.target);
    const base = rivals.length > 1 ? fieldName(last.name) : baseOf(owner, undefined, target);
    return [{ owner, fields, target, base, onDelete: key.onDelete }];
  });
  return [...single, ...composite];
}

/** The name of the belongsTo of a key: its field without `Id`, or that of the record it leads to. */
function baseOf(
  owner: ResourceDraft,
  field: FieldDraft | undefined,
  target: ResourceDraft,
): string {
  const record = recordName(target.name);
  const name = field?.name ?? '';
  const [, stem] = /^(.+?)(?:Id|_id)$/u.exec(name) ?? [];
  if (stem !== undefined) return fieldName(stem);
  const isRecordId = name.toLowerCase() === `${record}id`.toLowerCase();
  return fieldName(isRecordId || owner !== target ? record : 'parent');
}

/** The name of the hasMany of a key: `albums`, `children`, `filmsByOriginalLanguage`. */
function hasName({ owner, target, base }: Key, isOne: boolean, hasRivals: boolean): string {
  const name = isOne ? recordName(owner.name) : fieldName(owner.name);
  if (owner === target && !hasRivals) return isOne ? 'child' : 'children';
  return hasRivals ? `${name}By${capital(base)}` : name;
}

/** Adds a belongsToMany to both sides of a junction. */
function addMany(junction: ResourceDraft, keys: readonly Key[], put: Put): void {
  const own = keys.filter(({ owner }) => owner === junction);
  const [left, right] = (junction.junction ?? []).map((name) =>
    own.find((key) => nameOf(key) === name),
  );
  if (left === undefined || right === undefined) return;
  const isSame = left.target === right.target;
  const withPivot = junction.fields
    .filter((field) => field.name !== 'id' && ![...left.fields, ...right.fields].includes(field))
    .map(({ name }) => name);
  for (const [here, there] of [
    [left, right],
    [right, left],
  ] as const) {
    const rivals = own.filter(({ target }) => target === here.target);
    put(here.target, isSame ? plural(there.base) : fieldName(there.target.name), {
      type: 'relation',
      relation: 'belongsToMany',
      resource: there.target.name,
      through: junction.name,
      ...(rivals.length > 1 ? { foreignKey: foreignKeyOf(here.fields) } : {}),
      ...(withPivot.length > 0 ? { withPivot } : {}),
    });
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
