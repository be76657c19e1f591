import type { FieldTypes } from '../model/api.ts';
import { recordName } from '../lib/singular.ts';
import type { FieldSpecification } from '../specification/specification.ts';
import type { FieldDraft, ResourceDraft } from './draft.ts';
import { morphPairs, type MorphPair } from './morphs.ts';
import { capital, fieldName, freeName, plural } from './names.ts';

/** A foreign key and its target. */
interface Key {
  readonly owner: ResourceDraft;
  readonly field: FieldDraft;
  readonly target: ResourceDraft;
  /** The name of the belongsTo: `artist` for `artistId`. */
  readonly base: string;
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
  for (const { owner, field, target, base } of keys)
    put(owner, base, {
      type: 'relation',
      relation: 'belongsTo',
      resource: target.name,
      foreignKey: field.name,
    });
  const pairs = morphPairs(resources, types);
  for (const pair of pairs) addMorphTo(pair, put);
  for (const key of keys) {
    const { owner, field, target } = key;
    if (owner.isLink && owner.junction?.includes(field.name) === true) continue;
    const rivals = keys.filter((one) => one.owner === owner && one.target === target);
    const isOne = field.attributes.unique === true;
    put(target, hasName(key, isOne, rivals.length > 1), {
      type: 'relation',
      relation: isOne ? 'hasOne' : 'hasMany',
      resource: owner.name,
      ...(rivals.length > 1 ? { foreignKey: field.name } : {}),
    });
  }
  for (const pair of pairs)
    addMorphMany(pair, pairs.filter(({ owner }) => owner === pair.owner).length > 1, put);
  for (const resource of resources) addMany(resource, keys, put);
}

/** Adds a relation under the name, or a similar free one. */
type Put = (resource: ResourceDraft, name: string, relation: FieldSpecification) => void;

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
  return owner.fields.flatMap((field): readonly Key[] => {
    const target = resources.find(({ name }) => name === field.target?.resource);
    if (target === undefined) return [];
    const [, stem] = /^(.+?)(?:Id|_id)$/u.exec(field.name) ?? [];
    const base = stem ?? (owner === target ? 'parent' : recordName(target.name));
    return [{ owner, field, target, base: fieldName(base) }];
  });
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
    own.find(({ field }) => field.name === name),
  );
  if (left === undefined || right === undefined) return;
  const isSame = left.target === right.target;
  const withPivot = junction.fields
    .filter((field) => field.name !== 'id' && field !== left.field && field !== right.field)
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
      ...(rivals.length > 1 ? { foreignKey: here.field.name } : {}),
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
): readonly [string, string] | undefined {
  const targetOf = (name: string): string | undefined =>
    fields.find((field) => field.name === name)?.target?.resource;
  for (const [first, second, ...others] of lists) {
    if (first === undefined || second === undefined || others.length > 0) continue;
    const targets = [targetOf(first), targetOf(second)];
    const [one, another] = targets;
    if (one === undefined || another === undefined) continue;
    const rivals = fields.filter(
      ({ name, target }) =>
        target !== undefined &&
        name !== first &&
        name !== second &&
        (target.resource === one || target.resource === another),
    );
    if (rivals.length === 0) return [first, second];
  }
  return undefined;
}
