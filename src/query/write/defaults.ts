import type { Field } from '../../model/api.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import type { ResourceView } from '../../model/view.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { FieldValues } from '../plan.ts';

/** The clock and the source of ids for a write; replaced in tests. */
export interface ClockAndIds {
  readonly now: () => Date;
  /** A UUIDv7. */
  readonly uuid: () => string;
}

/** The default of a field, generated now if it is `now` or `uuid`; undefined if it has none. */
export function makeDefault(field: Field, clockAndIds: ClockAndIds): JsonValue | undefined {
  switch (field.default?.kind) {
    case undefined:
      return undefined;
    case 'value':
      return field.default.value;
    case 'uuid':
      return clockAndIds.uuid();
    case 'now': {
      const { drawn } = field.type;
      if (drawn?.word !== 'now') throw new TypeError(`${field.name} has no moment for a default`);
      return drawn.of(clockAndIds.now().toISOString());
    }
    default:
      return field.default satisfies never;
  }
}

/** Whether a field holds the time of its record's last update. */
export const isUpdateStamp = (field: Field): boolean =>
  field.resource.timestamps &&
  field.name === 'updatedAt' &&
  field.readOnly &&
  field.type.kind === 'datetime';

/** Whether creates leave a field to the database, since clients cannot write it and it has no default. */
export const isLeftToDatabase = (field: Field): boolean =>
  field.readOnly && field.default === undefined && field !== field.resource.id;

/** Adds what a create does not send: a generated id, defaults, nulls. */
export function complete(
  values: FieldValues,
  { resource }: Pick<ResourceView, 'resource'>,
  clockAndIds: ClockAndIds,
): FieldValues {
  const completed = new Map<Field, JsonValue>();
  for (const field of resource.fields.values()) {
    const given = values.get(field);
    if (given !== undefined) completed.set(field, given);
    else if (isLeftToDatabase(field)) continue;
    else if (field !== resource.id) completed.set(field, makeDefault(field, clockAndIds) ?? null);
    else if (!isGenerated(field)) completed.set(field, clockAndIds.uuid());
  }
  return completed;
}
