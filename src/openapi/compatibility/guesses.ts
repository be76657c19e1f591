import { readValue } from '../../model/validation.ts';
import type { Field } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';

const uuid = '0198c0de-0000-7000-8000-000000000001';

const byFormat: Readonly<Record<string, string>> = {
  email: 'ann@example.com',
  url: 'https://example.com/a',
  slug: 'a-slug',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uuid,
};

/**
 * A value that a field could have by its type alone, of those that may be told; undefined where none passes the
 * field's own rules.
 */
export function guessOf(field: Field, told = field.values): JsonValue | undefined {
  const { attributes } = field;
  const fixed = field.default?.kind === 'value' ? [field.default.value] : [];
  const own = attributes.example === undefined ? [] : [attributes.example];
  const candidates = [...own, ...fixed, ...(told ?? []), ...guesses(field)];
  for (const candidate of candidates) {
    const reading = candidate === null ? undefined : readValue(candidate, field);
    if (reading?.ok === true) return reading.value;
  }
  return field.nullable ? null : undefined;
}

function guesses(field: Field): readonly JsonValue[] {
  const { attributes, type, name } = field;
  switch (type.name) {
    case 'id':
      return attributes.format === undefined ? [1] : [attributes.format === 'uuid' ? uuid : 'a1'];
    case 'integer':
    case 'number':
      return numbers(field);
    case 'decimal':
      return numbers(field).map(String);
    case 'boolean':
      return [true];
    case 'date':
      return ['2026-03-01'];
    case 'time':
      return ['14:05:00'];
    case 'datetime':
      return ['2026-03-01T14:05:00.000Z'];
    case 'uuid':
      return [uuid];
    case 'email':
    case 'url':
      return [byFormat[type.name] ?? ''];
    case 'object':
      return [objectExample(field)];
    case 'array':
      return [arrayExample(field)];
    case 'json':
      return [{}];
    case 'string':
    case 'text':
    case 'enum':
    case 'relation': {
      const known = byFormat[attributes.format ?? ''];
      const least = attributes.minLength ?? 0;
      const text = `${name} example`.slice(0, attributes.maxLength ?? undefined);
      return [
        ...(known === undefined ? [] : [known]),
        text.padEnd(least, 'x'),
        'A'.repeat(Math.max(1, least)),
      ];
    }
    default:
      return type.name satisfies never;
  }
}

function numbers({ attributes }: Field): readonly number[] {
  const bounds = [
    attributes.minimum,
    attributes.maximum,
    attributes.multipleOf,
    attributes.exclusiveMinimum,
    attributes.exclusiveMaximum,
  ].flatMap((bound) => (bound === undefined ? [] : [Number(bound)]));
  return [1, ...bounds.flatMap((bound) => [bound, bound + 1, bound - 1]), 0, 0.5];
}

function objectExample({ properties }: Field): JsonValue {
  const members = [...(properties ?? [])].flatMap(([name, property]) => {
    const value = guessOf(property);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(members);
}

function arrayExample({ items, attributes }: Field): JsonValue {
  const item = items && guessOf(items);
  if (item === undefined) return [];
  return Array.from({ length: Math.max(1, attributes.minItems ?? 0) }, () => item);
}
