import { claimOf, type Claims } from '../../model/access.ts';
import type { Field, Resource } from '../../model/api.ts';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import { readValue } from '../../model/validation/read-value.ts';
import { readClaim } from '../filter/operand.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import type { ResourceView } from '../../model/view.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { FieldValues } from '../plan.ts';

/** What defaults are drawn from: the clock and the source of ids, which are replaced in tests, and the caller. */
export interface ClockAndIds {
  readonly now: () => Date;
  /** A UUIDv7. */
  readonly uuid: () => string;
  /** Of the caller of a write; without it no default is a claim. */
  readonly claims?: Claims;
}

/** The default of a field, generated now if it is `now` or `uuid`; undefined if it has none, or the caller lacks the claim. */
export function makeDefault(field: Field, clockAndIds: ClockAndIds): JsonValue | undefined {
  switch (field.default?.kind) {
    case undefined:
      return undefined;
    case 'value':
      return field.default.value;
    case 'database':
      return undefined;
    case 'claim':
      return defaultClaim(field, field.default.claim, clockAndIds.claims);
    case 'uuid':
      return clockAndIds.uuid();
    case 'now': {
      const { drawn } = field.type;
      if (drawn?.word !== 'now') throw new TypeError(`${field.name} has no moment for a default`);
      return drawn.of(clockAndIds.now().toISOString(), field);
    }
    default:
      return field.default satisfies never;
  }
}

/** A claim as a value of the field; undefined if it is missing, or no value that the field takes. */
export function defaultClaim(
  field: Field,
  name: string,
  claims: Claims = {},
): JsonValue | undefined {
  const value = readClaim(claimOf(claims, name) ?? null, { field, operator: 'eq' });
  const read = value === undefined ? undefined : readValue(value, field);
  return read?.ok === true ? read.value : undefined;
}

const claimed = new WeakMap<Resource, readonly Field[]>();

/**
 * Whether a caller lacks a claim that a new row cannot be without: the default of a field that may not be null. `given`
 * tells fields for which the body has a value.
 */
export function lacksClaim(
  resource: Resource,
  clockAndIds: ClockAndIds,
  given: (field: Field) => boolean,
): boolean {
  const fields = getOrInsert(claimed, resource, () =>
    [...resource.fields.values()].filter(
      (field) => field.default?.kind === 'claim' && !field.nullable,
    ),
  );
  return fields.some((field) => !given(field) && makeDefault(field, clockAndIds) === undefined);
}

/** Whether a field holds the time of its record's last update. */
export const isUpdateStamp = (field: Field): boolean =>
  field.resource.timestamps &&
  field.name === 'updatedAt' &&
  field.default?.kind === 'now' &&
  field.type.kind === 'datetime';

/** Whether creates leave a field to the database: it fills the column, or clients cannot write it and it has no default. */
export const isLeftToDatabase = (field: Field): boolean =>
  field.default?.kind === 'database' ||
  (field.readOnly && !field.required && field.default === undefined && field !== field.resource.id);

/**
 * Adds what a create does not send: a generated id, defaults, nulls. `isFilled`: what may not be null stays out, as own
 * code may set it.
 */
export function complete(
  values: FieldValues,
  { resource }: Pick<ResourceView, 'resource'>,
  clockAndIds: ClockAndIds,
  isFilled = false,
): FieldValues {
  const completed = new Map<Field, JsonValue>();
  for (const field of resource.fields.values()) {
    const given = values.get(field);
    if (field.parts !== undefined) continue;
    if (given !== undefined) completed.set(field, given);
    else if (isLeftToDatabase(field)) continue;
    else if (field !== resource.id) {
      const value = makeDefault(field, clockAndIds) ?? null;
      const isLeft = isFilled && value === null && (field.required || !field.nullable);
      if (!isLeft) completed.set(field, value);
    } else if (!isGenerated(field) && !field.required) completed.set(field, clockAndIds.uuid());
  }
  return completed;
}
