import type { Field, Resource } from '../model/api.ts';
import { idIn, partsOf } from '../model/field-types/composite-id.ts';
import type { JsonValue, ResourceSpecification } from '../specification/specification.ts';
import { DistinctPlaces, type DistinctFields } from './distinct/distinct-places.ts';
import { JointFields, type Member } from './distinct/joint-fields.ts';
import { connectedLists, distinctLists } from './distinct/lists.ts';
import { Groups, perKeyOf } from './distinct/groups.ts';
import { idOf, rowOfId } from './ids.ts';
import { createdAt, hasCreation, isMoment } from './kinds/moments.ts';
import {
  compositeDimension,
  emptyDimension,
  isOwnPair,
  isWrittenNullable,
  keyDimension,
  morphsOf,
  ownerDimension,
  valueDimension,
  type Dimension,
  type KeyTargets,
} from './distinct/dimensions.ts';
import { FieldGenerator, type FieldContext } from './field-generator.ts';
import { GenerationProblem, unlessProblem } from './problem.ts';
import { keyOf, Random, type Key } from './random.ts';
import { RowValues } from './row-values.ts';
import type { Times } from './settings.ts';
import type { Source } from './source.ts';
import { nothingStored, type StoredRows } from './fill/stored.ts';

/** What the rows of one resource need to know of the others. */
export interface RowContext extends FieldContext {
  readonly resources: () => Iterable<Resource>;
  /** How many rows a resource has. */
  readonly countOf: (resource: Resource) => number;
  readonly isCounting: () => boolean;
  readonly keyTargets: (resource: Resource, from: Resource) => KeyTargets;
  /** Whether rows are counted by `per`, and no count overrides it. */
  readonly isGrouped: (resource: Resource) => boolean;
  readonly specificationOf: (resource: Resource) => ResourceSpecification;
  readonly rowsOf: (resource: Resource) => ResourceRows;
  /** Whether the records of a resource are filled before those of another, so that no circle of keys leads back. */
  readonly isBefore: (resource: Resource, other: Resource) => boolean;
}

/** The share of nulls in keys with `nullable: true`. */
const nullKeys = 0.1;

type Make = (row: RowValues) => JsonValue;
type PlaceOf = (row: RowValues) => number | null;
/** The row that a row belongs to by one of its keys. */
/** A record that a row belongs to. */
interface Owner {
  readonly rows: ResourceRows;
  readonly number: number;
}

type OwnerOf = (row: RowValues) => Owner | undefined;

/** Of how many rows of a resource the moments of creation are remembered. */
const mostRemembered = 2_000;

/** Generates the rows of one resource. */
export class ResourceRows {
  readonly resource: Resource;
  readonly fields: readonly Field[];
  readonly fieldGenerators = new Map<Field, FieldGenerator>();
  private readonly context: RowContext;
  private readonly makes: readonly Make[];
  private readonly positions: ReadonlyMap<string, number>;
  private readonly keys = new Map<string, Key>();
  private readonly random = new Random();
  /** The keys, pairs and values that are distinct among all rows. */
  readonly distinct: DistinctFields[] = [];
  private readonly jointFields = new Set<Field>();
  /** The fields that are made as parts of a key of several. */
  private readonly keyParts = new Set<Field>();
  /** The fields that are distinct together with a moment. */
  private readonly momentLists = new Set<Field>();
  private ownerList: readonly OwnerOf[] | undefined;
  private readonly capacities: (() => number)[] = [];
  /** How many rows are told apart without values that a function of the file repeats. */
  private readonly sureCapacities: (() => number)[] = [];
  private readonly groupCaps: (() => number)[] = [];
  private grouping: Groups | undefined;
  private readonly created = new Map<number, number>();
  /** The key to the records that `per` counts rows by. */
  readonly perKey: Field | undefined;
  /** The records that were stored before. */
  storedRows: StoredRows = nothingStored;

  constructor(resource: Resource, context: RowContext) {
    this.resource = resource;
    this.context = context;
    this.fields = [...resource.fields.values()];
    this.positions = new Map(this.fields.map(({ name }, position) => [name, position]));
    this.perKey = context.isGrouped(resource)
      ? perKeyOf(resource, context.specificationOf(resource).generate?.per)
      : undefined;
    const { locale } = context.specificationOf(resource).generate ?? {};
    const words = locale === undefined ? context.words : context.wordsIn(locale);
    for (const field of this.fields)
      if (field !== resource.id)
        this.fieldGenerators.set(
          field,
          new FieldGenerator(field, this.pathOf(field), field.name, context, words),
        );
    const placed = this.placedFields();
    this.makes = this.fields.map((field) => placed.get(field) ?? this.makeOf(field));
  }

  private pathOf(field: Field): readonly string[] {
    return ['resources', this.resource.name, 'fields', field.name];
  }

  /** The greatest number of rows with distinct values. */
  get capacity(): number {
    return Math.min(
      ...this.ownMakers().map(({ capacity }) => capacity),
      ...this.capacities.map((capacity) => capacity()),
    );
  }

  /** The same, even if functions of the file repeat values. */
  get sureCapacity(): number {
    return Math.min(this.capacity, ...this.sureCapacities.map((capacity) => capacity()));
  }

  /** The unique fields with fewer values than `count`, with the number of their values. */
  narrowFields(count: number): readonly (readonly [Field, number])[] {
    return this.ownMakers().flatMap(({ field, distinctValues }) =>
      distinctValues < count ? [[field, distinctValues] as const] : [],
    );
  }

  ownMakers(): readonly FieldGenerator[] {
    return [...this.fieldGenerators.values()].filter(({ field }) => !this.isPlaced(field));
  }

  private isPlaced(field: Field): boolean {
    return (
      (field.reference !== undefined && this.fieldGenerators.get(field)?.custom === undefined) ||
      this.isOfOwner(field) ||
      this.keyParts.has(field) ||
      this.jointFields.has(field)
    );
  }

  private isOfOwner(field: Field): boolean {
    return morphsOf(this.resource).some(
      ({ idField, typeField }) => idField === field || typeField === field,
    );
  }

  /** The source of a field, for `_inspect=data`. */
  sourceOf(field: Field): Pick<Source, 'name' | 'args'> {
    if (field === this.resource.id) return { name: 'id' };
    if (this.isOfOwner(field)) return { name: 'owner' };
    const fieldGenerator = this.fieldGenerators.get(field);
    const isKey = field.reference !== undefined || this.keyParts.has(field);
    if (isKey && fieldGenerator?.custom === undefined) return { name: 'reference' };
    return fieldGenerator?.source ?? { name: field.type.name };
  }

  /** For a resource with `per`, the rows that each owner still lacks. */
  get groups(): Groups | undefined {
    const { perKey, resource, context } = this;
    if (perKey?.reference === undefined) return undefined;
    if (this.grouping !== undefined) return this.grouping;
    const { min = 0, max = Math.max(min, 9) } = context.specificationOf(resource).generate ?? {};
    const most = Math.min(max, ...this.groupCaps.map((cap) => cap()));
    const least = Math.min(min, most);
    const key = keyOf(context.seed, resource.name, 'per');
    const { field, resource: target } = perKey.reference;
    const owners = context.keyTargets(target, resource);
    const { owned } = this.storedRows;
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
    this.created.clear();
    for (const distinct of this.distinct) distinct.avoid(undefined, 0);
  }

  private groupOf(number: number): ReturnType<Groups['locate']> | undefined {
    return this.groups?.locate(number - 1 - this.storedRows.last);
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

  get times(): Times {
    return this.context.words.times;
  }

  /** When the latest of the records was created that a row belongs to. */
  ownersCreated(row: RowValues): number {
    this.ownerList ??= this.owners();
    let latest = -Infinity;
    for (const ownerOf of this.ownerList) {
      const owner = ownerOf(row);
      const created = owner && unlessProblem(() => owner.rows.createdOf(owner.number));
      if (created !== undefined && created > latest) latest = created;
    }
    return latest;
  }

  /**
   * When a row was created. It is remembered: each row asks for that of all that it belongs to, and these for theirs, so
   * fifty resources in a ring took minutes.
   */
  createdOf(number: number): number {
    const known = this.created.get(number);
    if (known !== undefined) return known;
    const created = createdAt(this.row(number));
    // What is drawn while records are counted may come out otherwise later.
    if (this.context.isCounting()) return created;
    if (this.created.size >= mostRemembered) this.created.clear();
    this.created.set(number, created);
    return created;
  }

  /**
   * The keys and pairs to records that have a moment of creation. Those that could lead back to the row are left out, and
   * those that are distinct together with a moment, which would wait for itself.
   */
  private owners(): readonly OwnerOf[] {
    const { resource, context, momentLists } = this;
    const isDrawn = (field: Field): boolean =>
      this.fieldGenerators.get(field)?.custom === undefined && !momentLists.has(field);
    const rowOf = (target: Resource, value: JsonValue, row: RowValues): Owner | undefined => {
      const number = value === null ? undefined : rowOfId(target, value, context.seed);
      const isLater = target === resource && (number ?? 0) >= row.number;
      return number === undefined || isLater ? undefined : { rows: context.rowsOf(target), number };
    };
    const isOwner = (target: Resource): boolean =>
      hasCreation(target) && (target === resource || context.isBefore(target, resource));
    const valueOf = (row: RowValues, field: Field): JsonValue => row.sibling(field.name) ?? null;
    const keys = this.fields.flatMap((field): OwnerOf[] => {
      const target = field.reference?.resource;
      const isId = target !== undefined && field.reference?.field === target.id;
      // Of a unique key to the own table, each row leads to the one before: the chain would be as long as the table.
      const isChain = target === resource && (field.unique || field === this.perKey);
      if (!isId || isChain || !isDrawn(field) || !isOwner(target)) return [];
      return [(row) => rowOf(target, valueOf(row, field), row)];
    });
    const pairs = morphsOf(resource)
      .filter(({ typeField, idField }) => isDrawn(typeField) && isDrawn(idField))
      .map(({ typeField, idField, targets }): OwnerOf => (row) => {
        const target = targets.get(String(valueOf(row, typeField)));
        if (target === undefined || !isOwner(target)) return undefined;
        const value = valueOf(row, idField);
        const isCounted = target.id.type.kind !== 'string' && typeof value === 'string';
        return rowOf(target, isCounted ? Number(value) : value, row);
      });
    return [...keys, ...pairs];
  }

  /** Generates another value of the row without disturbing the present draws. */
  keeping<Value>(make: () => Value): Value {
    return this.context.words.random.keeping(make);
  }

  shared<Value>(concept: string, row: number, draw: (random: Random) => Value): Value {
    let key = this.keys.get(concept);
    if (key === undefined) {
      key = keyOf(this.context.seed, this.resource.name, '~', concept);
      this.keys.set(concept, key);
    }
    const { random } = this.context.words;
    return random.drawFrom(key, row, () => draw(random));
  }

  /** How the fields are made that no fieldGenerator draws alone: keys, morph pairs, and what is distinct together. */
  private placedFields(): ReadonlyMap<Field, Make> {
    const { resource, context } = this;
    const placed = new Map<Field, Make>();
    const dimensions = this.dimensions();
    const lists = distinctLists(resource, context.resources()).filter(
      (list) => !list.some((field) => this.isDistinctBySelf(field, list, dimensions)),
    );
    for (const group of connectedLists(lists)) {
      const joint = this.jointOf(group, dimensions);
      for (const field of joint.fields) {
        this.jointFields.add(field);
        if (group.flat().some(isMoment)) this.momentLists.add(field);
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
    const fieldGenerator = dimensions.has(field) ? undefined : this.fieldGenerators.get(field);
    if (fieldGenerator?.isEndless === true && !list.some((one) => one.unique))
      fieldGenerator.makeDistinct();
    return fieldGenerator?.isDistinctValue === true;
  }

  /** Makes fields distinct together in lists that share fields, and counts how many rows can be told apart by each. */
  private jointOf(
    lists: readonly (readonly Field[])[],
    dimensions: ReadonlyMap<Field, Dimension>,
  ): JointFields {
    const { context, resource, perKey } = this;
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
        return isOwnPair(a, b, context.resources()) && !isOne ? [[a, b]] : [];
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
      const repeats = own.filter(
        ({ fields: [one] }) => one && this.fieldGenerators.get(one)?.repeats,
      );
      if (!isPer && repeats.length > 0 && repeats.length < own.length)
        this.sureCapacities.push(size);
    }
    const order = [...new Set(members.values())].toSorted(
      (a, b) => Number(b.isSteady) - Number(a.isSteady),
    );
    const joint = new JointFields(lists, order, unequal, {
      count: () => unlessProblem(() => context.countOf(resource)) ?? 0,
      ownerOf: (number) => this.groupOf(number)?.owner ?? 0,
    });
    this.distinct.push(joint);
    return joint;
  }

  /** How a field that is distinct together with others gets its values. */
  private memberOf(field: Field, dimension: Dimension | undefined): Member {
    const { context, resource, random } = this;
    const fieldGenerator = this.fieldGenerators.get(field);
    const key = keyOf(context.seed, resource.name, 'joint', field.name);
    if (
      dimension === undefined &&
      fieldGenerator !== undefined &&
      fieldGenerator.pool === undefined
    )
      return {
        fields: [field],
        draw: (number, attempt) => [fieldGenerator.make(this.row(number), attempt)],
        isSteady: false,
      };
    const target =
      dimension?.others ?? dimension ?? valueDimension(field, () => fieldGenerator?.pool);
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

  /** Whether it leads only to its own table, and rows are not counted by it. */
  private isOfTree({ fields: [field], ownFrom, others }: Dimension): boolean {
    if (ownFrom !== undefined) return others === undefined;
    return field !== this.perKey && field?.reference?.resource === this.resource;
  }

  /** The keys and morph pairs that lead to other records. */
  private dimensions(): ReadonlyMap<Field, Dimension> {
    const found = new Map<Field, Dimension>();
    for (const field of this.fields) {
      const { reference } = field;
      if (reference === undefined || this.fieldGenerators.get(field)?.custom !== undefined)
        continue;
      found.set(field, keyDimension(field, reference, this.context));
    }
    for (const key of this.resource.compositeKeys) {
      const target = key.reference?.resource;
      if (target === undefined) continue;
      const isTaken = (part: Field): boolean =>
        found.has(part) || this.fieldGenerators.get(part)?.custom !== undefined;
      const parts = partsOf(key);
      // A key that shares a field with another one, or leads to its own table, is null if it may be.
      const isFree = target !== this.resource && !parts.some(isTaken);
      const dimension = isFree
        ? compositeDimension(key, target, this.context)
        : emptyDimension(parts.filter((part) => part.nullable && !isTaken(part)));
      for (const part of dimension.fields) {
        found.set(part, dimension);
        this.keyParts.add(part);
      }
    }
    for (const morph of morphsOf(this.resource)) {
      if (found.has(morph.idField)) continue;
      const dimension = ownerDimension(morph, this.context);
      found.set(morph.typeField, dimension);
      found.set(morph.idField, dimension);
    }
    return found;
  }

  /** The target of a key or morph pair that is not jointly unique. */
  private freePlace(dimension: Dimension): PlaceOf {
    const [field] = dimension.fields;
    const name = dimension.fields.map((one) => one.name).join(' ');
    const key = keyOf(this.context.seed, this.resource.name, name);
    const nullable = dimension.fields.every((one) => one.nullable);
    const mayBeNull =
      nullable && dimension.fields.some((one) => isWrittenNullable(one, this.context));
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

  /** A key to the own table leads to an earlier row, in the same group with `per`, so there are no cycles. */
  private treePlace(isNullable: boolean, isUnique: boolean, key: Key): PlaceOf {
    return ({ number }) => {
      const earlier = this.earlierRows(number);
      this.random.start(key, number);
      return parentOf(number - 1, earlier, { isNullable, isUnique }, this.random);
    };
  }

  /** How many rows a key to the own table may lead to. Rows that may have been deleted do not count. */
  private earlierRows(number: number): number {
    const { isWhole, last } = this.storedRows;
    const earlier = this.groupOf(number)?.index ?? number - 1;
    return Math.min(earlier, number - 1 - (isWhole ? 0 : last));
  }

  private makeOf(field: Field): Make {
    const { resource, context } = this;
    if (field.parts !== undefined) return (row) => idIn(field, (part) => row.of(part)) ?? null;
    if (field === resource.id) return ({ number }) => idOf(resource, number, context.seed);
    const fieldGenerator = this.fieldGenerators.get(field);
    if (fieldGenerator === undefined) throw new TypeError(`${field.name} has no fieldGenerator`);
    return (row) => fieldGenerator.make(row);
  }
}

/** The share of rows that are roots, if the key may be null. */
const rootShare = 0.3;

/**
 * To which row one leads that may lead to so many just before it. A root leads to none or, where it has to lead to one, to
 * itself. Where no two rows lead to the same, each leads to the one before it, or all are roots. Rows count from 0.
 */
function parentOf(
  row: number,
  earlier: number,
  { isNullable, isUnique }: { readonly isNullable: boolean; readonly isUnique: boolean },
  random: Random,
): number | null {
  // A root that leads to itself is the one that does.
  const isRoot = isUnique ? !isNullable : isNullable && random.chance(rootShare);
  if (earlier <= 0 || isRoot) return isNullable ? null : row;
  return row - 1 - (isUnique ? 0 : random.below(earlier));
}

/**
 * The place of the owner that a pair leads to, drawn among all: one of the own table is an earlier row, so that no circle
 * closes, and the first row has another owner, if there is one.
 */
function ownerOf(
  { ownFrom, size }: Dimension,
  row: number,
  earlier: number,
  isNullable: boolean,
  random: Random,
): number | null {
  const place = random.below(size);
  const others = ownFrom?.() ?? size;
  if (place < others) return place;
  if (earlier > 0) return others + row - 1 - random.below(earlier);
  if (others === 0) return isNullable ? null : row;
  return random.below(others);
}
