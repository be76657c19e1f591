import {
  fieldsOf,
  known,
  shapeOf,
  World,
  type Definition,
  type Document,
  type Item,
  type Relation,
  type Value,
} from '../support/oracle-model.ts';
import { randomValue } from './records.ts';
import { defaultOf, mustBeSent } from './random-fields.ts';
import type { Draw } from './draw.ts';

/** Random records that a specification takes, as they come back. */

/** The clock of the servers. */
export const now = (): Date => new Date('2026-01-02T03:04:05.678Z');

export type Data = Record<string, Item[]>;

const texts = ['b', 'B', 'a b', 'é', '😀', '\uFFFD', 'a,b', 'a"b', 'z:1', '10', '9', 'a', '%', '+'];

function idOf(draw: Draw, { format }: Definition, index: number): Value | undefined {
  if (format === 'string') return texts[index];
  if (format === undefined) return index + 1;
  const hex = (draw.below(2 ** 32) * 2 ** 8 + index).toString(16).padStart(12, '0');
  return `0198c0de-0000-7000-8000-${hex}`;
}

/** Makes records of one specification. */
export class Recorder {
  readonly document: Document;
  readonly world: World;
  private readonly draw: Draw;

  constructor(document: Document, draw: Draw) {
    this.document = document;
    this.world = new World(document);
    this.draw = draw;
  }

  /** Records of every resource, in an order in which they can be written; keys to what comes later are null. */
  records(): Data {
    const data: Data = Object.create(null) as Data;
    for (const name of Object.keys(this.document.resources)) {
      const items: Item[] = [];
      data[name] = items;
      for (let more = this.draw.pick([0, 2, 5, 9, 13]); more > 0; more -= 1) {
        const item = this.record(name, data, items.length);
        if (item !== undefined) items.push(item);
      }
    }
    return data;
  }

  /** A record that no rule keeps from being there beside the others; undefined where none was found. */
  private record(name: string, data: Data, index: number): Item | undefined {
    for (let tries = 8; tries > 0; tries -= 1) {
      const item = this.candidate(name, data, index, tries < 4);
      if (item !== undefined && this.isDistinct(name, item, data[name] ?? [])) return item;
    }
    return undefined;
  }

  candidate(
    name: string,
    data: Data,
    index: number,
    isSparse: boolean,
  ): Record<string, Value> | undefined {
    const item = Object.create(null) as Record<string, Value>;
    const pairs = this.pairsOf(name);
    for (const [field, definition] of fieldsOf(this.document, name)) {
      if (definition.type === 'relation' || Object.hasOwn(item, field)) continue;
      const pair = pairs.find(({ keys }) => [keys.typeField, keys.idField].includes(field));
      if (pair !== undefined) Object.assign(item, this.owner(pair, data));
      else {
        const value =
          field === 'id'
            ? idOf(this.draw, definition, index)
            : this.value(field, definition, data, isSparse);
        if (value === undefined) return undefined;
        item[field] = value;
      }
    }
    return item;
  }

  /** A morph pair. */
  private owner({ keys }: Relation, data: Data): Item {
    const { draw } = this;
    const type = draw.pick([...keys.owners.keys()]);
    const id = this.pickOf(data[known(keys.owners, type)] ?? [], 'id');
    if (id === undefined || draw.chance(20))
      return { [keys.typeField]: null, [keys.idField]: null };
    const kind = this.world.resource(known(keys.owners, type)).fields.get('id')?.kind;
    const owners = [...keys.owners.values()];
    const kinds = new Set(owners.map((one) => this.world.resource(one).fields.get('id')?.kind));
    return {
      [keys.typeField]: type,
      [keys.idField]: kind === 'number' && kinds.size > 1 ? String(id) : id,
    };
  }

  private pickOf(items: readonly Item[], field: string): Value | undefined {
    const values = items.map((item) => item[field] ?? null).filter((value) => value !== null);
    return values.length === 0 ? undefined : this.draw.pick(values);
  }

  /** A value of a field that is neither the id nor of a morph pair; undefined where it can have none. */
  value(
    field: string,
    definition: Definition,
    data: Readonly<Record<string, readonly Item[]>>,
    isSparse: boolean,
  ): Value | undefined {
    const { reference, required = false, nullable = !required, readOnly = false } = definition;
    if (readOnly && (field === 'createdAt' || field === 'updatedAt') && !('default' in definition))
      return now().toISOString();
    if (readOnly) return defaultOf(definition);
    if (nullable && this.draw.chance(isSparse ? 90 : 15)) return null;
    if (reference === undefined) return randomValue(this.draw, shapeOf(definition));
    const [target = '', key = ''] = reference.split('.');
    return this.pickOf(data[target] ?? [], key) ?? (nullable ? null : undefined);
  }

  /** The relations that are morph pairs of a resource. */
  pairsOf(name: string): readonly Relation[] {
    return [...this.world.resource(name).relations.values()].filter(
      ({ kind }) => kind === 'morphTo',
    );
  }

  /** Whether a record can stand beside others; itself is not one of them. */
  isDistinct(name: string, item: Item, others: readonly Item[]): boolean {
    return this.uniques(name).every(
      (fields) =>
        fields.some((field) => (item[field] ?? null) === null) ||
        !others.some((one) => fields.every((field) => isSame(one[field], item[field]))),
    );
  }

  /** The fields of which no two records may have the same together. */
  private uniques(name: string): readonly (readonly string[])[] {
    const { resources } = this.document;
    const own = resources[name];
    const single = fieldsOf(this.document, name)
      .filter(([, { unique }]) => unique === true)
      .map(([field]) => [field]);
    const all = Object.values(resources).flatMap(({ fields }) => Object.values(fields));
    const ones = all.flatMap(({ relation, resource, foreignKey = '' }) =>
      relation === 'hasOne' && resource === name ? [[foreignKey]] : [],
    );
    const links = [...this.world.resources.values()].flatMap(({ relations }) =>
      [...relations.values()].flatMap(({ kind, keys }) =>
        kind === 'belongsToMany' && keys.through === name ? [[keys.ownKey, keys.otherKey]] : [],
      ),
    );
    return [...single, ...(own?.unique ?? []), ...ones, ...links];
  }

  /** What a client sends so that a record comes to be. */
  body(name: string, item: Item): Item {
    const sent: Record<string, Value> = {};
    for (const [field, definition] of fieldsOf(this.document, name)) {
      const value = item[field];
      if (value === undefined || definition.readOnly === true) continue;
      if (definition.type === 'id' && definition.format === undefined) continue;
      const isDefault = isSame(value, defaultOf(definition));
      if (!isDefault || mustBeSent(definition) || this.draw.chance(50)) sent[field] = value;
    }
    return sent;
  }

  /** A record as it is read: without what is written only. */
  shown(name: string, item: Item): Item {
    const { fields } = this.world.resource(name);
    return Object.fromEntries(Object.entries(item).filter(([field]) => fields.has(field)));
  }

  /** Gives the oracle the records. */
  fill(data: Readonly<Record<string, readonly Item[]>>): void {
    this.world.fill(
      Object.fromEntries(
        Object.entries(data).map(([name, items]) => [
          name,
          items.map((item) => this.shown(name, item)),
        ]),
      ),
    );
  }
}

function isSame(a: Value | undefined, b: Value | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
