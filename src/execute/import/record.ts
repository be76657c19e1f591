import type { Codec, Field, MorphTo, Resource } from '../../model/api.ts';
import { ExactNumber } from '../../model/exact-number.ts';
import { unknownName } from '../../model/names.ts';
import { readValue } from '../../model/validation.ts';
import type { SqlValue } from '../../model/values.ts';
import { emptyHalves, halfMessage, touchedMorphs } from '../../plan/morphs.ts';
import type { FieldValues } from '../../plan/plan.ts';
import { complete, type Draw } from '../../plan/defaults.ts';
import { parseJsonText } from '../../request/body.ts';
import type { JsonValue } from '../../spec/specification.ts';
import { codecOf, type Dialect } from '../../sql/dialect.ts';
import type { Row } from '../database.ts';
import type { SourceRecord } from './source.ts';
import { maxDepth } from './tokens.ts';

/** What a record says, by the position of its fields; only an id that the database gives may be undefined. */
export interface Reading {
  readonly values: readonly (JsonValue | undefined)[];
  /** The id that it names itself; null where it names none. */
  readonly ownId: JsonValue;
  /** What is wrong with it, a sentence each. */
  readonly issues: readonly string[];
}

interface Column {
  readonly field: Field;
  readonly encode: Codec['encode'];
  readonly decode: Codec['decode'];
  /** What stands for a value that is absent; undefined where the record has to have it, or it is drawn. */
  readonly fallback: JsonValue | undefined;
}

/** Reads the records of one resource as a create would, but with every field writable. */
export class RecordReader {
  readonly fields: readonly Field[];
  readonly morphs: readonly MorphTo[];
  private readonly resource: Resource;
  private readonly columns: readonly Column[];
  private readonly positions: ReadonlyMap<string, number>;
  private readonly draw: Draw;
  private readonly blank: readonly (JsonValue | undefined)[];

  constructor(resource: Resource, dialect: Dialect, draw: Draw) {
    this.resource = resource;
    this.draw = draw;
    this.fields = [...resource.fields.values()];
    this.morphs = touchedMorphs(resource, () => true);
    this.columns = this.fields.map((field) => ({
      field,
      encode: codecOf(dialect, field).encode,
      decode: codecOf(dialect, field).decode,
      fallback: fallbackOf(field),
    }));
    this.blank = this.fields.map(() => undefined);
    this.positions = new Map(this.fields.map(({ name }, position) => [name, position]));
  }

  read(source: SourceRecord): Reading {
    if (source.problem !== undefined) return unread(source.problem);
    const parsed = parseRecord(source);
    if (typeof parsed === 'string') return unread(parsed);
    const issues: string[] = [];
    const values = this.blank.slice();
    let given = 0;
    for (const name in parsed) {
      const position = this.positions.get(name);
      const column = position === undefined ? undefined : this.columns[position];
      if (position === undefined || column === undefined) {
        issues.push(unknownName('field', name, this.positions.keys()));
        continue;
      }
      given += 1;
      const reading = readValue(parsed[name], column.field);
      if (reading.ok) values[position] = reading.value;
      else for (const { path, message } of reading.issues) issues.push(`${name}${path} ${message}`);
    }
    const ownId = this.valueIn(values, this.resource.id);
    if (given < this.columns.length) this.fill(values, parsed, issues);
    if (this.morphs.length > 0 && issues.length === 0)
      for (const { field, other } of emptyHalves(this.morphs, (one) => this.valueIn(values, one)))
        issues.push(`${field.name} ${halfMessage(other.name)}`);
    return { values, ownId, issues };
  }

  /** Values as the database stores them; `without` are left null for now. */
  encode(
    values: Reading['values'],
    without: ((field: Field) => boolean) | undefined,
  ): readonly SqlValue[] {
    const encoded: SqlValue[] = [];
    for (const [position, { field, encode }] of this.columns.entries()) {
      const value = values[position];
      if (value === undefined) continue;
      if (value === null || without?.(field) === true) encoded.push(null);
      else encoded.push(encode === undefined ? (value as SqlValue) : encode(value, field));
    }
    return encoded;
  }

  valueIn(values: Reading['values'], field: Field): JsonValue {
    return values[this.positions.get(field.name) ?? -1] ?? null;
  }

  /** The resource that a record's morph pair points to, where `field` is the id of one. */
  ownerOf(values: Reading['values'], field: Field): Resource | undefined {
    const morph = this.morphs.find(({ idField }) => idField === field);
    return morph?.targets.get(String(this.valueIn(values, morph.typeField)));
  }

  /** The values by field. */
  byField(values: Reading['values']): FieldValues {
    return new Map(
      this.fields.flatMap((field, position) => {
        const value = values[position];
        return value === undefined ? [] : [[field, value] as const];
      }),
    );
  }

  /** Whether a stored row, a value for each field, has all that a good record says itself. */
  isStored(source: SourceRecord, values: Reading['values'], row: Row): boolean {
    const different = this.columns.filter(({ field, decode }, position) => {
      const stored = row[position] ?? null;
      const value =
        stored === null || decode === undefined ? (stored as JsonValue) : decode(stored, field);
      return JSON.stringify(value) !== JSON.stringify(values[position]);
    });
    if (different.length === 0) return true;
    const parsed = parseRecord(source);
    return (
      typeof parsed === 'object' &&
      different.every(({ field }) => !Object.hasOwn(parsed, field.name))
    );
  }

  private fill(values: (JsonValue | undefined)[], parsed: object, issues: string[]): void {
    let drawn: FieldValues | undefined;
    for (const [position, { field, fallback }] of this.columns.entries()) {
      if (values[position] !== undefined || Object.hasOwn(parsed, field.name)) continue;
      if (fallback === undefined) {
        drawn ??= complete(new Map(), { resource: this.resource }, this.draw);
        values[position] = drawn.get(field);
        if (values[position] === null) issues.push(`${field.name} is required`);
      } else values[position] = fallback;
    }
  }
}

function unread(issue: string): Reading {
  return { values: [], ownId: null, issues: [issue] };
}

function fallbackOf(field: Field): JsonValue | undefined {
  if (field.default?.kind === 'value') return field.default.value;
  const isLeft = field.default === undefined && field.nullable && !field.required;
  return isLeft ? null : undefined;
}

/** The members of a record; or why it is none. */
function parseRecord({ text, tokens }: SourceRecord): Record<string, unknown> | string {
  if (tokens === 'deep') return `the record is nested deeper than ${maxDepth} levels`;
  try {
    const exact = tokens === 'exact' ? parseJsonText(text) : undefined;
    const parsed: unknown = exact?.ok === true ? exact.value : JSON.parse(text);
    return typeof parsed === 'object' &&
      parsed !== null &&
      !Array.isArray(parsed) &&
      !(parsed instanceof ExactNumber)
      ? (parsed as Record<string, unknown>)
      : 'the record is no JSON object';
  } catch (error) {
    return `the record is not valid JSON: ${reasonOf(error as Error)}`;
  }
}

/** The parser's reason without the place and the text, which is one record only. */
function reasonOf({ message }: Error): string {
  const reason = message
    .replace(/ (?:in JSON )?at position .*$/su, '')
    .replace(/, (?:\.\.\.)?".*$/su, '')
    .replace('Unexpected end of JSON input', 'It ends too early');
  return reason.charAt(0).toLowerCase() + reason.slice(1);
}
