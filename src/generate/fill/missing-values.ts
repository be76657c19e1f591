import type { Transaction } from '../../databases/database.ts';
import type { Field, MorphTo, Resource } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { morphsOf } from '../distinct/dimensions.ts';
import { storedValues } from './stored.ts';

/** The generated value of a field in one row; undefined if there is none. */
export type ValueOf = (field: Field) => JsonValue | undefined;

/** The stored value of a field in one record. */
export type StoredValue = (field: Field) => JsonValue;

/** The values of a field that keys may lead to. */
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

  /** Sorted, so that the order is the same on every database. */
  private get list(): readonly string[] {
    return (this.sorted ??= [...this.texts].filter((text) => text !== '[null]').toSorted());
  }

  /** Whether a record has this value; the id in a morph pair may be the text of a number. */
  has(value: JsonValue | undefined): boolean {
    const isText = typeof value === 'string' && this.texts.has(`[${value}]`);
    return isText || this.texts.has(JSON.stringify([value]));
  }

  /** The value that the `number`-th record of `resource` gets; a record leads to itself within its own table. */
  pick(number: number, resource: Resource, stored: StoredValue): JsonValue {
    if (this.field.resource === resource) return stored(this.field);
    const values: unknown = JSON.parse(this.list[number % this.size] ?? '[]');
    const value: unknown = Array.isArray(values) ? values[0] : undefined;
    return typeof value === 'string' || typeof value === 'number' ? value : null;
  }
}

/** What fields without values get: the generated values, with keys and morph pairs that lead to existing records. */
export class MissingValues {
  private readonly resource: Resource;
  private readonly missing: readonly Field[];
  private readonly morphs: readonly MorphTo[];
  private readonly targets = new Map<Field, Targets>();

  constructor(resource: Resource, missing: readonly Field[]) {
    this.resource = resource;
    this.missing = missing;
    this.morphs = morphsOf(resource).filter(
      ({ typeField, idField }) => missing.includes(typeField) || missing.includes(idField),
    );
  }

  /** Reads the values that keys may lead to. */
  async read(transaction: Transaction, dialect: Dialect): Promise<void> {
    const keys = this.missing.flatMap(({ reference }) => reference?.field ?? []);
    const owners = this.morphs.flatMap(({ targets }) => [...targets.values()].map(({ id }) => id));
    for (const field of new Set([...keys, ...owners])) {
      const texts = await storedValues(field.resource, [field], transaction, dialect);
      this.targets.set(field, new Targets(field, texts));
    }
  }

  /**
   * Values for those of `wanted` that are null in a record. A key or pair that would lead to no record is left out, or
   * leads to an existing one if it may not be null; `number` chooses which.
   */
  of(
    number: number,
    stored: StoredValue,
    valueOf: ValueOf,
    wanted: readonly Field[],
  ): Map<Field, JsonValue> {
    const values = new Map<Field, JsonValue>();
    for (const field of wanted) {
      if (stored(field) !== null) continue;
      const value = this.existing(field, number, stored, valueOf(field) ?? null);
      if (value !== null) values.set(field, value);
    }
    for (const morph of this.morphs) this.correctPair(morph, number, stored, values);
    return values;
  }

  private existing(field: Field, number: number, stored: StoredValue, value: JsonValue): JsonValue {
    const targets = field.reference && this.targets.get(field.reference.field);
    if (targets === undefined || targets.has(value)) return value;
    return field.nullable ? null : targets.pick(number, this.resource, stored);
  }

  private correctPair(
    { typeField, idField, targets }: MorphTo,
    number: number,
    stored: StoredValue,
    values: Map<Field, JsonValue>,
  ): void {
    if (!values.has(typeField) && !values.has(idField)) return;
    const current = (field: Field): JsonValue => values.get(field) ?? stored(field);
    const type = current(typeField);
    const owner = typeof type === 'string' ? targets.get(type) : undefined;
    if (owner !== undefined && this.targets.get(owner.id)?.has(current(idField)) === true) return;
    values.delete(typeField);
    values.delete(idField);
    if (idField.nullable || typeField.nullable) return;
    const found = [...targets].filter(([, { id }]) => (this.targets.get(id)?.size ?? 0) > 0);
    const [name, target] = found[number % found.length] ?? [];
    const id = target && this.targets.get(target.id)?.pick(number, this.resource, stored);
    if (name === undefined || id === undefined) return;
    values.set(typeField, name);
    values.set(idField, idField.type.kind === 'string' ? String(id) : id);
  }
}
