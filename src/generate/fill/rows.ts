import type { Field, Resource } from '../../model/api.ts';
import type { JsonValue, ResourceSpecification } from '../../specification/specification.ts';
import { DistinctPlaces, type DistinctFields } from '../distinct/distinct-places.ts';
import { JointFields, type Member } from '../distinct/joint-fields.ts';
import { connectedLists, distinctLists } from '../distinct/lists.ts';
import { Groups, perKeyOf } from '../distinct/groups.ts';
import { idOf } from '../ids.ts';
import {
  isOwnPair,
  isWrittenNullable,
  keyDimension,
  morphsOf,
  ownerDimension,
  valueDimension,
  type Dimension,
  type Universe,
} from '../distinct/dimensions.ts';
import { FieldMaker, type Workshop } from '../maker.ts';
import { GenerationProblem, unlessProblem } from '../problem.ts';
import { keyOf, Random, type Key } from '../random.ts';
import { RowValues } from '../row-values.ts';
import type { Source } from '../source.ts';
import { nothingStored, type Stand } from './stored.ts';
import { ownerOf, parentOf } from './tree.ts';

/** What the rows of one resource need of the others. */
export interface World extends Workshop {
  readonly resources: () => Iterable<Resource>;
  /** How many rows a resource has. */
  readonly countOf: (resource: Resource) => number;
  readonly universe: (resource: Resource, from: Resource) => Universe;
  /** Of a resource that says `per` and is not counted otherwise. */
  readonly isGrouped: (resource: Resource) => boolean;
  readonly specificationOf: (resource: Resource) => ResourceSpecification;
}

/** The part of the keys that are null where the file says that they may be. */
const nullKeys = 0.1;

type Make = (row: RowValues) => JsonValue;
type PlaceOf = (row: RowValues) => number | null;

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
  /** The keys, pairs and values that are distinct among all rows. */
  readonly distinct: DistinctFields[] = [];
  private readonly jointFields = new Set<Field>();
  private readonly capacities: (() => number)[] = [];
  /** How many rows are told apart without values that a function of the file repeats. */
  private readonly sureCapacities: (() => number)[] = [];
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
    const placed = this.placedFields();
    this.makes = this.fields.map((field) => placed.get(field) ?? this.makeOf(field));
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
    return Math.min(this.capacity, ...this.sureCapacities.map((capacity) => capacity()));
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
      this.jointFields.has(field)
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

  /** Forgets what followed from the numbers of other records. */
  forget(): void {
    this.grouping = undefined;
    for (const distinct of this.distinct) distinct.avoid(undefined, 0);
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

  /** How the fields are made that no maker draws alone: keys, morph pairs, and what is distinct together. */
  private placedFields(): ReadonlyMap<Field, Make> {
    const { resource, world } = this;
    const placed = new Map<Field, Make>();
    const dimensions = this.dimensions();
    const lists = distinctLists(resource, world.resources()).filter(
      (list) => !list.some((field) => this.isDistinctBySelf(field, list, dimensions)),
    );
    for (const group of connectedLists(lists)) {
      const joint = this.jointOf(group, dimensions);
      for (const field of joint.fields) {
        this.jointFields.add(field);
        placed.set(field, ({ number }) => {
          const value = joint.valueOf(number, field);
          if (value === undefined) throw this.circle(this.fields.indexOf(field));
          return value;
        });
      }
    }
    for (const dimension of new Set(dimensions.values())) {
      const fields = dimension.fields.filter((field) => !placed.has(field));
      if (fields.length === 0) continue;
      const placeOf = this.freePlace(dimension);
      for (const field of fields)
        placed.set(field, (row) => {
          const place = placeOf(row);
          return place === null ? null : dimension.valueAt(place, field);
        });
    }
    return placed;
  }

  /** Whether a field of a list is distinct without the others; a text can be made so by a number. */
  private isDistinctBySelf(
    field: Field,
    list: readonly Field[],
    dimensions: ReadonlyMap<Field, Dimension>,
  ): boolean {
    if (field === this.resource.id || field.unique) return true;
    const maker = dimensions.has(field) ? undefined : this.makers.get(field);
    if (maker?.isEndless === true && !list.some((one) => one.unique)) maker.makeDistinct();
    return maker?.isDistinctValue === true;
  }

  /** Makes fields distinct together in lists that share fields, and counts how many rows can be told apart by each. */
  private jointOf(
    lists: readonly (readonly Field[])[],
    dimensions: ReadonlyMap<Field, Dimension>,
  ): JointFields {
    const { world, resource, perKey } = this;
    const members = new Map<Field, Member>();
    for (const field of new Set(lists.flat())) {
      if (members.has(field)) continue;
      const member = this.memberOf(field, dimensions.get(field));
      for (const one of member.fields) members.set(one, member);
    }
    const fields = [...members.keys()];
    const unequal = fields.flatMap((a, index) =>
      fields.slice(index + 1).flatMap((b): (readonly [Field, Field])[] => {
        const isOne = (dimensions.get(b)?.size ?? 0) < 2;
        return isOwnPair(a, b, world.resources()) && !isOne ? [[a, b]] : [];
      }),
    );
    for (const list of lists) {
      const own = [...new Set(list.flatMap((field) => members.get(field) ?? []))];
      const sizeOf = ({ choices, isSteady }: Member): number =>
        isSteady ? (choices?.(0).size ?? 1) : 1;
      const pair = unequal.find(([a, b]) => list.includes(a) && list.includes(b));
      const size = (): number => {
        const product = own.reduce((all, member) => all * sizeOf(member), 1);
        const targets = dimensions.get(pair?.[1] ?? resource.id)?.size ?? 0;
        return pair === undefined ? product : product - product / targets;
      };
      const isBounded = own.every(({ isSteady }) => isSteady);
      const isPer = perKey !== undefined && list.includes(perKey);
      (isPer ? this.groupCaps : this.capacities).push(
        isBounded ? size : () => (size() === 0 ? 0 : Infinity),
      );
      const repeats = own.filter(({ fields: [one] }) => one && this.makers.get(one)?.repeats);
      if (!isPer && repeats.length > 0 && repeats.length < own.length)
        this.sureCapacities.push(size);
    }
    const order = [...new Set(members.values())].toSorted(
      (a, b) => Number(b.isSteady) - Number(a.isSteady),
    );
    const joint = new JointFields(lists, order, unequal, {
      count: () => unlessProblem(() => world.countOf(resource)) ?? 0,
      ownerOf: (number) => this.groupOf(number)?.owner ?? 0,
    });
    this.distinct.push(joint);
    return joint;
  }

  /** How a field that is distinct together with others gets its values. */
  private memberOf(field: Field, dimension: Dimension | undefined): Member {
    const { world, resource, random } = this;
    const maker = this.makers.get(field);
    const key = keyOf(world.seed, resource.name, 'joint', field.name);
    if (dimension === undefined && maker !== undefined && maker.pool === undefined)
      return {
        fields: [field],
        draw: (number, attempt) => [maker.make(this.row(number), attempt)],
        isSteady: false,
      };
    const target = dimension?.others ?? dimension ?? valueDimension(field, () => maker?.pool);
    const { fields } = target;
    const valuesAt = (place: number | null): readonly JsonValue[] =>
      fields.map((one) => (place === null ? null : target.valueAt(place, one)));
    if (this.isPer(target))
      return {
        fields,
        draw: (number) => valuesAt(this.groupOf(number)?.owner ?? null),
        isSteady: true,
      };
    if (dimension !== undefined && this.isOfTree(dimension)) {
      const isNullable = fields.every((one) => one.nullable);
      return {
        fields,
        draw: (number, attempt) => {
          random.start(key, number, attempt);
          const earlier = this.earlierRows(number);
          const options = { isNullable, isUnique: false };
          return valuesAt(parentOf(number - 1, earlier, options, random));
        },
        // The latest rows are the ones to which the fewest lead.
        choices: (number) => ({
          size: this.earlierRows(number),
          at: (index) => valuesAt(number - 2 - index),
        }),
        isSteady: false,
      };
    }
    return {
      fields,
      draw: (number, attempt) =>
        valuesAt(target.size === 0 ? null : random.start(key, number, attempt).below(target.size)),
      choices: () => ({ size: target.size, at: valuesAt }),
      isSteady: true,
    };
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
      const places = new DistinctPlaces(others, key);
      this.distinct.push(places);
      if (!nullable) this.capacities.push(() => others.size);
      return ({ number }) =>
        nullable && places.indexOf(number) >= others.size ? null : places.placeOf(number);
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

  /** How many rows a key to the own table may lead to: none of which some may not be there. */
  private earlierRows(number: number): number {
    const { isWhole, last } = this.stand;
    const earlier = this.groupOf(number)?.index ?? number - 1;
    return Math.min(earlier, number - 1 - (isWhole ? 0 : last));
  }

  private makeOf(field: Field): Make {
    const { resource, world } = this;
    if (field === resource.id) return ({ number }) => idOf(resource, number, world.seed);
    const maker = this.makers.get(field);
    if (maker === undefined) throw new TypeError(`${field.name} has no maker`);
    return (row) => maker.make(row);
  }
}
