import type { Field, MorphTo, Resource } from '../../model/api.ts';
import type { JsonValue, ResourceSpecification } from '../../specification/specification.ts';
import type { Pool } from './pool.ts';

/** The records of a resource that keys may lead to. */
export interface Universe {
  readonly size: number;
  /** The value of a field of the record at a place, from 0. */
  readonly valueAt: (place: number, field: Field) => JsonValue;
  /** By which number it is drawn how many rows belong to the record: that of its row, whatever is beside it. */
  readonly numberAt: (place: number) => number;
}

/** The records of all resources. */
interface Universes {
  /** As rows of `from` lead to them: those of the own table are at the places of their rows. */
  readonly universe: (resource: Resource, from: Resource) => Universe;
}

/** What a row has one of: a record that a key leads to, the owner of a morph pair, or a value of a field. */
export interface Dimension {
  readonly fields: readonly Field[];
  readonly size: number;
  readonly valueAt: (place: number, field: Field) => JsonValue;
  /** Of a pair that may lead to the own table: from which place on it does. */
  readonly ownFrom?: () => number;
  /** The other owners alone; absent where there are none. */
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

/** The values of a field by their places. */
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
  world: Universes,
): Dimension {
  const universe = (): Universe => world.universe(resource, field.resource);
  return {
    fields: [field],
    get size() {
      return universe().size;
    },
    valueAt: (place) => universe().valueAt(place, pointed),
  };
}

/** Whether the file says `nullable: true`, at the key or at its relation; that it may be null is not enough. */
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

/**
 * The owners that a morph pair leads to: the records of its targets, one after the other, by the names of the resources,
 * whatever their order in the file and whichever of them has a morphMany; those of the own table are the last.
 */
export function ownerDimension(morph: MorphTo, world: Universes): Dimension {
  const { resource } = morph.idField;
  const ordered = [...morph.targets].toSorted(([, a], [, b]) => (a.name < b.name ? -1 : 1));
  const own = ordered.find(([, target]) => target === resource);
  if (own === undefined) return ownersOf(morph, ordered, world);
  const targets = ordered.filter((target) => target !== own);
  const others = ownersOf(morph, targets, world);
  const itself = ownersOf(morph, [own], world);
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
  world: Universes,
): Dimension {
  const universe = (target: Resource): Universe => world.universe(target, idField.resource);
  const sizes = (): readonly number[] => targets.map(([, target]) => universe(target).size);
  return {
    fields: [typeField, idField],
    get size() {
      return sizes().reduce((sum, size) => sum + size, 0);
    },
    valueAt: (place, field) => {
      const before = sizes().slice(0, -1);
      let left = place;
      // Of the last one, rows are told that are made later.
      const index = before.findIndex((size) => {
        if (left < size) return true;
        left -= size;
        return false;
      });
      const [value, target] = targets.at(index) ?? [];
      if (target === undefined || field === typeField) return value ?? null;
      const id = universe(target).valueAt(left, target.id);
      return idField.type.name === 'string' ? String(id) : id;
    },
  };
}
