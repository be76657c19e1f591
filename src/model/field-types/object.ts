import { breaks } from '../../problem-rules.ts';
import type { Field, FieldType } from '../api.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { isJsonObject, wrongType, type ParsedValue } from '../values.ts';
import { unknownField } from '../unknown-field.ts';
import { defaultValue, readValue } from '../validation/read-value.ts';
import { below, gather, partsOfDefault, readJson, storedAsJson } from './json.ts';

/** Without its last member some generators of types take it for an object that has to be empty. */
export const anyObject: JsonSchema = { type: 'object', additionalProperties: true };

/** Whether an object has to have this member. */
export function isNeeded(property: Field): boolean {
  return property.required && property.default === undefined;
}

/** The problems of members that the object does not declare. */
export function undeclared(names: Iterable<string>, declared: Iterable<string>): ParsedValue {
  const candidates = [...declared];
  const parts = Array.from(names, (name): ParsedValue => {
    const { message, ...broken } = unknownField('member', name, candidates);
    return below(`.${name}`, wrongType(message, broken));
  });
  return gather(parts, () => ({}));
}

export const objectType: FieldType = {
  name: 'object',
  otherNames: ['map', 'dict', 'struct', 'record'],
  attributes: ['described', 'column', 'drawnValues', 'members'],
  json: 'object',
  kind: 'object',
  comparison: 'none',
  sortable: false,
  read: (value, { properties, isOpen }) => {
    if (!isJsonObject(value))
      return wrongType('must be an object', breaks('type', { expected: 'object' }));
    if (properties === undefined) return readJson(value);
    const members = new Map(Object.entries(value));
    const parts: [string, ParsedValue][] = [];
    for (const [name, property] of properties) {
      const member = members.has(name) ? members.get(name) : defaultValue(property);
      members.delete(name);
      if (member !== undefined) parts.push([name, readValue(member, property)]);
      else if (property.required) parts.push([name, wrongType('is required', breaks('required'))]);
    }
    // What is not declared comes last.
    const others = isOpen
      ? readJson(Object.fromEntries(members))
      : undeclared(members.keys(), properties.keys());
    return gather(
      [...parts.map(([name, parsed]) => below(`.${name}`, parsed)), others],
      (values) => ({
        ...Object.fromEntries(parts.map(([name], index) => [name, values[index] ?? null])),
        ...(values.at(-1) as object),
      }),
    );
  },
  parse: () => undefined,
  expects: () => 'a path below it',
  ...storedAsJson,
  schema: ({ properties }, below) => {
    if (properties === undefined) return anyObject;
    const required = [...properties]
      .filter(([, property]) => isNeeded(property))
      .map(([name]) => name);
    return {
      type: 'object',
      properties: Object.fromEntries([...properties].map(([name, part]) => [name, below(part)])),
      ...(required.length === 0 ? {} : { required }),
    };
  },
  sentSchema: ({ isOpen }) => (isOpen ? {} : { additionalProperties: false }),
  comparedSchema: () => ({ type: 'string' }),
  wireName: () => 'object',
  examples: ({ properties }, exampleOf): readonly JsonValue[] => {
    const members = [...(properties ?? [])].flatMap(([name, property]) => {
      const value = exampleOf(property);
      return value === undefined ? [] : [[name, value] as const];
    });
    return [Object.fromEntries(members)];
  },
  generated: 'json',
  fromDefault: (text) => {
    const value = partsOfDefault(text);
    return Array.isArray(value) ? undefined : value;
  },
};
