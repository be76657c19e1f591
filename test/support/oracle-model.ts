import { parse } from 'yaml';

/**
 * What the oracle knows of a specification: it reads the same file with the few rules that its tests use (every key of
 * a relation is written out), and finds related records by looking at all of them.
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
}

/** The fields that hold a relation together; empty where its kind has no such field. */
interface Keys {
  readonly foreignKey: string;
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
}

/** A record with where it is from and, where it was reached by a belongsToMany, the link. */
export interface Row {
  readonly resource: string;
  readonly item: Item;
  readonly pivot: Item | undefined;
}

interface Definition {
  readonly type: string;
  readonly format?: string;
  readonly values?: readonly string[];
  readonly enum?: readonly string[];
  readonly items?: Definition;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly relation?: string;
  readonly resource?: string;
  readonly foreignKey?: string;
  readonly reference?: string;
  readonly through?: string;
  readonly withPivot?: readonly string[];
  readonly typeField?: string;
  readonly idField?: string;
  readonly typeValue?: string;
}

interface Document {
  readonly limits: Readonly<Record<string, number>>;
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  readonly resources: Readonly<
    Record<
      string,
      {
        readonly fields: Readonly<Record<string, Definition>>;
        readonly groups?: Readonly<Record<string, readonly string[]>>;
      }
    >
  >;
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

function shapeOf(definition: Definition): Shape {
  const { type, format, items, properties, values = definition.enum } = definition;
  const idKind = format === 'uuid' ? 'uuid' : format === 'string' ? 'text' : 'number';
  return {
    type,
    kind: type === 'id' ? idKind : (kinds[type] ?? 'text'),
    items: items && shapeOf(items),
    properties:
      properties &&
      new Map(Object.entries(properties).map(([name, one]) => [name, shapeOf(one)] as const)),
    values,
  };
}

function relationOf(document: Document, own: string, name: string): Relation {
  const fieldsOf = (resource: string): [string, Definition][] =>
    Object.entries(document.resources[resource]?.fields ?? {});
  const definition = document.resources[own]?.fields[name];
  const { relation = '', resource = '', foreignKey = '', through = '' } = definition ?? {};
  const { withPivot = [], typeValue = '' } = definition ?? {};
  const keyTo = (target: string): string =>
    fieldsOf(through).find(([, { reference }]) => reference?.split('.')[0] === target)?.[0] ?? '';
  const [, morph = definition] =
    fieldsOf(relation === 'morphMany' ? resource : '').find(
      ([, one]) => one.relation === 'morphTo',
    ) ?? [];
  const owners = new Map(
    Object.keys(document.resources).flatMap((owner) =>
      fieldsOf(owner)
        .filter(([, one]) => one.relation === 'morphMany' && one.resource === own)
        .map(([, one]) => [one.typeValue ?? '', owner] as const),
    ),
  );
  return {
    name,
    kind: relation,
    isMany: ['hasMany', 'belongsToMany', 'morphMany'].includes(relation),
    targets: relation === 'morphTo' ? [...owners.values()] : [resource],
    pivot: new Map(
      fieldsOf(through)
        .filter(([field]) => withPivot.includes(field))
        .map(([field, one]) => [field, shapeOf(one)] as const),
    ),
    keys: {
      foreignKey,
      through,
      ownKey: keyTo(own),
      otherKey: keyTo(resource),
      typeField: morph?.typeField ?? '',
      idField: morph?.idField ?? '',
      typeValue,
      owners,
    },
  };
}

function resourceOf(document: Document, name: string): Resource {
  const { fields = {}, groups = {} } = document.resources[name] ?? {};
  const entries = Object.entries({ id: { type: 'id' }, ...fields });
  const relations = entries
    .filter(([, { type }]) => type === 'relation')
    .map(([relation]) => [relation, relationOf(document, name, relation)] as const);
  /** The type field of a morphTo takes what its owners say, whatever its own type. */
  const typed = (field: string, shape: Shape): Shape => {
    const [, morph] = relations.find(([, { keys }]) => keys.typeField === field) ?? [];
    return morph?.kind === 'morphTo'
      ? { ...shape, type: 'enum', values: [...morph.keys.owners.keys()] }
      : shape;
  };
  return {
    name,
    fields: new Map(
      entries
        .filter(([, { type }]) => type !== 'relation')
        .map(([field, definition]) => [field, typed(field, shapeOf(definition))] as const),
    ),
    relations: new Map(relations),
    groups: new Map(Object.entries({ ...document.groups, ...groups })),
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
  private rows: ReadonlyMap<string, readonly Row[]> = new Map();
  private readonly found = new Map<string, readonly Row[]>();

  constructor(specification: string) {
    const document = parse(specification) as Document;
    this.limits = document.limits;
    this.resources = new Map(
      Object.keys(document.resources).map((name) => [name, resourceOf(document, name)]),
    );
  }

  /** Puts the records of each resource there, in place of those before. */
  fill(data: Readonly<Record<string, readonly Item[]>>): void {
    this.found.clear();
    this.rows = new Map(
      Object.entries(data).map(([resource, items]) => [
        resource,
        items.map((item) => ({ resource, item, pivot: undefined })),
      ]),
    );
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
    return known(this.resources, name);
  }

  /** The records that a relation leads to, in no order; none where the resource has no such relation. */
  related(row: Row, name: string): readonly Row[] {
    const relation = this.resource(row.resource).relations.get(name);
    if (relation === undefined) return [];
    const key = `${row.resource} ${String(row.item['id'])} ${name}`;
    const known = this.found.get(key);
    if (known !== undefined) return known;
    const found = this.find(row.item, relation);
    this.found.set(key, found);
    return found;
  }

  private find(item: Item, { kind, keys, targets, pivot }: Relation): readonly Row[] {
    const [target = ''] = targets;
    const isSame = (a: Value | undefined, b: Value | undefined): boolean =>
      a !== null && a !== undefined && String(a) === String(b);
    const where = (resource: string, field: string, value: Value | undefined): readonly Row[] =>
      this.rowsOf(resource).filter((row) => isSame(row.item[field], value));
    switch (kind) {
      case 'belongsTo':
        return where(target, 'id', item[keys.foreignKey]);
      case 'hasOne':
      case 'hasMany':
        return where(target, keys.foreignKey, item['id']);
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
