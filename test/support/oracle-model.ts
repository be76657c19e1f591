import { parse } from 'yaml';
import type { SortKey, Step } from './oracle-query.ts';

/**
 * What the oracle knows of a specification: it reads the same file with the few rules that its tests use (every key of
 * a relation is written out, a junction has two), and finds related records by looking at all of them.
 */

export type Value = string | number | boolean | null | readonly Value[] | { [key: string]: Value };
export type Item = Readonly<Record<string, Value>>;

/** The types that are compared in different ways; `found`: by what is there. */
export type Kind = 'text' | 'number' | 'decimal' | 'boolean' | 'datetime' | 'uuid' | 'found';

/** What a field or a member of an object is. */
export interface Shape {
  /** As the file names it. */
  readonly type: string;
  readonly kind: Kind;
  /** Of an array's items. */
  readonly items: Shape | undefined;
  /** Of an object; undefined where any are allowed. */
  readonly properties: ReadonlyMap<string, Shape> | undefined;
  /** The values that are allowed, where only some are. */
  readonly values: readonly string[] | undefined;
  /** What the file says of it. */
  readonly definition: Definition;
}

export interface Relation {
  readonly name: string;
  readonly kind: string;
  readonly isMany: boolean;
  /** The resources that its records are of; several only for a morphTo. */
  readonly targets: readonly string[];
  /** What a link shows. */
  readonly pivot: ReadonlyMap<string, Shape>;
  readonly keys: Keys;
  /** The order of its records where a request asks for none. */
  readonly sort: readonly SortKey[];
}

/** The fields that hold a relation together; empty where its kind has no such field. */
interface Keys {
  readonly foreignKey: string;
  /** The field that the foreign key points to. */
  readonly referred: string;
  readonly through: string;
  readonly ownKey: string;
  readonly otherKey: string;
  readonly typeField: string;
  readonly idField: string;
  readonly typeValue: string;
  /** Of a morphTo: what the type field says of each target. */
  readonly owners: ReadonlyMap<string, string>;
}

export interface Resource {
  readonly name: string;
  readonly fields: ReadonlyMap<string, Shape>;
  readonly relations: ReadonlyMap<string, Relation>;
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** Whether a list that names no place begins a walk by cursor. */
  /** Arrays of objects, whose items filters reach as they do related records: those of a resource of their own. */
  readonly items: ReadonlyMap<string, Pick<Relation, 'isMany' | 'targets'>>;
  readonly isByCursor: boolean;
  /** The order of a list where a request asks for none. */
  readonly sort: readonly SortKey[];
}

/** A record with where it is from and, where it was reached by a belongsToMany, the link. */
export interface Row {
  readonly resource: string;
  readonly item: Item;
  readonly pivot: Item | undefined;
}

/** A field as the file defines it, as far as tests write it. */
export interface Definition {
  readonly type: string;
  readonly format?: string;
  readonly values?: readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly items?: Definition;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly default?: Value;
  readonly unique?: boolean;
  readonly index?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number | string;
  readonly maximum?: number | string;
  readonly exclusiveMinimum?: number | string;
  readonly exclusiveMaximum?: number | string;
  readonly multipleOf?: number | string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly precision?: number;
  readonly scale?: number;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly immutable?: boolean;
  readonly column?: string;
  readonly onDelete?: string;
  readonly relation?: string;
  readonly resource?: string;
  readonly resources?: readonly string[];
  readonly foreignKey?: string;
  readonly reference?: string;
  readonly through?: string;
  readonly withPivot?: readonly string[];
  readonly typeField?: string;
  readonly idField?: string;
  readonly typeValue?: string;
  readonly sort?: string;
  readonly computed?: ComputedDefinition;
}

/** How a value is computed, as far as tests write it. */
export interface ComputedDefinition {
  readonly count?: string;
  readonly sum?: string;
  readonly avg?: string;
  readonly min?: string;
  readonly max?: string;
  readonly join?: readonly string[];
  readonly with?: string;
  /** One filter for equality. */
  readonly where?: string;
}

/** A resource as the file defines it. */
export interface ResourceDefinition {
  readonly fields: Readonly<Record<string, Definition>>;
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  readonly timestamps?: boolean;
  readonly unique?: readonly (readonly string[])[];
  readonly indexes?: readonly (readonly string[])[];
  readonly table?: string;
  readonly pagination?: string;
  readonly sort?: string;
}

/** A file, as far as tests write it. */
export interface Document {
  readonly limits: Readonly<Record<string, number>>;
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  readonly resources: Readonly<Record<string, ResourceDefinition>>;
}

const kinds: Readonly<Record<string, Kind>> = {
  integer: 'number',
  number: 'number',
  decimal: 'decimal',
  boolean: 'boolean',
  datetime: 'datetime',
  uuid: 'uuid',
  json: 'found',
};

/** What a field of this definition is. */
export function shapeOf(definition: Definition): Shape {
  const { format, items, properties } = definition;
  const type =
    definition.type === 'string' && (format === 'uuid' || format === 'email' || format === 'url')
      ? format
      : definition.type;
  const values = definition.values ?? definition.enum?.map(String);
  const idKind = format === 'uuid' ? 'uuid' : format === 'string' ? 'text' : 'number';
  return {
    type,
    kind: type === 'id' ? idKind : (kinds[type] ?? 'text'),
    items: items && shapeOf(items),
    properties:
      properties &&
      new Map(Object.entries(properties).map(([name, one]) => [name, shapeOf(one)] as const)),
    values,
    definition,
  };
}

/** The fields of a resource as it defines them; `id` is there where it is not written. */
export function fieldsOf(document: Document, resource: string): [string, Definition][] {
  const { fields = {}, timestamps = false } = document.resources[resource] ?? {};
  const moment: Definition = { type: 'datetime', readOnly: true };
  return Object.entries({
    id: { type: 'id' },
    ...fields,
    ...(timestamps ? { createdAt: moment, updatedAt: moment } : {}),
  });
}

/** A `sort` of the file, whose names are those of a resource. */
function sortOf(document: Document, resource: string, text = ''): readonly SortKey[] {
  return text.split(',').flatMap((item) => {
    if (item === '') return [];
    const descending = item.startsWith('-');
    const names = item.slice(descending ? 1 : 0).split('.');
    const steps: Step[] = [];
    for (let at = resource; ;) {
      const one = document.resources[at]?.fields[names[0] ?? ''];
      if (one?.type !== 'relation' || one.resource === undefined) break;
      steps.push({ relation: names.shift() ?? '' });
      at = one.resource;
    }
    const isPivot = names[0] === 'pivot';
    return [{ steps, isPivot, names: names.slice(isPivot ? 1 : 0), descending }];
  });
}

function relationOf(document: Document, own: string, name: string): Relation {
  const definition = document.resources[own]?.fields[name];
  const { relation = '', resource = '', foreignKey = '', through = '' } = definition ?? {};
  const { withPivot = [] } = definition ?? {};
  const keysTo = (target: string): string[] =>
    fieldsOf(document, through)
      .filter(([, { reference }]) => reference?.split('.')[0] === target)
      .map(([key]) => key);
  const ownKey = foreignKey === '' ? (keysTo(own)[0] ?? '') : foreignKey;
  const [, morph = definition] =
    (relation === 'morphMany' ? fieldsOf(document, resource) : []).find(
      ([, one]) =>
        one.relation === 'morphTo' &&
        (definition?.typeField ?? one.typeField) === one.typeField &&
        (definition?.idField ?? one.idField) === one.idField,
    ) ?? [];
  const isOwner = (one: Definition): boolean =>
    one.relation === 'morphMany' &&
    one.resource === own &&
    (one.typeField ?? morph?.typeField) === morph?.typeField;
  const owning = Object.keys(document.resources).flatMap((owner) =>
    fieldsOf(document, owner)
      .filter(([, one]) => isOwner(one))
      .map(([, one]) => [one.typeValue ?? owner, owner] as const),
  );
  const owners = new Map([
    ...owning,
    ...(definition?.resources ?? [])
      .filter((one) => !owning.some(([, owner]) => owner === one))
      .map((one) => [one, one] as const),
  ]);
  const keyOf = ['hasOne', 'hasMany'].includes(relation) ? resource : own;
  return {
    name,
    kind: relation,
    isMany: ['hasMany', 'belongsToMany', 'morphMany'].includes(relation),
    targets: relation === 'morphTo' ? [...new Set(owners.values())] : [resource],
    pivot: new Map(
      fieldsOf(document, through)
        .filter(([field, { writeOnly }]) => withPivot.includes(field) && writeOnly !== true)
        .map(([field, one]) => [field, shapeOf(one)] as const),
    ),
    keys: {
      foreignKey,
      referred: document.resources[keyOf]?.fields[foreignKey]?.reference?.split('.')[1] ?? 'id',
      through,
      ownKey,
      otherKey: keysTo(resource).find((key) => key !== ownKey) ?? '',
      typeField: morph?.typeField ?? '',
      idField: morph?.idField ?? '',
      typeValue: definition?.typeValue ?? own,
      owners,
    },
    sort: sortOf(document, resource, definition?.sort),
  };
}

/** The fields that are arrays of objects whose members the file declares. */
function itemsOf(resource: string, fields: ReadonlyMap<string, Shape>): Resource['items'] {
  return new Map(
    [...fields].flatMap(([name, { items }]) =>
      items?.properties === undefined
        ? []
        : [[name, { isMany: true, targets: [`${resource}.${name}`] }] as const],
    ),
  );
}

/** The items of the arrays of a resource as resources, those in them too. */
function resourcesOfItems({ name, fields }: Resource): readonly Resource[] {
  return [...fields].flatMap(([field, { items }]) => {
    if (items?.properties === undefined) return [];
    const called = `${name}.${field}`;
    const inner: Resource = {
      name: called,
      fields: items.properties,
      items: itemsOf(called, items.properties),
      relations: new Map(),
      groups: new Map(),
      isByCursor: false,
      sort: [],
    };
    return [inner, ...resourcesOfItems(inner)];
  });
}

function resourceOf(document: Document, name: string): Resource {
  const groups = document.resources[name]?.groups ?? {};
  const entries = fieldsOf(document, name);
  const relations = entries
    .filter(([, { type }]) => type === 'relation')
    .map(([relation]) => [relation, relationOf(document, name, relation)] as const);
  /** The type field of a morphTo takes what its owners say, whatever its own type. */
  const typed = (field: string, shape: Shape): Shape => {
    const [, morph] =
      relations.find(([, { kind, keys }]) => kind === 'morphTo' && keys.typeField === field) ?? [];
    return morph === undefined
      ? shape
      : { ...shape, type: 'enum', values: [...morph.keys.owners.keys()] };
  };
  const fields = new Map(
    entries
      .filter(([, { type, writeOnly }]) => type !== 'relation' && writeOnly !== true)
      .map(([field, definition]) => [field, typed(field, shapeOf(definition))] as const),
  );
  return {
    name,
    fields,
    items: itemsOf(name, fields),
    relations: new Map(relations),
    groups: new Map(Object.entries({ ...document.groups, ...groups })),
    isByCursor: document.resources[name]?.pagination === 'cursor',
    sort: sortOf(document, name, document.resources[name]?.sort),
  };
}

/** The member of a map that the tests know to be there. */
export function known<V>(map: ReadonlyMap<string, V>, key: string): V {
  const value = map.get(key);
  if (value === undefined) throw new Error(`The oracle has no ${key}`);
  return value;
}

/** The resources of a file with the data that a test has put into them. */
export class World {
  readonly resources: ReadonlyMap<string, Resource>;
  readonly limits: Readonly<Record<string, number>>;
  private readonly ofItems: ReadonlyMap<string, Resource>;
  private rows: ReadonlyMap<string, readonly Row[]> = new Map();
  /** By the record itself, since another may be about to take its place. */
  private found = new WeakMap<Item, Map<string, readonly Row[]>>();

  /** What a record has in a field that is computed. */
  private readonly valueOf: ((world: World, row: Row, shape: Shape) => Value) | undefined;

  constructor(specification: string | Document, valueOf?: World['valueOf']) {
    this.valueOf = valueOf;
    const document =
      typeof specification === 'string' ? (parse(specification) as Document) : specification;
    this.limits = document.limits;
    this.resources = new Map(
      Object.keys(document.resources).map((name) => [name, resourceOf(document, name)]),
    );
    this.ofItems = new Map(
      [...this.resources.values()].flatMap(resourcesOfItems).map((one) => [one.name, one]),
    );
  }

  /** Puts the records of each resource there, in place of those before. */
  fill(data: Readonly<Record<string, readonly Item[]>>): void {
    this.found = new WeakMap();
    this.rows = new Map(
      Object.entries(data).map(([resource, items]) => [
        resource,
        items.map((item) => ({ resource, item, pivot: undefined })),
      ]),
    );
    this.compute();
  }

  /** Gives records the values that follow from others. */
  private compute(): void {
    const rows = [...this.rows].map(([resource, all]): [string, readonly Row[]] => {
      const fields = [...this.resource(resource).fields].filter(
        ([, { definition }]) => definition.computed !== undefined,
      );
      const computed = (row: Row): Row => {
        const values = fields.map(([name, shape]) => [name, this.valueOf?.(this, row, shape)]);
        return { ...row, item: { ...row.item, ...Object.fromEntries(values) } };
      };
      return [resource, fields.length === 0 ? all : all.map(computed)];
    });
    this.found = new WeakMap();
    this.rows = new Map(rows);
  }

  rowsOf(resource: string): readonly Row[] {
    return known(this.rows, resource);
  }

  limit(name: string): number {
    const limit = this.limits[name];
    if (limit === undefined) throw new Error(`The specification sets no ${name}`);
    return limit;
  }

  resource(name: string): Resource {
    return this.ofItems.get(name) ?? known(this.resources, name);
  }

  /** Where a step of a path leads to from a resource; undefined where there is no such step. */
  step(resource: string, name: string): Pick<Relation, 'isMany' | 'targets'> | undefined {
    const { relations, items } = this.resource(resource);
    return relations.get(name) ?? items.get(name);
  }

  /** The records that a relation leads to, in no order; none where the resource has no such relation. */
  related(row: Row, name: string): readonly Row[] {
    const { relations, items } = this.resource(row.resource);
    const [resource] = items.get(name)?.targets ?? [];
    const value = row.item[name];
    if (resource !== undefined)
      return (Array.isArray(value) ? (value as readonly Value[]) : []).flatMap((item) =>
        item === null ? [] : [{ resource, item: item as Item, pivot: undefined }],
      );
    const relation = relations.get(name);
    if (relation === undefined) return [];
    const own = this.found.get(row.item) ?? new Map<string, readonly Row[]>();
    this.found.set(row.item, own);
    const known = own.get(name);
    if (known !== undefined) return known;
    const found = this.find(row.item, relation);
    own.set(name, found);
    return found;
  }

  private find(item: Item, { kind, keys, targets, pivot }: Relation): readonly Row[] {
    const [target = ''] = targets;
    const isSame = (a: Value | undefined, b: Value | undefined): boolean =>
      (a ?? null) !== null && (b ?? null) !== null && String(a) === String(b);
    const where = (resource: string, field: string, value: Value | undefined): readonly Row[] =>
      this.rowsOf(resource).filter((row) => isSame(row.item[field], value));
    switch (kind) {
      case 'belongsTo':
        return where(target, keys.referred, item[keys.foreignKey]);
      case 'hasOne':
      case 'hasMany':
        return where(target, keys.foreignKey, item[keys.referred]);
      case 'morphMany':
        return where(target, keys.idField, item['id']).filter(
          (row) => row.item[keys.typeField] === keys.typeValue,
        );
      case 'morphTo': {
        const owner = keys.owners.get(String(item[keys.typeField]));
        return owner === undefined ? [] : where(owner, 'id', item[keys.idField]);
      }
      case 'belongsToMany':
        return where(keys.through, keys.ownKey, item['id']).flatMap((link) =>
          where(target, 'id', link.item[keys.otherKey]).map((row) => ({
            ...row,
            pivot: Object.fromEntries(
              [...pivot.keys()].map((name) => [name, link.item[name] ?? null]),
            ),
          })),
        );
      default:
        throw new Error(`The oracle does not know ${kind}`);
    }
  }
}
