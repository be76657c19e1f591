import { breaks, type BrokenRule } from '../../../problem-rules.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Field, Resource } from '../../../model/api.ts';
import { unknownName } from '../../../model/build/names.ts';
import { inBody } from '../../../lib/body-bounds.ts';
import { readValue } from '../../../model/validation/read-value.ts';
import { mostIssues, type ValueIssue } from '../../../model/values.ts';
import type { FieldValues, PlannedChange } from '../../../query/plan.ts';
import { isLeftToDatabase, isUpdateStamp } from '../../../query/write/defaults.ts';
import { emptyHalves, halfIssue, touchedMorphs } from '../../../query/write/morphs.ts';
import { revise } from '../../../query/write/revisions.ts';
import { isNeeded } from '../../../query/write/write.ts';
import type { WrittenRecord } from '../../../query/write/written-records.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { Names } from '../../../records/write/checks/conflicts.ts';

/** A record as own code gets it, in the names of the file. */
export type CodeRecord = Record<string, unknown>;

/** A new record for its hook: every value, its own copy. */
export function draftOf({ record }: Extract<WrittenRecord, { kind: 'create' }>): CodeRecord {
  return objectOf(record.values);
}

/** The fields of a record whose values only earlier answers of a batch can tell, with what was sent for them. */
export function unresolvedIn(
  { fields }: Resource,
  path: string,
  names: Names,
  unresolved: ReadonlyMap<string, unknown> | undefined,
): ReadonlyMap<Field, unknown> {
  const found = new Map<Field, unknown>();
  if (unresolved === undefined || unresolved.size === 0) return found;
  for (const field of fields.values()) {
    const sent = unresolved.get(`${path}${names.field(field) ?? ''}`);
    // Its numbers may be more exact than those of own code.
    if (sent !== undefined) found.set(field, JSON.parse(JSON.stringify(sent)));
  }
  return found;
}

/** A change for its hook: what the request says, increments and merges done on the record as it is. */
export function changeOf(change: PlannedChange, before: CodeRecord): CodeRecord {
  const sent = new Map<Field, JsonValue>();
  for (const [field, value] of change.values) if (!isUpdateStamp(field)) sent.set(field, value);
  for (const [field, value] of change.unchanged) sent.set(field, value);
  for (const [field, revision] of change.revised) {
    const value = revise(revision, (before[field.name] ?? null) as JsonValue, field);
    if (value !== undefined) sent.set(field, value as JsonValue);
  }
  return objectOf(sent);
}

function objectOf(values: FieldValues): CodeRecord {
  const record: CodeRecord = {};
  for (const [field, value] of values)
    record[field.name] = typeof value === 'object' ? structuredClone(value) : value;
  return record;
}

/** What a hook has changed of what it got. */
export interface Changes {
  readonly values: ReadonlyMap<Field, JsonValue>;
  readonly issues: readonly ValueIssue[];
}

export const noChanges: Changes = { values: new Map(), issues: [] };

/**
 * The values that a hook has set, validated like those of a body. `given`: what it got; `path` and `names` are for
 * problems. Throws if it sets what is no field, or the id.
 */
export function changesOf(
  record: CodeRecord,
  given: CodeRecord,
  { id, fields, relations, name: owner }: Resource,
  path: string,
  names: Names,
): Changes {
  let values: Map<Field, JsonValue> | undefined;
  const issues: ValueIssue[] = [];
  const visit = (name: string): void => {
    const value = record[name];
    const old = given[name];
    if (value === old && typeof value !== 'object') return;
    if (isDeepStrictEqual(value, old)) return;
    const field = fields.get(name);
    if (field === undefined || field.parts !== undefined)
      throw new TypeError(
        relations.has(name)
          ? `${owner}.${name} is a relation; a hook sets fields`
          : unknownName(`field of ${owner}`, name, [...fields.keys()]),
      );
    if (field === id) throw new TypeError(`a hook of ${owner} must not set the id`);
    const parsed = inBody(() => readValue(plain(value, field), field));
    values ??= new Map();
    const shown = names.field(field);
    if (parsed.ok) values.set(field, parsed.value);
    // The caller may not know of the field: the code is to blame.
    else if (shown === undefined)
      throw new TypeError(
        `${owner}.${name}, as a hook has set it: ${parsed.issues[0]?.message ?? 'is not allowed'}`,
      );
    else
      for (const issue of parsed.issues.slice(0, mostIssues - issues.length))
        issues.push({ ...issue, path: `${path}${shown}${issue.path}` });
  };
  for (const name in record) if (Object.hasOwn(record, name)) visit(name);
  for (const name in given) if (!Object.hasOwn(record, name)) visit(name);
  return values === undefined && issues.length === 0
    ? noChanges
    : { values: values ?? noChanges.values, issues };
}

/** A value of own code as JSON has it: moments as texts, what is not there as null. */
function plain(value: unknown, { type }: Field): unknown {
  if (value === undefined) return null;
  if (value instanceof Date)
    return type.kind === 'date' ? value.toISOString().slice(0, 10) : value.toISOString();
  return typeof value === 'object' ? (JSON.parse(JSON.stringify(value)) as unknown) : value;
}

/** The problems of a new record that still lacks what it cannot be without. `unresolved`: what it will have. */
export function missingIn(
  { resource, record, given, path }: Extract<WrittenRecord, { kind: 'create' }>,
  changes: Changes,
  names: Names,
  unresolved: ReadonlyMap<Field, unknown>,
): readonly ValueIssue[] {
  const issues: ValueIssue[] = [];
  const paths = new Set(changes.issues.map((issue) => issue.path));
  const note = (name: string, message: string, broken: BrokenRule): void => {
    const whole = `${path}${name}`;
    if (!paths.has(whole)) issues.push({ kind: 'type', path: whole, message, ...broken });
  };
  for (const field of resource.fields.values()) {
    if (field === resource.id || field.parts !== undefined || given.includes(field)) continue;
    if (field.default !== undefined || isLeftToDatabase(field) || !isNeeded(field)) continue;
    if (record.values.has(field) || changes.values.has(field) || unresolved.has(field)) continue;
    const name = names.field(field);
    if (name === undefined)
      throw new TypeError(
        `${resource.name}.${field.name} is required: no hook has set it, and the caller may not know of it`,
      );
    note(name, 'is required', breaks('required'));
  }
  const valueOf = (field: Field): JsonValue =>
    changes.values.get(field) ?? record.values.get(field) ?? null;
  const morphs = touchedMorphs(
    resource,
    new Set([...record.values.keys(), ...changes.values.keys()]),
  ).filter(({ typeField, idField }) =>
    [typeField, idField].every((half) => !given.includes(half) && !unresolved.has(half)),
  );
  for (const half of emptyHalves(morphs, valueOf)) {
    const { field, message, ...broken } = halfIssue(half, names.field);
    note(names.field(field) ?? '', message, broken);
  }
  return issues;
}
