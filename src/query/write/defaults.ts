import type { Field } from '../../model/api.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import type { ResourceView } from '../../model/view.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { FieldValues } from '../plan.ts';

/** What a write draws before it is run. */
export interface ClockAndIds {
  readonly now: () => Date;
  /** A UUIDv7. */
  readonly uuid: () => string;
}

/** The default of a field, drawn now where it is `now` or `uuid`. */
export function drawDefault(field: Field, clockAndIds: ClockAndIds): JsonValue | undefined {
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

/** Whether it says when its record was changed last. */
export const isUpdateStamp = (field: Field): boolean =>
  field.resource.timestamps &&
  field.name === 'updatedAt' &&
  field.readOnly &&
  field.type.kind === 'datetime';

/** Whether creates leave it to the database: only that can give a value to what nobody writes and no default fills. */
export const isLeftToDatabase = (field: Field): boolean =>
  field.readOnly && field.default === undefined && field !== field.resource.id;

/** Adds what a client does not write on create: the id where the service draws it, defaults, nulls. */
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
    else if (field !== resource.id) completed.set(field, drawDefault(field, clockAndIds) ?? null);
    else if (!isGenerated(field)) completed.set(field, clockAndIds.uuid());
  }
  return completed;
}
