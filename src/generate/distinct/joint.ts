import type { Field, MorphTo, Resource } from '../../model/api.ts';
import type { JsonValue, ResourceSpecification } from '../../specification/specification.ts';
import type { Pool } from './pool.ts';
import { largestPermutation, permuted, type Key } from '../random.ts';

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

/** Records that are there before rows are made. */
export interface OtherRecords {
  /** The number of the last row that they may be. */
  readonly last: number;
  /** The values of the fields of a joint, as JSON. */
  readonly values: ReadonlySet<string>;
}

/**
 * Fields whose values together are distinct: their places are the digits of one number, and these numbers are
 * permuted. A junction of a resource with itself leads to two different records.
 */
export class Joint {
  readonly dimensions: readonly Dimension[];
  readonly key: Key;
  readonly mayBePair: boolean;
  private others: OtherRecords | undefined;
  /** From where on what is free is looked for, for each place of a fixed dimension. */
  private readonly next = new Map<number | undefined, number>();
  private readonly given = new Map<number, number>();
  private readonly limits: (readonly [Dimension, () => number])[] = [];

  constructor(dimensions: readonly Dimension[], key: Key, mayBePair: boolean) {
    this.dimensions = dimensions;
    this.key = key;
    this.mayBePair = mayBePair;
  }

  /** Keeps to so many places of a dimension. */
  limit(dimension: Dimension, most: () => number): void {
    this.limits.push([dimension, most]);
  }

  private get isPair(): boolean {
    return this.mayBePair && (this.dimensions[0]?.size ?? 0) > 1;
  }

  /** How many rows can be told apart; without the dimension `fixed`, for each of its places. */
  capacity(fixed?: Dimension): number {
    return product(this.sizes(fixed));
  }

  /** How many places each dimension has beside a fixed one, which has one; asked anew, since records come and go. */
  private sizes(fixed: Dimension | undefined): readonly number[] {
    const { dimensions, isPair, limits } = this;
    let open = largestPermutation;
    return dimensions.map((dimension, index) => {
      const least = limits.reduce(
        (size, [of, most]) => (of === dimension ? Math.min(size, most()) : size),
        dimension.size,
      );
      const wanted = isPair && index === 1 ? least - 1 : least;
      const size = Math.max(0, Math.min(wanted, Math.floor(open)));
      open = Math.max(1, open / Math.max(1, size));
      if (dimension === fixed) return 1;
      return isPair && index === 0 && fixed === dimensions[1] ? Math.max(0, size - 1) : size;
    });
  }

  /** The fields whose values are distinct together. */
  get fields(): readonly Field[] {
    return this.dimensions.flatMap(({ fields }) => fields);
  }

  /** The places of a row, counted from 0; where there are no more, those of another one. */
  places(row: number): readonly number[] {
    return this.placesAt(this.indexOf(row));
  }

  /** Whether a row has places of its own. */
  has(row: number): boolean {
    return this.indexOf(row) < this.capacity();
  }

  /**
   * Beside records that are there, which other counts or people may have made, the rows that come get in turn the places
   * whose values none of these has; they have to be asked for in their order. Without such records each row has its own.
   */
  avoid(others: OtherRecords | undefined): void {
    this.others = others;
    this.next.clear();
    this.given.clear();
  }

  private placesAt(index: number): readonly number[] {
    return this.placesBy(this.key, index);
  }

  /** Which of all places a row has; beyond the last one, where there are no more. */
  indexOf(row: number): number {
    return this.freeIndex(row, row, (index) => this.placesAt(index));
  }

  private freeIndex(
    row: number,
    usual: number,
    placesAt: (index: number) => readonly number[],
    fixed?: Dimension,
    place?: number,
  ): number {
    const { others, given, next } = this;
    if (others === undefined || row < others.last) return usual;
    let index = given.get(row);
    if (index !== undefined) return index;
    const isTaken = (places: readonly number[]): boolean =>
      others.values.has(JSON.stringify(this.valuesOf(places)));
    const capacity = this.capacity(fixed);
    index = next.get(place) ?? 0;
    while (index < capacity && isTaken(placesAt(index))) index += 1;
    next.set(place, index + 1);
    given.set(row, index);
    return index;
  }

  private valuesOf(places: readonly number[]): readonly JsonValue[] {
    return this.dimensions.flatMap(({ fields, valueAt }, dimension) =>
      fields.map((field) => valueAt(places[dimension] ?? 0, field)),
    );
  }

  /** The places of a row that is the `index`-th of those with `place` in the dimension `fixed`. */
  placesWithin(fixed: Dimension, place: number, index: number, row: number): readonly number[] {
    const key = {
      high: this.key.high ^ Math.imul(place + 1, 0x9e3779b1),
      low: this.key.low + place,
    };
    const placesAt = (one: number): readonly number[] => this.placesBy(key, one, fixed, place);
    return placesAt(this.freeIndex(row, index, placesAt, fixed, place));
  }

  private placesBy(key: Key, index: number, fixed?: Dimension, place = 0): readonly number[] {
    const sizes = this.sizes(fixed);
    let rest = permuted(index, product(sizes), key);
    const digits = this.dimensions.map((dimension, at) => {
      if (dimension === fixed) return place;
      const size = Math.max(1, sizes[at] ?? 0);
      const digit = rest % size;
      rest = Math.floor(rest / size);
      return digit;
    });
    if (!this.isPair) return digits;
    const [first = 0, second = 0, ...others] = digits;
    // The second one passes over the first; where it is fixed, the first passes over it.
    if (fixed !== undefined && fixed === this.dimensions[1])
      return [first >= second ? first + 1 : first, second, ...others];
    return [first, second >= first ? second + 1 : second, ...others];
  }
}

function product(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all * size, 1);
}

/** Both keys of a junction of a resource with itself. */
export function isOwnPair(
  a: Dimension | undefined,
  b: Dimension | undefined,
  resources: Iterable<Resource>,
): boolean {
  const [first, second] = [a?.fields[0], b?.fields[0]];
  for (const other of resources)
    for (const relation of other.relations.values())
      if (
        relation.kind === 'belongsToMany' &&
        relation.owner === relation.target &&
        [relation.ownerKey, relation.targetKey].every((key) => key === first || key === second)
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
      return idField.type.kind === 'string' ? String(id) : id;
    },
  };
}
