import type { Field } from '../model/api.ts';
import { toldValues } from '../model/told-values.ts';
import { counted } from '../model/values.ts';
import type { View } from '../model/view.ts';
import { given, orNull, type JsonSchema } from './schema.ts';

const stringFormats: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'uri',
  hostname: 'hostname',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
  uuid: 'uuid',
};
const texts: ReadonlySet<string> = new Set(['string', 'text', 'email', 'url']);
const slug = '^[a-z0-9]+(?:-[a-z0-9]+)*$';
/** Without its last member some generators of types take it for an object that has to be empty. */
const anyObject: JsonSchema = { type: 'object', additionalProperties: true };
const decimal = String.raw`^-?\d+(\.\d+)?$`;

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
  const { name } = field.type;
  if (merges && name === 'object') {
    const patch = { ...anyObject, ...notes(field) };
    return field.nullable ? orNull(patch) : patch;
  }
  const { attributes, default: initial } = field;
  const isNumber = name === 'integer' || name === 'number';
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = attributes;
  const schema = {
    ...plainSchema(field, view, below),
    ...(name === 'decimal' ? { type: ['string', 'number'] } : {}),
    ...given({
      minLength: attributes.minLength,
      maxLength: attributes.maxLength,
      pattern: attributes.pattern,
      minItems: attributes.minItems,
      maxItems: attributes.maxItems,
      uniqueItems: attributes.uniqueItems,
      ...(isNumber
        ? {
            minimum: exclusiveMinimum === undefined ? minimum : undefined,
            maximum: exclusiveMaximum === undefined ? maximum : undefined,
            exclusiveMinimum,
            exclusiveMaximum,
            multipleOf,
          }
        : {}),
      default: initial?.kind === 'value' && !stays ? initial.value : undefined,
      writeOnly: field.writeOnly ? true : undefined,
    }),
    ...notes(field),
  };
  return field.nullable ? orNull(schema) : schema;
}

/** What a filter on a field compares with: a text whatever texts its field takes. */
export function valueSchema(field: Field, view: View): JsonSchema {
  const { name } = field.type;
  if (name === 'array') return field.items === undefined ? {} : valueSchema(field.items, view);
  if (name === 'object' || name === 'json') return { type: 'string' };
  // A date alone is its midnight.
  if (name === 'datetime')
    return { anyOf: ['date-time', 'date'].map((format) => ({ type: 'string', format })) };
  const { format, pattern, ...schema } = plainSchema(field, view, readSchema);
  return texts.has(name) ? schema : { ...schema, ...given({ format, pattern }) };
}

type Below = (part: Field, view: View) => JsonSchema;

/**
 * Type and format, with nothing of null. The values are listed where the caller may be told of all of them: it can meet
 * the others, too.
 */
function plainSchema(field: Field, view: View, below: Below): JsonSchema {
  const schema = typeSchema(field, (part) => below(part, view));
  const values = toldValues(field, view);
  return values === undefined || values.length < (field.values?.length ?? 0)
    ? schema
    : { ...schema, enum: values };
}

function typeSchema(field: Field, below: (part: Field) => JsonSchema): JsonSchema {
  const { type, attributes, properties, items } = field;
  switch (type.name) {
    case 'id':
      if (attributes.format === undefined) return { type: 'integer', format: 'int64' };
      return { type: 'string', ...(attributes.format === 'uuid' ? { format: 'uuid' } : {}) };
    case 'integer':
      return { type: 'integer', format: 'int64' };
    case 'number':
      return { type: 'number', format: 'double' };
    case 'decimal':
      return { type: 'string', format: 'decimal', pattern: decimal };
    case 'boolean':
      return { type: 'boolean' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'time':
      return { type: 'string', pattern: String.raw`^\d{2}:\d{2}:\d{2}$` };
    case 'datetime':
      return { type: 'string', format: 'date-time' };
    case 'uuid':
      return { type: 'string', format: 'uuid' };
    case 'email':
      return { type: 'string', format: 'email' };
    case 'url':
      return { type: 'string', format: 'uri' };
    case 'object':
      return objectSchema(properties, below);
    case 'array':
      return { type: 'array', items: items === undefined ? {} : below(items) };
    case 'json':
      return {};
    case 'string':
    case 'text':
    case 'enum':
    case 'relation': {
      const format = stringFormats[attributes.format ?? ''];
      return {
        type: 'string',
        ...(format === undefined ? {} : { format }),
        ...(attributes.format === 'slug' ? { pattern: slug } : {}),
      };
    }
    default:
      return type.name satisfies never;
  }
}

function objectSchema(
  properties: Field['properties'],
  below: (part: Field) => JsonSchema,
): JsonSchema {
  if (properties === undefined) return anyObject;
  const required = [...properties]
    .filter(([, property]) => property.required && property.default === undefined)
    .map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries([...properties].map(([name, part]) => [name, below(part)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function notes(field: Field): JsonSchema {
  const { attributes, type, immutable, scale, precision } = field;
  const words = [
    attributes.description,
    immutable ? 'It is set when the record is created and stays.' : undefined,
    type.name === 'decimal'
      ? `An exact decimal in a string, with ${counted(scale, 'decimal place')} and at most ${counted(precision, 'digit')}.${decimalBounds(field)}`
      : undefined,
  ].filter((word) => word !== undefined);
  return words.length === 0 ? {} : { description: words.join(' ') };
}

function decimalBounds({ attributes }: Field): string {
  const bounds = (
    [
      ['minimum', 'at least'],
      ['maximum', 'at most'],
      ['exclusiveMinimum', 'greater than'],
      ['exclusiveMaximum', 'less than'],
      ['multipleOf', 'a multiple of'],
    ] as const
  ).flatMap(([name, word]) =>
    attributes[name] === undefined ? [] : `${word} ${String(attributes[name])}`,
  );
  return bounds.length === 0 ? '' : ` It is ${bounds.join(' and ')}.`;
}
