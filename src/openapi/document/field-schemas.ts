import type { Field } from '../../model/api.ts';
import { formatScaled } from '../../model/exact-number.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import { toldValues } from '../../model/told-values.ts';
import { counted } from '../../model/values.ts';
import type { View } from '../../model/view.ts';
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
const clock = String.raw`^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$`;
/** Of RFC 3339 what is no finer than ms. */
const moment = String.raw`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:[0-5]\d(\.\d{1,3}0*)?([Zz]|[+-]\d{2}:\d{2})$`;
/** Absolute, with an authority. */
const url = String.raw`^[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#]\S*$`;

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
    const patch = { ...patchSchema(field, view), ...notes(field) };
    return field.nullable ? orNull(patch) : patch;
  }
  const { attributes, default: initial } = field;
  const schema = {
    ...plainSchema(field, view, below),
    ...(name === 'decimal' ? { type: ['string', field.scale === 0 ? 'integer' : 'number'] } : {}),
    ...(name === 'json' && !field.nullable ? { not: { type: 'null' } } : {}),
    ...sentForm(field),
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
function patchSchema({ properties }: Field, view: View): JsonSchema {
  if (properties === undefined) return anyObject;
  const members = [...properties].map(([name, part]) => {
    const schema = writeSchema(part, view, { merges: true, stays: true });
    return [name, isNeeded(part) ? schema : orNull(schema)] as const;
  });
  return { type: 'object', properties: Object.fromEntries(members) };
}

/** Whether an object has to have this member. */
function isNeeded(property: Field): boolean {
  return property.required && property.default === undefined;
}

/**
 * What a filter on a field compares with: a text whatever texts its field takes, and with an operator that takes any
 * value of the type, whatever values the field lists.
 */
export function valueSchema(field: Field, view: View, isAny: boolean): JsonSchema {
  const { name } = field.type;
  if (name === 'array')
    return field.items === undefined ? {} : valueSchema(field.items, view, isAny);
  if (name === 'object' || name === 'json') return { type: 'string' };
  // A date alone is its midnight.
  if (name === 'datetime')
    return {
      anyOf: [
        { type: 'string', format: 'date-time', pattern: moment },
        { type: 'string', format: 'date' },
      ],
    };
  const { format, pattern, enum: values, ...schema } = plainSchema(field, view, readSchema);
  return {
    ...schema,
    ...(texts.has(name) ? {} : given({ format, pattern })),
    ...(name === 'time' ? { pattern: clock } : {}),
    ...(isAny ? {} : given({ enum: values })),
    ...(isWhole(field) && (isAny || values === undefined) ? wholeNumbers : {}),
  };
}

interface Range {
  readonly minimum: number;
  readonly maximum: number;
}

/** Numbers that JavaScript and both databases tell apart. */
const wholeNumbers: Range = { minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

function isWhole(field: Field): boolean {
  return field.type.name === 'integer' || isGenerated(field);
}

/**
 * What every value of a type keeps to when a client sends it, as far as a schema can say it: what is read may be of
 * an existing table, in a form of its own.
 */
function sentForm(field: Field): JsonSchema {
  const { type, attributes, values } = field;
  if (isWhole(field)) return values === undefined ? bounds(field, wholeNumbers) : {};
  const { name } = type;
  if (name === 'number') return bounds(field);
  if (name === 'decimal')
    return { pattern: decimalPattern(field), ...bounds(field, decimalRange(field)) };
  if (name === 'time') return { pattern: clock };
  if (name === 'datetime') return { pattern: moment };
  if (name === 'id' && attributes.format === 'string') return { minLength: 1, maxLength: 255 };
  return (attributes.format ?? name) === 'url' ? { pattern: url } : {};
}

/**
 * Of numbers, within the `widest` where they have no others, and of decimals that are sent as such; those in strings
 * are told of theirs in words.
 */
function bounds({ attributes }: Field, widest: Partial<Range> = {}): JsonSchema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = attributes;
  const number = (limit: number | string | undefined): number | undefined =>
    limit === undefined ? undefined : Number(limit);
  return given({
    minimum: exclusiveMinimum === undefined ? (number(minimum) ?? widest.minimum) : undefined,
    maximum: exclusiveMaximum === undefined ? (number(maximum) ?? widest.maximum) : undefined,
    exclusiveMinimum: number(exclusiveMinimum),
    exclusiveMaximum: number(exclusiveMaximum),
    multipleOf: isBinary(multipleOf) ? number(multipleOf) : undefined,
  });
}

/**
 * Whether a double is just this number. By others, such as 0.1, validators divide in doubles, and refuse multiples that
 * the service takes.
 */
function isBinary(of: number | string | undefined): boolean {
  return of !== undefined && Number.isInteger(Number(of) * 2 ** 20);
}

/** At most as many digits before and behind the point as there is room for; zeros that say nothing do not count. */
function decimalPattern({ precision, scale }: Field): string {
  const whole = precision > scale ? String.raw`0*\d{1,${precision - scale}}` : '0+';
  const fraction = scale > 0 ? String.raw`\d{1,${scale}}0*` : '0+';
  return String.raw`^-?${whole}(\.${fraction})?$`;
}

/** What a decimal of so many digits can be, to the next double. */
function decimalRange({ precision, scale }: Field): Range {
  const most = Number(formatScaled(10n ** BigInt(precision) - 1n, scale));
  return { minimum: -most, maximum: most };
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
    .filter(([, property]) => isNeeded(property))
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
      ? `An exact decimal in a string, with ${counted(scale, 'decimal place')} and at most ${counted(precision, 'digit')}.`
      : undefined,
    boundsInWords(field),
  ].filter((word) => word !== undefined);
  return words.length === 0 ? {} : { description: words.join(' ') };
}

/** The bounds that the schema of a number does not have, or has for numbers alone where strings are taken too. */
function boundsInWords({ type, attributes }: Field): string | undefined {
  const told = type.name === 'decimal' ? decimalWords : isBinary(attributes.multipleOf) ? [] : step;
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
