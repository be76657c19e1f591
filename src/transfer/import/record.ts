import type { Codec, Field, MorphTo, Resource } from '../../model/api.ts';
import { idIn } from '../../model/field-types/composite-id.ts';
import { unknownName } from '../../model/build/names.ts';
import { readValue } from '../../model/validation/read-value.ts';
import { counted, isJsonObject, type SqlValue } from '../../model/values.ts';
import { emptyHalves, halfIssue, touchedMorphs } from '../../query/write/morphs.ts';
import type { FieldValues } from '../../query/plan.ts';
import { complete, type ClockAndIds } from '../../query/write/defaults.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { codecOf, decoderOf, type Dialect } from '../../sql/dialect.ts';
import type { Row, Transaction } from '../../databases/database.ts';
import { writableFields } from '../../records/write/field-values.ts';
import { NoValue, readCells, valueOfCell } from './csv-cells.ts';
import { readJsonText } from './json-text.ts';
import type { SourceRecord } from './source.ts';

/** The values by position of the field; only an id that the database generates may be undefined. */
export interface ParsedRecord {
  readonly values: readonly (JsonValue | undefined)[];
  /** The id in the file; null if there is none. */
  readonly ownId: JsonValue;
  /** The problems, a sentence each. */
  readonly issues: readonly string[];
}

/** The members of a record before validation. */
type Members = Readonly<Record<string, unknown>>;

interface Column {
  readonly field: Field;
  readonly encode: Codec['encode'];
  readonly decode: (stored: SqlValue) => JsonValue;
  /** The value for an absent member; undefined if the member is required or generated. */
  readonly fallback: JsonValue | undefined;
}

/** Validates the records of one resource like a create, but with every field writable. */
export class RecordReader {
  readonly fields: readonly Field[];
  readonly morphs: readonly MorphTo[];
  private readonly resource: Resource;
  private readonly columns: readonly Column[];
  private readonly positions: ReadonlyMap<string, number>;
  private readonly clockAndIds: ClockAndIds;
  private readonly blank: readonly (JsonValue | undefined)[];

  /** `fields` are the writable ones; members for fields that the database computes are ignored. */
  constructor(
    resource: Resource,
    fields: readonly Field[],
    dialect: Dialect,
    clockAndIds: ClockAndIds,
  ) {
    this.resource = resource;
    this.clockAndIds = clockAndIds;
    this.fields = fields;
    this.morphs = touchedMorphs(resource, new Set(fields));
    this.columns = this.fields.map((field) => ({
      field,
      encode: codecOf(dialect, field).encode,
      decode: decoderOf(dialect, field),
      fallback: fallbackOf(field),
    }));
    this.blank = this.fields.map(() => undefined);
    this.positions = new Map(this.fields.map(({ name }, position) => [name, position]));
  }

  read(source: SourceRecord): ParsedRecord {
    if (source.problem !== undefined) return unread(source.problem);
    const parsed = this.parse(source);
    if (typeof parsed === 'string') return unread(parsed);
    const issues: string[] = [];
    const values = this.blank.slice();
    let given = 0;
    for (const name in parsed) {
      const position = this.positions.get(name);
      const column = position === undefined ? undefined : this.columns[position];
      if (position === undefined || column === undefined) {
        if (!this.resource.fields.has(name))
          issues.push(unknownName('field', name, this.positions.keys()));
        continue;
      }
      given += 1;
      const member = parsed[name];
      if (member instanceof NoValue) {
        issues.push(`${name} ${member.reason}`);
        continue;
      }
      const value = readValue(member, column.field);
      if (value.ok) values[position] = value.value;
      else for (const { path, message } of value.issues) issues.push(`${name}${path} ${message}`);
    }
    const ownId = idIn(this.resource.id, (field) => this.valueIn(values, field)) ?? null;
    if (given < this.columns.length) this.fill(values, parsed, issues);
    if (this.morphs.length > 0 && issues.length === 0)
      for (const half of emptyHalves(this.morphs, (one) => this.valueIn(values, one))) {
        const { field, message } = halfIssue(half, ({ name }) => name);
        issues.push(`${field.name} ${message}`);
      }
    return { values, ownId, issues };
  }

  /** The encoded values; fields in `without` stay null for now. */
  encode(
    values: ParsedRecord['values'],
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

  valueIn(values: ParsedRecord['values'], field: Field): JsonValue {
    return values[this.positions.get(field.name) ?? -1] ?? null;
  }

  /** The resource that a record's morph pair references, if `field` is the id of one. */
  ownerOf(values: ParsedRecord['values'], field: Field): Resource | undefined {
    const morph = this.morphs.find(({ idField }) => idField === field);
    return morph?.targets.get(String(this.valueIn(values, morph.typeField)));
  }

  /** The values by field. */
  byField(values: ParsedRecord['values']): FieldValues {
    return new Map(
      this.fields.flatMap((field, position) => {
        const value = values[position];
        return value === undefined ? [] : [[field, value] as const];
      }),
    );
  }

  /** The fields in which a stored row differs from a valid record. */
  differences(source: SourceRecord, values: ParsedRecord['values'], row: Row): readonly Field[] {
    const different = this.columns.filter(({ decode }, position) => {
      const stored = decode(row[position] ?? null);
      return JSON.stringify(stored) !== JSON.stringify(values[position]);
    });
    if (different.length === 0) return [];
    const parsed = this.parse(source);
    return different
      .map(({ field }) => field)
      .filter(({ name }) => typeof parsed === 'object' && Object.hasOwn(parsed, name));
  }

  /** The problems of the header of a CSV file of such records, a clause each. */
  headerProblems(names: readonly string[]): readonly string[] {
    // With CR line ends the whole file would be the header.
    if (names.some((name) => name.includes('\r')))
      return ['the lines must end with LF or CRLF, not with CR alone'];
    const unknown = [...new Set(names)]
      .filter((name) => !this.resource.fields.has(name))
      .map((name) =>
        /[;\t|]/u.test(name) && names.length === 1
          ? 'the values must be separated by commas'
          : unknownName('field', name, this.positions.keys()),
      );
    const twice = names.filter((name, index) => name !== '' && names.indexOf(name) !== index);
    const missing = this.columns.filter(
      ({ field, fallback }) =>
        fallback === undefined &&
        field.default === undefined &&
        field !== this.resource.id &&
        !names.includes(field.name),
    );
    if (unknown.length === 0)
      unknown.push(...missing.map(({ field }) => `${field.name} is required, and is no column`));
    return [...unknown, ...[...new Set(twice)].map((name) => `the column ${name} stands twice`)];
  }

  /** The members of a record, or its problem. */
  private parse({ text, tokens, header }: SourceRecord): Members | string {
    if (header !== undefined) return this.parseCells(text, header);
    const read = readJsonText(text, tokens);
    if (!read.ok) return `the record ${read.error}`;
    return isJsonObject(read.value) ? read.value : 'the record is not a JSON object';
  }

  private parseCells(text: string, header: readonly string[]): Members | string {
    const cells = readCells(text);
    if (typeof cells === 'string') return cells;
    if (cells.length !== header.length)
      return `the record has ${counted(cells.length, 'value')}, and the header ${counted(header.length, 'name')}`;
    const members: Record<string, unknown> = {};
    for (const [index, name] of header.entries()) {
      const cell = cells[index] ?? null;
      const field = this.fields[this.positions.get(name) ?? -1];
      if (field === undefined) continue;
      if (cell !== null) members[name] = valueOfCell(cell, field);
      // An empty value of a field that is not nullable is absent.
      else if (field.nullable) members[name] = null;
    }
    return members;
  }

  private fill(values: (JsonValue | undefined)[], parsed: object, issues: string[]): void {
    let drawn: FieldValues | undefined;
    for (const [position, { field, fallback }] of this.columns.entries()) {
      if (values[position] !== undefined || Object.hasOwn(parsed, field.name)) continue;
      if (fallback === undefined) {
        drawn ??= complete(new Map(), { resource: this.resource }, this.clockAndIds);
        values[position] = drawn.get(field);
        if (values[position] === null) issues.push(`${field.name} is required`);
      } else values[position] = fallback;
    }
  }
}

/** A `RecordReader` for each resource. */
export async function readersOf(
  resources: readonly Resource[],
  dialect: Dialect,
  transaction: Transaction,
  clockAndIds: ClockAndIds,
): Promise<ReadonlyMap<Resource, RecordReader>> {
  const readers = new Map<Resource, RecordReader>();
  for (const resource of resources) {
    const fields = await writableFields(resource, dialect, transaction);
    readers.set(resource, new RecordReader(resource, fields, dialect, clockAndIds));
  }
  return readers;
}

function unread(issue: string): ParsedRecord {
  return { values: [], ownId: null, issues: [issue] };
}

function fallbackOf(field: Field): JsonValue | undefined {
  if (field.default?.kind === 'value') return field.default.value;
  // An import has no caller whose claim it could be.
  const isLeft =
    (field.default === undefined && field.nullable && !field.required) ||
    (field.default?.kind === 'claim' && field.nullable);
  return isLeft ? null : undefined;
}
