import type { Field } from '../../model/api.ts';
import { isBinary, wholeNumbers } from '../../model/field-types/numbers/numbers.ts';
import { anyObject, isNeeded } from '../../model/field-types/object.ts';
import { visibleValues } from '../../model/validation/visible-values.ts';
import type { View } from '../../model/view.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { given, orNull, type JsonSchema } from './schema.ts';

/** What a field's values look like in answers. Constraints on writing say nothing of what an existing table holds. */
export function readSchema(field: Field, view: View): JsonSchema {
  const schema = { ...plainSchema(field, view, readSchema), ...notes(field) };
  return field.nullable ? orNull(schema) : schema;
}

/** As `readSchema`, of what `fields` and `exclude` leave: nothing is needed in an object. */
export function selectedSchema(field: Field, view: View): JsonSchema {
  if (field.properties === undefined) return readSchema(field, view);
  const { required: _required, ...schema } = plainSchema(field, view, selectedSchema);
  const selected = { ...schema, ...notes(field) };
  return field.nullable ? orNull(selected) : selected;
}

/** How a body gives a field. */
interface Giving {
  /** As a merge patch does. */
  readonly merges?: boolean;
  /** Left out it stays as it is: a `default` in the schema would be put in by validators, and overwrite it. */
  readonly stays?: boolean;
}

/** What a body may give for a field, with the constraints that are checked. */
export function writeSchema(
  field: Field,
  view: View,
  { merges = false, stays = false }: Giving = {},
): JsonSchema {
  const below = (part: Field): JsonSchema => writeSchema(part, view);
  const { type } = field;
  if (merges && type.json === 'object') {
    const patch = { ...patchSchema(field, view), ...notes(field) };
    return field.nullable ? orNull(patch) : patch;
  }
  const { attributes, default: initial } = field;
  const schema = {
    ...plainSchema(field, view, below),
    ...type.sentSchema?.(field),
    ...given({
      minLength: attributes.minLength,
      maxLength: attributes.maxLength,
      pattern: attributes.pattern,
      minItems: attributes.minItems,
      maxItems: attributes.maxItems,
      uniqueItems: attributes.uniqueItems,
      default: initial?.kind === 'value' && !stays ? initial.value : undefined,
      writeOnly: field.writeOnly ? true : undefined,
    }),
    ...notes(field),
  };
  return field.nullable ? orNull(schema) : schema;
}

/** What is merged into an object: null takes a member away that it can do without. RFC 7396. */
function patchSchema({ properties, isOpen }: Field, view: View): JsonSchema {
  if (properties === undefined) return anyObject;
  const members = [...properties].map(([name, part]) => {
    const schema = writeSchema(part, view, { merges: true, stays: true });
    return [name, isNeeded(part) ? schema : orNull(schema)] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(members),
    ...(isOpen ? {} : { additionalProperties: false }),
  };
}

/**
 * What a filter on a field compares with: a text whatever texts its field takes, and with an operator that takes any
 * value of the type, whatever values the field lists.
 */
export function valueSchema(field: Field, view: View, isAny: boolean): JsonSchema {
  const { type, items } = field;
  if (type.json === 'array') return items === undefined ? {} : valueSchema(items, view, isAny);
  const values = isAny ? undefined : listedValues(field, view);
  return {
    ...(type.comparedSchema?.(field) ?? type.schema(field, (part) => readSchema(part, view))),
    ...given({ enum: values }),
    ...(type.json === 'integer' && (isAny || values === undefined) ? wholeNumbers : {}),
  };
}

type Below = (part: Field, view: View) => JsonSchema;

/** Type and format, with nothing of null. */
function plainSchema(field: Field, view: View, below: Below): JsonSchema {
  const schema = field.type.schema(field, (part) => below(part, view));
  return { ...schema, ...given({ enum: listedValues(field, view) }) };
}

/** The allowed values, where the caller may be told of all of them: it can meet the others, too. */
function listedValues(field: Field, view: View): readonly JsonValue[] | undefined {
  const values = visibleValues(field, view);
  return values === undefined || values.length < (field.values?.length ?? 0) ? undefined : values;
}

function notes(field: Field): JsonSchema {
  const { attributes, type, immutable } = field;
  const words = [
    attributes.description,
    immutable ? 'It is set when the record is created and stays.' : undefined,
    field.default?.kind === 'claim'
      ? `A new record without it gets the caller's claim \`${field.default.claim}\`.`
      : undefined,
    type.note?.(field),
    boundsInWords(field),
  ].filter((word) => word !== undefined);
  return words.length === 0 ? {} : { description: words.join(' ') };
}

/** The bounds that the schema of a number does not have, or has for numbers alone where strings are taken too. */
function boundsInWords({ type, attributes }: Field): string | undefined {
  const told =
    type.takesNumbers === true ? decimalWords : isBinary(attributes.multipleOf) ? [] : step;
  const words = told.flatMap(([name, word]) =>
    attributes[name] === undefined ? [] : `${word} ${String(attributes[name])}`,
  );
  return words.length === 0 ? undefined : `It is ${words.join(' and ')}.`;
}

const step = [['multipleOf', 'a multiple of']] as const;
const decimalWords = [
  ['minimum', 'at least'],
  ['maximum', 'at most'],
  ['exclusiveMinimum', 'greater than'],
  ['exclusiveMaximum', 'less than'],
  ...step,
] as const;
