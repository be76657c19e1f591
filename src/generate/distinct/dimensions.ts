import type { Field, MorphTo, Resource } from '../../model/api.ts';
import { partsOf, partValues } from '../../model/field-types/composite-id.ts';
import type { JsonValue, ResourceSpecification } from '../../specification/specification.ts';
import type { Pool } from './pool.ts';

/** The records of a resource that keys may lead to. */
export interface KeyTargets {
  readonly size: number;
  /** The value of a field of the record at a place, counted from 0. */
  readonly valueAt: (place: number, field: Field) => JsonValue;
  /** The row number by which the number of rows of an owner is drawn, whatever other records there are. */
  readonly numberAt: (place: number) => number;
}

/** Finds the records of a resource. */
interface KeyTargetsOf {
  /** `from` is the resource of the key. Records of its own table are at the places of their rows. */
  readonly keyTargets: (resource: Resource, from: Resource) => KeyTargets;
}

/** The possible values of a key, a morph pair or a field, by place. */
export interface Dimension {
  readonly fields: readonly Field[];
  readonly size: number;
  readonly valueAt: (place: number, field: Field) => JsonValue;
  /** For a morph pair that may lead to its own table: the first place that does. */
  readonly ownFrom?: () => number;
  /** For such a pair: the owners in other tables, if there are any. */
  readonly others?: Dimension;
}

/** Whether two keys are those of a junction of a resource with itself, which links two different records. */
export function isOwnPair(
  a: Field | undefined,
  b: Field | undefined,
  resources: Iterable<Resource>,
): boolean {
  for (const other of resources)
    for (const relation of other.relations.values())
      if (
        relation.kind === 'belongsToMany' &&
        relation.owner === relation.target &&
        [relation.ownerKey, relation.targetKey].every((key) => key === a || key === b)
      )
        return true;
  return false;
}

/** The listed values of a field. */
export function valueDimension(field: Field, pool: () => Pool | undefined): Dimension {
  return {
    fields: [field],
    get size() {
      return pool()?.size ?? 0;
    },
    valueAt: (place) => pool()?.at(place) ?? null,
  };
}

/** The records that a key leads to. */
export function keyDimension(
  field: Field,
  { resource, field: pointed }: NonNullable<Field['reference']>,
  context: KeyTargetsOf,
): Dimension {
  const keyTargets = (): KeyTargets => context.keyTargets(resource, field.resource);
  return {
    fields: [field],
    get size() {
      return keyTargets().size;
    },
    valueAt: (place) => keyTargets().valueAt(place, pointed),
  };
}

/** The records that a key of several fields leads to. */
export function compositeDimension(key: Field, target: Resource, context: KeyTargetsOf): Dimension {
  const fields = partsOf(key);
  const keyTargets = (): KeyTargets => context.keyTargets(target, key.resource);
  return {
    fields,
    get size() {
      return keyTargets().size;
    },
    valueAt: (place, field) => {
      const id = String(keyTargets().valueAt(place, target.id));
      return partValues(id, target.id)?.[fields.indexOf(field)] ?? null;
    },
  };
}

/** Nothing: of a key that shares a field with another one, what may be null. */
export function emptyDimension(fields: readonly Field[]): Dimension {
  return { fields, size: 0, valueAt: () => null };
}

/** Whether the file says `nullable: true` at the key or its relation; not being required is not enough. */
export function isWrittenNullable(
  field: Field,
  { specificationOf }: { readonly specificationOf: (resource: Resource) => ResourceSpecification },
): boolean {
  const { fields } = specificationOf(field.resource);
  const ofRelation = [...field.resource.relations.values()].some(
    (relation) =>
      relation.kind === 'belongsTo' &&
      relation.key === field &&
      fields[relation.name]?.nullable === true,
  );
  return field.nullable && (field.attributes.nullable === true || ofRelation);
}

/** The morphTo relations of a resource, each pair of fields once. */
export function morphsOf({ relations }: Resource): readonly MorphTo[] {
  const morphs = new Map<Field, MorphTo>();
  for (const relation of relations.values())
    if (relation.kind === 'morphTo') morphs.set(relation.idField, relation);
  return [...morphs.values()];
}

/** The owners that a morph pair may lead to, by the names of their resources; those of the own table come last. */
export function ownerDimension(morph: MorphTo, context: KeyTargetsOf): Dimension {
  const { resource } = morph.idField;
  const ordered = [...morph.targets].toSorted(([, a], [, b]) => (a.name < b.name ? -1 : 1));
  const own = ordered.find(([, target]) => target === resource);
  if (own === undefined) return ownersOf(morph, ordered, context);
  const targets = ordered.filter((target) => target !== own);
  const others = ownersOf(morph, targets, context);
  const itself = ownersOf(morph, [own], context);
  return {
    fields: itself.fields,
    get size() {
      return others.size + itself.size;
    },
    valueAt: (place, field) => {
      const { size } = others;
      return place < size ? others.valueAt(place, field) : itself.valueAt(place - size, field);
    },
    ownFrom: () => others.size,
    ...(targets.length === 0 ? {} : { others }),
  };
}

function ownersOf(
  { typeField, idField }: MorphTo,
  targets: readonly (readonly [string, Resource])[],
  context: KeyTargetsOf,
): Dimension {
  const keyTargets = (target: Resource): KeyTargets => context.keyTargets(target, idField.resource);
  const sizes = (): readonly number[] => targets.map(([, target]) => keyTargets(target).size);
  return {
    fields: [typeField, idField],
    get size() {
      return sizes().reduce((sum, size) => sum + size, 0);
    },
    valueAt: (place, field) => {
      const before = sizes().slice(0, -1);
      let left = place;
      // The last target may have rows that are made later.
      const index = before.findIndex((size) => {
        if (left < size) return true;
        left -= size;
        return false;
      });
      const [value, target] = targets.at(index) ?? [];
      if (target === undefined || field === typeField) return value ?? null;
      const id = keyTargets(target).valueAt(left, target.id);
      return idField.type.kind === 'string' ? String(id) : id;
    },
  };
}
