import { foreignKeysOf, keyFields } from '../../model/field-types/composite-id.ts';
import { decide } from '../../model/access.ts';
import type { Field, Resource } from '../../model/api.ts';
import { visibleValues } from '../../model/validation/visible-values.ts';
import { readValue } from '../../model/validation/read-value.ts';
import {
  mayCreate,
  mayUpdate,
  pointsNowhere,
  type FieldView,
  type InputView,
  type ResourceView,
} from '../../model/view.ts';
import type { JsonValue } from '../../specification/specification.ts';

/** The rows that examples are made of; `generate/` has them. */
export interface ExampleRows {
  /** How many rows a resource is filled with. */
  readonly countOf: (resource: Resource) => number;
  /** The value of a field in a row, from 1, be it filled or not; undefined where none can be made. */
  readonly valueOf: (field: Field, row: number) => JsonValue | undefined;
  /** The values, or others in their place, with which a record can be added to the rows; undefined where there are none. */
  readonly freeOf: (
    resource: Resource,
    values: ReadonlyMap<Field, JsonValue>,
  ) => ReadonlyMap<Field, JsonValue> | undefined;
}

/** The members of a record or body. */
type Example = Readonly<Record<string, JsonValue>>;

/** What the operations on a resource show as examples; undefined where a member that is needed has no value. */
export interface Examples {
  /** A record as a plain read shows it. */
  readonly record: Example | undefined;
  /** What creates one more record, and that record; undefined also where the rows leave no room for one. */
  readonly create: Example | undefined;
  readonly created: Example | undefined;
  /** What replaces and what changes the record, and what becomes of it. */
  readonly replace: Example | undefined;
  readonly update: Example | undefined;
  readonly merge: Example | undefined;
  readonly updated: Example | undefined;
}

/** How many rows are looked through for one that a caller may be told of. */
const searched = 20;

/**
 * Examples of what one caller reads and writes. Records that rules hide from it may be any of the rows that a resource
 * is filled with, and so may values that nobody reads: such examples are made of rows that are not filled. Without
 * rows the types of the fields have to do.
 */
export function examplesOf(resourceView: ResourceView, rows?: ExampleRows): Examples {
  const count = rows?.countOf(resourceView.resource) ?? 0;
  const seesAll = decide(resourceView.rules.read).allowed === 'all';
  const shown = [...resourceView.fields.values()];
  const inputs = [...resourceView.inputs.values()];
  const next = valuesFrom(resourceView, rows, count + 1);
  const here = seesAll ? valuesFrom(resourceView, rows, 1) : next;

  const record = all(shown, here);
  const replace = all(
    inputs.filter((input) => isReplaced(input, resourceView)),
    here,
  );
  const change = inputs.find((input) => isPlainChange(input, resourceView));
  const creatable = inputs.filter((input) => isCreated(input, resourceView));
  const added = rows && withRoom(creatable, next, resourceView, rows);
  const room = rows === undefined ? next : added;
  const one: Values | undefined =
    room &&
    ((view) =>
      view.field.nullable && pointsNowhere(view.field, resourceView.view.subject)
        ? null
        : room(view));
  const update = change === undefined ? replace : all([change], next);
  return {
    record,
    create: one && all(creatable, one),
    created: one && all(shown, one),
    replace,
    update,
    merge: mergeOf(resourceView, next) ?? update,
    updated: record && update && { ...record, ...update },
  };
}

type Values = (view: FieldView) => JsonValue | undefined;

/** The values of a row that may be told, from this one on; the file's own example of a field comes first. */
function valuesFrom(
  resourceView: ResourceView,
  rows: ExampleRows | undefined,
  first: number,
): Values {
  const { view } = resourceView;
  const told = new Map(
    [...resourceView.inputs.values()].map(({ field }) => [field, visibleValues(field, view)]),
  );
  const row = Array.from({ length: searched }, (_, index) => first + index).find((number) =>
    [...told].every(([field, values]) => {
      if (values === undefined || values.length === field.values?.length) return true;
      const value = rows?.valueOf(field, number);
      return value === null || (value !== undefined && values.includes(value));
    }),
  );
  return ({ field }) => {
    const { example } = field.attributes;
    const own = example === undefined ? undefined : readValue(example, field);
    if (own?.ok === true) return own.value;
    const made = row === undefined || field.writeOnly ? undefined : rows?.valueOf(field, row);
    return (
      made ?? (made === null && field.nullable ? null : guessOf(field, visibleValues(field, view)))
    );
  };
}

/**
 * A value that a field could have by its type alone, of those that may be told; undefined where none passes the
 * field's own rules.
 */
function guessOf(field: Field, told = field.values): JsonValue | undefined {
  const { attributes } = field;
  const fixed = field.default?.kind === 'value' ? [field.default.value] : [];
  const own = attributes.example === undefined ? [] : [attributes.example];
  const candidates = [
    ...own,
    ...fixed,
    ...(told ?? []),
    ...field.type.examples(field, (part) => guessOf(part)),
  ];
  for (const candidate of candidates) {
    const parsed = candidate === null ? undefined : readValue(candidate, field);
    if (parsed?.ok === true) return parsed.value;
  }
  return field.nullable ? null : undefined;
}

/** The values of a row with those that it needs to be told apart; undefined where there are no such values. */
function withRoom(
  creatable: readonly FieldView[],
  values: Values,
  { resource }: ResourceView,
  rows: ExampleRows,
): Values | undefined {
  const own = creatable.flatMap((view) => {
    const value = values(view);
    return value === undefined ? [] : [[view.field, value] as const];
  });
  const free = rows.freeOf(resource, new Map(own));
  // Null is a value, too.
  return free && ((view) => (free.has(view.field) ? free.get(view.field) : values(view)));
}

function isCreated(input: InputView, resourceView: ResourceView): boolean {
  const isId = input.field === resourceView.resource.id;
  return mayCreate(input) && (!isId || input.field.required);
}

function isReplaced(input: InputView, resourceView: ResourceView): boolean {
  return mayUpdate(input) && resourceView.fields.has(input.name);
}

/** Whether a field can be changed alone, whatever else there is. */
function isPlainChange(input: InputView, resourceView: ResourceView): boolean {
  const { field } = input;
  const isOfPair = [...resourceView.resource.relations.values()].some(
    (relation) =>
      relation.kind === 'morphTo' && (relation.typeField === field || relation.idField === field),
  );
  const isDistinct =
    field.unique || resourceView.resource.unique.some((list) => list.includes(field));
  return (
    isReplaced(input, resourceView) &&
    !foreignKeysOf(field.resource).flatMap(keyFields).includes(field) &&
    !isDistinct &&
    !isOfPair
  );
}

/** A merge patch that changes one member of an object. */
function mergeOf(resourceView: ResourceView, values: Values): Example | undefined {
  for (const input of resourceView.inputs.values()) {
    const { name, field } = input;
    if (field.type.json !== 'object' || !isReplaced(input, resourceView)) continue;
    const value = values(input);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    return { [name]: Object.fromEntries(Object.entries(value).slice(0, 1)) };
  }
  return undefined;
}

function all(fields: readonly FieldView[], values: Values): Example | undefined {
  const members = fields.map((view) => [view.name, values(view)] as const);
  if (members.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(members) as Example;
}
