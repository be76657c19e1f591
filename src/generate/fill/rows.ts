import type { Field, Resource } from '../../model/api.ts';
import type { JsonValue, ResourceSpecification } from '../../specification/specification.ts';
import { besideOf, inRounds } from './beside.ts';
import { distinctLists, tellingPart } from '../distinct/distinct.ts';
import { Groups, perKeyOf } from '../distinct/groups.ts';
import { idOf } from '../ids.ts';
import {
  isOwnPair,
  isWrittenNullable,
  Joint,
  keyDimension,
  morphsOf,
  ownerDimension,
  valueDimension,
  type Dimension,
  type Universe,
} from '../distinct/joint.ts';
import { FieldMaker, type Workshop } from '../maker.ts';
import { GenerationProblem } from '../problem.ts';
import { keyOf, Random, type Key } from '../random.ts';
import { RowValues } from '../row-values.ts';
import type { Source } from '../source.ts';
import { nothingStored, type Stand } from './stored.ts';
import { branchOf, ownerOf, parentOf } from './tree.ts';

/** What the rows of one resource need of the others. */
export interface World extends Workshop {
  readonly resources: () => Iterable<Resource>;
  readonly universe: (resource: Resource, from: Resource) => Universe;
  /** Of a resource that says `per` and is not counted otherwise. */
  readonly isGrouped: (resource: Resource) => boolean;
  readonly specificationOf: (resource: Resource) => ResourceSpecification;
}

/** The part of the keys that are null where the file says that they may be. */
const nullKeys = 0.1;

type Make = (row: RowValues) => JsonValue;
type PlaceOf = (row: RowValues) => number | null;
type Places = ReadonlyMap<Field, readonly [Dimension, PlaceOf]>;

/** The rows of one resource: any of them can be made without the others. */
export class ResourceRows {
  readonly resource: Resource;
  readonly fields: readonly Field[];
  readonly makers = new Map<Field, FieldMaker>();
  private readonly world: World;
  private readonly makes: readonly Make[];
  private readonly positions: ReadonlyMap<string, number>;
  private readonly keys = new Map<string, Key>();
  private readonly random = new Random();
  private readonly joints: Joint[] = [];
  /** The keys, pairs and values that are distinct among all rows, by which each row has its own. */
  readonly distinct: Joint[] = [];
  /** Those of them that come again when all have come: what repeats itself may tell those rows apart. */
  private readonly rounds: Joint[] = [];
  private readonly capacities: (() => number)[] = [];
  private readonly groupCaps: (() => number)[] = [];
  private grouping: Groups | undefined;
  /** The key of the records that these rows are counted by. */
  readonly perKey: Field | undefined;
  /** What is there before rows are made. */
  stand: Stand = nothingStored;

  constructor(resource: Resource, world: World) {
    this.resource = resource;
    this.world = world;
    this.fields = [...resource.fields.values()];
    this.positions = new Map(this.fields.map(({ name }, position) => [name, position]));
    this.perKey = world.isGrouped(resource)
      ? perKeyOf(resource, world.specificationOf(resource).generate?.per)
      : undefined;
    for (const field of this.fields)
      if (field !== resource.id)
        this.makers.set(field, new FieldMaker(field, this.pathOf(field), field.name, world));
    const places = this.planPlaces();
    this.makes = this.fields.map((field) => this.makeOf(field, places));
  }

  private pathOf(field: Field): readonly string[] {
    return ['resources', this.resource.name, 'fields', field.name];
  }

  /** How many rows there can be; the reason why not more is that they could not be told apart. */
  get capacity(): number {
    return Math.min(
      ...this.ownMakers().map(({ capacity }) => capacity),
      ...this.capacities.map((capacity) => capacity()),
    );
  }

  /** How many rows are told apart whatever repeats itself. */
  get sureCapacity(): number {
    return Math.min(this.capacity, ...this.rounds.map((joint) => joint.capacity()));
  }

  /** The fields that have a value of their own in fewer than so many rows, and how many values these are. */
  narrowFields(count: number): readonly (readonly [Field, number])[] {
    return this.ownMakers().flatMap(({ field, distinctValues }) =>
      distinctValues < count ? [[field, distinctValues] as const] : [],
    );
  }

  ownMakers(): readonly FieldMaker[] {
    return [...this.makers.values()].filter(({ field }) => !this.isPlaced(field));
  }

  private isPlaced(field: Field): boolean {
    return (
      (field.reference !== undefined && this.makers.get(field)?.custom === undefined) ||
      this.isOfOwner(field) ||
      this.joints.some(({ dimensions }) => dimensions.some(({ fields }) => fields.includes(field)))
    );
  }

  private isOfOwner(field: Field): boolean {
    return morphsOf(this.resource).some(
      ({ idField, typeField }) => idField === field || typeField === field,
    );
  }

  /** What the values of a field are made by. */
  sourceOf(field: Field): Pick<Source, 'name' | 'args'> {
    if (field === this.resource.id) return { name: 'id' };
    if (this.isOfOwner(field)) return { name: 'owner' };
    const maker = this.makers.get(field);
    if (field.reference !== undefined && maker?.custom === undefined) return { name: 'reference' };
    return maker?.source ?? { name: field.type.name };
  }

  /** The groups of rows that come, of a resource that says `per`: what each owner has not yet. */
  get groups(): Groups | undefined {
    const { perKey, resource, world } = this;
    if (perKey?.reference === undefined) return undefined;
    if (this.grouping !== undefined) return this.grouping;
    const { min = 0, max = Math.max(min, 9) } = world.specificationOf(resource).generate ?? {};
    const most = Math.min(max, ...this.groupCaps.map((cap) => cap()));
    const least = Math.min(min, most);
    const key = keyOf(world.seed, resource.name, 'per');
    const { field, resource: target } = perKey.reference;
    const owners = world.universe(target, resource);
    const { owned } = this.stand;
    this.grouping = new Groups(owners.size, (owner) => {
      const size = this.random.start(key, owners.numberAt(owner)).between(least, most);
      if (owned.size === 0) return size;
      return Math.max(0, size - (owned.get(owners.valueAt(owner, field)) ?? 0));
    });
    return this.grouping;
  }

  /** Counts the groups anew when they are next asked for. */
  forget(): void {
    this.grouping = undefined;
  }

  private groupOf(number: number): ReturnType<Groups['locate']> | undefined {
    return this.groups?.locate(number - 1 - this.stand.last);
  }

  row(number: number): RowValues {
    return new RowValues(this, number);
  }

  make(row: RowValues, position: number): JsonValue {
    const make = this.makes[position];
    if (make === undefined) throw new TypeError(`${this.resource.name} has no such field`);
    return make(row);
  }

  positionOf(name: string): number | undefined {
    return this.positions.get(name);
  }

  circle(position: number): GenerationProblem {
    const field = this.fields[position];
    const path = field === undefined ? ['resources', this.resource.name] : this.pathOf(field);
    return new GenerationProblem(path, 'its generator asks for a value that is made from its own');
  }

  /** Makes another value of the row, and goes on with what is drawn for this one. */
  keeping<Value>(make: () => Value): Value {
    return this.world.words.random.keeping(make);
  }

  aside<Value>(concept: string, row: number, draw: (random: Random) => Value): Value {
    let key = this.keys.get(concept);
    if (key === undefined) {
      key = keyOf(this.world.seed, this.resource.name, '~', concept);
      this.keys.set(concept, key);
    }
    const { random } = this.world.words;
    return random.aside(key, row, () => draw(random));
  }

  /** Which record, owner or value each row has of what is not drawn by a maker. */
  private planPlaces(alone: readonly (readonly Field[])[] = []): Places {
    const { resource, world, joints, distinct, rounds, capacities, groupCaps } = this;
    for (const found of [joints, distinct, rounds, capacities, groupCaps]) found.length = 0;
    const places = new Map<Field, readonly [Dimension, PlaceOf]>();
    const put = (one: Dimension, placeOf: PlaceOf): void => {
      for (const field of one.fields) places.set(field, [one, placeOf]);
    };
    const dimensions = this.dimensions();
    // Where rows are counted by records, what is not told apart for sure takes what the other lists leave.
    const isLate = (list: readonly Field[]): boolean =>
      this.perKey !== undefined && tellingPart(list, dimensions, this.makers).list !== list;
    const lists = [...alone, ...distinctLists(resource, world.resources())];
    for (const whole of lists.toSorted((a, b) => Number(isLate(a)) - Number(isLate(b)))) {
      if (whole.some((field) => field === resource.id || this.isDistinctAlone(field, dimensions)))
        continue;
      const { list, loose } = tellingPart(whole, dimensions, this.makers);
      const isSure = list === whole && (list.length > 1 || !alone.includes(whole));
      if (loose !== undefined) {
        loose.makeDistinct();
        continue;
      }
      const members = [
        ...new Set(
          list.map(
            (field) =>
              dimensions.get(field) ?? valueDimension(field, () => this.makers.get(field)?.pool),
          ),
        ),
      ].map((member) => member.others ?? member);
      const isPlaced = ({ fields }: Dimension): boolean => fields.some((one) => places.has(one));
      // By whom rows are counted is the same in every list.
      const isPart = members.some((one) => isPlaced(one) && !this.isPer(one));
      const free = members.filter((one) => !isPlaced(one) || (this.isPer(one) && !isPart));
      const branch = free.find((one) => this.isOfTree(one));
      const others = free.filter((one) => !this.isOfTree(one));
      const isPlain = this.perKey === undefined && branch === undefined;
      // All of these are distinct where some are already.
      const isKnown = distinct.some(({ fields }) => fields.every((one) => list.includes(one)));
      const place = isKnown ? inRounds : besideOf;
      const beside = isPlain ? place(members, free, isKnown ? rounds : joints) : undefined;
      if (beside !== undefined) {
        distinct.push(beside.joint);
        capacities.push(() => beside.joint.capacity());
        put(beside.free, ({ number }) => beside.placeAt(number - 1));
        continue;
      }
      if (isKnown) continue;
      // What another list has placed already stays; then one more that is distinct by itself does.
      const joined = isPart ? others.slice(0, 1) : others;
      if (joined.length === 0) {
        // Where each has its place by another list, this one has to come first, or one of them once in all.
        const kept = members.filter(({ fields }) => fields.every((one) => list.includes(one)));
        const own = kept.findLast((one) => !this.isOfTree(one) && !this.isPer(one));
        const isFirst = isPlain && !alone.includes(whole);
        if (branch === undefined && own !== undefined && isSure)
          return this.planPlaces([isFirst ? whole : own.fields, ...alone]);
        if (branch !== undefined)
          put(
            branch,
            this.branchPlace(branch, () => 1),
          );
        continue;
      }
      const key = keyOf(world.seed, resource.name, 'joint', joints.length);
      const joint = new Joint(joined, key, isOwnPair(joined[0], joined[1], world.resources()));
      joints.push(joint);
      for (const [index, dimension] of joined.entries())
        put(dimension, (row) => this.jointPlaces(joint, row)[index] ?? null);
      const per = joined.find((one) => this.isPer(one));
      const tree = isPart ? undefined : branch;
      const capacity = (): number => joint.capacity(per);
      // With a key to the own table they are only distinct where that is the same.
      const isTold = tree === undefined && isSure;
      const most = isTold ? capacity : () => (capacity() === 0 ? 0 : Infinity);
      (per === undefined ? capacities : groupCaps).push(most);
      const isRound = tree === undefined && per === undefined && !isSure;
      if (isRound) rounds.push(joint);
      if (isTold || isRound) distinct.push(joint);
      if (tree !== undefined) put(tree, this.branchPlace(tree, capacity));
    }
    for (const dimension of new Set(dimensions.values())) {
      const fields = dimension.fields.filter((field) => !places.has(field));
      const place = fields.length > 0 ? this.freePlace(dimension) : () => null;
      for (const field of fields) places.set(field, [dimension, place]);
    }
    return places;
  }

  private isDistinctAlone(field: Field, dimensions: ReadonlyMap<Field, Dimension>): boolean {
    if (field.unique) return true;
    return !dimensions.has(field) && this.makers.get(field)?.isDistinctValue === true;
  }

  private isPer({ fields }: Dimension): boolean {
    return this.perKey !== undefined && fields.includes(this.perKey);
  }

  /** Whether it leads to the own table alone, and rows are not counted by it. */
  private isOfTree({ fields: [field], ownFrom, others }: Dimension): boolean {
    if (ownFrom !== undefined) return others === undefined;
    return field !== this.perKey && field?.reference?.resource === this.resource;
  }

  /** The keys and morph pairs that lead to other records. */
  private dimensions(): ReadonlyMap<Field, Dimension> {
    const found = new Map<Field, Dimension>();
    for (const field of this.fields) {
      const { reference } = field;
      if (reference === undefined || this.makers.get(field)?.custom !== undefined) continue;
      found.set(field, keyDimension(field, reference, this.world));
    }
    for (const morph of morphsOf(this.resource)) {
      if (found.has(morph.idField)) continue;
      const dimension = ownerDimension(morph, this.world);
      found.set(morph.typeField, dimension);
      found.set(morph.idField, dimension);
    }
    return found;
  }

  private jointPlaces(joint: Joint, row: RowValues): readonly number[] {
    const per = joint.dimensions.find((one) => this.isPer(one));
    const group = per === undefined ? undefined : this.groupOf(row.number);
    if (per === undefined || group === undefined) return joint.places(row.number - 1);
    return joint.placesWithin(per, group.owner, group.index, row.number - 1);
  }

  /** The place of a key or pair that is bound to nothing else; both halves of a pair have the same. */
  private freePlace(dimension: Dimension): PlaceOf {
    const [field] = dimension.fields;
    const name = dimension.fields.map((one) => one.name).join(' ');
    const key = keyOf(this.world.seed, this.resource.name, name);
    const nullable = dimension.fields.every((one) => one.nullable);
    const mayBeNull =
      nullable && dimension.fields.some((one) => isWrittenNullable(one, this.world));
    const isUnique = dimension.fields.some((one) => one.unique);
    if (field && field === this.perKey) {
      if (isUnique) this.groupCaps.push(() => 1);
      return (row) => this.groupOf(row.number)?.owner ?? null;
    }
    if (this.isOfTree(dimension)) return this.treePlace(nullable, isUnique, key);
    if (isUnique) {
      const { others = dimension } = dimension;
      const joint = new Joint([others], key, false);
      this.distinct.push(joint);
      if (!nullable) this.capacities.push(() => others.size);
      return ({ number }) =>
        nullable && !joint.has(number - 1) ? null : (joint.places(number - 1)[0] ?? null);
    }
    if (!nullable && dimension.ownFrom === undefined)
      this.capacities.push(() => (dimension.size === 0 ? 0 : Infinity));
    return ({ number }) => {
      const { size } = dimension;
      const earlier = this.earlierRows(number);
      this.random.start(key, number);
      if (size === 0 || (mayBeNull && this.random.chance(nullKeys))) return null;
      return ownerOf(dimension, number - 1, earlier, nullable, this.random);
    };
  }

  /** A key to the own table leads to an earlier row, of the same group where there are groups: so no circle closes. */
  private treePlace(isNullable: boolean, isUnique: boolean, key: Key): PlaceOf {
    return ({ number }) => {
      const earlier = this.earlierRows(number);
      this.random.start(key, number);
      return parentOf(number - 1, earlier, { isNullable, isUnique }, this.random);
    };
  }

  /** The same for a key that is distinct together with what has so many values. */
  private branchPlace({ fields }: Dimension, capacity: () => number): PlaceOf {
    const nullable = fields.every((field) => field.nullable);
    return ({ number }) => {
      const earlier = Math.min(this.earlierRows(number), number - 1 - this.stand.last);
      const branch = branchOf(earlier, capacity(), nullable);
      if (branch === undefined) return nullable ? null : number - 1;
      return number - 1 - earlier + branch;
    };
  }

  /** How many rows a key to the own table may lead to: none of which some may not be there. */
  private earlierRows(number: number): number {
    const { isWhole, last } = this.stand;
    const earlier = this.groupOf(number)?.index ?? number - 1;
    return Math.min(earlier, number - 1 - (isWhole ? 0 : last));
  }

  private makeOf(field: Field, places: Places): Make {
    const { resource, world } = this;
    if (field === resource.id) return ({ number }) => idOf(resource, number, world.seed);
    const placed = places.get(field);
    if (placed !== undefined) {
      const [dimension, placeOf] = placed;
      return (row) => {
        const place = placeOf(row);
        return place === null ? null : dimension.valueAt(place, field);
      };
    }
    const maker = this.makers.get(field);
    if (maker === undefined) throw new TypeError(`${field.name} has no maker`);
    return (row) => maker.make(row);
  }
}
