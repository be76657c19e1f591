import type { Database } from '../../databases/database.ts';
import type { Field, MorphTo, Resource } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { morphsOf } from '../distinct/joint.ts';
import { storedValues } from './stored.ts';

/** The value of a field in a row; undefined where there is none. */
export type ValueOf = (field: Field) => JsonValue | undefined;

/** The values by which keys lead to records of a resource. */
class Targets {
  private readonly field: Field;
  private readonly texts: ReadonlySet<string>;
  private sorted: readonly string[] | undefined;

  constructor(field: Field, texts: ReadonlySet<string>) {
    this.field = field;
    this.texts = texts;
  }

  get size(): number {
    return this.texts.size - (this.texts.has('[null]') ? 1 : 0);
  }

  /** In an order that is the same on every database. */
  private get list(): readonly string[] {
    return (this.sorted ??= [...this.texts].filter((text) => text !== '[null]').toSorted());
  }

  /** Whether a record has this value; the id in a pair may be the text of a number. */
  has(value: JsonValue | undefined): boolean {
    const isText = typeof value === 'string' && this.texts.has(`[${value}]`);
    return isText || this.texts.has(JSON.stringify([value]));
  }

  /** The value of one of the records, for a record of `resource`: of the own table it is the record itself. */
  one(place: number, resource: Resource, stored: ValueOf): JsonValue {
    if (this.field.resource === resource) return stored(this.field) ?? null;
    const values: unknown = JSON.parse(this.list[place % this.size] ?? '[]');
    const value: unknown = Array.isArray(values) ? values[0] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? value : null;
  }
}

/**
 * What lacking fields of a resource get: values as they were made, but keys and pairs that lead to records which are
 * there.
 */
export class LackingKeys {
  private readonly resource: Resource;
  private readonly lacking: readonly Field[];
  private readonly morphs: readonly MorphTo[];
  private readonly targets = new Map<Field, Targets>();

  constructor(resource: Resource, lacking: readonly Field[]) {
    this.resource = resource;
    this.lacking = lacking;
    this.morphs = morphsOf(resource).filter(
      ({ typeField, idField }) => lacking.includes(typeField) || lacking.includes(idField),
    );
  }

  /** Reads what keys may lead to. */
  async read(database: Database): Promise<void> {
    const keys = this.lacking.flatMap(({ reference }) => reference?.field ?? []);
    const owners = this.morphs.flatMap(({ targets }) => [...targets.values()].map(({ id }) => id));
    for (const field of new Set([...keys, ...owners])) {
      const texts = await storedValues(field.resource, [field], database, database.dialect);
      this.targets.set(field, new Targets(field, texts));
    }
  }

  /**
   * Values for those of `wanted` that a record does not have. A key or pair that would lead to no record is left out, or
   * leads to one that is there where it may not be null. `place`: which of those.
   */
  fitting(
    place: number,
    stored: ValueOf,
    valueOf: ValueOf,
    wanted: readonly Field[],
  ): ReadonlyMap<Field, JsonValue> {
    const values = new Map<Field, JsonValue>();
    for (const field of wanted) {
      if ((stored(field) ?? null) !== null) continue;
      const value = this.leading(field, place, stored, valueOf(field) ?? null);
      if (value !== null) values.set(field, value);
    }
    for (const morph of this.morphs) this.lead(morph, place, stored, values);
    return values;
  }

  private leading(field: Field, place: number, stored: ValueOf, value: JsonValue): JsonValue {
    const targets = field.reference && this.targets.get(field.reference.field);
    if (targets === undefined || targets.has(value)) return value;
    return field.nullable ? null : targets.one(place, this.resource, stored);
  }

  /** Makes a pair lead to a record. */
  private lead(
    { typeField, idField, targets }: MorphTo,
    place: number,
    stored: ValueOf,
    values: Map<Field, JsonValue>,
  ): void {
    const current = (field: Field): JsonValue => values.get(field) ?? stored(field) ?? null;
    const type = current(typeField);
    const owner = typeof type === 'string' ? targets.get(type) : undefined;
    if (!values.has(typeField) && !values.has(idField)) return;
    if (owner !== undefined && this.targets.get(owner.id)?.has(current(idField)) === true) return;
    values.delete(typeField);
    values.delete(idField);
    if (idField.nullable || typeField.nullable) return;
    const found = [...targets].filter(([, { id }]) => (this.targets.get(id)?.size ?? 0) > 0);
    const [name, target] = found[place % found.length] ?? [];
    const id = target && this.targets.get(target.id)?.one(place, this.resource, stored);
    if (name === undefined || id === undefined) return;
    values.set(typeField, name);
    values.set(idField, idField.type.kind === 'string' ? String(id) : id);
  }
}
